//! The crates that generated code refers to.

use darling::{Error, FromMeta, Result};
use syn::{Meta, Path};

use super::{Errors, items, value::PathValue};

/// `crates(...)` of kube-derive, and `crate = path` for crdkit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crates {
    pub(crate) crdkit: Option<Path>,
    pub(crate) kube: Option<Path>,
    pub(crate) kube_core: Option<Path>,
    pub(crate) k8s_openapi: Option<Path>,
    pub(crate) schemars: Option<Path>,
    pub(crate) serde: Option<Path>,
    pub(crate) serde_json: Option<Path>,
    pub(crate) std: Option<Path>,
}

const KEYS: &[&str] = &["kube", "kube_core", "k8s_openapi", "schemars", "serde", "serde_json", "std"];

impl FromMeta for Crates {
    fn from_meta(item: &Meta) -> Result<Self> {
        let Meta::List(list) = item else {
            return Err(Error::custom("expected `crates(...)`").with_span(item));
        };
        let mut errors = Error::accumulator();
        let items = items::parse_list(list, &mut errors);
        let crates = Self::parse(&items, &mut errors);
        errors.finish_with(crates)
    }
}

impl Crates {
    fn parse(items: &[Meta], errors: &mut Errors) -> Self {
        let mut crates = Self::default();
        for item in items {
            let slot = match items::name(item).as_str() {
                "kube" => &mut crates.kube,
                "kube_core" => &mut crates.kube_core,
                "k8s_openapi" => &mut crates.k8s_openapi,
                "schemars" => &mut crates.schemars,
                "serde" => &mut crates.serde,
                "serde_json" => &mut crates.serde_json,
                "std" => &mut crates.std,
                _ => {
                    errors.push(items::unknown(item, KEYS));
                    continue;
                }
            };
            let mut path = slot.take().map(PathValue);
            items::parse_once(&mut path, item, errors);
            *slot = path.map(|path| path.0);
        }
        crates
    }
}
