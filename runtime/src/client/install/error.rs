use std::time::Duration;

use super::DataLoss;
use crate::{
    client::{
        error::{ApplyError, DeleteError, Error, JsonError},
        storage_migration::StorageMigrationError,
    },
    crd::validate::Violation,
};

/// Why definitions were not installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The installation would lose data. Nothing was changed.
    #[error("nothing was installed, because data would be lost:{}", list(.0))]
    DataLoss(Vec<DataLoss>),
    /// The API server would reject definitions. Nothing was sent. Contains their names and violations.
    #[error("nothing was installed, because the API server would reject it:{}", violations(.0))]
    Refused(Vec<(String, Violation)>),
    /// Another definition in the group has one of the names, so the definition is not served under it.
    #[error("`{crd}` is installed but not accepted ({reason}): {message}; rename it, or remove the other definition")]
    NamesConflict {
        /// The name of the definition.
        crd: String,
        /// The conflicting name, such as `ShortNamesConflict`.
        reason: String,
        /// The message of the API server, such as `"vm" is already in use`.
        message: String,
    },
    /// The definition was applied, but not served in time.
    #[error("`{crd}` is applied but not served after {limit:?}: {obstacle}")]
    NotServed {
        /// The name of the definition.
        crd: String,
        /// What is missing, or the last error of the API server.
        obstacle: String,
        /// The time limit.
        limit: Duration,
    },
    /// Two definitions have the same name. Nothing was changed.
    #[error("`{crd}` is defined twice: join the versions of a kind with `crdkit::merge::Versions`")]
    Duplicate {
        /// The name of the definition.
        crd: String,
    },
    /// A definition has no name. Nothing was changed.
    #[error("the definition of {kind} has no name: set `metadata.name`")]
    MissingName {
        /// The kind that it defines.
        kind: String,
    },
    /// A definition cannot be serialized as JSON.
    #[error("`{crd}` cannot be serialized as JSON: {source}")]
    Encode {
        /// The name of the definition.
        crd: String,
        /// The error of its `Serialize` implementation.
        source: JsonError,
    },
    /// The definition cannot be applied, for example because [other managers own fields](ApplyError::Conflicts).
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// An old definition cannot be deleted.
    #[error(transparent)]
    Delete(#[from] DeleteError),
    /// The objects of a version that is removed cannot be rewritten.
    #[error(transparent)]
    Migration(#[from] StorageMigrationError),
    /// Another request failed.
    #[error(transparent)]
    Request(Error),
}

impl InstallError {
    /// Returns whether a change may or may not have been made: see [`Error::is_outcome_unknown`].
    pub fn is_outcome_unknown(&self) -> bool {
        match self {
            Self::Apply(error) => error.is_outcome_unknown(),
            Self::Delete(error) => error.is_outcome_unknown(),
            Self::Request(error) => error.is_outcome_unknown(),
            _ => false,
        }
    }
}

fn violations(all: &[(String, Violation)]) -> String {
    let lines = all.iter().map(|(crd, violation)| format!("\n  {crd}: {violation}"));
    lines.collect()
}

fn list(losses: &[DataLoss]) -> String {
    let lines = losses.iter().map(|loss| format!("\n  {loss}"));
    let mut text: String = lines.collect();
    text += "\n  or allow the loss with `.allow_data_loss()`";
    text
}
