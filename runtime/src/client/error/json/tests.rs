use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{redacted::HIDDEN, *};

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
    serde_json::from_str::<T>(json).err().expect("it does not match").into()
}

#[track_caller]
fn assert_text(json: &str, expected: &str) {
    let text = error::<Strict>(json).to_string();
    assert_eq!(text.split(" at line").next().unwrap(), expected);
}

#[test]
fn types_and_names_are_preserved() {
    assert_text(r#"{"name":3}"#, "invalid type: integer, expected a string");
    assert_text(r#"{"name":true}"#, "invalid type: boolean, expected a string");
    assert_text(r#"{"name":1.5}"#, "invalid type: floating point, expected a string");
    assert_text(r#"{"name":null}"#, "invalid type: null, expected a string");
    assert_text(r#"{"name":[]}"#, "invalid type: sequence, expected a string");
    assert_text(r#"{"size":"hunter2"}"#, "invalid type: string, expected u8");
    assert_text(r#"{"size":"a\", expected hunter2"}"#, "invalid type: string, expected u8");
    assert_text(r#"{"size":300}"#, "invalid value: integer, expected u8");
    assert_text(r#"{"pair":[1]}"#, "invalid length 1, expected a tuple of size 2");
    assert_text(r#"{"pair":[1,"ab"]}"#, "invalid value: string, expected a character");
    assert_text(r#"{"mode":"hunter2"}"#, "unknown variant, expected `Fast` or `Slow`");
    assert_text(r#"{"mode":"a`, expected `hunter2"}"#, "unknown variant, expected `Fast` or `Slow`");
    assert_text(r#"{"either":"hunter2"}"#, "data did not match any variant of untagged enum Either");
    assert_text("{}", "missing field `name`");
    assert_text(r#"{"name":"a","name":"b"}"#, "duplicate field `name`");
    assert_text(r#"{"name":"#, "EOF while parsing a value");
    assert_text(r#"{"address":"hunter2"}"#, HIDDEN);
    let text = error::<Strict>(r#"{"hunter2":3}"#).to_string();
    assert!(text.starts_with("unknown field, expected one of `name`, `size`"), "{text}");
}

#[test]
fn position_and_complete_error_are_accessible() {
    let error = error::<Strict>("{\n\"size\":\"hunter2\"}");
    assert_eq!((error.line(), error.column()), (2, 16));
    assert!(error.to_string().ends_with(" at line 2 column 16"), "{error}");
    assert!(error.unredacted().to_string().contains("hunter2"));
    assert!(std::error::Error::source(&error).is_none());
    let plain = JsonError::plain("as it is");
    assert_eq!((plain.to_string().as_str(), plain.line()), ("as it is", 0));
}

#[test]
fn messages_of_types_are_omitted() {
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

/// Words that do not occur in any message.
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
    fn texts_contain_no_values(
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
