//! Classifies errors and ends of responses for the next step.

use super::{
    Reflector, StepResult,
    state::End,
    watch_session::{Phase, WatchSession},
};
use crate::{
    client::{Error, Limit},
    informer::{CacheObject, error::WatchError},
};

impl<T: CacheObject> Reflector<T> {
    pub(super) fn classify_watch_end(&self, session: &WatchSession, result: Result<(), WatchError>) -> StepResult {
        let is_idle = self.state.is_idle();
        match (session.phase, result) {
            (_, Ok(()) | Err(WatchError::IdleTimeout(_) | WatchError::Overdue))
                if session.overlap.is_some() && session.ran_to_timeout() =>
            {
                (End::Desync, Some(WatchError::OtherHistory))
            }
            (Phase::Listing, Ok(())) => (End::Stalled, Some(WatchError::Incomplete)),
            (Phase::Listing, Err(error)) if is_streaming_unsupported(&error) => {
                (End::Unsupported, Some(WatchError::NoStreamingLists))
            }
            (Phase::Listing, Err(error @ (WatchError::IdleTimeout(_) | WatchError::Overdue)))
                if session.is_connected() =>
            {
                (End::Stalled, Some(error))
            }
            (Phase::Listing, Err(error)) if is_too_large(&error) => (End::Stalled, Some(error)),
            (Phase::Watching, _) if is_idle && session.is_connected() => (End::Desync, Some(WatchError::NoBookmark)),
            // The resourceVersion may be invalid, and would be refused again.
            (Phase::Watching, Err(error)) if is_invalid(&error) => (End::Expired, Some(error)),
            (Phase::Watching, Ok(())) if self.state.has_progressed() => (End::Over, None),
            (Phase::Watching, Ok(())) => (End::Over, Some(WatchError::ClosedEarly)),
            (_, Err(error)) => (classify_error(&error), Some(error)),
        }
    }
}

pub(super) fn classify_error(error: &WatchError) -> End {
    match error {
        WatchError::OutOfOrder { .. } => End::Desync,
        error if error.is_rollback() => End::Desync,
        WatchError::NoStreamingLists => End::Unsupported,
        WatchError::Request(error) if error.is_expired() => End::Expired,
        // The event would be sent again.
        WatchError::Request(Error::TooLarge { limit: Limit::WatchEvent, .. }) => End::Desync,
        WatchError::Request(error) => match error.status() {
            Some(status) if status.code >= 500 => End::Unavailable(error.retry_after()),
            Some(_) => End::Refused(error.retry_after()),
            None => End::Broken,
        },
        _ => End::Broken,
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
