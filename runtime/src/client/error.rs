//! Errors of requests.

mod apply;
mod connect;
mod delete;
mod evict;
mod forbidden;
mod json;
pub(crate) mod kube;
mod message;
mod operation;
mod owner;
mod status_error;
mod timeout_phase;
mod undecodable;
mod update;
mod wait;
mod yaml;

#[cfg(test)]
mod secrets;

use std::time::Duration;

use kube_core::Status;

use super::{limits::Limit, retry, selector::FieldValueError};

pub use super::response_kind::Mismatch;
pub use apply::{ApplyError, FieldConflict};
pub use connect::ConnectError;
pub use delete::DeleteError;
pub use evict::EvictError;
pub use forbidden::PolicyRule;
pub use json::JsonError;
pub(crate) use json::{is_too_deep, without_position};
pub(crate) use kube::explain_transport;
pub use kube::{ConfigError, KubeError};
pub(crate) use message::{Excerpt, HIDDEN};
pub use operation::ClientOperation;
pub use owner::OwnerError;
pub use status_error::{StatusCause, StatusError};
pub use timeout_phase::TimeoutPhase;
pub use undecodable::Undecodable;
pub use update::UpdateError;
pub use wait::WaitUntilError;
pub use yaml::YamlError;

/// Why a request failed.
///
/// Its variants are distinguished by what you can do about them. Operations of several requests have their own errors, of
/// which this is one variant: [`UpdateError`], [`ApplyError`], [`DeleteError`], [`EvictError`], [`WaitUntilError`]. `status()` returns the Status of the API server from each
/// of them.
///
/// # Secrets
///
/// Errors end up in logs. Their `Display` and `Debug` output, and that of their sources, contains types, paths, objects
/// and reasons, but no value of an object, no header, no token and no certificate. Explicit methods return those:
/// `unredacted()` of [`JsonError`], [`YamlError`], [`KubeError`] and [`ConfigError`], and of the informers'
/// `PanicMessage`, and `status()` or [`StatusError::causes`] for the message of the API server.
///
/// Where the API server quotes a value, the text has `[hidden]` instead:
///
/// ```text
/// cannot create VirtualMachine `bad` in namespace `default`: the object is invalid
///   spec.replicas: Invalid value: [hidden]: spec.replicas in body should be less than or equal to 1000
/// ```
///
/// Errors of a client with [`Client::quote_values`](crate::Client::quote_values) have the values of objects, but still no header, token
/// or certificate. So do those of [`Client::try_default`](crate::Client::try_default) if the variable `CRDKIT_QUOTE_VALUES` is `1`, which
/// `cargo crdkit dev` sets for its own API server. The clients of crdkit-api-server's `ApiServer` and `ControlPlane` are such clients, so a
/// failing test shows what was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The object, or something that it requires such as its namespace, does not exist. (404)
    #[error("{}", .0.explain(""))]
    NotFound(Box<StatusError>),
    /// The API server does not serve the kind in this version. (404)
    #[error("{}", .0.explain_not_served())]
    NotServed(Box<StatusError>),
    /// An object with this name already exists. (409)
    #[error("{}", .0.explain(""))]
    AlreadyExists(Box<StatusError>),
    /// The object has changed since it was read, or the change contradicts the object's state. (409)
    #[error("{}", .0.explain("read the object again and repeat the change, as `update` does"))]
    Conflict(Box<StatusError>),
    /// The object violates its schema; [`StatusError::causes`] lists the violations. (422; 500 if it was applied and
    /// has fields that are not in the schema, or values of other types)
    #[error("{}", .0.explain_causes())]
    Invalid(Box<StatusError>),
    /// The user lacks the permission; [`StatusError::missing_rule`] returns the rule that would grant it. (403)
    #[error("{}", .0.explain_permission())]
    Forbidden(Box<StatusError>),
    /// The API server could not authenticate the user. (401)
    #[error("{}", .0.explain("the credentials are missing, wrong or expired"))]
    Unauthorized(Box<StatusError>),
    /// The resourceVersion or the `continue` token is too old for the API server. (410)
    #[error("{}", .0.explain("restart with a new list"))]
    Expired(Box<StatusError>),
    /// The API server is overloaded and did not process the request. (429)
    #[error("{}", .0.explain("retry later"))]
    TooManyRequests(Box<StatusError>),
    /// The API server or a service that it depends on timed out; the change may have been made. (500, 504)
    #[error("{}", .0.explain(.0.operation.advice_after_timeout()))]
    Timeout(Box<StatusError>),
    /// The API server is unavailable. Without a `Retry-After`, a change may have been made. (503)
    #[error("{}", .0.explain(.0.advice_after_failure()))]
    Unavailable(Box<StatusError>),
    /// The API server returned another error. With a code of 500 or more, a change may have been made.
    #[error("{}", .0.explain(.0.advice_after_failure()))]
    Api(Box<StatusError>),
    /// The name is not valid for an object, or the group, version or plural is not valid for a kind. Nothing was sent.
    #[error("cannot {operation}: `{}` is not a valid name: {reason}", .name.escape_debug())]
    InvalidName {
        /// The requested operation.
        operation: Box<ClientOperation>,
        /// The name, the namespace, or the part of the kind.
        name: String,
        /// Why it is invalid.
        reason: &'static str,
    },
    /// A field selector compares a field with a value that it can never have. Nothing was sent.
    #[error("cannot {operation}: {source}")]
    InvalidSelector {
        /// The requested operation.
        operation: Box<ClientOperation>,
        /// The field and the problem.
        source: FieldValueError,
    },
    /// The object has no `metadata.name`. Nothing was sent.
    #[error("cannot {operation}: the object has no name: set `metadata.name`")]
    MissingName {
        /// The requested operation.
        operation: Box<ClientOperation>,
    },
    /// The given object lacks metadata that the API server sets on every object. Nothing was sent.
    #[error(
        "cannot {operation}: the object has no `{missing}`: pass an object that was read from the API server, such as one from a \
         lister"
    )]
    MissingMetadata {
        /// The requested operation.
        operation: Box<ClientOperation>,
        /// The path of the missing field, such as `metadata.uid`.
        missing: &'static str,
    },
    /// The given object is in another namespace than the handle. Nothing was sent.
    #[error(
        "cannot {operation}: the object is in namespace `{}`: select it with `.namespace(...)`, or use a handle with \
         `.all_namespaces()`",
        Excerpt(.namespace)
    )]
    NamespaceMismatch {
        /// The requested operation.
        operation: Box<ClientOperation>,
        /// The namespace of the object.
        namespace: String,
    },
    /// The manager that the client belongs to is not, or no longer, the leader, or does not hold the shard of the object. Nothing
    /// was sent.
    #[error(
        "cannot {operation}: this process is not the leader, or does not hold the shard of the object: its lease expired or was \
         not acquired; nothing was sent"
    )]
    NotLeader {
        /// The operation.
        operation: Box<ClientOperation>,
    },
    /// The given object was deleted, and another object has its name. That one was not changed.
    #[error("cannot {operation}: the object was deleted, and another object has its name")]
    Recreated {
        /// The requested operation.
        operation: Box<ClientOperation>,
    },
    /// The content cannot be serialized as a JSON object. Nothing was sent.
    #[error("cannot {operation}: the content cannot be serialized as a JSON object: {source}")]
    Encode {
        /// The requested operation.
        operation: Box<ClientOperation>,
        /// The error of its `Serialize` implementation.
        source: JsonError,
    },
    /// The response does not match the type: the type is older or newer than the API server's, or belongs to another
    /// kind.
    #[error(transparent)]
    Decode(Box<Undecodable>),
    /// The response reports success but is not what was requested: another kind, another object, or not a Kubernetes
    /// object at all. A change may have been made.
    #[error("cannot {operation}: {mismatch}{}", .operation.unknown_outcome_unless(false))]
    Unexpected {
        /// The requested operation.
        operation: Box<ClientOperation>,
        /// The expected and the actual response.
        #[source]
        mismatch: Box<Mismatch>,
    },
    /// There was no response, or only part of one, and a change may have been made; or nothing was sent, because there
    /// were no credentials or no connection. [`is_outcome_unknown`](Self::is_outcome_unknown) distinguishes the cases.
    #[error(
        "cannot {operation}: {}{source}{}",
        .source.without_answer(),
        .operation.unknown_outcome_unless(retry::was_never_sent(.source.unredacted()))
    )]
    Transport {
        /// The requested operation.
        operation: Box<ClientOperation>,
        /// The error of the transport.
        source: KubeError,
    },
    /// The response did not start in time, or stalled; a change may have been made.
    #[error("cannot {operation}: {}{}", .phase.explain(*.limit), .operation.unknown_outcome_unless(false))]
    #[non_exhaustive]
    DeadlineExceeded {
        /// The requested operation.
        operation: Box<ClientOperation>,
        /// What took too long.
        phase: TimeoutPhase,
        /// The time limit.
        limit: Duration,
    },
    /// The response is larger, or an object in it is nested deeper, than the [`Limits`](super::Limits) allow, so it was
    /// not read. A change was made.
    #[error("cannot {operation}: {}", .limit.explain(*.allowed))]
    #[non_exhaustive]
    TooLarge {
        /// The requested operation.
        operation: Box<ClientOperation>,
        /// The exceeded limit.
        limit: Limit,
        /// The allowed number of bytes; for [`Limit::Depth`], of nested objects and lists.
        allowed: usize,
    },
}

