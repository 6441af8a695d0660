use std::time::Duration;

use super::DataLoss;
use crate::client::error::{ApplyError, DeleteError, Error, JsonError};
use crate::validate::Violation;

/// Why definitions are not installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// Data would be lost, so nothing was changed.
    #[error("nothing was installed, because data would be lost:{}", list(.0))]
    DataLoss(Vec<DataLoss>),
    /// The API server would refuse definitions, so nothing was sent: their names, and the rules that they break.
    #[error("nothing was installed, because the API server would refuse it:{}", violations(.0))]
    Refused(Vec<(String, Violation)>),
    /// Another definition of the group has one of the names, so the definition is not served under it.
    #[error(
        "`{crd}` is installed but not accepted ({reason}): {message}; rename it, or remove the other definition"
    )]
    NamesConflict {
        /// The definition.
        crd: String,
        /// Which name, such as `ShortNamesConflict`.
        reason: String,
        /// What the API server says, such as `"vm" is already in use`.
        message: String,
    },
    /// It is applied, and not served in time.
    #[error("`{crd}` is applied but not served after {limit:?}: {obstacle}")]
    NotServed {
        /// The definition.
        crd: String,
        /// What is missing, or what the API server last said.
        obstacle: String,
        /// How long it was waited for.
        limit: Duration,
    },
    /// Two definitions have the same name, so nothing was changed.
    #[error("`{crd}` is defined twice: join the versions of a kind with `crdkit::merge::Versions`")]
    Twice {
        /// The definition.
        crd: String,
    },
    /// A definition has no name, so nothing was changed.
    #[error("the definition of {kind} has no name: set `metadata.name`")]
    Nameless {
        /// The kind that it defines.
        kind: String,
    },
    /// A definition cannot be written as JSON.
    #[error("`{crd}` cannot be written as JSON: {source}")]
    Unwritable {
        /// The definition.
        crd: String,
        /// What its `Serialize` says.
        source: JsonError,
    },
    /// It cannot be applied, perhaps because [others own fields](ApplyError::Conflicts).
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// An old definition cannot be deleted.
    #[error(transparent)]
    Delete(#[from] DeleteError),
    /// Another request failed.
    #[error(transparent)]
    Request(Error),
}

impl InstallError {
    /// Whether it is unknown if a change was made: [`Error::is_outcome_unknown`].
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
    let lines = all
        .iter()
        .map(|(crd, violation)| format!("\n  {crd}: {violation}"));
    lines.collect()
}

fn list(losses: &[DataLoss]) -> String {
    let lines = losses.iter().map(|loss| format!("\n  {loss}"));
    let mut text: String = lines.collect();
    text += "\n  or lose it on purpose with `.allow_data_loss()`";
    text
}
