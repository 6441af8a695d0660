//! Removes values from the API server's messages.

use std::{borrow::Cow, collections::HashMap, fmt};

use serde::de::IgnoredAny;

use super::json::quoted_end;
use crate::client::limits::QuoteLimit;

/// The replacement of a value.
pub(crate) const HIDDEN: &str = "[hidden]";

/// The prefixes of values, and the syntax of these values.
const VALUE_PREFIXES: [(&str, Value); 15] = [
    // Prefixes of apimachinery's `field.Error`.
    ("Invalid value: ", Value::Field),
    ("Unsupported value: ", Value::Field),
    ("Duplicate value: ", Value::Field),
    ("Not found: ", Value::Field),
    ("Too long: ", Value::Quoted),
    ("Required value: ", Value::Quoted),
    // Prefixes of Go's parsers.
    ("parsing ", Value::Quoted),
    ("parsing time ", Value::Quoted),
    ("cannot parse ", Value::Quoted),
    ("cannot unmarshal !!", Value::Rest),
    ("error found in #", Value::Rest),
    ("-----BEGIN ", Value::Rest),
    // Prefixes in messages about requests.
    ("uthorization: ", Value::Rest),
    ("earer ", Value::Word),
    ("asic ", Value::Word),
];

/// The syntax of a value.
#[derive(Clone, Copy, Debug)]
enum Value {
    /// As `field.Error` formats values: quoted, as JSON, in Go syntax or bare, followed by a colon if there is more
    /// text.
    Field,
    /// In double quotes; anything else is not a value.
    Quoted,
    /// A word that does not consist only of letters.
    Word,
    /// The rest of the text.
    Rest,
}

/// Removes everything that may be a value; borrows the text if there is nothing to remove.
pub(super) fn redacted(message: &str, quote_limit: QuoteLimit) -> Cow<'_, str> {
    match quote_limit.truncate(message) {
        Cow::Borrowed(message) => without_values(message),
        Cow::Owned(text) => Cow::Owned(without_values(&text).into_owned()),
    }
}

/// The time grows with the length of the text for each value, so the text must be short.
fn without_values(message: &str) -> Cow<'_, str> {
    let mut rest = message;
    let mut text = String::new();
    let mut values = Vec::new();
    while let Some((before, value, after)) = next_value(rest) {
        text.push_str(before);
        text.push_str(HIDDEN);
        values.push(value.trim_matches('"'));
        rest = after;
    }
    if values.is_empty() && !has_token(message) {
        return Cow::Borrowed(message);
    }
    text.push_str(rest);
    // Details often repeat the values.
    Cow::Owned(without_tokens(&replaced(&text, values)))
}

/// Minimum length of a value that is searched for elsewhere: shorter ones occur in ordinary words.
const MIN_VALUE_LENGTH: usize = 4;

/// Replaces values in one pass, because a value may be part of its replacement.
fn replaced(text: &str, mut values: Vec<&str>) -> String {
    values.push(HIDDEN);
    values.sort_unstable_by_key(|value| (std::cmp::Reverse(value.len()), *value));
    values.dedup();
    let mut by_start: HashMap<&[u8], Vec<&str>> = HashMap::new();
    for value in values {
        if let Some(start) = value.as_bytes().get(..MIN_VALUE_LENGTH) {
            by_start.entry(start).or_default().push(value);
        }
    }
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let mut values =
            rest.as_bytes().get(..MIN_VALUE_LENGTH).and_then(|start| by_start.get(start)).into_iter().flatten();
        let passed = match values.find(|value| rest.starts_with(**value)) {
            Some(value) => {
                output.push_str(HIDDEN);
                value.len()
            }
            None => {
                output.push(next);
                next.len_utf8()
            }
        };
        rest = &rest[passed..];
    }
    output
}

/// Returns the next value, the text before it and the text after it.
fn next_value(text: &str) -> Option<(&str, &str, &str)> {
    let found = VALUE_PREFIXES.iter().flat_map(|(mark, kind)| {
        let places = text.match_indices(mark);
        places.filter_map(move |(at, _)| {
            let start = at + mark.len();
            let length = kind.length(&text[start..])?;
            Some((start, start + length))
        })
    });
    let (start, end) = found.min()?;
    Some((&text[..start], &text[start..end], &text[end..]))
}

impl Value {
    /// Returns the length of the value at the start of a text; `None` if there is none.
    fn length(self, text: &str) -> Option<usize> {
        if text.is_empty() || text.starts_with(HIDDEN) {
            return None;
        }
        match self {
            Self::Field => Some(field_value(text).unwrap_or(text.len())),
            Self::Quoted => text.starts_with('"').then(|| quoted_end(text).unwrap_or(text.len())),
            Self::Word => {
                let end = text.find([' ', ',', '"', '\n', ';']).unwrap_or(text.len());
                let is_word = text[..end].bytes().all(|byte| byte.is_ascii_lowercase());
                (!is_word).then_some(end)
            }
            Self::Rest => Some(text.len()),
        }
    }
}

/// Returns the length of a value in a field error; `None` if its syntax is unknown.
fn field_value(text: &str) -> Option<usize> {
    match text.as_bytes().first()? {
        b'"' => quoted_end(text),
        b'{' | b'[' => {
            let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
            values.next()?.ok()?;
            Some(values.byte_offset())
        }
        _ => {
            let end = text.find(": ").or_else(|| text.find(", ")).unwrap_or(text.len());
            let is_word = !text[..end].contains([' ', '"', '{', '[', '\n']);
            is_word.then_some(end)
        }
    }
}

/// Returns whether a text contains a JSON web token.
fn has_token(text: &str) -> bool {
    text.contains("eyJ")
}

fn without_tokens(text: &str) -> String {
    let mut parts = text.split("eyJ");
    let mut output = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '=');
        output.push_str(HIDDEN);
        output.push_str(part.trim_start_matches(fits));
    }
    output
}

/// Describes a response that is not a Status, such as a proxy's page or an echo. Only texts that API servers produce
/// are shown.
pub(super) fn describe_non_status(code: u16, text: &str) -> Cow<'_, str> {
    // The texts of Go's `http.Error` and `http.StatusText`.
    let is_short = text.len() <= 40 && text.chars().all(|c| c.is_ascii_alphanumeric() || " -'".contains(c));
    let is_known = ["404 page not found", "no reason given"].contains(&text)
        || (100..600).any(|code| {
            let code = http::StatusCode::from_u16(code).ok();
            code.and_then(|code| code.canonical_reason()) == Some(text)
        });
    if is_short && is_known {
        return Cow::Borrowed(text);
    }
    let what = match text.trim_start().chars().next() {
        Some('<') => "markup",
        Some('{' | '[') => "JSON",
        _ => "text",
    };
    Cow::Owned(format!(
        "HTTP {code} with {what} of {} bytes instead of a Status, perhaps from a proxy: see `status()`",
        text.len()
    ))
}

/// The length of the longest name in Kubernetes, followed by a dot or slash and 63 characters.
const MAX_WORD_LENGTH: usize = 253 + 1 + 63;

/// Displays a word of a response, such as a name or a path, truncated and with escaped control characters.
pub(crate) struct Excerpt<'a>(pub(crate) &'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.chars();
        for c in rest.by_ref().take(MAX_WORD_LENGTH) {
            match c {
                '"' | '\'' | '\\' => write!(f, "{c}")?,
                _ => write!(f, "{}", c.escape_debug())?,
            }
        }
        if rest.as_str().is_empty() { Ok(()) } else { f.write_str(" ...") }
    }
}

#[cfg(test)]
mod tests;
