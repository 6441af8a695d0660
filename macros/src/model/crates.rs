//! The crates that generated code refers to.

use proc_macro2::{Ident, Span};
use syn::{Path, token::PathSep};

use crate::attrs::crates::Crates as CrateAttrs;

/// Paths in generated code. They lead through crdkit unless the user sets others.
pub(crate) struct Crates {
    pub(crate) crdkit: Path,
    /// The alias of `crdkit::__private` in generated code: short names compile faster.
    pub(crate) private: Ident,
    pub(crate) kube_core: Path,
    pub(crate) k8s_openapi: Path,
    pub(crate) schemars: Path,
    pub(crate) serde: Path,
    pub(crate) serde_json: Path,
    /// Paths that the user sets and generated code may not need. They are imported, so that a wrong path is an error.
    pub(crate) unused: Vec<Path>,
}

impl Crates {
    /// The crates of a resource, which always implements the traits of the `kube_core` that crdkit uses.
    pub(crate) fn of_resource(mut attrs: CrateAttrs) -> Self {
        let kube_core = attrs.kube_core.take();
        let mut crates = Self::resolve(attrs);
        crates.unused.extend(kube_core);
        crates
    }

    pub(crate) fn resolve(attrs: CrateAttrs) -> Self {
        let crdkit = attrs.crdkit.unwrap_or_else(|| absolute("crdkit"));
        let private = Ident::new("__crdkit", Span::call_site());
        let reexported =
            |named: Option<Path>, name: &str| named.unwrap_or_else(|| member(private.clone().into(), name));
        let unused = [attrs.kube, attrs.std, attrs.schemars.clone()];
        Self {
            kube_core: reexported(attrs.kube_core, "kube_core"),
            k8s_openapi: attrs
                .k8s_openapi
                .unwrap_or_else(|| member(member(crdkit.clone(), "__private"), "k8s_openapi")),
            schemars: reexported(attrs.schemars, "schemars"),
            serde: reexported(attrs.serde, "serde"),
            serde_json: reexported(attrs.serde_json, "serde_json"),
            unused: unused.into_iter().flatten().collect(),
            crdkit,
            private,
        }
    }
}

fn absolute(name: &str) -> Path {
    let mut path = Path::from(Ident::new(name, Span::call_site()));
    path.leading_colon = Some(PathSep::default());
    path
}

fn member(mut path: Path, name: &str) -> Path {
    path.segments.push(Ident::new(name, Span::call_site()).into());
    path
}
