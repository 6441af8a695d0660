use kube_core::Status;

use super::{Error, Operation, StatusError};

/// Why fields were not applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// Others own fields and set them to other values; [`StatusError::conflicts`] has them one by one.
    #[error("{}", .0.explain_conflicts())]
    Conflicts(Box<StatusError>),
    /// Nobody would own the fields, so nothing was sent.
    #[error(
        "cannot {operation}: nobody would own the fields: name a manager with `.field_manager(...)`"
    )]
    NoFieldManager {
        /// What was to be done.
        operation: Box<Operation>,
    },
    /// The request failed for another reason.
    #[error(transparent)]
    Request(Error),
}

impl ApplyError {
    /// What the API server said, if it said no.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Conflicts(status_error) => Some(&status_error.status),
            Self::NoFieldManager { .. } => None,
            Self::Request(error) => error.status(),
        }
    }

    /// Whether it is unknown if the change was made: [`Error::is_outcome_unknown`].
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Request(error) if error.is_outcome_unknown())
    }
}

/// A field that somebody else owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldConflict<'a> {
    /// The path, such as `.spec.replicas`, or `.spec.disks[name="boot"].size` in a list with keys.
    pub field: &'a str,
    /// Who owns it.
    pub manager: &'a str,
}

const CONFLICT: &str = "FieldManagerConflict";

impl StatusError {
    /// The fields that others own, where that is why the API server said no.
    pub fn conflicts(&self) -> impl Iterator<Item = FieldConflict<'_>> {
        let causes = self.causes().filter(|cause| cause.reason == CONFLICT);
        causes.map(|cause| FieldConflict {
            field: cause.path,
            manager: manager(cause.message),
        })
    }

    pub(crate) fn has_field_conflicts(&self) -> bool {
        self.conflicts().next().is_some()
    }

    pub(super) fn explain_conflicts(&self) -> String {
        let lines = self
            .conflicts()
            .map(|conflict| format!("\n  {}: owned by `{}`", conflict.field, conflict.manager));
        format!(
            "cannot {}: others own fields; leave these out, or take them over with `.force()`{}",
            self.operation,
            self.quotes.cut(&lines.collect::<String>())
        )
    }
}

/// Who it is that the message names: `conflict with "kubectl" using apps/v1`.
fn manager(message: &str) -> &str {
    let named = message.split_once("conflict with \"");
    named
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or(message, |(manager, _)| manager)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managers_are_read_from_what_the_server_says() {
        let messages = [
            "conflict with \"kubectl\" using apps/v1",
            "conflict with \"kubectl\" with subresource \"status\" using v1 at 2026-01-01T00:00:00Z",
        ];
        assert_eq!(messages.map(manager), ["kubectl", "kubectl"]);
        assert_eq!(manager("in other words"), "in other words");
    }
}
