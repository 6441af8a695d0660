//! Errors with their sources.

use std::error::Error;

/// Returns an error and its sources.
pub(crate) fn sources<'e>(first: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(first), |error: &&(dyn Error + 'static)| (*error).source())
}

/// Returns the messages of errors, without those that an earlier one includes.
pub(crate) fn describe<'e>(errors: impl Iterator<Item = &'e (dyn Error + 'static)>) -> String {
    let mut text = String::new();
    for error in errors {
        let message = error.to_string();
        if text.is_empty() {
            text = message;
        } else if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
    }
    text
}
