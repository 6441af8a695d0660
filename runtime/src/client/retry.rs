//! The retry policy: whether and when a request is retried.

use std::{error::Error as StdError, io, time::Duration};

use hyper_util::client::legacy;

use super::error::Error;
use crate::client::backoff_formula::{exponential, jittered, random};

/// Maximum `Retry-After` that is honored.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// The back-off of failures without a `Retry-After`.
const FIRST_DELAY: Duration = Duration::from_millis(100);
const MAX_DELAY: Duration = Duration::from_secs(10);

/// Returns the delay before a failed request is retried, or `None` if it must not be retried.
pub(crate) fn delay(error: &Error, repeatable: bool, retries: u32) -> Option<Duration> {
    if let Error::DeadlineExceeded { .. } = error {
        // The elapsed time was delay enough.
        return repeatable.then_some(Duration::ZERO);
    }
    if let Error::TooManyRequests(status_error) = error
        && status_error.is_of_a_budget()
    {
        // It lasts until other Pods are ready, and the caller may evict another one meanwhile.
        return None;
    }
    let requested = requested_delay(error.retry_after());
    let safe = match error {
        error if was_not_processed(error) => true,
        Error::Unavailable(_) => repeatable || error.retry_after().is_some(),
        // It may have been processed, even if the server requests a delay.
        Error::Timeout(_) | Error::Transport { .. } => repeatable,
        Error::Api(status_error) => repeatable && status_error.status.code >= 500 && status_error.retry_after.is_some(),
        _ => false,
    };
    let delay = match requested {
        Some(requested) if requested > MAX_WAIT => return None,
        Some(requested) => extended(requested, random()),
        None => jittered(exponential(FIRST_DELAY, MAX_DELAY, retries), random()),
    };
    safe.then_some(delay)
}

/// Returns the delay of a `Retry-After`, which is ignored if it is zero.
pub(crate) fn requested_delay(retry_after: Option<Duration>) -> Option<Duration> {
    retry_after.filter(|requested| !requested.is_zero())
}

/// Adds up to a tenth to the requested delay, so that clients that were rejected together do not retry at the same
/// time.
pub(crate) fn extended(requested: Duration, random: f64) -> Duration {
    requested.saturating_add(requested.mul_f64(random / 10.0))
}

/// Returns the delay that the API server requests, at most [`MAX_WAIT`], for callers that retry in any case.
pub(crate) fn requested_delay_of(error: &Error) -> Duration {
    let requested = error.retry_after().unwrap_or_default();
    extended(requested.min(MAX_WAIT), random())
}

/// Returns whether a failed request was certainly not processed.
pub(crate) fn was_not_processed(error: &Error) -> bool {
    match error {
        Error::TooManyRequests(_) => true,
        Error::Transport { source, .. } => was_never_sent(source.unredacted()),
        _ => false,
    }
}

/// Returns whether a request failed before anything was sent: it could not be built, or there was no connection.
pub(crate) fn was_never_sent(error: &kube::Error) -> bool {
    if is_before_sending(error) {
        return true;
    }
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<io::Error>();
        let http = error.downcast_ref::<legacy::Error>();
        if io.is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
            || http.is_some_and(legacy::Error::is_connect)
        {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Returns whether a request could not be built, or lacks credentials.
pub(crate) fn is_before_sending(error: &kube::Error) -> bool {
    use kube::Error as E;
    matches!(error, E::Auth(_) | E::HttpError(_) | E::BuildRequest(_))
}

#[cfg(test)]
mod tests {
    use kube_core::Status;

    use super::*;
    use crate::client::{
        error::{ClientOperation, StatusError},
        limits::QuoteLimit,
        request::Verb,
    };

    fn operation() -> ClientOperation {
        ClientOperation {
            verb: Verb::Create,
            group: String::new(),
            version: "v1".into(),
            kind: "Pod".into(),
            plural: "pods".into(),
            subresource: None,
            namespace: None,
            name: None,
            generate_name: None,
            quotes_values: false,
        }
    }

    fn refused(code: u16, retry_after: Option<u64>) -> Error {
        StatusError {
            operation: operation(),
            status: Status::failure("no", "").with_code(code),
            retry_after: retry_after.map(Duration::from_secs),
            quote_limit: QuoteLimit::default(),
            needed: &[],
        }
        .into_error()
    }

    fn broken(kind: io::ErrorKind) -> Error {
        Error::Transport {
            operation: Box::new(operation()),
            source: kube::Error::Service(Box::new(io::Error::from(kind))).into(),
        }
    }

    #[test]
    fn all_requests_are_retried_after_429() {
        assert!(delay(&refused(429, None), false, 0).is_some());
    }

    #[test]
    fn possibly_processed_requests_are_retried_only_if_repeatable() {
        for error in [refused(503, None), refused(504, None), broken(io::ErrorKind::ConnectionReset)] {
            assert!(delay(&error, true, 0).is_some(), "{error}");
            assert!(delay(&error, false, 0).is_none(), "{error}");
        }
    }

    #[test]
    fn requested_retries_are_sent_unless_possibly_processed() {
        for code in [500, 503, 504] {
            assert!(delay(&refused(code, Some(1)), true, 0).is_some());
        }
        assert!(delay(&refused(503, Some(1)), false, 0).is_some());
        for code in [500, 504] {
            assert!(delay(&refused(code, Some(1)), false, 0).is_none());
        }
    }

    #[test]
    fn unsent_request_is_retried() {
        let error = broken(io::ErrorKind::ConnectionRefused);
        assert!(delay(&error, false, 0).is_some());
    }

    #[test]
    fn request_without_credentials_was_not_made() {
        let error = Error::Transport {
            operation: Box::new(operation()),
            source: kube::Error::Auth(kube::client::AuthError::ExecPluginFailed).into(),
        };
        assert!(delay(&error, false, 0).is_some());
        assert!(!error.is_outcome_unknown());
        let text = "cannot create a Pod: the output of the credential plugin has no status";
        assert_eq!(error.to_string(), text);
        let error = broken(io::ErrorKind::ConnectionReset);
        assert!(error.is_outcome_unknown());
        assert!(error.to_string().contains(": no response from the API"));
    }

    #[test]
    fn other_errors_are_not_retried() {
        for code in [400, 403, 404, 409, 410, 422, 500] {
            assert!(delay(&refused(code, None), true, 0).is_none(), "{code}");
        }
    }

    #[test]
    fn requested_delays_are_honored_up_to_a_limit() {
        let delay_after = |seconds| delay(&refused(429, Some(seconds)), true, 5);
        let requested = Duration::from_secs(1);
        let mut delays: Vec<_> = (0..100).map(|_| delay_after(1).unwrap()).collect();
        assert!(delays.iter().all(|delay| *delay >= requested && *delay <= requested * 11 / 10));
        delays.sort();
        delays.dedup();
        assert!(delays.len() > 50, "{delays:?}");
        assert!(delay_after(60).is_some());
        assert_eq!(delay_after(61), None);
        assert_eq!(delay_after(u64::MAX), None);
        assert!(delay_after(0).unwrap() > Duration::from_secs(1));
    }

    #[test]
    fn requested_delay_is_extended_by_up_to_a_tenth() {
        let second = Duration::from_secs(1);
        assert_eq!(extended(second, 0.0), second);
        assert_eq!(extended(second, 1.0), second * 11 / 10);
        assert_eq!(extended(Duration::MAX, 1.0), Duration::MAX);
        assert_eq!(requested_delay(Some(second)), Some(second));
        assert_eq!(requested_delay(Some(Duration::ZERO)), None);
    }
}
