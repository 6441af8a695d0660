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
//! and `status()` or [`Refusal::causes`] for the API server's own words.

mod apply;
mod connect;
mod delete;
mod forbidden;
mod json;
mod kube;
mod message;
mod owner;
mod phase;
mod refusal;
mod target;
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
pub use forbidden::Rule;
pub use json::JsonError;
pub(crate) use json::is_too_deep;
pub(crate) use kube::explain_transport;
pub use kube::{ConfigError, KubeError};
#[cfg(feature = "informer")]
pub(crate) use message::OneLine;
pub(crate) use message::{Excerpt, HIDDEN};
pub use owner::OwnerError;
pub use phase::Phase;
pub use refusal::{Cause, Refusal};
pub use target::Target;
pub use undecodable::Undecodable;
pub use update::UpdateError;
pub use yaml::YamlError;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The object, or something that it needs such as its namespace, is not there. (404)
    #[error("{}", .0.explain(""))]
    NotFound(Box<Refusal>),
    /// The API server does not know the kind in this version. (404)
    #[error("{}", .0.explain_not_served())]
    NotServed(Box<Refusal>),
    /// There is an object of this name. (409)
    #[error("{}", .0.explain(""))]
    AlreadyExists(Box<Refusal>),
    /// Somebody changed the object since it was read, or the change contradicts the object's state. (409)
    #[error("{}", .0.explain("read the object again and repeat the change: `update` does that"))]
    Conflict(Box<Refusal>),
    /// The object breaks rules of its schema; [`Refusal::causes`] has them one by one. (422; 500 where it was applied and has
    /// fields that the schema has not, or values of other types)
    #[error("{}", .0.explain_causes())]
    Invalid(Box<Refusal>),
    /// The user may not do this; [`Refusal::missing_rule`] has the rule that would allow it. (403)
    #[error("{}", .0.explain_permission())]
    Forbidden(Box<Refusal>),
    /// The API server does not know who asks. (401)
    #[error("{}", .0.explain("the credentials are missing, wrong or expired"))]
    Unauthorized(Box<Refusal>),
    /// The resourceVersion or the page is too old for the API server to go on from. (410)
    #[error("{}", .0.explain("begin again with a new list"))]
    Expired(Box<Refusal>),
    /// The API server has too much to do, and did not do this. (429)
    #[error("{}", .0.explain("ask again later"))]
    TooManyRequests(Box<Refusal>),
    /// The API server or what it needs took too long; the change may have been made. (500, 504)
    #[error("{}", .0.explain(.0.target.advice_after_timeout()))]
    Timeout(Box<Refusal>),
    /// The API server cannot serve anything at the moment. Unless it says when to ask again, a change may have been made. (503)
    #[error("{}", .0.explain(.0.advice_after_failure()))]
    Unavailable(Box<Refusal>),
    /// The API server refused for another reason. With a code of 500 or more a change may have been made.
    #[error("{}", .0.explain(.0.advice_after_failure()))]
    Refused(Box<Refusal>),
    /// The name cannot be that of an object, or the group, version or plural that of a kind, so nothing was sent.
    #[error("cannot {target}: `{}` is no name: {reason}", .name.escape_debug())]
    InvalidName {
        /// What was to be done.
        target: Box<Target>,
        /// The name, the namespace, or the part of the kind.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A field is compared with what it can never be, so nothing was sent.
    #[error("cannot {target}: {source}")]
    InvalidSelector {
        /// What was to be done.
        target: Box<Target>,
        /// Which field, and what is wrong.
        source: FieldValueError,
    },
    /// The object has no `metadata.name`, so nothing was sent.
    #[error("cannot {target}: the object has no name: set `metadata.name`")]
    Nameless {
        /// What was to be done.
        target: Box<Target>,
    },
    /// The object at hand lacks what the API server gives to every object, so nothing was sent.
    #[error(
        "cannot {target}: the object at hand has no `{missing}`: give one that was read from the API server, such as one of \
         a lister"
    )]
    NeverRead {
        /// What was to be done.
        target: Box<Target>,
        /// The path of what is missing, such as `metadata.uid`.
        missing: &'static str,
    },
    /// The object at hand is in another namespace than the objects of the handle, so nothing was sent.
    #[error(
        "cannot {target}: the object at hand is in namespace `{}`: choose that one with `.namespace(...)`, or take a \
         handle to `.all_namespaces()`",
        Excerpt(.namespace)
    )]
    OtherNamespace {
        /// What was to be done.
        target: Box<Target>,
        /// The namespace of the object.
        namespace: String,
    },
    /// The object at hand was deleted, and there is another one of its name, which was not changed.
    #[error("cannot {target}: the object at hand is gone, and another one has its name")]
    Recreated {
        /// What was to be done.
        target: Box<Target>,
    },
    /// What was to be sent is no JSON object, so nothing was sent.
    #[error("cannot {target}: what is to be sent cannot be written as a JSON object: {source}")]
    Encode {
        /// What was to be done.
        target: Box<Target>,
        /// What its `Serialize` says.
        source: JsonError,
    },
    /// The answer does not fit the type: the type is older or newer than the API server's, or another kind's.
    #[error("{0}")]
    Decode(#[source] Box<Undecodable>),
    /// The answer is not what was requested, though it says that all went well: something else of another kind, another
    /// object, or none of Kubernetes' at all. A change may have been made.
    #[error("cannot {target}: {mismatch}{}", .target.unknown_outcome_unless(false))]
    Unexpected {
        /// What was to be done.
        target: Box<Target>,
        /// What was requested, and what came.
        #[source]
        mismatch: Box<Mismatch>,
    },
    /// There was no answer, or only a part of one, and a change may have been made; or nothing was sent, for want of
    /// credentials or a connection. [`is_outcome_unknown`](Self::is_outcome_unknown) has which.
    #[error(
        "cannot {target}: {}{source}{}",
        .source.without_answer(),
        .target.unknown_outcome_unless(retry::was_never_sent(.source.unredacted()))
    )]
    Transport {
        /// What was to be done.
        target: Box<Target>,
        /// What broke.
        source: KubeError,
    },
    /// The answer did not begin in time, or did not go on; a change may have been made.
    #[error("cannot {target}: {}{}", .phase.explain(*.limit), .target.unknown_outcome_unless(false))]
    #[non_exhaustive]
    DeadlineExceeded {
        /// What was to be done.
        target: Box<Target>,
        /// What took too long.
        phase: Phase,
        /// How long it was allowed to take.
        limit: Duration,
    },
    /// The answer is larger, or an object in it is nested deeper, than the [`Limits`](super::Limits) allow, so it was not
    /// read. A change was made.
    #[error("cannot {target}: {}", .limit.explain(*.allowed))]
    #[non_exhaustive]
    TooLarge {
        /// What was to be done.
        target: Box<Target>,
        /// Which limit.
        limit: Limit,
        /// How many bytes are allowed; of [`Limit::Depth`], how many objects and lists within each other.
        allowed: usize,
    },
}

