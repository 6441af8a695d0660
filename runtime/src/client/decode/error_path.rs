//! The path of the value that does not match a type, from the position that `serde_json` reports.
//!
//! No second decoder is compiled for each type, and objects of any depth are located. A value that is decoded after more has been read, such as
//! the content of an adjacently tagged enum in front of its tag, has the path of what was read last.

use std::borrow::Cow;

/// Decodes a text, and returns the error.
type Decode<'a> = &'a dyn Fn(&str) -> Option<serde_json::Error>;

/// Returns the path of the value at which decoding failed, such as `spec.disks[0].size`; `None` for the whole text, and if the position is
/// that of another text, such as JSON in a string. `decode` decodes a text as the same type.
pub(crate) fn error_path(json: &str, error: &serde_json::Error, decode: Decode<'_>) -> Option<String> {
    let failed = Failed { json, error, decode };
    let end = failed.end()?;
    let mut open = OpenContainers::at(json.as_bytes(), end);
    if error.is_data() {
        match (open.last_byte, open.containers.last_mut()) {
            (b'}' | b']', _) if failed.is_of_last_member(end) => open = OpenContainers::at(json.as_bytes(), end - 1),
            (b'[' | b',', Some(Container::List(_))) if failed.is_of_next_element(end) => {}
            (b'[', Some(Container::List(_))) => drop(open.containers.pop()),
            (b',', Some(Container::List(index))) => *index -= 1,
            _ => {}
        }
    }
    let path: String = open.containers.iter().map(Container::segment).collect();
    let path = path.strip_prefix('.').unwrap_or(&path);
    (!path.is_empty()).then(|| path.to_owned())
}

/// A text that was not decoded.
struct Failed<'a> {
    json: &'a str,
    error: &'a serde_json::Error,
    decode: Decode<'a>,
}

impl Failed<'_> {
    /// Returns how many bytes had been read. The position of an error from another text does not move with this one.
    fn end(&self) -> Option<usize> {
        let moved = (self.decode)(&format!("\n{}", self.json))?;
        let is_moved = moved.line().checked_sub(1) == Some(self.error.line()) && moved.column() == self.error.column();
        is_moved.then(|| offset(self.json, self.error))?
    }

    /// Whether an error at the end of an object or a list is that of its last member: values that are decoded twice, such as untagged
    /// enums, have errors without a position, and get that at which the object is left. With another member behind it, it is left earlier.
    fn is_of_last_member(&self, end: usize) -> bool {
        let Some((before, after)) = self.json.split_at_checked(end - 1) else { return false };
        let is_empty = before.trim_ascii_end().ends_with(['{', '[']);
        match after.as_bytes()[0] {
            _ if is_empty => false,
            b'}' => self.is_left_before(end - 1, ",\"\":null"),
            b']' => self.is_left_before(end - 1, ",{}"),
            _ => false,
        }
    }

    /// Whether an error before an element of a list is that of the element: an object or a list of which the type is wrong is not read. One
    /// of the other type in front of it has another error.
    fn is_of_next_element(&self, end: usize) -> bool {
        match self.json.as_bytes()[end..].trim_ascii_start().first() {
            Some(b'{') => !self.is_left_before(end, "[],"),
            Some(b'[') => !self.is_left_before(end, "{},"),
            _ => false,
        }
    }

    /// Whether the error is the same, and not behind an insertion.
    fn is_left_before(&self, at: usize, inserted: &str) -> bool {
        let (before, after) = self.json.split_at(at);
        let longer = format!("{before}{inserted}{after}");
        let is_same = |other: &serde_json::Error| reason(other) == reason(self.error);
        let end = (self.decode)(&longer).filter(is_same).and_then(|error| offset(&longer, &error));
        end.is_some_and(|end| end <= at + 1)
    }
}

/// Returns what is wrong, without the position.
fn reason(error: &serde_json::Error) -> String {
    let mut text = error.to_string();
    text.truncate(text.rfind(" at line ").unwrap_or(text.len()));
    text
}

/// Returns the number of bytes in front of a position. `serde_json` counts lines from 1, and columns are bytes.
fn offset(json: &str, error: &serde_json::Error) -> Option<usize> {
    let lines_before = error.line().checked_sub(1)?;
    let start: usize = json.split_inclusive('\n').take(lines_before).map(str::len).sum();
    Some(start.saturating_add(error.column()).min(json.len()))
}

