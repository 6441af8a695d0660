//! Managed fields and server-side apply.

mod topology;

pub(super) use topology::Topology;

use serde_json::Value;

/// The request that writes an object, as an entry of `metadata.managedFields` records it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writer<'a> {
    /// The query parameter `fieldManager`, or the user agent up to the first `/`.
    pub(super) manager: &'a str,
    /// The `group/version` in the path of the request.
    pub(super) api_version: &'a str,
    /// `status` or `scale`; empty for the object itself.
    pub(super) subresource: &'a str,
    /// The time of the request, as `2026-01-31T12:30:00Z`.
    pub(super) time: &'a str,
}

/// The versions of a resource. Objects of other versions are converted to compare what their managers own.
pub(super) trait Versions {
    /// Returns the topology of the objects of an `apiVersion`, if it is one of the resource.
    fn topology(&self, api_version: &str) -> Option<&Topology>;

    /// Whether the objects of an `apiVersion` have the subresource `status`.
    fn has_status(&self, api_version: &str) -> bool;

    /// Converts an object to an `apiVersion` of the resource.
    fn convert(&self, object: &Value, api_version: &str) -> Value;
}

/// Why a configuration cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ApplyError {
    /// Other managers own fields with other values: code 409, reason `Conflict`.
    Conflict {
        /// The message of the status.
        message: String,
        /// The causes in the details of the status.
        causes: Vec<ConflictCause>,
    },
    /// Code 400, reason `BadRequest`.
    BadRequest(String),
    /// Code 500, without a reason.
    Internal(String),
}

/// A cause of a conflict, with the reason `FieldManagerConflict`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConflictCause {
    /// `conflict with "manager" using example.com/v1`.
    pub(super) message: String,
    /// The path of the field, such as `.spec.size`.
    pub(super) field: String,
}