impl Error {
    /// Returns the Status, if the API server returned an error.
    pub fn status(&self) -> Option<&Status> {
        Some(&self.status_error()?.status)
    }

    /// Returns the [`StatusError`], if the API server returned an error.
    pub fn status_error(&self) -> Option<&StatusError> {
        match self {
            Self::NotFound(status_error)
            | Self::NotServed(status_error)
            | Self::AlreadyExists(status_error)
            | Self::Conflict(status_error)
            | Self::Invalid(status_error)
            | Self::Forbidden(status_error)
            | Self::Unauthorized(status_error)
            | Self::Expired(status_error)
            | Self::TooManyRequests(status_error)
            | Self::Timeout(status_error)
            | Self::Unavailable(status_error)
            | Self::Api(status_error) => Some(status_error),
            Self::InvalidName { .. }
            | Self::InvalidSelector { .. }
            | Self::MissingName { .. }
            | Self::MissingMetadata { .. }
            | Self::NamespaceMismatch { .. }
            | Self::NotLeader { .. }
            | Self::Recreated { .. }
            | Self::Encode { .. }
            | Self::Decode(_)
            | Self::Unexpected { .. }
            | Self::Transport { .. }
            | Self::DeadlineExceeded { .. }
            | Self::TooLarge { .. } => None,
        }
    }

