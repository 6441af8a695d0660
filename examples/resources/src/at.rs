//! Run a command at a time.

use crdkit::{
    CustomResource, KubeSchema,
    serde::{Deserialize, Serialize},
};

/// Runs a command once, at a time.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "cnat.programming-kubernetes.info",
    version = "v1alpha1",
    kind = "At",
    namespaced,
    shortname = "at",
    category = "all",
    status = "AtStatus",
    derive = "PartialEq",
    printcolumn(age)
)]
pub struct AtSpec {
    /// When to run, as an ISO 8601 time in UTC such as `2030-01-31T12:00:00Z`.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"))]
    #[crd(column)]
    pub schedule: String,

    /// The command, run by a shell.
    #[schemars(length(min = 1))]
    #[crd(column(priority = 1))]
    pub command: String,
}

/// The result of the command.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct AtStatus {
    /// How far it is.
    #[crd(column)]
    pub phase: AtPhase,
}

/// How far a command is.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub enum AtPhase {
    /// The time has not come.
    #[default]
    Pending,
    /// The command runs.
    Running,
    /// The command has ended.
    Done,
}
