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
    /// crdkit's, with serde's.
    Crdkit,
    /// crdkit's alone.
    OwnSerde,
}

impl Form {
    pub(crate) const ALL: [Self; 5] = [Self::Serde, Self::Schemars, Self::Kube, Self::Crdkit, Self::OwnSerde];

    /// The name in paths.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Serde => "serde",
            Self::Schemars => "schemars",
            Self::Kube => "kube",
            Self::Crdkit => "crdkit",
            Self::OwnSerde => "own-serde",
        }
    }

    /// What lines of the template are for.
    pub(crate) fn tags(self) -> [&'static str; 2] {
        match self {
            Self::Serde | Self::Schemars | Self::Kube | Self::Crdkit => [self.name(), "serde-derives"],
            Self::OwnSerde => ["crdkit", self.name()],
        }
    }

    /// The name of the library in Rust.
    pub(crate) fn crate_name(self) -> String {
        format!("form_{}", self.name().replace('-', "_"))
    }

    /// The name of the program that decodes and encodes the types of the library.
    pub(crate) fn program_name(self) -> String {
        format!("program_{}", self.name().replace('-', "_"))
    }

    /// Dependencies that the types' derives need, as lines of a manifest.
    pub(crate) fn dependencies(self) -> &'static [&'static str] {
        match self {
            Self::Serde => &[],
            Self::Schemars => &["schemars"],
            Self::Kube => &["kube", "schemars", "serde_json"],
            Self::Crdkit | Self::OwnSerde => &["crdkit"],
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
            Self::OwnSerde => "crdkit's serde",
        })
    }
}
