//! Enums with schemas from the derive of schemars.

use schemars::JsonSchema;
use serde_json::{Value, json};

use crate::{
    crd::structural::{foreign, foreign_root, opaque_parts, strip_internal_marks, structural, to_schemars},
    schema::ForeignSchema,
};

#[track_caller]
fn has<T: JsonSchema>(expected: Value) {
    let mut props = foreign(&ForeignSchema::of::<T>()).unwrap_or_else(|error| panic!("{error}"));
    let mut back = structural(to_schemars(props.clone()).to_value());
    strip_internal_marks(&mut props);
    let _ = back.as_mut().map(strip_internal_marks);
    assert_eq!(back.as_ref(), Ok(&props));
    assert_eq!(serde_json::to_value(&props).unwrap(), expected);
}

/// Checks that one part of the type becomes any value.
#[track_caller]
fn is_opaque<T: JsonSchema>(path: &str, why: &str, expected: Value) {
    let schema = ForeignSchema::of::<T>();
    assert_eq!(json!(foreign(&schema).unwrap()), expected);
    let parts = opaque_parts(&schema);
    assert_eq!(parts.len(), 1, "{parts:?}");
    assert_eq!(parts[0].path, path);
    assert!(parts[0].message.contains(why), "{parts:?}");
    assert!(foreign_root(&schema).is_err());
}

/// Where to.
#[derive(JsonSchema)]
#[allow(dead_code)]
enum Direction {
    /// Not down.
    Up,
    Down,
}

#[test]
fn documented_variants_are_in_the_description() {
    has::<Option<Direction>>(json!({
        "type": "string",
        "nullable": true,
        "allOf": [{ "enum": ["Down", "Up", null] }],
        "description": "Where to.\n\n- `Up`: Not down.",
    }));
}

#[derive(JsonSchema)]
#[allow(dead_code)]
struct Move {
    distance: u8,
}

#[derive(JsonSchema)]
#[allow(dead_code)]
#[serde(rename_all = "camelCase")]
enum External {
    /// By so much.
    #[schemars(title = "On")]
    Move(Move),
    Stop {
        now: Option<bool>,
    },
}

#[test]
fn externally_tagged_enums_require_one_content() {
    has::<External>(json!({
        "type": "object",
        "properties": {
            "move": {
                "type": "object",
                "title": "On",
                "description": "By so much.",
                "properties": { "distance": { "type": "integer", "minimum": 0.0, "maximum": 255.0 } },
                "required": ["distance"],
            },
            "stop": {
                "type": "object",
                "properties": { "now": { "type": "boolean", "nullable": true } },
            },
        },
        "oneOf": [{ "required": ["move"] }, { "required": ["stop"] }],
    }));
}

#[derive(JsonSchema)]
#[allow(dead_code)]
#[serde(tag = "kind")]
enum Internal {
    /// By so much.
    Move(Move),
    Turn {
        distance: u8,
        right: bool,
    },
    Stop,
}

#[test]
fn internally_tagged_enums_unite_their_tags() {
    let tag = |tag: &str| json!({ "kind": { "enum": [tag] } });
    has::<Internal>(json!({
        "type": "object",
        "properties": {
            "kind": {
                "type": "string",
                "enum": ["Move", "Turn", "Stop"],
                "description": "- `Move`: By so much.",
            },
            "distance": { "type": "integer", "minimum": 0.0, "maximum": 255.0 },
            "right": { "type": "boolean" },
        },
        "required": ["kind"],
        "oneOf": [
            { "properties": tag("Move"), "required": ["distance"] },
            { "properties": tag("Turn"), "required": ["distance", "right"] },
            { "properties": tag("Stop") },
        ],
    }));
}

#[derive(JsonSchema)]
#[allow(dead_code)]
#[serde(tag = "kind", content = "by")]
enum Adjacent {
    Move(Move),
    Turn { right: bool },
    Stop,
}

#[test]
fn adjacently_tagged_enums_unite_their_contents() {
    let tag = |tag: &str| json!({ "enum": [tag] });
    has::<Adjacent>(json!({
        "type": "object",
        "properties": {
            "kind": { "type": "string", "enum": ["Move", "Turn", "Stop"] },
            "by": {
                "type": "object",
                "properties": {
                    "distance": { "type": "integer", "minimum": 0.0, "maximum": 255.0 },
                    "right": { "type": "boolean" },
                },
            },
        },
        "required": ["kind"],
        "oneOf": [
            { "properties": { "kind": tag("Move"), "by": { "required": ["distance"] } }, "required": ["by"] },
            { "properties": { "kind": tag("Turn"), "by": { "required": ["right"] } }, "required": ["by"] },
            { "properties": { "kind": tag("Stop") } },
        ],
    }));
}

#[derive(JsonSchema)]
#[allow(dead_code)]
#[serde(untagged)]
enum Untagged {
    Far(Move),
    Near { distance: u8, exact: bool },
}

#[test]
fn untagged_enums_require_the_fields_of_any_variant() {
    has::<Untagged>(json!({
        "type": "object",
        "properties": {
            "distance": { "type": "integer", "minimum": 0.0, "maximum": 255.0 },
            "exact": { "type": "boolean" },
        },
        "required": ["distance"],
    }));
}

#[derive(JsonSchema)]
#[allow(dead_code)]
struct Flat {
    name: String,
    #[serde(flatten)]
    one: Internal,
    #[serde(flatten)]
    other: Option<External>,
}

#[test]
fn flattened_enums_stand_beside_fields() {
    let props = foreign(&ForeignSchema::of::<Flat>()).unwrap();
    let names: Vec<_> = props.properties.unwrap().into_keys().collect();
    assert_eq!(names, ["distance", "kind", "move", "name", "right", "stop"]);
    assert_eq!(props.one_of.unwrap().len(), 3);
    assert_eq!(props.any_of, None);
    assert_eq!(props.required.unwrap(), ["name", "kind"]);
}

#[derive(JsonSchema)]
#[allow(dead_code)]
#[serde(tag = "kind")]
enum Differing {
    Count { value: u8 },
    Name { value: String },
}

#[derive(JsonSchema)]
#[allow(dead_code)]
enum Mixed {
    Stop,
    Move(Move),
}

#[derive(JsonSchema)]
#[allow(dead_code)]
struct Tree {
    children: Vec<Tree>,
}

#[test]
fn what_has_no_structural_schema_is_any_value() {
    let any = json!({ "x-kubernetes-preserve-unknown-fields": true });
    is_opaque::<Differing>(
        "",
        "the value is an integer in `Count` and a string in `Name`, which one structural schema cannot express: \
         annotate the field with `#[crd(preserve_unknown_fields)]`",
        any.clone(),
    );
    is_opaque::<Mixed>("", "the value is a string in `variant 1` and an object in `Move`, which", any.clone());
    is_opaque::<(u8, String)>("", "a tuple with different types", any.clone());
    let tree = |children: Value| {
        json!({
            "type": "object",
            "properties": { "children": { "type": "array", "items": children } },
            "required": ["children"],
        })
    };
    is_opaque::<Tree>(".children[].children[]", "the type contains itself", tree(tree(any)));
}
