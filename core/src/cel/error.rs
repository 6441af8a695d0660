//! Errors of expressions.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

/// An error at a position of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The byte offset.
    pub at: usize,
    /// The server's message.
    pub message: String,
    /// A suggestion, if there is one.
    pub hint: Option<String>,
}

impl Error {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), hint: None }
    }
}

/// The errors of one expression, formatted by the server: each with its line, column, and a marker below the source.
#[derive(Clone, Copy, Debug)]
pub struct Display<'a> {
    source: &'a str,
    errors: &'a [Error],
    with_hints: bool,
}

impl<'a> Display<'a> {
    /// Formats errors as the server does.
    pub const fn new(source: &'a str, errors: &'a [Error]) -> Self {
        Self { source, errors, with_hints: false }
    }

    /// Adds suggestions.
    pub const fn with_hints(source: &'a str, errors: &'a [Error]) -> Self {
        Self { source, errors, with_hints: true }
    }
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut errors: Vec<&Error> = Vec::new();
        for error in self.errors {
            let place = errors.partition_point(|earlier| earlier.at <= error.at);
            errors.insert(place, error);
        }
        for (count, error) in errors.iter().enumerate() {
            if count > 0 {
                f.write_str("\n")?;
            }
            let place = Place::of(self.source, error.at);
            let (line, column) = (place.line, place.column + 1);
            match self.with_hints {
                false => write!(f, "ERROR: <input>:{line}:{column}: {}", error.message)?,
                true => write!(f, "line {line}, column {column}: {}", plain(&error.message))?,
            }
            if let Some(hint) = error.hint.as_deref().filter(|_| self.with_hints) {
                write!(f, ": {hint}")?;
            }
            f.write_str(&place.marked())?;
        }
        Ok(())
    }
}

/// Returns the message without the list of expected tokens.
fn plain(message: &str) -> &str {
    const END: &str = "mismatched input '<EOF>'";
    let message = message.strip_prefix("Syntax error: ").unwrap_or(message);
    match message.split_once(" expecting ") {
        Some((END, _)) => "the expression is not finished",
        Some((found, tokens)) if tokens.starts_with('{') => found,
        _ => message,
    }
}

/// A position in a text.
struct Place<'a> {
    /// The line, from 1.
    line: usize,
    /// The number of characters before the position on its line.
    column: usize,
    text: &'a str,
}

impl<'a> Place<'a> {
    fn of(source: &'a str, at: usize) -> Self {
        let before = &source[..at.min(source.len())];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = &source[start..];
        Self {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count(),
            text: &rest[..rest.find('\n').unwrap_or(rest.len())],
        }
    }

    /// Formats the line with a marker below.
    fn marked(&self) -> String {
        let line = self.text.replace('\t', " ");
        let letters = line.chars().map(|c| c.len_utf8() > 1);
        let mut dots: String =
            letters.clone().take(self.column).map(|is_wide| if is_wide { '\u{ff0e}' } else { '.' }).collect();
        let is_wide = letters.clone().nth(self.column).unwrap_or_default();
        dots.push(if is_wide { '\u{ff3e}' } else { '^' });
        format!("\n | {line}\n | {dots}").to_string()
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn places() {
        let mut error = Error::new(10, "undefined field 'a'");
        error.hint = Some("did you mean `b`?".into());
        let source = "true\n&& é.a";
        let errors = [error, Error::new(0, "no")];
        assert_eq!(
            Display::new(source, &errors).to_string(),
            "ERROR: <input>:1:1: no\n | true\n | ^\n\
             ERROR: <input>:2:5: undefined field 'a'\n | && é.a\n | ...\u{ff0e}^"
        );
        let hinted = Display::with_hints(source, &errors[..1]).to_string();
        assert!(hinted.starts_with("line 2, column 5: undefined field 'a': did you mean `b`?\n"));
        assert_eq!(plain("Syntax error: mismatched input '<EOF>' expecting {'['}"), "the expression is not finished");
        assert_eq!(plain("Syntax error: extraneous input '&&' expecting {'['}"), "extraneous input '&&'");
    }
}
