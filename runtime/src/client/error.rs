//! What can go wrong, told apart by what to do about it.
//!
//! A single request fails with an [`Error`]. What takes several requests has an error of its own, of which that is one
//! case: [`UpdateError`], [`ApplyError`], [`DeleteError`]. Whatever the API server said stays within reach: `status()`
//! returns it.
//!
//! # Secrets
//!
//! Errors end up in logs. Their texts, those of `Debug` and of their sources too, name types, paths, objects and reasons,
//! and hold no value of an object, no header, no token and no certificate. What holds them is at hand by name:
//! `unredacted()` of [`JsonError`], [`YamlError`], [`KubeError`] and [`ConfigError`], and of the informers' `PanicMessage`,
//! and `status()` or [`StatusError::causes`] for the API server's own words.

mod apply;
mod connect;
mod delete;
mod forbidden;
mod json;
mod kube;
mod message;
mod operation;
mod owner;
mod phase;
mod status_error;
mod undecodable;
mod update;
mod yaml;

#[cfg(test)]
mod secrets;

use std::time::Duration;

use kube_core::Status;

use super::{limits::Limit, retry, selector::FieldValueError};

pub use super::expected::Mismatch;
pub use apply::{ApplyError, FieldConflict};
pub use connect::ConnectError;
pub use delete::DeleteError;
pub use forbidden::PolicyRule;
pub use json::JsonError;
pub(crate) use json::is_too_deep;
pub(crate) use kube::explain_transport;
pub use kube::{ConfigError, KubeError};
#[cfg(feature = "informer")]
pub(crate) use message::OneLine;
pub(crate) use message::{Excerpt, HIDDEN};
pub use operation::Operation;
pub use owner::OwnerError;
pub use phase::Phase;
pub use status_error::{Cause, StatusError};
pub use undecodable::Undecodable;
pub use update::UpdateError;
pub use yaml::YamlError;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The object, or something that it needs such as its namespace, is not there. (404)
    #[error("{}", .0.explain(""))]
    NotFound(Box<StatusError>),
    /// The API server does not know the kind in this version. (404)
    #[error("{}", .0.explain_not_served())]
    NotServed(Box<StatusError>),
    /// There is an object of this name. (409)
    #[error("{}", .0.explain(""))]
    AlreadyExists(Box<StatusError>),
    /// Somebody changed the object since it was read, or the change contradicts the object's state. (409)
    #[error("{}", .0.explain("read the object again and repeat the change: `update` does that"))]
    Conflict(Box<StatusError>),
    /// The object breaks rules of its schema; [`StatusError::causes`] has them one by one. (422; 500 where it was applied and has
    /// fields that the schema has not, or values of other types)
    #[error("{}", .0.explain_causes())]
    Invalid(Box<StatusError>),
    /// The user may not do this; [`StatusError::missing_rule`] has the rule that would allow it. (403)
    #[error("{}", .0.explain_permission())]
    Forbidden(Box<StatusError>),
    /// The API server does not know who asks. (401)
    #[error("{}", .0.explain("the credentials are missing, wrong or expired"))]
    Unauthorized(Box<StatusError>),
    /// The resourceVersion or the page is too old for the API server to go on from. (410)
    #[error("{}", .0.explain("begin again with a new list"))]
    Expired(Box<StatusError>),
    /// The API server has too much to do, and did not do this. (429)
    #[error("{}", .0.explain("ask again later"))]
    TooManyRequests(Box<StatusError>),
    /// The API server or what it needs took too long; the change may have been made. (500, 504)
    #[error("{}", .0.explain(.0.operation.advice_after_timeout()))]
    Timeout(Box<StatusError>),
    /// The API server cannot serve anything at the moment. Unless it says when to ask again, a change may have been made. (503)
    #[error("{}", .0.explain(.0.advice_after_failure()))]
    Unavailable(Box<StatusError>),
    /// The API server refused for another reason. With a code of 500 or more a change may have been made.
    #[error("{}", .0.explain(.0.advice_after_failure()))]
    Api(Box<StatusError>),
    /// The name cannot be that of an object, or the group, version or plural that of a kind, so nothing was sent.
    #[error("cannot {operation}: `{}` is no name: {reason}", .name.escape_debug())]
    InvalidName {
        /// What was to be done.
        operation: Box<Operation>,
        /// The name, the namespace, or the part of the kind.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A field is compared with what it can never be, so nothing was sent.
    #[error("cannot {operation}: {source}")]
    InvalidSelector {
        /// What was to be done.
        operation: Box<Operation>,
        /// Which field, and what is wrong.
        source: FieldValueError,
    },
    /// The object has no `metadata.name`, so nothing was sent.
    #[error("cannot {operation}: the object has no name: set `metadata.name`")]
    Nameless {
        /// What was to be done.
        operation: Box<Operation>,
    },
    /// The object at hand lacks what the API server gives to every object, so nothing was sent.
    #[error(
        "cannot {operation}: the object at hand has no `{missing}`: give one that was read from the API server, such as one of \
         a lister"
    )]
    NeverRead {
        /// What was to be done.
        operation: Box<Operation>,
        /// The path of what is missing, such as `metadata.uid`.
        missing: &'static str,
    },
    /// The object at hand is in another namespace than the objects of the handle, so nothing was sent.
    #[error(
        "cannot {operation}: the object at hand is in namespace `{}`: choose that one with `.namespace(...)`, or take a \
         handle to `.all_namespaces()`",
        Excerpt(.namespace)
    )]
    OtherNamespace {
        /// What was to be done.
        operation: Box<Operation>,
        /// The namespace of the object.
        namespace: String,
    },
    /// The object at hand was deleted, and there is another one of its name, which was not changed.
    #[error("cannot {operation}: the object at hand is gone, and another one has its name")]
    Recreated {
        /// What was to be done.
        operation: Box<Operation>,
    },
    /// What was to be sent is no JSON object, so nothing was sent.
    #[error("cannot {operation}: what is to be sent cannot be written as a JSON object: {source}")]
    Encode {
        /// What was to be done.
        operation: Box<Operation>,
        /// What its `Serialize` says.
        source: JsonError,
    },
    /// The answer does not fit the type: the type is older or newer than the API server's, or another kind's.
    #[error("{0}")]
    Decode(#[source] Box<Undecodable>),
    /// The answer is not what was requested, though it says that all went well: something else of another kind, another
    /// object, or none of Kubernetes' at all. A change may have been made.
    #[error("cannot {operation}: {mismatch}{}", .operation.unknown_outcome_unless(false))]
    Unexpected {
        /// What was to be done.
        operation: Box<Operation>,
        /// What was requested, and what came.
        #[source]
        mismatch: Box<Mismatch>,
    },
    /// There was no answer, or only a part of one, and a change may have been made; or nothing was sent, for want of
    /// credentials or a connection. [`is_outcome_unknown`](Self::is_outcome_unknown) has which.
    #[error(
        "cannot {operation}: {}{source}{}",
        .source.without_answer(),
        .operation.unknown_outcome_unless(retry::was_never_sent(.source.unredacted()))
    )]
    Transport {
        /// What was to be done.
        operation: Box<Operation>,
        /// What broke.
        source: KubeError,
    },
    /// The answer did not begin in time, or did not go on; a change may have been made.
    #[error("cannot {operation}: {}{}", .phase.explain(*.limit), .operation.unknown_outcome_unless(false))]
    #[non_exhaustive]
    DeadlineExceeded {
        /// What was to be done.
        operation: Box<Operation>,
        /// What took too long.
        phase: Phase,
        /// How long it was allowed to take.
        limit: Duration,
    },
    /// The answer is larger, or an object in it is nested deeper, than the [`Limits`](super::Limits) allow, so it was not
    /// read. A change was made.
    #[error("cannot {operation}: {}", .limit.explain(*.allowed))]
    #[non_exhaustive]
    TooLarge {
        /// What was to be done.
        operation: Box<Operation>,
        /// Which limit.
        limit: Limit,
        /// How many bytes are allowed; of [`Limit::Depth`], how many objects and lists within each other.
        allowed: usize,
    },
}

