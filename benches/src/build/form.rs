//! The programs that are built, each with kube and with crdkit.

use crdkit_benches::runtime_path;

/// A program, with what it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// An operator of one kind that owns ConfigMaps, with kube's client, runtime and derive.
    OperatorKube,
    /// The same with crdkit's controller.
    OperatorCrdkit,
    /// A program that writes the definition of the kind, with kube-derive and schemars.
    DefinitionKube,
    /// The same with crdkit.
    DefinitionCrdkit,
}

impl Form {
    /// What is compared is next to each other.
    pub(crate) const ALL: [Self; 4] =
        [Self::OperatorKube, Self::OperatorCrdkit, Self::DefinitionKube, Self::DefinitionCrdkit];

    pub(crate) const OPERATORS: [Self; 2] = [Self::OperatorKube, Self::OperatorCrdkit];

    /// The name of the package, its program and its folder.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OperatorKube => "operator-kube",
            Self::OperatorCrdkit => "operator-crdkit",
            Self::DefinitionKube => "definition-kube",
            Self::DefinitionCrdkit => "definition-crdkit",
        }
    }

    /// The name in Rust.
    pub(crate) fn crate_name(self) -> String {
        self.name().replace('-', "_")
    }

    pub(crate) fn manifest(self) -> String {
        let template = match self {
            Self::OperatorKube => include_str!("operator_kube.toml.in"),
            Self::OperatorCrdkit => include_str!("operator_crdkit.toml.in"),
            Self::DefinitionKube => include_str!("definition_kube.toml.in"),
            Self::DefinitionCrdkit => include_str!("definition_crdkit.toml.in"),
        };
        let profile = match self {
            Self::OperatorKube | Self::DefinitionKube => "",
            Self::OperatorCrdkit | Self::DefinitionCrdkit => include_str!("registry_profile.toml.in"),
        };
        template.replace("RUNTIME", &runtime_path()) + profile
    }

    /// `src/main.rs`.
    pub(crate) fn main(self) -> &'static str {
        match self {
            Self::OperatorKube => include_str!("operator_kube.rs.in"),
            Self::OperatorCrdkit => include_str!("operator_crdkit.rs.in"),
            Self::DefinitionKube => include_str!("definition_kube.rs.in"),
            Self::DefinitionCrdkit => include_str!("definition_crdkit.rs.in"),
        }
    }

    /// `src/greeting.rs`, the kind.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::OperatorKube | Self::DefinitionKube => include_str!("greeting_kube.rs.in"),
            Self::OperatorCrdkit | Self::DefinitionCrdkit => include_str!("greeting_crdkit.rs.in"),
        }
    }
}
