//! The path of the value that does not match a type, from the position that `serde_json` reports.
//!
//! No second decoder is compiled for each type, and objects of any depth are located.

use std::borrow::Cow;

/// Returns the path of the value at which decoding failed, such as `spec.disks[0].size`; `None` for the whole text. `decode`
/// decodes a text as the same type, and returns the error.
pub(crate) fn error_path(
    json: &str,
    error: &serde_json::Error,
    decode: &dyn Fn(&str) -> Option<serde_json::Error>,
) -> Option<String> {
    let end = offset(json, error)?;
    let (read, rest) = json.as_bytes().split_at(end);
    let mut open = open_containers(read);
    if read.ends_with(b"}") || read.ends_with(b"]") {
        if error.is_data() && is_of_last_member(json, end, error, decode) {
            open = open_containers(&read[..end - 1]);
        }
        return path_to(&open);
    }
    match (read.trim_ascii_end().last(), open.last_mut()) {
        (Some(b'[' | b','), Some(Container::List(_))) if is_of_next_element(error, rest) => {}
        (Some(b'['), Some(Container::List(_))) => drop(open.pop()),
        (Some(b','), Some(Container::List(index))) => *index -= 1,
        _ => {}
    }
    path_to(&open)
}

/// Returns the path to the current member of the innermost container.
fn path_to(open: &[Container<'_>]) -> Option<String> {
    let path: String = open.iter().map(Container::segment).collect();
    let path = path.strip_prefix('.').unwrap_or(&path);
    (!path.is_empty()).then(|| path.to_owned())
}

/// Whether an error at the end of an object or a list is that of its last member: values that are decoded twice, such as untagged enums,
/// have errors without a position, and get that at which the object is left. With another member behind it, it is left earlier.
fn is_of_last_member(
    json: &str,
    end: usize,
    error: &serde_json::Error,
    decode: &dyn Fn(&str) -> Option<serde_json::Error>,
) -> bool {
    let (before, after) = json.split_at(end - 1);
    if before.trim_ascii_end().ends_with(['{', '[']) {
        return false;
    }
    let member = if after.starts_with('}') { "\"\":null" } else { "{}" };
    let longer = format!("{before},{member}{after}");
    let is_same = |other: &serde_json::Error| reason(other) == reason(error);
    decode(&longer).filter(is_same).and_then(|error| offset(&longer, &error)).is_some_and(|left| left <= end)
}

/// Returns what is wrong, without the position.
fn reason(error: &serde_json::Error) -> String {
    let mut text = error.to_string();
    text.truncate(text.rfind(" at line ").unwrap_or(text.len()));
    text
}

/// Whether an error before an element of a list is that of the element. `serde_json` does not read an object or a list of which the
/// type is wrong.
fn is_of_next_element(error: &serde_json::Error, rest: &[u8]) -> bool {
    let found = match rest.trim_ascii_start().first() {
        Some(b'{') => "map",
        Some(b'[') => "sequence",
        _ => return false,
    };
    error.to_string().starts_with(&format!("invalid type: {found}"))
}

/// Returns how many bytes had been read. `serde_json` counts lines from 1, and columns are bytes.
fn offset(json: &str, error: &serde_json::Error) -> Option<usize> {
    let lines_before = error.line().checked_sub(1)?;
    let start: usize = json.split_inclusive('\n').take(lines_before).map(str::len).sum();
    Some((start + error.column()).min(json.len()))
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

fn open_containers(read: &[u8]) -> Vec<Container<'_>> {
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(byte) = read.get(at) {
        let start = at;
        at += 1;
        match (byte, open.last_mut()) {
            (b'{', _) => open.push(Container::Object(None)),
            (b'[', _) => open.push(Container::List(0)),
            (b'}' | b']', _) => drop(open.pop()),
            (b',', Some(Container::Object(key))) => *key = None,
            (b',', Some(Container::List(index))) => *index += 1,
            (b'"', container) => {
                at = string_end(read, at);
                if let Some(Container::Object(key @ None)) = container {
                    *key = Some(&read[start..at]);
                }
            }
            _ => {}
        }
    }
    open
}

/// Returns the end of a string, behind its quote, from the start of its characters.
fn string_end(read: &[u8], mut at: usize) -> usize {
    while let Some(byte) = read.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    read.len()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fmt};

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
    fn invalid_json_has_the_path_up_to_the_mistake() {
        assert_eq!(path::<Value>(r#"{"a": [1, {"b": x}]}"#).as_deref(), Some("a[1].b"));
        assert_eq!(path::<Value>(r#"{"a": [1, {"b": "c"#).as_deref(), Some("a[1].b"));
        assert_eq!(path::<Value>(r#"{"a": [1,]}"#).as_deref(), Some("a"));
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

    /// A value, and the paths of all values in it.
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
    }
}
