use std::fmt;

use serde_json::error::Category;

use crate::client::limits::{MAX_DEPTH, too_deep};

/// Longer than this no `expecting` of a type is.
const LONGEST: usize = 200;

const HIDDEN: &str =
    "the type refused a value; its message may hold values: `.unredacted()` has it";

/// What serde_json says is wrong, without the values of the document.
///
/// Its texts, those of `Debug` too, name types, fields and places. Where serde_json or a type's own `Deserialize` or
/// `Serialize` quotes a value, or may do so, that is left out; [`unredacted`](Self::unredacted) has all of it. There is no
/// `source()`, since errors are often written with all their sources.
pub struct JsonError {
    message: String,
    inner: serde_json::Error,
    /// How deep the document may be nested, if it is nested deeper.
    allowed_depth: Option<usize>,
}

impl JsonError {
    /// The whole error. Its texts may hold values of the document.
    pub fn unredacted(&self) -> &serde_json::Error {
        &self.inner
    }

    /// As [`unredacted`](Self::unredacted), by value.
    pub fn into_unredacted(self) -> serde_json::Error {
        self.inner
    }

    /// The line, from 1; 0 if it is not known.
    pub fn line(&self) -> usize {
        self.inner.line()
    }

    /// The column, from 1; 0 if it is not known.
    pub fn column(&self) -> usize {
        self.inner.column()
    }

    /// An error in words that hold no values.
    pub(crate) fn plain(message: impl fmt::Display) -> Self {
        let inner = <serde_json::Error as serde::de::Error>::custom(message);
        Self {
            message: inner.to_string(),
            inner,
            allowed_depth: None,
        }
    }

    /// A document is nested deeper than allowed.
    pub(crate) fn too_deep(allowed: usize) -> Self {
        Self {
            allowed_depth: Some(allowed),
            ..Self::plain(too_deep(allowed))
        }
    }

    /// How deep the document may be nested, if it is nested deeper.
    pub(crate) fn allowed_depth(&self) -> Option<usize> {
        self.allowed_depth
    }
}

impl From<serde_json::Error> for JsonError {
    fn from(inner: serde_json::Error) -> Self {
        if is_too_deep(&inner) {
            return Self {
                inner,
                ..Self::too_deep(MAX_DEPTH)
            };
        }
        Self {
            message: redacted(&inner),
            inner,
            allowed_depth: None,
        }
    }
}

/// Whether serde_json has come to the depth that it reads at most.
pub(crate) fn is_too_deep(error: &serde_json::Error) -> bool {
    error.is_syntax() && error.to_string().starts_with("recursion limit exceeded")
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.line() {
            0 => Ok(()),
            line => write!(f, " at line {line} column {}", self.column()),
        }
    }
}

impl fmt::Debug for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JsonError({self})")
    }
}

impl std::error::Error for JsonError {}

/// The message without its place.
fn redacted(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = text.strip_suffix(&place).unwrap_or(&text);
    match error.classify() {
        Category::Syntax | Category::Eof => message.to_owned(),
        Category::Io => "the document cannot be read or written".to_owned(),
        Category::Data => redacted_message(message).unwrap_or_else(|| HIDDEN.to_owned()),
    }
}

/// A message of serde without the value in it; `None` if it is none of serde's.
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
    let kept = is_expectation(expected).then_some(expected);
    let expected = kept.map(|expected| format!(", expected {expected}"));
    Some(format!("{start}{found}{}", expected.unwrap_or_default()))
}

fn invalid_length(message: &str) -> Option<String> {
    let rest = message.strip_prefix("invalid length ")?;
    let (length, expected) = rest.split_once(", expected ")?;
    let is_number = length.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && is_expectation(expected)).then(|| message.to_owned())
}

