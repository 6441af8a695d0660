//! Errors of reconcile functions.

use std::{
    error::Error as StdError,
    fmt::{self, Display},
};

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
    TerminalError(Marker(error.into()))
}

/// An error that is not retried: see [`terminal`].
#[derive(Debug)]
pub struct TerminalError(Marker);

/// The source of a terminal error. It remains in the chain of sources when another error displays as this one.
#[derive(Debug)]
struct Marker(Error);

impl Display for TerminalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.fmt(f)
    }
}

impl StdError for TerminalError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.0)
    }
}

impl Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not retried until the object changes")
    }
}

impl StdError for Marker {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

/// Whether an error, or one of its sources, is terminal.
pub(super) fn is_terminal(error: &Error) -> bool {
    chain(error).any(|error| error.is::<TerminalError>() || error.is::<Marker>())
}

/// Returns the messages of an error and its sources.
pub(super) fn describe(error: &Error) -> String {
    let mut text = String::new();
    for error in chain(error).filter(|error| !error.is::<Marker>()) {
        let message = error.to_string();
        // Many errors include the message of their source.
        if text.is_empty() {
            text = message;
        } else if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
    }
    text
}

fn chain(error: &Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    let first: &(dyn StdError + 'static) = &**error;
    std::iter::successors(Some(first), |error: &&(dyn StdError + 'static)| (*error).source())
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
    fn terminal_errors_are_recognized_in_the_chain() {
        let inner = || terminal(std::fmt::Error);
        let terminal_errors: [Error; 3] =
            [inner().into(), Wrapped::Transparent(inner()).into(), Wrapped::Named(inner()).into()];
        assert!(terminal_errors.iter().all(is_terminal));
        assert!(!is_terminal(&Wrapped::Other.into()));
        assert!(!is_terminal(&"text".into()));
    }

    #[test]
    fn the_description_names_each_source_once() {
        let of = |error: Wrapped| describe(&error.into());
        let inner = || terminal(Wrapped::Other);
        assert_eq!(of(Wrapped::Transparent(inner())), "later");
        assert_eq!(of(Wrapped::Named(inner())), "cannot reconcile: later");
    }
}
