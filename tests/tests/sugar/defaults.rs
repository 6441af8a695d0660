//! `default` of fields.

use std::{collections::BTreeMap, time::Duration};

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    schema,
    served::{installed, served},
};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "filled.example.com", version = "v1", kind = "Filled", derive = "PartialEq")]
#[serde(rename_all = "camelCase")]
pub(crate) struct FilledSpec {
    #[crd(default = true)]
    pub(crate) flag: bool,
    #[crd(default = -5)]
    pub(crate) integer: i32,
    #[crd(default = 0.5, maximum = 1)]
    pub(crate) number: f64,
    #[crd(default = 1)]
    pub(crate) whole_number: f64,
    #[crd(default = "eu", max_length = 3)]
    pub(crate) text: String,
    #[crd(default = ["a", "b"], items(max_length = 1))]
    pub(crate) list: Vec<String>,
    #[crd(default = [])]
    pub(crate) empty: Vec<i64>,
    #[crd(default = {})]
    pub(crate) map: BTreeMap<String, u8>,
    #[crd(default = {})]
    pub(crate) members: Members,
    #[crd(default = "ReadOnly")]
    pub(crate) named: Mode,
    #[crd(default = Mode::ReadWrite)]
    pub(crate) mode: Mode,
    #[crd(default = LIMIT)]
    pub(crate) constant: u8,
    #[crd(default = double(21))]
    pub(crate) called: u8,
    #[crd(default = Members { size: 3, name: None, mode: Mode::ReadOnly })]
    pub(crate) object: Members,
    #[crd(default = 7)]
    pub(crate) option: Option<i64>,
    #[serde(default)]
    #[crd(default = 8)]
    pub(crate) both: i64,
    #[serde(with = "seconds")]
    #[schemars(with = "String")]
    #[crd(default = "5s", pattern = "^[0-9]{1,9}s$")]
    pub(crate) as_text: Duration,
    #[serde(with = "seconds")]
    #[schemars(with = "String")]
    #[crd(default = Duration::from_secs(6), pattern = "^[0-9]{1,9}s$")]
    pub(crate) as_duration: Duration,
    #[crd(list_type = "map", list_map_keys = ["port", "protocol"])]
    pub(crate) ports: Vec<Port>,
    pub(crate) variant: Variant,
}

const LIMIT: u8 = 9;

fn double(value: u8) -> u8 {
    value * 2
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    ReadOnly,
    ReadWrite,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Members {
    #[crd(default = 1)]
    pub(crate) size: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[crd(default = "ReadWrite")]
    pub(crate) mode: Mode,
}

/// A key of a map list may be left out if it has a default.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Port {
    pub(crate) port: u16,
    #[crd(default = "TCP")]
    pub(crate) protocol: String,
}

/// In an object of its own, a variant has defaults; beside the fields of others, `size` has to be there.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) enum Variant {
    Alone {
        #[crd(default = 4)]
        size: u8,
    },
    Beside(Tagged),
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "kind")]
pub(crate) enum Tagged {
    Members(Members),
    Nothing { at_all: bool },
}

mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(value: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{}s", value.as_secs()))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let text = String::deserialize(from)?;
        let seconds = text.trim_end_matches('s').parse().map_err(D::Error::custom)?;
        Ok(Duration::from_secs(seconds))
    }
}

#[test]
fn defaults_are_those_that_are_written() {
    let schema = schema::<FilledSpec>();
    let default = |name: &str| &schema["properties"][name]["default"];
    for (name, expected) in [
        ("flag", json!(true)),
        ("integer", json!(-5)),
        ("number", json!(0.5)),
        ("wholeNumber", json!(1)),
        ("text", json!("eu")),
        ("list", json!(["a", "b"])),
        ("empty", json!([])),
        ("map", json!({})),
        ("members", json!({})),
        ("named", json!("ReadOnly")),
        ("mode", json!("ReadWrite")),
        ("constant", json!(9)),
        ("called", json!(42)),
        ("object", json!({ "size": 3, "mode": "ReadOnly" })),
        ("option", json!(7)),
        ("both", json!(8)),
        ("asText", json!("5s")),
        ("asDuration", json!("6s")),
    ] {
        assert_eq!(*default(name), expected, "{name}");
    }
    assert_eq!(schema["required"], json!(["ports", "variant"]));
    assert_eq!(crate::schema::<Members>().get("required"), None);
}

#[test]
fn beside_other_variants_nothing_is_filled_in() {
    assert_eq!(
        schema::<Tagged>(),
        json!({
            "type": "object",
            "properties": {
                "kind": { "type": "string", "enum": ["Members", "Nothing"] },
                "size": { "type": "integer", "minimum": 0.0, "maximum": 255.0 },
                "name": { "type": "string", "nullable": true },
                "mode": { "type": "string", "enum": ["ReadOnly", "ReadWrite"] },
                "at_all": { "type": "boolean" },
            },
            "required": ["kind"],
            "oneOf": [
                {
                    "properties": { "kind": { "enum": ["Members"] } },
                    "required": ["mode", "size"],
                },
                {
                    "properties": { "kind": { "enum": ["Nothing"] } },
                    "required": ["at_all"],
                },
            ],
        })
    );
}

#[tokio::test]
async fn the_server_fills_in_what_is_left_out() {
    let Some(served) = served::<Filled>().await else {
        return;
    };
    let warnings = &installed().await.unwrap()["filleds.filled.example.com"].verdict.warnings;
    assert_eq!(*warnings, Vec::<String>::new());
    let written = json!({
        "apiVersion": "filled.example.com/v1",
        "kind": "Filled",
        "metadata": { "name": "a" },
        "spec": {
            "object": {},
            "ports": [{ "port": 1 }, { "port": 1, "protocol": "UDP" }],
            "variant": { "Alone": {} },
        },
    });
    let stored = served.create(written).await.expect_accepted().object.unwrap();
    assert_eq!(
        stored["spec"],
        json!({
            "flag": true, "integer": -5, "number": 0.5, "wholeNumber": 1, "text": "eu",
            "list": ["a", "b"], "empty": [], "map": {},
            "members": { "size": 1, "mode": "ReadWrite" },
            "named": "ReadOnly", "mode": "ReadWrite", "constant": 9, "called": 42,
            "object": { "size": 1, "mode": "ReadWrite" },
            "option": 7, "both": 8, "asText": "5s", "asDuration": "6s",
            "ports": [{ "port": 1, "protocol": "TCP" }, { "port": 1, "protocol": "UDP" }],
            "variant": { "Alone": { "size": 4 } },
        })
    );
    let read: Filled = serde_json::from_value(stored).unwrap();
    assert_eq!(read.spec.as_duration, Duration::from_secs(6));
}

#[test]
fn whatever_the_server_fills_in_is_read() {
    crdkit::testing::roundtrip::<Filled>();
}
