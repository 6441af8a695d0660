//! The forms in which the same types are written.

use std::fmt;

/// What the types of a crate derive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// Serde's derives alone, the root types written by hand.
    Serde,
    /// Serde's and schemars' derives, the root types written by hand.
    Schemars,
    /// kube-derive's, with schemars'.
    Kube,
    /// crdkit's.
    Crdkit,
}

impl Form {
    pub(crate) const ALL: [Self; 4] = [Self::Serde, Self::Schemars, Self::Kube, Self::Crdkit];

    /// The name in paths and in the template.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Serde => "serde",
            Self::Schemars => "schemars",
            Self::Kube => "kube",
            Self::Crdkit => "crdkit",
        }
    }

    /// The name in Rust.
    pub(crate) fn crate_name(self) -> String {
        format!("form_{}", self.name())
    }

    /// Dependencies that the types' derives need, as lines of a manifest.
    pub(crate) fn dependencies(self) -> &'static [&'static str] {
        match self {
            Self::Serde => &[],
            Self::Schemars => &["schemars"],
            Self::Kube => &["kube", "schemars", "serde_json"],
            Self::Crdkit => &["crdkit"],
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Serde => "serde",
            Self::Schemars => "serde, schemars",
            Self::Kube => "kube-derive",
            Self::Crdkit => "crdkit",
        })
    }
}
