//! Attributes that decide where no structural schema can express everything, and attributes that only crdkit has.

use crdkit::{
    KubeSchema,
    schema::{ForeignSchema, Schema},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Enum, Form};

/// Any tag.
#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Open {
    Known {
        size: u8,
    },
    Unit,
    /// What is newer than this.
    #[serde(other)]
    Unknown,
}

#[derive(KubeSchema, Serialize, Deserialize)]
enum OpenName {
    /// The first.
    A,
    /// Any.
    #[serde(other)]
    B,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(preserve_unknown_fields)]
enum AnyMixture {
    Unit,
    Data { size: u8 },
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(int_or_string)]
struct Level(Value);

const TEXT: Schema = Schema::string();

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Deciding {
    A {
        #[crd(int_or_string)]
        port: u16,
        #[crd(schema = TEXT)]
        size: Option<Box<str>>,
    },
    B {
        #[crd(int_or_string)]
        port: String,
        #[crd(schema = TEXT)]
        size: String,
    },
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum AnyContent {
    #[crd(preserve_unknown_fields)]
    Number(u8),
    #[crd(preserve_unknown_fields)]
    Text(String),
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(schema = TEXT)]
struct OwnText(String);

#[derive(KubeSchema, Serialize, Deserialize)]
enum DecidingData {
    #[crd(schema = TEXT)]
    Text(Box<str>),
    #[crd(int_or_string)]
    Share(Value),
}

/// A rule of one variant alone.
#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Ruled {
    A(Ranged),
    B { low: u8 },
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(validation = Rule::new("self.low <= self.high").message("low is above high"))]
struct Ranged {
    low: u8,
    high: u8,
}

/// A description of one type does not describe the other.
#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum RuledScalar {
    #[crd(enum_values = [2, 4])]
    Few(u8),
    Text(AText),
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(validation = Rule::new("self.startsWith('a')").message("starts with another letter"))]
struct AText(String);

