//! Types with each serde attribute that affects deserialization.

use std::{collections::BTreeMap, marker::PhantomData};

use k8s_openapi::apimachinery::pkg::{api::resource::Quantity, apis::meta::v1::Condition, util::intstr::IntOrString};
use proptest::prelude::*;
use serde::Deserializer;
use serde_json::{Value, json};

use crate::{
    KubeSchema,
    serde::{
        Deserialize, Serialize,
        json::tests::{
            documents::{documents, odd},
            *,
        },
    },
};

#[derive(KubeSchema, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct Plain {
    yes_or_no: bool,
    #[serde(rename = "type", alias = "kind", alias = "Type")]
    type_: String,
    byte: u8,
    large: u64,
    signed: i32,
    ratio: f64,
    maybe: Option<String>,
    boxed: Box<Option<u16>>,
    list: Vec<Inner>,
    map: BTreeMap<String, String>,
    hashed: HashMap<String, Vec<bool>>,
    quantity: Option<Quantity>,
    port: Option<IntOrString>,
    conditions: Option<Vec<Condition>>,
    #[crd(preserve_unknown_fields)]
    any: Option<Value>,
    color: Color,
}

#[derive(KubeSchema, Serialize, Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Inner {
    r#type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Newtype>,
    foreign: Option<Foreign>,
    r#move: Option<char>,
}

/// Only serde decodes it.
#[derive(KubeSchema, serde::Serialize, serde::Deserialize, Debug, Default)]
struct Foreign {
    a: Option<i64>,
}

#[derive(KubeSchema, Serialize, Deserialize, Debug, Default)]
struct Newtype(u16);

#[derive(KubeSchema, Serialize, Deserialize, Debug, Default)]
#[serde(transparent)]
struct Transparent {
    inner: Option<i64>,
}

#[derive(KubeSchema, Serialize, Deserialize, Debug, Default)]
#[serde(transparent)]
#[schemars(bound = "")]
struct Phantom {
    inner: Option<i64>,
    #[serde(skip)]
    #[allow(dead_code)]
    of: PhantomData<u8>,
}

#[derive(KubeSchema, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "PascalCase")]
enum Color {
    #[default]
    Red,
    #[serde(rename = "blue", alias = "Azure")]
    Blue,
    DarkGreen,
    #[serde(skip)]
    #[allow(dead_code)]
    Hidden,
}

fn seven() -> u8 {
    7
}

/// Accepts a number or a text.
fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let value = Value::deserialize(deserializer)?;
    match &value {
        Value::String(text) => text.parse().map_err(serde::de::Error::custom),
        _ => u8::deserialize(value).map_err(serde::de::Error::custom),
    }
}

#[derive(KubeSchema, Serialize, Deserialize, Debug)]
pub(super) struct Defaults {
    #[serde(default)]
    of_type: Vec<u8>,
    #[serde(default = "seven")]
    of_function: u8,
    #[serde(skip)]
    skipped: u8,
    #[serde(skip_deserializing, default = "seven")]
    written: u8,
    #[serde(deserialize_with = "lenient")]
    #[schemars(with = "u8")]
    with: u8,
    #[serde(default, deserialize_with = "lenient")]
    #[schemars(with = "u8")]
    with_default: u8,
    transparent: Transparent,
    phantom: Phantom,
    letter: Option<char>,
    wide: Option<i128>,
}

#[derive(KubeSchema, Serialize, Deserialize, Debug)]
#[serde(default)]
struct AllDefault {
    one: u8,
    #[serde(default)]
    two: u8,
    #[serde(skip)]
    three: u8,
    #[serde(alias = "vier")]
    four: Option<u8>,
}

impl Default for AllDefault {
    fn default() -> Self {
        Self { one: 1, two: 2, three: 3, four: Some(4) }
    }
}

#[derive(KubeSchema, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields, default = "strict")]
struct Strict {
    one: u8,
}

fn strict() -> Strict {
    Strict { one: 11 }
}

#[derive(KubeSchema, Serialize, Deserialize, Debug)]
struct Flat {
    own: u8,
    #[serde(flatten)]
    others: Foreign,
}

#[derive(KubeSchema, Serialize, Deserialize, Debug)]
#[serde(tag = "kind")]
enum Tagged {
    One { a: u8 },
    Two { b: Option<String> },
}

#[derive(KubeSchema, Serialize, Deserialize, Debug)]
#[serde(try_from = "u8", into = "u8")]
struct Even(u8);

impl TryFrom<u8> for Even {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        number.is_multiple_of(2).then_some(Self(number)).ok_or("odd".to_owned())
    }
}

impl From<Even> for u8 {
    fn from(even: Even) -> u8 {
        even.0
    }
}

