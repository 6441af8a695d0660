//! Errors of expressions.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec,
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
        if self.with_hints
            && let Some(first) = errors.iter().position(|error| unread(&error.message).is_some())
        {
            // The others follow from the text that is skipped.
            errors = vec![errors[first]];
        }
        for (count, error) in errors.iter().enumerate() {
            if count > 0 {
                f.write_str("\n")?;
            }
            let place = Place::of(self.source, error.at);
            let (line, column) = (place.line, place.column + 1);
            if self.with_hints {
                write!(f, "line {line}, column {column}: {}", plain(&error.message))?;
            } else {
                write!(f, "ERROR: <input>:{line}:{column}: {}", error.message)?;
            }
            if let Some(hint) = error.hint.as_deref().filter(|_| self.with_hints) {
                write!(f, ": {hint}")?;
            }
            f.write_str(&place.marked())?;
        }
        Ok(())
    }
}

/// Returns the message in plain words, without the list of expected tokens and of types.
fn plain(message: &str) -> Cow<'_, str> {
    const END: &str = "mismatched input '<EOF>'";
    if let Some(text) = unread(message) {
        return unread_text(text).into();
    }
    if let Some(text) = uncompared(message) {
        return text.into();
    }
    let message = message.strip_prefix("Syntax error: ").unwrap_or(message);
    match message.split_once(" expecting ") {
        Some((END, _)) => "the expression is not finished".into(),
        Some((found, tokens)) if tokens.starts_with('{') => found.into(),
        _ => message.into(),
    }
}

/// Returns the text that is no token, if the message reports one.
fn unread(message: &str) -> Option<&str> {
    message.strip_prefix("Syntax error: token recognition error at: '")?.strip_suffix('\'')
}

fn unread_text(text: &str) -> String {
    let first = text.chars().next().unwrap_or_default();
    match first {
        '\'' | '"' => format!("a string is not closed: write `{first}` at its end"),
        '&' | '|' | '=' => format!("`{first}` is not an operator: write `{first}{first}`"),
        '`' => "a name in backticks is not closed, or has a character that such a name cannot have".into(),
        first if first.is_alphabetic() => format!(
            "`{first}` cannot be in a name: names in CEL have ASCII letters, digits and `_`, and rules cannot use other fields"
        ),
        first => format!("`{first}` is not expected here"),
    }
}

/// Returns a sentence for an operator between two values that cannot be compared or combined.
fn uncompared(message: &str) -> Option<String> {
    let call = message.strip_prefix("found no matching overload for '_")?;
    let (operator, types) = call.split_once("_' applied to '(")?;
    let (left, right) = types.strip_suffix(")'")?.split_once(", ")?;
    if left.contains('(') || right.contains([',', '(']) {
        return None; // a type with parameters
    }
    let (left, right) = (with_article(left), with_article(right));
    Some(match operator {
        "==" | "!=" | "<" | "<=" | ">" | ">=" => format!("{left} cannot be compared with {right}"),
        _ => format!("`{operator}` cannot combine {left} and {right}"),
    })
}

fn with_article(type_: &str) -> String {
    let article = if type_.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {type_}")
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

    #[test]
    fn plain_words() {
        let unread = |text: &str| plain(&format!("Syntax error: token recognition error at: '{text}'")).into_owned();
        assert!(unread("ö").starts_with("`ö` cannot be in a name: names in CEL have ASCII letters"));
        assert_eq!(unread("'open"), "a string is not closed: write `'` at its end");
        assert_eq!(unread("&a"), "`&` is not an operator: write `&&`");
        let overload = |call: &str| plain(&format!("found no matching overload for {call}")).into_owned();
        assert_eq!(overload("'_==_' applied to '(string, int)'"), "a string cannot be compared with an int");
        assert_eq!(overload("'_+_' applied to '(int, bool)'"), "`+` cannot combine an int and a bool");
        let of_maps = "found no matching overload for '_==_' applied to '(map(string, int), int)'";
        assert_eq!(overload("'_==_' applied to '(map(string, int), int)'"), of_maps);
    }
}