#[derive(KubeSchema, Serialize, Deserialize)]
struct Marked {
    #[crd(items(enum_values = ["a", "b"]))]
    marks: Vec<Option<String>>,
    #[serde(deserialize_with = "Option::deserialize")]
    phase: Option<Phase>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
enum Phase {
    Pending,
    Running,
}

/// Rules of one variant alone about a field that both have.
#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum RuledVariant {
    #[crd(validation = "self.size > 1")]
    A {
        size: u8,
    },
    B {
        size: u8,
    },
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
#[crd(validation = "!has(self.t) || self.t != 'A' || self.c > 1")]
enum RuledData {
    A(u8),
    B(u8),
}

macro_rules! form {
    ($name:ident: $type:ty = $expected:tt, accepts $accepted:tt, refuses $refused:tt) => {
        Enum {
            form: Form {
                name: stringify!($name),
                schema: <$type>::SCHEMA_REF,
                expected: json!($expected),
                accepted: json!($accepted),
                refused: json!($refused),
                reencode: crate::served_fields::reencode::<$type>,
                roundtrip: crdkit::testing::RoundtripTest::of_type::<$type>,
            },
            foreign: ForeignSchema::of::<$type>(),
        }
    };
}

pub(crate) fn forms() -> Vec<Enum> {
    let mut forms = others();
    forms.extend(decisions());
    forms
}

fn others() -> Vec<Enum> {
    vec![
        form!(open: Open = {
            "type": "object",
            "description": "Any tag.",
            "properties": {
                "type": { "type": "string", "description": "- `Unknown`: What is newer than this." },
                "size": { "type": "integer", "minimum": 0, "maximum": 255 },
            },
            "required": ["type"],
            "anyOf": [
                { "not": { "properties": { "type": { "enum": ["Known"] } }, "required": ["type"] } },
                { "properties": { "type": { "enum": ["Known"] } }, "required": ["size"] },
            ],
        },
        accepts [{ "type": "Known", "size": 1 }, { "type": "Unit" }, { "type": "Unknown" }],
        refuses [{ "type": "Known" }, {}, { "type": 1 }]),
        form!(open_name: OpenName = { "type": "string", "description": "- `A`: The first.\n- `B`: Any." },
        accepts ["A", "B"],
        refuses [1, {}]),
        form!(ruled: Ruled = {
            "type": "object",
            "description": "A rule of one variant alone.",
            "properties": {
                "type": { "type": "string", "enum": ["A", "B"] },
                "low": { "type": "integer", "minimum": 0, "maximum": 255 },
                "high": { "type": "integer", "minimum": 0, "maximum": 255 },
            },
            "required": ["type", "low"],
            "oneOf": [
                { "properties": { "type": { "enum": ["A"] } }, "required": ["high"] },
                { "properties": { "type": { "enum": ["B"] } } },
            ],
            "x-kubernetes-validations": [
                { "rule": "self.type != \"A\" || (self.low <= self.high)", "message": "low is above high" },
            ],
        },
        accepts [{ "type": "A", "low": 1, "high": 2 }, { "type": "B", "low": 2 }],
        refuses [{ "type": "A", "low": 2, "high": 1 }, { "type": "A", "low": 2 }]),
        form!(ruled_scalar: RuledScalar = {
            "x-kubernetes-int-or-string": true, "description": "A description of one type does not describe the other.",
            "minimum": 0, "maximum": 255, "anyOf": [{ "enum": [2, 4] }, { "minimum": 1, "maximum": 0 }],
            "x-kubernetes-validations": [
                {
                    "rule": "type(self) != string || (self.startsWith('a'))",
                    "message": "starts with another letter",
                },
            ],
        },
        accepts [2, 4, "a", "ab"],
        refuses [0, 3, 256, "", "b"]),
        form!(marked: Marked = {
            "type": "object",
            "properties": {
                "marks": {
                    "type": "array",
                    "items": { "type": "string", "nullable": true, "allOf": [{ "enum": ["a", "b", null] }] },
                },
                "phase": { "type": "string", "nullable": true, "allOf": [{ "enum": ["Pending", "Running", null] }] },
            },
            "required": ["marks", "phase"],
        },
        accepts [{ "marks": ["a", null, "b"], "phase": null }, { "marks": [], "phase": "Running" }],
        refuses [{ "marks": ["c"], "phase": null }, { "marks": [], "phase": "Done" }, { "marks": [] }]),
        form!(ruled_variant: RuledVariant = {
            "type": "object",
            "description": "Rules of one variant alone about a field that both have.",
            "properties": {
                "type": { "type": "string", "enum": ["A", "B"] },
                "size": { "type": "integer", "minimum": 0, "maximum": 255 },
            },
            "required": ["type", "size"],
            "x-kubernetes-validations": [{ "rule": "self.type != \"A\" || (self.size > 1)" }],
        },
        accepts [{ "type": "A", "size": 2 }, { "type": "B", "size": 1 }],
        refuses [{ "type": "A", "size": 1 }]),
        form!(ruled_data: RuledData = {
            "type": "object",
            "properties": {
                "t": { "type": "string", "enum": ["A", "B"] },
                "c": { "type": "integer", "minimum": 0, "maximum": 255 },
            },
            "required": ["t", "c"],
            "x-kubernetes-validations": [{ "rule": "!has(self.t) || self.t != 'A' || self.c > 1" }],
        },
        accepts [{ "t": "A", "c": 2 }, { "t": "B", "c": 1 }],
        refuses [{ "t": "A", "c": 1 }]),
    ]
}

fn decisions() -> Vec<Enum> {
    vec![
        form!(any_mixture: AnyMixture = { "x-kubernetes-preserve-unknown-fields": true },
        accepts ["Unit", { "Data": { "size": 1 } }],
        refuses []),
        form!(level_of_both: Level = { "x-kubernetes-int-or-string": true },
        accepts [1, "a"],
        refuses [true, {}, 0.5]),
        form!(deciding: Deciding = {
            "type": "object",
            "properties": {
                "type": { "type": "string", "enum": ["A", "B"] },
                "port": { "x-kubernetes-int-or-string": true },
                "size": { "type": "string", "nullable": true },
            },
            "required": ["type", "port"],
            "oneOf": [
                { "properties": { "type": { "enum": ["A"] } } },
                { "properties": { "type": { "enum": ["B"] } }, "required": ["size"] },
            ],
        },
        accepts [{ "type": "A", "port": 1, "size": null }, { "type": "B", "port": "a", "size": "b" }],
        refuses [{ "type": "A", "port": true }, { "type": "B", "port": 1 }, { "type": "A", "port": 1, "size": 1 }]),
        form!(own_text: OwnText = { "type": "string" },
        accepts ["", "a"],
        refuses [1, {}]),
        form!(deciding_data: DecidingData = {
            "type": "object",
            "properties": { "Text": { "type": "string" }, "Share": { "x-kubernetes-int-or-string": true } },
            "oneOf": [{ "required": ["Text"] }, { "required": ["Share"] }],
        },
        accepts [{ "Text": "a" }, { "Share": 1 }, { "Share": "a" }],
        refuses [{}, { "Text": 1 }, { "Share": 0.5 }, { "Text": "a", "Share": 1 }]),
        form!(any_content: AnyContent = {
            "type": "object",
            "properties": {
                "t": { "type": "string", "enum": ["Number", "Text"] },
                "c": { "x-kubernetes-preserve-unknown-fields": true },
            },
            "required": ["t", "c"],
        },
        accepts [{ "t": "Number", "c": 1 }, { "t": "Text", "c": "a" }],
        refuses [{ "t": "Number" }]),
    ]
}