/// The type of the value that serde found, and what stands behind it.
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
        if let Some(rest) = text
            .strip_prefix(kind)
            .and_then(|rest| rest.strip_prefix(" `"))
        {
            // A character may be a backtick itself.
            let (_, rest) = rest.split_at_checked(rest.chars().next()?.len_utf8())?;
            return Some((kind, &rest[rest.find('`')? + 1..]));
        }
    }
    PLAIN
        .into_iter()
        .find_map(|kind| Some((kind, text.strip_prefix(kind)?)))
}

/// The end of a text in double quotes, as Rust and Go write them, that `text` begins with.
pub(super) fn quoted_end(text: &str) -> Option<usize> {
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

/// ``unknown variant `x`, expected one of `A`, `B` ``. The names are the type's; what was found is not.
fn unknown(message: &str, start: &'static str) -> Option<String> {
    message.strip_prefix(start)?.strip_prefix(" `")?;
    for none in ["`, there are no variants", "`, there are no fields"] {
        if message.ends_with(none) {
            return Some(format!("{start}{}", &none[1..]));
        }
    }
    // What was found may look like a list of names.
    let (_, names) = message.rsplit_once("`, expected ")?;
    is_expectation(names).then(|| format!("{start}, expected {names}"))
}

/// What types say that they expect: a phrase that is constant as a rule, and quotes nothing.
fn is_expectation(text: &str) -> bool {
    let fits = |c: char| !c.is_control() && c != '"';
    (1..=LONGEST).contains(&text.len()) && text.chars().all(fits)
}

/// Messages that can hold no values.
fn is_plain(message: &str) -> bool {
    const NAMED: [&str; 3] = [
        "missing field `",
        "duplicate field `",
        "data did not match any variant of untagged enum ",
    ];
    const WHOLE: [&str; 3] = [
        "the object is too large",
        "it is no object",
        "its `metadata` is no object",
    ];
    const UTF8: [&str; 2] = [
        "invalid utf-8 sequence of ",
        "incomplete utf-8 byte sequence from index ",
    ];
    let is_name = |name: &str| {
        let name = name.strip_suffix('`').unwrap_or(name);
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '#');
        name.len() <= LONGEST && name.chars().all(fits)
    };
    let names = |start: &&str| message.strip_prefix(*start).is_some_and(is_name);
    let is_of_utf8 = |start: &&str| {
        let rest = message.strip_prefix(*start);
        let words = rest.into_iter().flat_map(|rest| rest.split(' '));
        let fits = |word: &str| {
            ["bytes", "from", "index"].contains(&word)
                || word.bytes().all(|byte| byte.is_ascii_digit())
        };
        rest.is_some() && words.into_iter().all(fits)
    };
    NAMED.iter().any(names) || WHOLE.contains(&message) || UTF8.iter().any(is_of_utf8)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::{Deserialize, de::DeserializeOwned};
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Strict {
        name: String,
        size: Option<u8>,
        on: Option<bool>,
        mode: Option<Mode>,
        pair: Option<(u8, char)>,
        either: Option<Either>,
        all: Option<BTreeMap<String, i32>>,
        address: Option<std::net::IpAddr>,
    }

    #[derive(Debug, Deserialize)]
    enum Mode {
        Fast,
        Slow,
    }

    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    #[allow(dead_code)]
    enum Either {
        Number(i32),
        Flag(bool),
    }

    fn error<T: DeserializeOwned>(json: &str) -> JsonError {
        serde_json::from_str::<T>(json)
            .err()
            .expect("it does not fit")
            .into()
    }

    #[track_caller]
    fn assert_text(json: &str, expected: &str) {
        let text = error::<Strict>(json).to_string();
        assert_eq!(text.split(" at line").next().unwrap(), expected);
    }

    #[test]
    fn types_and_names_are_kept() {
        assert_text(r#"{"name":3}"#, "invalid type: integer, expected a string");
        assert_text(
            r#"{"name":true}"#,
            "invalid type: boolean, expected a string",
        );
        assert_text(
            r#"{"name":1.5}"#,
            "invalid type: floating point, expected a string",
        );
        assert_text(r#"{"name":null}"#, "invalid type: null, expected a string");
        assert_text(
            r#"{"name":[]}"#,
            "invalid type: sequence, expected a string",
        );
        assert_text(r#"{"size":"hunter2"}"#, "invalid type: string, expected u8");
        assert_text(
            r#"{"size":"a\", expected hunter2"}"#,
            "invalid type: string, expected u8",
        );
        assert_text(r#"{"size":300}"#, "invalid value: integer, expected u8");
        assert_text(
            r#"{"pair":[1]}"#,
            "invalid length 1, expected a tuple of size 2",
        );
        assert_text(
            r#"{"pair":[1,"ab"]}"#,
            "invalid value: string, expected a character",
        );
        assert_text(
            r#"{"mode":"hunter2"}"#,
            "unknown variant, expected `Fast` or `Slow`",
        );
        assert_text(
            r#"{"mode":"a`, expected `hunter2"}"#,
            "unknown variant, expected `Fast` or `Slow`",
        );
        assert_text(
            r#"{"either":"hunter2"}"#,
            "data did not match any variant of untagged enum Either",
        );
        assert_text(r#"{}"#, "missing field `name`");
        assert_text(r#"{"name":"a","name":"b"}"#, "duplicate field `name`");
        assert_text(r#"{"name":"#, "EOF while parsing a value");
        assert_text(r#"{"address":"hunter2"}"#, HIDDEN);
        let text = error::<Strict>(r#"{"hunter2":3}"#).to_string();
        assert!(
            text.starts_with("unknown field, expected one of `name`, `size`"),
            "{text}"
        );
    }

    #[test]
    fn the_place_and_the_whole_error_are_at_hand() {
        let error = error::<Strict>("{\n\"size\":\"hunter2\"}");
        assert_eq!((error.line(), error.column()), (2, 16));
        assert!(
            error.to_string().ends_with(" at line 2 column 16"),
            "{error}"
        );
        assert!(error.unredacted().to_string().contains("hunter2"));
        assert!(std::error::Error::source(&error).is_none());
        let plain = JsonError::plain("as it is");
        assert_eq!((plain.to_string().as_str(), plain.line()), ("as it is", 0));
    }

    #[test]
    fn what_types_say_themselves_is_left_out() {
        for message in [
            "hunter2",
            "invalid type: hunter2, expected a string",
            "invalid type: string hunter2, expected a string",
            "missing field `a`: hunter2 is there",
            "unknown variant hunter2",
            "invalid length hunter2, expected 3",
            "invalid value: string \"a\", expected something like \"hunter2\"",
            "invalid utf-8 sequence of hunter2 bytes",
        ] {
            let error = JsonError::from(<serde_json::Error as serde::de::Error>::custom(message));
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
        }
    }

    /// Words that are in no message of their own.
    fn secret() -> impl Strategy<Value = String> {
        "[`\", a-z\\\\\n]{0,6}QZ[`\", a-z\\\\]{0,12}(, expected )?(`, expected `)?[a-z]{0,3}QZ"
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            secret().prop_map(Value::from),
            (9_000_001_i64..9_000_999).prop_map(Value::from),
            Just(json!([])),
            Just(json!({})),
        ];
        leaf.prop_recursive(2, 8, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[a-c]", inner, 0..3).prop_map(|map| json!(map)),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_value_is_in_a_text(
            key in prop::sample::select(vec!["name", "size", "on", "mode", "pair", "either", "all", "address"]),
            value in value(),
        ) {
            let json = json!({ key: value }).to_string();
            if let Err(error) = serde_json::from_str::<Strict>(&json) {
                let error = JsonError::from(error);
                let texts = format!("{error} {error:?} {error:#?}");
                prop_assert!(!texts.contains("QZ") && !texts.contains("9000"), "{}", texts);
            }
        }
    }
}
