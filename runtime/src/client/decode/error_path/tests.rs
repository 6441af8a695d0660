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
