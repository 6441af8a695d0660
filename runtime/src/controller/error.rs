//! Errors of reconcile functions.

use std::{
    error::Error as StdError,
    fmt::{self, Display},
    time::Duration,
};

use crate::client::error_chain::{self, sources};

/// Any error. Each error type converts to it with `?`.
pub type Error = Box<dyn StdError + Send + Sync>;

/// Makes an error terminal: the object is not reconciled again until it, or an object that it depends on, changes.
///
/// Use it for failures that a retry cannot resolve, such as an invalid combination of fields.
///
/// ```
/// use crdkit::controller::{Action, Error, terminal};
///
/// fn parse(schedule: &str) -> Result<Action, Error> {
///     schedule.parse::<u32>().map_err(terminal)?;
///     Ok(Action::Done)
/// }
///
/// let error = parse("daily").unwrap_err();
/// assert_eq!(error.to_string(), "invalid digit found in string");
/// ```
///
/// It is recognized among the [sources](std::error::Error::source) of an error too, also within `anyhow::Error` and
/// variants of enums.
#[doc(alias("TerminalError", "reconcile.TerminalError"))]
pub fn terminal(error: impl Into<Error>) -> TerminalError {
    TerminalError(Marker { error: error.into(), retry: Retry::Never })
}

/// Sets when the object is reconciled again after an error, instead of the [delay](super::ControllerBuilder::backoff) that
/// grows with each failure.
///
/// Use it if the time is known, such as that of a `Retry-After` header. It is recognized as [`terminal`] is.
///
/// ```
/// use std::time::Duration;
///
/// use crdkit::controller::{Action, Error, retry_after};
///
/// fn create_disk() -> Result<Action, Error> {
///     Err(retry_after("the quota is exhausted", Duration::from_secs(600)).into())
/// }
///
/// assert_eq!(create_disk().unwrap_err().to_string(), "the quota is exhausted");
/// ```
pub fn retry_after(error: impl Into<Error>, delay: Duration) -> RetryAfterError {
    RetryAfterError(Marker { error: error.into(), retry: Retry::After(delay) })
}

/// An error that is not retried: see [`terminal`].
#[derive(Debug)]
pub struct TerminalError(Marker);

/// An error that is retried at a given time: see [`retry_after`].
#[derive(Debug)]
pub struct RetryAfterError(Marker);

/// When an error is retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retry {
    /// After a delay that grows with each failure.
    Backoff,
    After(Duration),
    Never,
}

/// The source of such an error. It remains in the chain of sources when another error displays as this one.
#[derive(Debug)]
struct Marker {
    error: Error,
    retry: Retry,
}

macro_rules! marked_error {
    ($type:ty) => {
        impl Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.error.fmt(f)
            }
        }

        impl StdError for $type {
            fn source(&self) -> Option<&(dyn StdError + 'static)> {
                Some(&self.0)
            }
        }
    };
}

marked_error!(TerminalError);
marked_error!(RetryAfterError);

impl Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.retry {
            Retry::After(delay) => write!(f, "retried in {delay:?}"),
            Retry::Backoff | Retry::Never => f.write_str("not retried until the object changes"),
        }
    }
}

impl StdError for Marker {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.error.source()
    }
}

/// Returns when an error is retried, by the first of its sources that determines it.
pub(super) fn retry_of(error: &Error) -> Retry {
    let marker = chain(error).find_map(|error| {
        let terminal = error.downcast_ref().map(|TerminalError(marker)| marker);
        let delayed = || error.downcast_ref().map(|RetryAfterError(marker)| marker);
        terminal.or_else(delayed).or_else(|| error.downcast_ref::<Marker>())
    });
    marker.map_or(Retry::Backoff, |marker| marker.retry)
}

/// Returns the messages of an error and its sources.
pub(super) fn describe(error: &Error) -> String {
    describe_chain(&**error)
}

/// Returns the messages of an error and its sources.
pub(super) fn describe_chain(error: &(dyn StdError + 'static)) -> String {
    error_chain::describe(sources(error).filter(|error| !error.is::<Marker>()))
}

fn chain(error: &Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    sources(&**error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Wrapped {
        #[error(transparent)]
        Transparent(TerminalError),
        #[error("cannot reconcile")]
        Named(#[source] TerminalError),
        #[error("later")]
        Other,
    }

    #[test]
    fn marked_errors_are_recognized_in_the_chain() {
        let inner = || terminal(std::fmt::Error);
        let terminal_errors: [Error; 3] =
            [inner().into(), Wrapped::Transparent(inner()).into(), Wrapped::Named(inner()).into()];
        assert!(terminal_errors.iter().all(|error| retry_of(error) == Retry::Never));
        assert_eq!(retry_of(&Wrapped::Other.into()), Retry::Backoff);
        assert_eq!(retry_of(&"text".into()), Retry::Backoff);
        let delay = Duration::from_secs(7);
        assert_eq!(retry_of(&retry_after("text", delay).into()), Retry::After(delay));
        // The outermost one determines it.
        assert_eq!(retry_of(&terminal(retry_after("text", delay)).into()), Retry::Never);
    }

    #[test]
    fn the_description_names_each_source_once() {
        let of = |error: Wrapped| describe(&error.into());
        let inner = || terminal(Wrapped::Other);
        assert_eq!(of(Wrapped::Transparent(inner())), "later");
        assert_eq!(of(Wrapped::Named(inner())), "cannot reconcile: later");
    }
}
