//! YAML as kubectl reads it: sigs.k8s.io/yaml, with the types of YAML 1.1.
//!
//! The parser finds the scalars, and this module decides what the plain ones stand for, and what merge keys add.
//! `tests/tests/client/yaml.rs` compares it with Go's library. What is left: a tag `!!int` or `!!float` of a text that is
//! no number for YAML 1.2, such as `!!int '1__0'`, is an error, as is an infinite number that a later equal key would replace; and in
//! `[...]` and `{...}`, plain scalars that start or end with a colon, or are a single `-`, are those of YAML 1.2.

mod plain;

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};
use serde_saphyr::{
    DuplicateKeyPolicy, Error, Location, MergeKeyPolicy, NonFiniteFloatPolicy, Options, Spanned,
    from_multiple_with_options, options,
};

use self::plain::Scalar;

/// A document that is not empty.
pub struct Document {
    /// The line of its first value, from 1, if it is known.
    pub line: Option<u64>,
    /// The document as JSON.
    pub value: Value,
}

/// What happens to a key that a mapping has twice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum DuplicateKeys {
    /// The last one counts, as in kubectl.
    LastWins,
    /// They are errors, as in the API server.
    Error,
}

/// Returns the documents of a text.
pub fn documents(text: &str, duplicate_keys: DuplicateKeys) -> Result<Vec<Document>, Error> {
    let mut indented = None;
    loop {
        let text = indented.as_deref().unwrap_or(text);
        match from_multiple_with_options::<Node>(text, parser_options()) {
            Ok(documents) => {
                let reader = Reader { text, duplicate_keys };
                return documents.into_iter().map(|node| reader.document(node)).collect();
            }
            Err(error) => match indent(text, &error) {
                Some(text) => indented = Some(text),
                None => return Err(error),
            },
        }
    }
}

fn parser_options() -> Options {
    options! {
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        merge_keys: MergeKeyPolicy::AsOrdinary,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
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

/// A value as the parser found it, with its place.
type Node = Spanned<Content>;

/// A value as the parser read it.
enum Content {
    /// It is not that of kubectl for some plain ones.
    Scalar(Scalar),
    List(Vec<Node>),
    Mapping(Vec<(Node, Node)>),
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OfAnyType)
    }
}

struct OfAnyType;