/// An object or a list whose end has not been read.
enum Container<'a> {
    /// The key in quotes of the current member.
    Object(Option<&'a [u8]>),
    /// The index of the current element.
    List(usize),
}

impl Container<'_> {
    fn segment(&self) -> Cow<'static, str> {
        match self {
            Self::Object(Some(key)) => {
                let key: String = serde_json::from_slice(key).unwrap_or_default();
                Cow::Owned(format!(".{key}"))
            }
            Self::Object(None) => Cow::Borrowed(""),
            Self::List(index) => Cow::Owned(format!("[{index}]")),
        }
    }
}

struct OpenContainers<'a> {
    containers: Vec<Container<'a>>,
    /// The last byte that is no space; the quote of a string.
    last_byte: u8,
}

impl<'a> OpenContainers<'a> {
    /// Reads JSON up to an offset. A string in which it lies is read to its end.
    fn at(json: &'a [u8], end: usize) -> Self {
        let mut open = Self { containers: Vec::new(), last_byte: b' ' };
        let mut at = 0;
        while at < end {
            at = open.read(json, at);
        }
        open
    }

    /// Reads a string or a byte, and returns the offset behind it.
    fn read(&mut self, json: &'a [u8], at: usize) -> usize {
        let byte = json[at];
        if !byte.is_ascii_whitespace() {
            self.last_byte = byte;
        }
        match (byte, self.containers.last_mut()) {
            (b'{', _) => self.containers.push(Container::Object(None)),
            (b'[', _) => self.containers.push(Container::List(0)),
            (b'}' | b']', _) => drop(self.containers.pop()),
            (b',', Some(Container::Object(key))) => *key = None,
            (b',', Some(Container::List(index))) => *index += 1,
            (b'"', container) => {
                let Some(end) = string_end(json, at + 1) else { return json.len() };
                if let Some(Container::Object(key @ None)) = container {
                    *key = Some(&json[at..end]);
                }
                return end;
            }
            _ => {}
        }
        at + 1
    }
}

