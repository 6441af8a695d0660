//! The crates that generated code names.

use syn::{Path, parse_quote};

use crate::attrs::crates::Crates as CrateAttrs;

/// Paths in generated code. Each leads through crdkit unless the user names another.
pub(crate) struct Crates {
    pub(crate) crdkit: Path,
    pub(crate) kube_core: Path,
    pub(crate) k8s_openapi: Path,
    pub(crate) schemars: Path,
    pub(crate) serde: Path,
    pub(crate) serde_json: Path,
    /// Crates that the user names and generated code has no need of: they must be there.
    pub(crate) unused: Vec<Path>,
}

impl Crates {
    /// The crates of a resource, which is one of the `kube_core` that crdkit builds on, and of no other.
    pub(crate) fn of_resource(mut attrs: CrateAttrs) -> Self {
        let kube_core = attrs.kube_core.take();
        let mut crates = Self::resolve(attrs);
        crates.unused.extend(kube_core);
        crates
    }

    pub(crate) fn resolve(attrs: CrateAttrs) -> Self {
        let crdkit: Path = attrs.crdkit.unwrap_or_else(|| parse_quote!(::crdkit));
        Self {
            kube_core: attrs
                .kube_core
                .unwrap_or_else(|| parse_quote!(#crdkit::__private::kube_core)),
            k8s_openapi: attrs
                .k8s_openapi
                .unwrap_or_else(|| parse_quote!(#crdkit::__private::k8s_openapi)),
            schemars: attrs
                .schemars
                .unwrap_or_else(|| parse_quote!(#crdkit::__private::schemars)),
            serde: attrs
                .serde
                .unwrap_or_else(|| parse_quote!(#crdkit::__private::serde)),
            serde_json: attrs
                .serde_json
                .unwrap_or_else(|| parse_quote!(#crdkit::__private::serde_json)),
            unused: attrs.kube.into_iter().chain(attrs.std).collect(),
            crdkit,
        }
    }
}
