use kube_core::Status;

use super::{ClientOperation, Error, StatusError};

/// Why fields were not applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// Other managers own fields and have set them to different values; [`StatusError::conflicts`] lists them.
    #[error("{}", .0.explain_conflicts())]
    Conflicts(Box<StatusError>),
    /// The handle has no field manager. Nothing was sent.
    #[error("cannot {operation}: the fields need an owner: set a field manager with `.field_manager(...)`")]
    NoFieldManager {
        /// The requested operation.
        operation: Box<ClientOperation>,
    },
    /// The request failed for another reason.
    #[error(transparent)]
    Request(Error),
}

impl ApplyError {
    /// Returns the Status, if the API server returned an error.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Conflicts(status_error) => Some(&status_error.status),
            Self::NoFieldManager { .. } => None,
            Self::Request(error) => error.status(),
        }
    }

    /// Returns whether the change may or may not have been made: see [`Error::is_outcome_unknown`].
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Request(error) if error.is_outcome_unknown())
    }
}

/// A field that another manager owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldConflict<'a> {
    /// The path, such as `.spec.replicas`, or `.spec.disks[name="boot"].size` in a list with keys.
    pub field: &'a str,
    /// The manager that owns it.
    pub manager: &'a str,
}

const CONFLICT: &str = "FieldManagerConflict";

impl StatusError {
    /// Returns the fields that other managers own, if they caused the error.
    pub fn conflicts(&self) -> impl Iterator<Item = FieldConflict<'_>> {
        let causes = self.causes().filter(|cause| cause.reason == CONFLICT);
        causes.map(|cause| FieldConflict { field: cause.path, manager: manager(cause.message) })
    }

    pub(crate) fn has_field_conflicts(&self) -> bool {
        self.conflicts().next().is_some()
    }

    pub(super) fn explain_conflicts(&self) -> String {
        let lines = self.conflicts().map(|conflict| format!("\n  {}: owned by `{}`", conflict.field, conflict.manager));
        format!(
            "cannot {}: other managers own fields; omit these, or take ownership with `.force()`{}",
            self.operation,
            self.quote_limit.truncate(&lines.collect::<String>())
        )
    }
}

/// Extracts the manager from a message: `conflict with "kubectl" using apps/v1`.
fn manager(message: &str) -> &str {
    let named = message.split_once("conflict with \"");
    named.and_then(|(_, rest)| rest.split_once('"')).map_or(message, |(manager, _)| manager)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managers_are_parsed_from_the_message() {
        let messages = [
            "conflict with \"kubectl\" using apps/v1",
            "conflict with \"kubectl\" with subresource \"status\" using v1 at 2026-01-01T00:00:00Z",
        ];
        assert_eq!(messages.map(manager), ["kubectl", "kubectl"]);
        assert_eq!(manager("in other words"), "in other words");
    }
}
