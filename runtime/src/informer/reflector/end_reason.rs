//! Why a step ended, by its error, which decides about the next one.

use std::time::Duration;

use super::{
    Reflector, StepResult,
    watch_request::{Phase, WatchSession},
};
use crate::{
    client::{Error, Limit},
    informer::error::WatchError,
};

/// Why a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndReason {
    /// The list is complete.
    Listed,
    /// The store was found to contain what is required of it.
    CaughtUp,
    /// The API server ended the watch.
    Over,
    /// There was no response, or it broke off, stalled or was malformed.
    Broken,
    /// The API server is unavailable, with its `Retry-After`.
    Unavailable(Option<Duration>),
    /// The API server refuses the request, with its `Retry-After`.
    Refused(Option<Duration>),
    /// The resourceVersion of the watch has expired.
    Expired,
    /// The continue token of the next page has expired.
    PageExpired,
    /// The watch is inconsistent with itself or with the one before it.
    Desync,
    /// The API server does not support streaming lists.
    Unsupported,
    /// A streaming list stalled, or ended before it was complete.
    Stalled,
}

/// Why the next step is a list, although a watch has run before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::informer) enum RelistReason {
    /// The resourceVersion has expired, or is invalid.
    Expired,
    /// The watch is inconsistent with itself or with the one before it, or cannot deliver its next event.
    Desync,
    /// The watch was interrupted, and nothing can prove that another one continues it.
    Unresumable,
}

impl EndReason {
    /// Why the next step is a list, if it is one after this end of a watch.
    pub(super) fn relist_reason(self) -> Option<RelistReason> {
        match self {
            Self::Expired | Self::PageExpired => Some(RelistReason::Expired),
            Self::Desync => Some(RelistReason::Desync),
            _ => None,
        }
    }
}

impl Reflector {
    pub(super) fn classify_watch_end(&self, session: &WatchSession, result: Result<(), WatchError>) -> StepResult {
        let is_idle = self.state.is_idle();
        match (session.phase, result) {
            (_, Ok(()) | Err(WatchError::IdleTimeout(_) | WatchError::Overdue))
                if session.overlap.is_some() && session.ran_to_timeout() =>
            {
                (EndReason::Desync, Some(WatchError::OtherHistory))
            }
            (Phase::Listing, Ok(())) => (EndReason::Stalled, Some(WatchError::Incomplete)),
            (Phase::Listing, Err(error)) if is_streaming_unsupported(&error) => {
                (EndReason::Unsupported, Some(WatchError::NoStreamingLists))
            }
            (Phase::Listing, Err(error @ (WatchError::IdleTimeout(_) | WatchError::Overdue)))
                if session.is_connected() =>
            {
                (EndReason::Stalled, Some(error))
            }
            (Phase::Listing, Err(error)) if is_too_large(&error) => (EndReason::Stalled, Some(error)),
            (Phase::Watching, _) if is_idle && session.is_connected() => {
                (EndReason::Desync, Some(WatchError::NoBookmark))
            }
            // The resourceVersion may be invalid, and would be refused again.
            (Phase::Watching, Err(error)) if is_invalid(&error) => (EndReason::Expired, Some(error)),
            (Phase::Watching, Ok(())) if self.state.has_progressed() => (EndReason::Over, None),
            (Phase::Watching, Ok(())) => (EndReason::Over, Some(WatchError::ClosedEarly)),
            (_, Err(error)) => (classify_error(&error), Some(error)),
        }
    }
}

pub(super) fn classify_error(error: &WatchError) -> EndReason {
    match error {
        WatchError::OutOfOrder { .. } => EndReason::Desync,
        error if error.is_rollback() => EndReason::Desync,
        WatchError::NoStreamingLists => EndReason::Unsupported,
        WatchError::Request(error) if error.is_expired() => EndReason::Expired,
        // The event would be sent again.
        WatchError::Request(Error::TooLarge { limit: Limit::WatchEvent, .. }) => EndReason::Desync,
        WatchError::Request(error) => match error.status() {
            Some(status) if status.code >= 500 => EndReason::Unavailable(error.retry_after()),
            Some(_) => EndReason::Refused(error.retry_after()),
            None => EndReason::Broken,
        },
        _ => EndReason::Broken,
    }
}

/// Whether an object exceeds the limit of events. The limit of pages is higher.
fn is_too_large(error: &WatchError) -> bool {
    matches!(error, WatchError::Request(Error::TooLarge { .. }))
}

/// Whether an error means that the API server does not support streaming lists: it rejects the request as invalid, or
/// treats it as a watch without a list.
fn is_streaming_unsupported(error: &WatchError) -> bool {
    matches!(error, WatchError::NoStreamingLists) || is_invalid(error)
}

/// Whether the API server rejects the request as invalid.
fn is_invalid(error: &WatchError) -> bool {
    match error {
        WatchError::Request(Error::Invalid(_)) => true,
        WatchError::Request(Error::Api(status_error)) => status_error.status.code == 400,
        _ => false,
    }
}
