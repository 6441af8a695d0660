//! The crates that generated code refers to.

use darling::{Error, FromMeta, Result};
use syn::{Meta, Path};

use super::{
    Errors, items,
    key::{Key, keys},
    value::PathValue,
};

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

keys! {
    CrateKey {
        Kube = "kube",
        KubeCore = "kube_core",
        K8sOpenapi = "k8s_openapi",
        Schemars = "schemars",
        Serde = "serde",
        SerdeJson = "serde_json",
        Std = "std",
    }
}

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
            let Some(key) = CrateKey::of(item) else {
                errors.push(items::unknown(item, &CrateKey::names()));
                continue;
            };
            let slot = match key {
                CrateKey::Kube => &mut crates.kube,
                CrateKey::KubeCore => &mut crates.kube_core,
                CrateKey::K8sOpenapi => &mut crates.k8s_openapi,
                CrateKey::Schemars => &mut crates.schemars,
                CrateKey::Serde => &mut crates.serde,
                CrateKey::SerdeJson => &mut crates.serde_json,
                CrateKey::Std => &mut crates.std,
            };
            let mut path = slot.take().map(PathValue);
            items::parse_once(&mut path, item, errors);
            *slot = path.map(|path| path.0);
        }
        crates
    }
}