impl Error {
    /// What the API server said, if it said no.
    pub fn status(&self) -> Option<&Status> {
        Some(&self.status_error()?.status)
    }

    /// The status_error, if the API server said no.
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
            | Self::Nameless { .. }
            | Self::NeverRead { .. }
            | Self::OtherNamespace { .. }
            | Self::Recreated { .. }
            | Self::Encode { .. }
            | Self::Decode(_)
            | Self::Unexpected { .. }
            | Self::Transport { .. }
            | Self::DeadlineExceeded { .. }
            | Self::TooLarge { .. } => None,
        }
    }

    /// What was to be done.
    pub fn operation(&self) -> &Operation {
        match self {
            Self::InvalidName { operation, .. }
            | Self::InvalidSelector { operation, .. }
            | Self::Nameless { operation }
            | Self::NeverRead { operation, .. }
            | Self::OtherNamespace { operation, .. }
            | Self::Recreated { operation }
            | Self::Encode { operation, .. }
            | Self::Unexpected { operation, .. }
            | Self::Transport { operation, .. }
            | Self::DeadlineExceeded { operation, .. }
            | Self::TooLarge { operation, .. } => operation,
            Self::Decode(undecodable) => &undecodable.operation,
            refused => {
                let status_error = refused.status_error();
                &status_error
                    .expect("all other cases are refusals")
                    .operation
            }
        }
    }

    /// How long the API server asks to wait, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        self.status_error()?.retry_after
    }

    /// Whether a request was to change something, and it is unknown whether the change was made: look at the object before
    /// the request is sent again. Where the answer came and only cannot be read, the change was made.
    pub fn is_outcome_unknown(&self) -> bool {
        let is_unknown = match self {
            Self::Timeout(_) | Self::DeadlineExceeded { .. } => true,
            Self::Transport { source, .. } => !retry::was_never_sent(source.unredacted()),
            Self::Unavailable(status_error) => status_error.retry_after.is_none(),
            // Something between the API server and here may have answered.
            Self::Api(status_error) => status_error.status.code >= 500,
            Self::Unexpected { .. } => true,
            _ => false,
        };
        is_unknown && self.operation().verb.is_write()
    }

    /// Whether the object is not there, or only another one of its name.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound(_) | Self::Recreated { .. })
    }

    /// Whether somebody else changed the object.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }

    /// Whether there is an object of this name.
    pub fn is_already_exists(&self) -> bool {
        matches!(self, Self::AlreadyExists(_))
    }

    /// Whether a list or a watch cannot go on from where it was.
    pub fn is_expired(&self) -> bool {
        matches!(self, Self::Expired(_))
    }
}