    /// Returns the requested operation.
    pub fn operation(&self) -> &ClientOperation {
        match self {
            Self::InvalidName { operation, .. }
            | Self::InvalidSelector { operation, .. }
            | Self::MissingName { operation }
            | Self::MissingMetadata { operation, .. }
            | Self::NamespaceMismatch { operation, .. }
            | Self::NotLeader { operation }
            | Self::Recreated { operation }
            | Self::Encode { operation, .. }
            | Self::Unexpected { operation, .. }
            | Self::Transport { operation, .. }
            | Self::DeadlineExceeded { operation, .. }
            | Self::TooLarge { operation, .. } => operation,
            Self::Decode(undecodable) => &undecodable.operation,
            refused => {
                let status_error = refused.status_error();
                &status_error.expect("all other variants contain a StatusError").operation
            }
        }
    }

    /// Returns the delay that the API server requests with `Retry-After`, if any.
    pub fn retry_after(&self) -> Option<Duration> {
        self.status_error()?.retry_after
    }

    /// Returns whether a write may or may not have been made: read the object before you retry the request.
    ///
    /// If a response arrived and only cannot be decoded, the change was made.
    pub fn is_outcome_unknown(&self) -> bool {
        let is_unknown = match self {
            Self::Timeout(_) | Self::DeadlineExceeded { .. } => true,
            Self::Transport { source, .. } => !retry::was_never_sent(source.unredacted()),
            Self::Unavailable(status_error) => status_error.retry_after.is_none(),
            // A proxy between the client and the API server may have sent this.
            Self::Api(status_error) => status_error.status.code >= 500,
            Self::Unexpected { .. } => true,
            _ => false,
        };
        is_unknown && self.operation().verb.is_write()
    }

    /// Returns whether the object does not exist, or was replaced by another one of the same name.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound(_) | Self::Recreated { .. })
    }

    /// Returns whether the object was changed concurrently.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }

    /// Returns whether an object with this name already exists.
    pub fn is_already_exists(&self) -> bool {
        matches!(self, Self::AlreadyExists(_))
    }

    /// Returns whether a list or a watch cannot be continued because its resourceVersion is too old.
    pub fn is_expired(&self) -> bool {
        matches!(self, Self::Expired(_))
    }
}
