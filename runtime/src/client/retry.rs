//! The retry policy: whether and when a request is retried.

use std::{
    error::Error as StdError,
    hash::{BuildHasher, RandomState},
    io,
    time::Duration,
};

use hyper_util::client::legacy;

use super::error::Error;

/// Maximum `Retry-After` that is honored.
const MAX_WAIT: Duration = Duration::from_secs(60);
const FIRST_DELAY: Duration = Duration::from_millis(100);
const MAX_DELAY: Duration = Duration::from_secs(10);

/// Returns the delay before a failed request is retried, or `None` if it must not be retried.
pub(crate) fn delay(error: &Error, repeatable: bool, retries: u32) -> Option<Duration> {
    if let Error::DeadlineExceeded { .. } = error {
        // The elapsed time was delay enough.
        return repeatable.then_some(Duration::ZERO);
    }
    let asked = asked_pause(error.retry_after());
    let safe = match error {
        error if was_not_served(error) => true,
        Error::Unavailable(_) => repeatable || error.retry_after().is_some(),
        // It may have been processed, even if the server requests a delay.
        Error::Timeout(_) | Error::Transport { .. } => repeatable,
        Error::Api(status_error) => {
            repeatable && status_error.status.code >= 500 && status_error.retry_after.is_some()
        }
        _ => false,
    };
    let delay = match asked {
        Some(asked) if asked > MAX_WAIT => return None,
        Some(asked) => deferred(asked, random()),
        None => jittered(backoff(FIRST_DELAY, MAX_DELAY, retries), random()),
    };
    safe.then_some(delay)
}

/// Returns the delay of a `Retry-After`, which is ignored if it is zero.
pub(crate) fn asked_pause(retry_after: Option<Duration>) -> Option<Duration> {
    retry_after.filter(|asked| !asked.is_zero())
}

/// Adds up to a tenth to the requested delay, so that clients that were rejected together do not retry at the same
/// time.
pub(crate) fn deferred(asked: Duration, random: f64) -> Duration {
    asked.saturating_add(asked.mul_f64(random / 10.0))
}

/// Returns the delay that the API server requests, at most [`MAX_WAIT`], for callers that retry in any case.
pub(crate) fn asked_by(error: &Error) -> Duration {
    let asked = error.retry_after().unwrap_or_default();
    deferred(asked.min(MAX_WAIT), random())
}

/// Returns whether a failed request was certainly not processed.
pub(crate) fn was_not_served(error: &Error) -> bool {
    match error {
        Error::TooManyRequests(_) => true,
        Error::Transport { source, .. } => was_never_sent(source.unredacted()),
        _ => false,
    }
}

/// Doubles the delay with each attempt, up to a maximum.
pub(crate) fn backoff(first: Duration, max: Duration, tries: u32) -> Duration {
    first.saturating_mul(2_u32.saturating_pow(tries)).min(max)
}

/// Returns between half and all of a delay, so that clients that failed together do not retry at the same time.
pub(crate) fn jittered(delay: Duration, random: f64) -> Duration {
    let half = delay / 2;
    half.saturating_add(half.mul_f64(random)).min(delay)
}

/// Returns a random number from 0 to 1, from the keys with which std seeds its hash maps.
pub(crate) fn random() -> f64 {
    let bits = RandomState::new().hash_one(0) >> 11;
    bits as f64 / (1_u64 << 53) as f64
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
        error::{Operation, StatusError},
        limits::Quotes,
        request::Verb,
    };

    fn operation() -> Operation {
        Operation {
            verb: Verb::Create,
            group: String::new(),
            version: "v1".into(),
            kind: "Pod".into(),
            plural: "pods".into(),
            subresource: None,
            namespace: None,
            name: None,
        }
    }

    fn refused(code: u16, retry_after: Option<u64>) -> Error {
        StatusError {
            operation: operation(),
            status: Status::failure("no", "").with_code(code),
            retry_after: retry_after.map(Duration::from_secs),
            quotes: Quotes::default(),
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
    fn too_many_requests_are_sent_again_whatever_they_do() {
        assert!(delay(&refused(429, None), false, 0).is_some());
    }

    #[test]
    fn what_may_have_been_done_is_sent_again_only_if_that_does_no_harm() {
        for error in [
            refused(503, None),
            refused(504, None),
            broken(io::ErrorKind::ConnectionReset),
        ] {
            assert!(delay(&error, true, 0).is_some(), "{error}");
            assert!(delay(&error, false, 0).is_none(), "{error}");
        }
    }

    #[test]
    fn what_the_server_asks_for_again_is_sent_again_unless_it_may_have_been_done() {
        for code in [500, 503, 504] {
            assert!(delay(&refused(code, Some(1)), true, 0).is_some());
        }
        assert!(delay(&refused(503, Some(1)), false, 0).is_some());
        for code in [500, 504] {
            assert!(delay(&refused(code, Some(1)), false, 0).is_none());
        }
    }

    #[test]
    fn what_was_never_sent_is_sent_again() {
        let error = broken(io::ErrorKind::ConnectionRefused);
        assert!(delay(&error, false, 0).is_some());
    }

    #[test]
    fn what_has_no_credentials_is_known_not_to_be_done() {
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
    fn other_refusals_are_final() {
        for code in [400, 403, 404, 409, 410, 422, 500] {
            assert!(delay(&refused(code, None), true, 0).is_none(), "{code}");
        }
    }

    #[test]
    fn the_server_is_given_the_time_it_asks_for_within_bounds() {
        let delay_after = |seconds| delay(&refused(429, Some(seconds)), true, 5);
        let asked = Duration::from_secs(1);
        let mut delays: Vec<_> = (0..100).map(|_| delay_after(1).unwrap()).collect();
        assert!(
            delays
                .iter()
                .all(|delay| *delay >= asked && *delay <= asked * 11 / 10)
        );
        delays.sort();
        delays.dedup();
        assert!(delays.len() > 50, "{delays:?}");
        assert!(delay_after(60).is_some());
        assert_eq!(delay_after(61), None);
        assert_eq!(delay_after(u64::MAX), None);
        assert!(delay_after(0).unwrap() > Duration::from_secs(1));
    }

    #[test]
    fn the_time_that_is_asked_for_is_given_and_up_to_a_tenth() {
        let second = Duration::from_secs(1);
        assert_eq!(deferred(second, 0.0), second);
        assert_eq!(deferred(second, 1.0), second * 11 / 10);
        assert_eq!(deferred(Duration::MAX, 1.0), Duration::MAX);
        assert_eq!(asked_pause(Some(second)), Some(second));
        assert_eq!(asked_pause(Some(Duration::ZERO)), None);
    }

    #[test]
    fn delays_grow_to_a_bound() {
        let delays = (0..4).map(|tries| backoff(FIRST_DELAY, Duration::from_millis(350), tries));
        let delays: Vec<_> = delays.map(|delay| delay.as_millis()).collect();
        assert_eq!(delays, [100, 200, 350, 350]);
        assert_eq!(backoff(FIRST_DELAY, MAX_DELAY, u32::MAX), MAX_DELAY);
    }

    #[test]
    fn jitter_takes_up_to_a_half() {
        let second = Duration::from_secs(1);
        assert_eq!(jittered(second, 0.0), second / 2);
        assert!(jittered(second, 0.999) < second);
        for random in [0.0, 0.5, 1.0 - f64::EPSILON / 2.0, 1.0] {
            assert!(jittered(Duration::MAX, random) >= Duration::MAX / 2);
        }
        assert_ne!(random(), random());
        assert!((0.0..1.0).contains(&random()));
    }
}