impl<'de> Visitor<'de> for OfAnyType {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Content, E> {
        Ok(Content::Scalar(Scalar::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Content, E> {
        Ok(Content::Scalar(Scalar::Integer(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Content, E> {
        Ok(Content::Scalar(i64::try_from(value).map_or(Scalar::Unsigned(value), Scalar::Integer)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Content, E> {
        Ok(Content::Scalar(Scalar::Float(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Content, E> {
        Ok(Content::Scalar(Scalar::Text(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Content, E> {
        Ok(Content::Scalar(Scalar::Text(value)))
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Scalar(Scalar::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Content, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Content::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Content, A::Error> {
        let mut mapping = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            mapping.push(entry);
        }
        Ok(Content::Mapping(mapping))
    }
}

/// Converts values of a text to those of kubectl.
struct Reader<'t> {
    text: &'t str,
    duplicate_keys: DuplicateKeys,
}

impl Reader<'_> {
    fn document(&self, node: Node) -> Result<Document, Error> {
        let line = node.referenced.line();
        Ok(Document { line: Some(line).filter(|line| *line > 0), value: self.value(node)? })
    }

    fn value(&self, node: Node) -> Result<Value, Error> {
        let location = node.referenced;
        match self.resolved(node) {
            Content::Scalar(scalar) => json(scalar, location),
            Content::List(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Content::Mapping(entries) => {
                let mut members = Map::new();
                self.insert(entries, &mut members)?;
                Ok(members.into())
            }
        }
    }

    /// Adds the entries of a mapping in their order, so that one before a merge key is replaced.
    fn insert(&self, entries: Vec<(Node, Node)>, members: &mut Map<String, Value>) -> Result<(), Error> {
        for (key, value) in entries {
            if self.is_merge_key(&key) {
                self.merge(value, members)?;
                continue;
            }
            let location = key.referenced;
            let key = self.key(key)?;
            let value = self.value(value)?;
            if self.duplicate_keys == DuplicateKeys::Error && members.contains_key(&key) {
                return Err(error(format!("duplicate mapping key: {key}"), location));
            }
            members.insert(key, value);
        }
        Ok(())
    }

    fn merge(&self, value: Node, members: &mut Map<String, Value>) -> Result<(), Error> {
        let location = value.referenced;
        match value.value {
            Content::Mapping(entries) => self.insert(entries, members),
            // Earlier ones have precedence.
            Content::List(items) => items.into_iter().rev().try_for_each(|item| match item.value {
                Content::Mapping(entries) => self.insert(entries, members),
                Content::Scalar(_) | Content::List(_) => Err(not_mergeable(item.referenced)),
            }),
            Content::Scalar(_) => Err(not_mergeable(location)),
        }
    }

    /// Returns a key, whose text is that of its value: `on` is `true`, and `0x10` is `16`.
    fn key(&self, node: Node) -> Result<String, Error> {
        let location = node.referenced;
        let refused = |what: &str| Err(error(format!("{what} cannot be a key"), location));
        match self.resolved(node) {
            Content::Scalar(Scalar::Text(text)) => Ok(text),
            Content::Scalar(Scalar::Bool(value)) => Ok(value.to_string()),
            Content::Scalar(Scalar::Integer(number)) => Ok(number.to_string()),
            Content::Scalar(Scalar::Unsigned(number)) => {
                refused(&format!("{number}, which is beyond 64-bit integers,"))
            }
            Content::Scalar(Scalar::Float(float)) => Ok(go_float(float)),
            Content::Scalar(Scalar::Null) => refused("null"),
            Content::List(_) => refused("a list"),
            Content::Mapping(_) => refused("a mapping"),
        }
    }

    /// Returns a value with that of a plain scalar.
    fn resolved(&self, node: Node) -> Content {
        let Some(text) = self.plain_text(&node) else { return node.value };
        match (plain::resolve(text), node.value) {
            (Some(scalar), _) => Content::Scalar(scalar),
            (None, Content::Scalar(Scalar::Text(text))) => Content::Scalar(Scalar::Text(text)),
            (None, _) => Content::Scalar(Scalar::Text(text.to_owned())),
        }
    }

    fn is_merge_key(&self, key: &Node) -> bool {
        let is_implicit = |tag: Option<&str>| tag.is_none_or(|tag| tag == "!!merge");
        self.source(key).is_some_and(|(tag, text)| text == "<<" && is_implicit(tag))
    }

    /// Returns the text of a scalar that has neither quotes nor a tag, if it is on one line.
    fn plain_text(&self, node: &Node) -> Option<&str> {
        let (tag, text) = self.source(node)?;
        let is_plain = !text.starts_with(['"', '\'', '|', '>', '!', '&', '*']) && !text.contains('\n');
        (is_plain && tag.is_none()).then_some(text)
    }

    /// Returns the tag and the text of a scalar, as they are written.
    fn source(&self, node: &Node) -> Option<(Option<&str>, &str)> {
        if matches!(node.value, Content::List(_) | Content::Mapping(_)) {
            return None;
        }
        let span = node.defined.span();
        let start = usize::try_from(span.byte_offset()?).ok()?;
        let end = start.checked_add(usize::try_from(span.byte_len()?).ok()?)?;
        let (before, text) = (self.text.get(..start)?, self.text.get(start..end)?.trim_end());
        let mut words = before.rsplit(char::is_whitespace);
        let word = words.find(|word| !word.is_empty() && !word.starts_with('&'));
        Some((word.filter(|word| word.starts_with('!')), text))
    }
}

fn json(scalar: Scalar, location: Location) -> Result<Value, Error> {
    Ok(match scalar {
        Scalar::Null => Value::Null,
        Scalar::Bool(value) => value.into(),
        Scalar::Integer(value) => value.into(),
        Scalar::Unsigned(value) => value.into(),
        Scalar::Float(value) => {
            let number = Number::from_f64(value);
            number.ok_or_else(|| error("JSON has no infinite numbers and no NaN".to_owned(), location))?.into()
        }
        Scalar::Text(value) => value.into(),
    })
}

fn error(msg: String, location: Location) -> Error {
    Error::Message { msg, location }
}

fn not_mergeable(location: Location) -> Error {
    error("the value of the merge key `<<` is neither a mapping nor a list of mappings".to_owned(), location)
}

/// Formats a number as Go's `FormatFloat(number, 'g', -1, 32)`.
#[expect(clippy::cast_possible_truncation)] // as sigs.k8s.io/yaml
fn go_float(number: f64) -> String {
    let number = number as f32;
    if number.is_nan() {
        return ".nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let text = crdkit_core::go::even_digit(format!("{number:e}"), number.into(), 24);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return number.to_string();
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
        let text = "{y: 1, n: 2, 'on': 3, 0x10: 4, 010: 5, 1.5: 6, 1e30: 7, true: 8, 1e39: 9}";
        let expected = json!([{
            "true": 8, "false": 2, "on": 3, "16": 4, "8": 5, "1.5": 6, "1e+30": 7, ".inf": 9,
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
