//! YAML as kubectl reads it: sigs.k8s.io/yaml, with the types of YAML 1.1.
//!
//! `tests/tests/client/yaml.rs` compares it with Go's library. What is left: booleans in other cases, such as `yEs`, are booleans
//! here and texts there; `1__0` and `1_` are texts; a number beyond the range of floats is an error; and a key before `<<` keeps
//! its value, while kubectl takes the merged one.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};
use serde_saphyr::{DuplicateKeyPolicy, Error, Options, Spanned, from_multiple_with_options, options};

/// A document that is not empty.
pub(crate) struct Document {
    /// The line of its first value, from 1, if it is known.
    pub(crate) line: Option<u64>,
    pub(crate) value: Value,
}

/// What happens to a key that a mapping has twice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DuplicateKeys {
    /// The last one counts, as in kubectl.
    LastWins,
    /// They are errors, as in the API server.
    #[cfg_attr(not(feature = "testing"), expect(dead_code))] // for the API server in the process
    Error,
}

/// Returns the documents of a text.
pub(crate) fn documents(text: &str, duplicate_keys: DuplicateKeys) -> Result<Vec<Document>, Error> {
    let mut indented = None;
    loop {
        let text = indented.as_deref().unwrap_or(text);
        match from_multiple_with_options::<Spanned<Tree>>(text, options_of(duplicate_keys)) {
            Ok(documents) => return Ok(documents.into_iter().map(document).collect()),
            Err(error) => match indent(text, &error) {
                Some(text) => indented = Some(text),
                None => return Err(error),
            },
        }
    }
}

fn document(read: Spanned<Tree>) -> Document {
    let line = read.referenced.line();
    Document { line: Some(line).filter(|line| *line > 0), value: read.value.0 }
}

fn options_of(duplicate_keys: DuplicateKeys) -> Options {
    let duplicate_keys = match duplicate_keys {
        DuplicateKeys::LastWins => DuplicateKeyPolicy::PassThrough,
        DuplicateKeys::Error => DuplicateKeyPolicy::Error,
    };
    options! {
        duplicate_keys: duplicate_keys,
        legacy_octal_numbers: true,
        with_snippet: false,
    }
}

/// Returns the text with one more indented line, if that line is what the parser refuses: it requires that a quoted text is
/// continued with the indentation of the block, which libyaml does not. Spaces at the start of such a line have no meaning.
fn indent(text: &str, error: &Error) -> Option<String> {
    const REFUSED: &str = "invalid indentation in multiline quoted scalar";
    // More than the deepest block that the parser accepts.
    const INDENTATION: &str = "                                                                                ";
    let line = usize::try_from(error.location()?.line()).ok()?.checked_sub(1)?;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let is_indented = text.get(start..)?.starts_with(INDENTATION);
    if is_indented || !error.to_string().contains(REFUSED) {
        return None;
    }
    let mut indented = text.to_owned();
    indented.insert_str(start, INDENTATION);
    Some(indented)
}

/// A value with the keys that kubectl gives to mappings.
struct Tree(Value);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OfAnyType).map(Self)
    }
}

struct OfAnyType;

impl<'de> Visitor<'de> for OfAnyType {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value);
        number.map(Value::Number).ok_or_else(|| E::custom("JSON has no infinite numbers and no NaN"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Tree(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(key) = entries.next_key_seed(Key)? {
            let Tree(value) = entries.next_value()?;
            members.insert(key, value);
        }
        Ok(members.into())
    }
}

/// A key, whose text is that of its value: `on` is `true`, and `0x10` is `16`.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        match deserializer.deserialize_any(OfAnyType)? {
            Value::String(text) => Ok(text),
            Value::Bool(value) => Ok(value.to_string()),
            Value::Number(number) if number.is_u64() && !number.is_i64() => {
                Err(de::Error::custom(format_args!("{number} cannot be a key: it is beyond 64-bit integers")))
            }
            Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
                Some(float) => Ok(go_float(float)),
                None => Ok(number.to_string()),
            },
            other => Err(de::Error::custom(format_args!("{other} cannot be a key"))),
        }
    }
}

/// Formats a number as Go's `FormatFloat(number, 'g', -1, 32)`.
#[expect(clippy::cast_possible_truncation)] // as sigs.k8s.io/yaml
fn go_float(number: f64) -> String {
    let text = format!("{:e}", number as f32);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return format!("{}", number as f32);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn one(text: &str) -> Value {
        let documents = documents(text, DuplicateKeys::LastWins).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(documents.len(), 1, "{text}");
        documents.into_iter().map(|document| document.value).collect()
    }

    #[test]
    fn values_have_the_types_of_yaml_1_1() {
        for (text, expected) in [
            ("0777", json!(511)),
            ("0o17", json!(15)),
            ("0x1F", json!(31)),
            ("1_000", json!(1000)),
            ("yes", json!(true)),
            ("n", json!(false)),
            ("Off", json!(false)),
            ("'y'", json!("y")),
            ("~", json!(null)),
            ("2030-01-31", json!("2030-01-31")),
            ("1e3", json!(1000.0)),
            ("12:30", json!("12:30")),
        ] {
            assert_eq!(one(&format!("a: {text}")), json!([{ "a": expected }]), "{text}");
        }
    }

    #[test]
    fn keys_are_texts() {
        let text = "{y: 1, n: 2, 'on': 3, 0x10: 4, 010: 5, 1.5: 6, 1e30: 7, true: 8}";
        let expected = json!([{
            "true": 8, "false": 2, "on": 3, "16": 4, "8": 5, "1.5": 6, "1e+30": 7,
        }]);
        assert_eq!(one(text), expected);
        for text in ["{[a]: 1}", "{~: 1}"] {
            assert!(documents(text, DuplicateKeys::LastWins).is_err(), "{text}");
        }
    }

    #[test]
    fn the_last_of_two_keys_counts() {
        assert_eq!(one("a: 1\nb: 2\na: 3\n"), json!([{ "a": 3, "b": 2 }]));
        assert!(documents("a: 1\na: 3\n", DuplicateKeys::Error).is_err());
    }

    #[test]
    fn quoted_texts_continue_with_any_indentation() {
        let text = "a:\n    b: \"c\n  d\ne\n\n f\"\n    g: 'h\n  i'\n";
        assert_eq!(one(text), json!([{ "a": { "b": "c d e\nf", "g": "h i" } }]));
    }

    #[test]
    fn lines_of_documents_are_known() {
        let read = documents("---\n# a\na: 1\n---\n\nb: 2\n---\n", DuplicateKeys::LastWins).unwrap();
        assert_eq!(read.iter().map(|document| document.line).collect::<Vec<_>>(), [Some(3), Some(6)]);
    }
}
