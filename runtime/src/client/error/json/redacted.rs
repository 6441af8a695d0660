//! Removes values from serde's messages.

use serde_json::error::Category;

use crate::json::json_value::NOT_FINITE;

/// Longer than any `expecting` text of a type.
const MAX_EXPECTATION_LENGTH: usize = 200;

pub(super) const HIDDEN: &str = "the type rejected a value; its message may contain values: see `.unredacted()`";

/// Returns the message without the position and without values.
pub(super) fn redacted(error: &serde_json::Error) -> String {
    let message = without_position(error);
    match error.classify() {
        Category::Syntax | Category::Eof => message,
        Category::Io => "the document cannot be read or written".to_owned(),
        Category::Data => redacted_message(&message).unwrap_or_else(|| HIDDEN.to_owned()),
    }
}

/// Returns the message without the position.
pub(crate) fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// Removes the value from a message of serde; returns `None` if the message is not serde's.
fn redacted_message(message: &str) -> Option<String> {
    invalid(message, "invalid type: ")
        .or_else(|| invalid(message, "invalid value: "))
        .or_else(|| invalid_length(message))
        .or_else(|| unknown(message, "unknown variant"))
        .or_else(|| unknown(message, "unknown field"))
        .or_else(|| is_plain(message).then(|| message.to_owned()))
}

/// `invalid type: string "...", expected a number`.
fn invalid(message: &str, start: &str) -> Option<String> {
    let rest = message.strip_prefix(start)?;
    let (found, rest) = unexpected(rest)?;
    let expected = rest.strip_prefix(", expected ")?;
    let output = is_expectation(expected).then_some(expected);
    let expected = output.map(|expected| format!(", expected {expected}"));
    Some(format!("{start}{found}{}", expected.unwrap_or_default()))
}

fn invalid_length(message: &str) -> Option<String> {
    let rest = message.strip_prefix("invalid length ")?;
    let (length, expected) = rest.split_once(", expected ")?;
    let is_number = length.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && is_expectation(expected)).then(|| message.to_owned())
}

/// Returns the type of the value that serde found, and the rest of the text.
fn unexpected(text: &str) -> Option<(&'static str, &str)> {
    const QUOTED: [&str; 4] = ["boolean", "integer", "floating point", "character"];
    const PLAIN: [&str; 12] = [
        "byte array",
        "unit value",
        "null",
        "Option value",
        "newtype struct",
        "sequence",
        "map",
        "enum",
        "unit variant",
        "newtype variant",
        "tuple variant",
        "struct variant",
    ];
    if let Some(rest) = text.strip_prefix("string ") {
        return Some(("string", &rest[quoted_end(rest)?..]));
    }
    for kind in QUOTED {
        if let Some(rest) = text.strip_prefix(kind).and_then(|rest| rest.strip_prefix(" `")) {
            // The character may be a backtick itself.
            let (_, rest) = rest.split_at_checked(rest.chars().next()?.len_utf8())?;
            return Some((kind, &rest[rest.find('`')? + 1..]));
        }
    }
    PLAIN.into_iter().find_map(|kind| Some((kind, text.strip_prefix(kind)?)))
}

/// Returns the end of the double-quoted text at the start of `text`, with the escapes of Rust and Go.
pub(in crate::client::error) fn quoted_end(text: &str) -> Option<usize> {
    let mut chars = text.strip_prefix('"')?.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some(at + 2),
            '\\' => drop(chars.next()?),
            _ => {}
        }
    }
    None
}

/// Handles ``unknown variant `x`, expected one of `A`, `B` ``. The names belong to the type and are retained; the found
/// one is removed.
fn unknown(message: &str, start: &'static str) -> Option<String> {
    message.strip_prefix(start)?.strip_prefix(" `")?;
    for none in ["`, there are no variants", "`, there are no fields"] {
        if message.ends_with(none) {
            return Some(format!("{start}{}", &none[1..]));
        }
    }
    // The found name may look like a list of names.
    let (_, names) = message.rsplit_once("`, expected ")?;
    is_expectation(names).then(|| format!("{start}, expected {names}"))
}

/// Returns whether a text looks like an `expecting` phrase of a type, which is usually constant and quotes nothing.
fn is_expectation(text: &str) -> bool {
    let fits = |c: char| !c.is_control() && c != '"';
    (1..=MAX_EXPECTATION_LENGTH).contains(&text.len()) && text.chars().all(fits)
}

/// Returns whether a message cannot contain values.
fn is_plain(message: &str) -> bool {
    const NAMED: [&str; 4] =
        ["missing field `", "duplicate field `", NOT_FINITE, "data did not match any variant of untagged enum "];
    const WHOLE: [&str; 3] = ["the object is too large", "it is not an object", "its `metadata` is not an object"];
    const UTF8: [&str; 2] = ["invalid utf-8 sequence of ", "incomplete utf-8 byte sequence from index "];
    let is_name = |name: &str| {
        let name = name.strip_suffix('`').unwrap_or(name);
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '#');
        name.len() <= MAX_EXPECTATION_LENGTH && name.chars().all(fits)
    };
    let names = |start: &&str| message.strip_prefix(*start).is_some_and(is_name);
    let is_of_utf8 = |start: &&str| {
        let rest = message.strip_prefix(*start);
        let words = rest.into_iter().flat_map(|rest| rest.split(' '));
        let fits =
            |word: &str| ["bytes", "from", "index"].contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit());
        rest.is_some() && words.into_iter().all(fits)
    };
    NAMED.iter().any(names) || WHOLE.contains(&message) || UTF8.iter().any(is_of_utf8)
}