impl Clone for Even {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

#[derive(KubeSchema, Serialize, Deserialize, Debug)]
struct Generic<T> {
    value: T,
    more: Option<Vec<T>>,
}

#[derive(KubeSchema, Serialize, Deserialize, Debug)]
struct Whole {
    flat: Flat,
    tagged: Vec<Tagged>,
    even: Even,
    generic: Generic<u8>,
    nested: Option<Box<Generic<Option<Color>>>>,
    all: AllDefault,
    strict: Option<Strict>,
}

/// Schemars' attributes affect only the schema.
#[derive(KubeSchema, Serialize, Deserialize, Debug)]
#[schemars(rename_all = "UPPERCASE")]
#[allow(dead_code)]
enum Shown {
    Small,
}

pub(super) fn plain() -> Value {
    json!({
        "yesOrNo": true,
        "type": "t",
        "byte": 255,
        "large": 18446744073709551615u64,
        "signed": -5,
        "ratio": 0.25,
        "maybe": null,
        "boxed": 3,
        "list": [{ "type": "a", "next": 1, "foreign": { "a": 1 }, "move": "m" }, { "type": "b" }],
        "map": { "a": "b" },
        "hashed": { "a": [true] },
        "quantity": "5Gi",
        "port": 80,
        "conditions": [{ "lastTransitionTime": "2026-01-02T03:04:05Z", "type": "Ready" }],
        "any": { "x": [1, null] },
        "color": "DarkGreen",
    })
}

fn defaults() -> Value {
    json!({
        "of_type": [1],
        "of_function": 2,
        "skipped": 3,
        "written": 4,
        "with": "5",
        "with_default": 6,
        "transparent": 7,
        "phantom": 8,
        "letter": "l",
        "wide": 9,
    })
}

fn whole() -> Value {
    json!({
        "flat": { "own": 1, "a": 2 },
        "tagged": [{ "kind": "One", "a": 1 }, { "b": "c", "kind": "Two" }],
        "even": 2,
        "generic": { "value": 1, "more": [2] },
        "nested": { "value": "Red" },
        "all": { "one": 5, "three": 6, "vier": null },
        "strict": {},
    })
}

#[test]
fn usual_documents_are_decoded() {
    let plain = assert_decodes::<Plain>(&plain().to_string());
    assert_eq!((plain.byte, plain.large, plain.signed), (255, u64::MAX, -5));
    assert!(matches!(plain.color, Color::DarkGreen));
    assert_eq!(plain.list[0].next.as_ref().unwrap().0, 1);
    assert_eq!(plain.list[0].foreign.as_ref().unwrap().a, Some(1));
    let defaults = assert_decodes::<Defaults>(&defaults().to_string());
    assert_eq!((defaults.skipped, defaults.written, defaults.with), (0, 7, 5));
    let defaults = assert_decodes::<Defaults>(r#" { "unknown" : { } , "with" : 1 } "#);
    assert_eq!((defaults.of_function, defaults.with_default), (7, 0));
    let whole = assert_decodes::<Whole>(&whole().to_string());
    assert_eq!((whole.all.one, whole.all.two, whole.all.three, whole.all.four), (5, 0, 3, None));
    assert_eq!(whole.strict.unwrap().one, 11);
    assert_eq!(assert_decodes::<AllDefault>("{}").four, Some(4));
    assert!(matches!(assert_decodes::<Color>("\"Azure\""), Color::Blue));
    assert_decodes::<Shown>("\"Small\"");
}

#[test]
fn unusual_documents_are_left_to_serde() {
    for unusual in [
        r#"{"one":1,"one":2}"#,
        r#"{"one":1,"two":2}"#,
        r#"{"o\u006ee":1}"#,
        r#"{"one":null}"#,
        "[1]",
        "null",
        r#"{"one":1} x"#,
    ] {
        assert_left_to_serde::<Strict>(unusual);
    }
    assert_decodes::<Color>(r#"{"Red":null}"#);
    assert_left_to_serde::<Color>(r#"{"Red":1}"#);
    assert_left_to_serde::<Color>("\"Hidden\"");
    assert_left_to_serde::<Defaults>("{}");
    assert_left_to_serde::<Defaults>(r#"{"with":1,"skipped":2,"skipped":3,"letter":"ab"}"#);
    assert_left_to_serde::<Shown>("\"SMALL\"");
}

#[test]
fn unusual_values_decode_as_in_serde() {
    for text in odd() {
        compare::<Plain>(&text);
        compare::<Newtype>(&text);
        compare::<Transparent>(&text);
        compare::<Phantom>(&text);
        compare::<Color>(&text);
        compare::<Even>(&text);
        compare::<Vec<Tagged>>(&format!("[{text}]"));
        compare::<AllDefault>(&format!("{{\"one\":{text}}}"));
        compare::<Generic<Option<f32>>>(&format!("{{\"value\":{text}}}"));
        compare::<Generic<Color>>(&format!("{{\"value\":\"Red\",\"more\":[{text}]}}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_plain_documents_decode_as_in_serde(text in documents(plain())) {
        compare::<Plain>(&text);
    }

    #[test]
    fn changed_documents_with_defaults_decode_as_in_serde(text in documents(defaults())) {
        compare::<Defaults>(&text);
    }

    #[test]
    fn changed_documents_with_serde_fields_decode_as_in_serde(text in documents(whole())) {
        compare::<Whole>(&text);
    }
}