impl Error {
    /// What the API server said, if it said no.
    pub fn status(&self) -> Option<&Status> {
        Some(&self.refusal()?.status)
    }

    /// The refusal, if the API server said no.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::NotFound(refusal)
            | Self::NotServed(refusal)
            | Self::AlreadyExists(refusal)
            | Self::Conflict(refusal)
            | Self::Invalid(refusal)
            | Self::Forbidden(refusal)
            | Self::Unauthorized(refusal)
            | Self::Expired(refusal)
            | Self::TooManyRequests(refusal)
            | Self::Timeout(refusal)
            | Self::Unavailable(refusal)
            | Self::Refused(refusal) => Some(refusal),
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
    pub fn target(&self) -> &Target {
        match self {
            Self::InvalidName { target, .. }
            | Self::InvalidSelector { target, .. }
            | Self::Nameless { target }
            | Self::NeverRead { target, .. }
            | Self::OtherNamespace { target, .. }
            | Self::Recreated { target }
            | Self::Encode { target, .. }
            | Self::Unexpected { target, .. }
            | Self::Transport { target, .. }
            | Self::DeadlineExceeded { target, .. }
            | Self::TooLarge { target, .. } => target,
            Self::Decode(undecodable) => &undecodable.target,
            refused => {
                let refusal = refused.refusal();
                &refusal.expect("all other cases are refusals").target
            }
        }
    }

    /// How long the API server asks to wait, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        self.refusal()?.retry_after
    }

    /// Whether a request was to change something, and it is unknown whether the change was made: look at the object before
    /// the request is sent again. Where the answer came and only cannot be read, the change was made.
    pub fn is_outcome_unknown(&self) -> bool {
        let is_unknown = match self {
            Self::Timeout(_) | Self::DeadlineExceeded { .. } => true,
            Self::Transport { source, .. } => !retry::was_never_sent(source.unredacted()),
            Self::Unavailable(refusal) => refusal.retry_after.is_none(),
            // Something between the API server and here may have answered.
            Self::Refused(refusal) => refusal.status.code >= 500,
            Self::Unexpected { .. } => true,
            _ => false,
        };
        is_unknown && self.target().verb.is_write()
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