/// Returns the end of a string, behind its quote, from the start of its characters.
fn string_end(json: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match json.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fmt};

    use crdkit_core::text::floor_char_boundary;
    use k8s_openapi::apimachinery::pkg::{
        apis::meta::v1::{ObjectMeta, Time},
        util::intstr::IntOrString,
    };
    use proptest::prelude::*;
    use serde::{
        Deserialize, Deserializer,
        de::{self, MapAccess, SeqAccess, Visitor},
    };
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    #[expect(dead_code, reason = "only errors are read")]
    struct Machine {
        metadata: Option<ObjectMeta>,
        disks: Option<Vec<Disk>>,
        mode: Option<Mode>,
        port: Option<IntOrString>,
        point: Option<(i32, i32)>,
        since: Option<Time>,
        choice: Option<Choice>,
        choices: Option<Vec<Choice>>,
        even: Option<Even>,
        labels: Option<BTreeMap<String, Even>>,
        ports: Option<BTreeMap<u16, String>>,
        tagged: Option<Vec<Tagged>>,
        embedded: Option<Embedded>,
        names: Option<BTreeMap<String, String>>,
        text: Option<String>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only errors are read")]
    struct Disk {
        size: u8,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only errors are read")]
    enum Mode {
        On,
        Each(Disk),
    }

    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only errors are read")]
    enum Choice {
        Number(i32),
        Disk(Disk),
    }

    #[derive(Debug, Deserialize)]
    #[serde(tag = "kind")]
    #[expect(dead_code, reason = "only errors are read")]
    enum Tagged {
        Local(Disk),
    }

    /// JSON in a string.
    #[derive(Debug)]
    struct Embedded;

    impl<'de> Deserialize<'de> for Embedded {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let text = String::deserialize(deserializer)?;
            serde_json::from_str::<Value>(&text).map(|_| Self).map_err(de::Error::custom)
        }
    }

    #[derive(Debug, Deserialize)]
    #[serde(try_from = "u8")]
    struct Even(#[expect(dead_code, reason = "only errors are read")] u8);

    impl TryFrom<u8> for Even {
        type Error = &'static str;

        fn try_from(number: u8) -> Result<Self, Self::Error> {
            if number.is_multiple_of(2) { Ok(Self(number)) } else { Err("odd") }
        }
    }

    fn decode<T: de::DeserializeOwned>(json: &str) -> Option<serde_json::Error> {
        serde_json::from_str::<T>(json).err()
    }

    #[track_caller]
    fn path<T: de::DeserializeOwned>(json: &str) -> Option<String> {
        error_path(json, &decode::<T>(json).unwrap(), &decode::<T>)
    }

    #[test]
    fn invalid_values_have_the_path_of_their_field() {
        for (object, expected) in [
            (json!({ "metadata": 3 }), "metadata"),
            (json!({ "metadata": { "labels": { "a/b": 1 } } }), "metadata.labels.a/b"),
            (json!({ "metadata": { "generation": 1.5 } }), "metadata.generation"),
            (json!({ "disks": {} }), "disks"),
            (json!({ "disks": "none" }), "disks"),
            (json!({ "disks": [{ "size": 1 }, { "size": 256 }] }), "disks[1].size"),
            (json!({ "disks": [{ "size": 1 }, { "size": -1 }, { "size": 3 }] }), "disks[1].size"),
            (json!({ "disks": [{ "size": 1 }, {}] }), "disks[1]"),
            (json!({ "disks": [true] }), "disks[0]"),
            (json!({ "mode": "Off" }), "mode"),
            (json!({ "mode": { "Each": { "size": [] } } }), "mode.Each.size"),
            (json!({ "mode": { "Never": {} } }), "mode.Never"),
            (json!({ "port": [1] }), "port"),
            (json!({ "port": {} }), "port"),
            (json!({ "point": [1] }), "point"),
            (json!({ "point": [1, []] }), "point[1]"),
            (json!({ "point": [{}] }), "point[0]"),
            (json!({ "since": "yesterday" }), "since"),
            (json!({ "choice": { "size": "small" } }), "choice"),
            (json!({ "choice": { "size": "small" }, "text": "" }), "choice"),
            (json!({ "choice": {} }), "choice"),
            (json!({ "choices": [1, "a"] }), "choices[1]"),
            (json!({ "choices": [{ "size": true }, { "size": 1 }, 5] }), "choices[0]"),
            (json!({ "choices": [3, {}, { "size": 1 }] }), "choices[1]"),
            (json!({ "choices": [[]] }), "choices[0]"),
            (json!({ "ports": { "http": "x" } }), "ports.http"),
            (json!({ "ports": { "1": "x", "70000": "x" } }), "ports.70000"),
            (json!({ "port": [[1]] }), "port"),
            (json!({ "tagged": [{ "kind": "Local", "size": {} }, { "kind": "Local", "size": 1 }] }), "tagged[0]"),
            (json!({ "tagged": [{ "kind": "Local", "size": 1 }, { "kind": "Far" }] }), "tagged[1].kind"),
            (json!({ "even": 1 }), "even"),
            (json!({ "even": 1, "text": "b" }), "even"),
            (json!({ "labels": { "a": 2, "b": 3 } }), "labels.b"),
            (json!({ "labels": { "a": 3, "b": 3 } }), "labels.a"),
            (json!({ "names": { "\"a\"\n": null } }), "names.\"a\"\n"),
            (json!({ "names": { "a,b": "{[", "c": false } }), "names.c"),
            (json!({ "text": ["a", "b"] }), "text"),
            (json!({ "color": "red" }), "color"),
        ] {
            for text in [object.to_string(), format!("{object:#}"), format!("{object:#}").replace('\n', " \n ")] {
                assert_eq!(path::<Machine>(&text).as_deref(), Some(expected), "{text}");
            }
        }
    }

    #[test]
    fn errors_of_the_whole_text_have_no_path() {
        assert_eq!(path::<Machine>("3"), None);
        assert_eq!(path::<Machine>("{} {}"), None);
        assert_eq!(path::<Disk>("{}"), None);
        assert_eq!(error_path("{}", &de::Error::custom("without a position"), &|_| None), None);
    }

    #[test]
    fn positions_in_another_text_are_no_path() {
        for text in [r#"{"k":1,}"#, r#"{"kkkkkk":1,}"#, r"[1, 2"] {
            assert_eq!(path::<Machine>(&json!({ "disks": [{ "size": 1 }], "embedded": text }).to_string()), None);
        }
        let message = "x at line 2 column 18446744073709551615";
        assert_eq!(error_path("{}", &de::Error::custom(message), &|_| Some(de::Error::custom(message))), None);
    }

    #[test]
    fn invalid_json_has_the_path_up_to_the_mistake() {
        assert_eq!(path::<Value>(r#"{"a": [1, {"b": x}]}"#).as_deref(), Some("a[1].b"));
        assert_eq!(path::<Value>(r#"{"a": [1, {"b": "c"#).as_deref(), Some("a[1].b"));
        assert_eq!(path::<Value>(r#"{"a": [1,]}"#).as_deref(), Some("a"));
        assert_eq!(path::<Value>(r#"{"a": [1,"#).as_deref(), Some("a[1]"));
        assert_eq!(path::<Value>(r#"{"a": ["x,"#).as_deref(), Some("a[0]"));
        assert_eq!(path::<Value>("{\"a\": [\"x,\t\"]}").as_deref(), Some("a[0]"));
        assert_eq!(path::<Value>(r#"{"a": {"na"#).as_deref(), Some("a"));
    }

    /// Any JSON without `null`.
    #[derive(Debug)]
    struct WithoutNull;

    impl<'de> Deserialize<'de> for WithoutNull {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(Self)
        }
    }

    impl<'de> Visitor<'de> for WithoutNull {
        type Value = Self;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a value")
        }

        fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
            Ok(self)
        }

        fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
            Ok(self)
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
            Ok(self)
        }

        fn visit_str<E>(self, _: &str) -> Result<Self, E> {
            Ok(self)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self, A::Error> {
            while elements.next_element::<Self>()?.is_some() {}
            Ok(self)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
            while members.next_entry::<String, Self>()?.is_some() {}
            Ok(self)
        }
    }

    /// The same, read before it is checked.
    #[derive(Debug)]
    #[expect(dead_code, reason = "only errors are read")]
    struct Buffered(Value);

    impl<'de> Deserialize<'de> for Buffered {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let value = Value::deserialize(deserializer)?;
            match WithoutNull::deserialize(&value) {
                Ok(WithoutNull) => Ok(Self(value)),
                Err(error) => Err(de::Error::custom(error)),
            }
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,4}".prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((r#"[a-z,:\[\]{}"\\]{1,3}"#, inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// Replaces the nth value by `null`, and returns its path.
    fn replace(value: &mut Value, path: &str, left: &mut usize) -> Option<String> {
        if *left == 0 {
            *value = Value::Null;
            return Some(path.to_owned());
        }
        *left -= 1;
        match value {
            Value::Array(elements) => {
                let mut elements = elements.iter_mut().enumerate();
                elements.find_map(|(index, element)| replace(element, &format!("{path}[{index}]"), left))
            }
            Value::Object(members) => members.iter_mut().find_map(|(key, member)| {
                let separator = if path.is_empty() { "" } else { "." };
                replace(member, &format!("{path}{separator}{key}"), left)
            }),
            _ => None,
        }
    }

    proptest! {
        #[test]
        fn any_value_is_located(mut value in value(), mut nth in 0..24_usize) {
            let expected = replace(&mut value, "", &mut nth);
            for text in [value.to_string(), format!("{value:#}")] {
                match decode::<WithoutNull>(&text) {
                    None => prop_assert_eq!(&None, &expected),
                    Some(_) => prop_assert_eq!(path::<WithoutNull>(&text).unwrap_or_default(), expected.clone().unwrap()),
                }
            }
        }

        #[test]
        fn values_that_are_decoded_later_are_located(
            values in prop::collection::vec(value(), 1..5),
            at in any::<prop::sample::Index>(),
            mut nth in 0..4_usize,
        ) {
            let mut values = values;
            let at = at.index(values.len());
            if replace(&mut values[at], "", &mut nth).is_some() {
                let list = json!({ "list": values });
                let located = path::<BTreeMap<String, Vec<Buffered>>>(&list.to_string());
                prop_assert_eq!(located, Some(format!("list[{at}]")));
                let members = values.into_iter().enumerate().map(|(index, value)| (format!("k{index}"), value));
                let object = Value::Object(members.collect());
                let located = path::<BTreeMap<String, Buffered>>(&object.to_string());
                prop_assert_eq!(located, Some(format!("k{at}")));
            }
        }

        #[test]
        fn any_text_is_read(value in value(), cut in any::<prop::sample::Index>()) {
            let text = json!({ "disks": [value.clone()], "choices": [value.clone(), value] }).to_string();
            let cut = floor_char_boundary(&text, cut.index(text.len()));
            for text in [&text[..cut], &text] {
                if let Some(error) = decode::<Machine>(text) {
                    error_path(text, &error, &decode::<Machine>);
                }
            }
        }
    }
}
