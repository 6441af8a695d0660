//! Effects of changes on objects.

use proptest::prelude::*;

use crate::{
    crd::{
        compare::tests::*,
        object_processing::{accepts, admit},
    },
    testing::roundtrip::model::samples,
};

/// Returns the paths at which an object loses values because of the changes.
fn losses(old: &Value, new: &Value, object: &Value) -> Vec<String> {
    let differences = differences(&spec(old.clone()), &spec(new.clone()), Pruning::default());
    let object = json!({ "spec": object });
    let found = differences.iter().filter(|it| it.affects(&object));
    found.map(|it| it.change.path.clone()).collect()
}

#[test]
fn objects_lose_what_they_have() {
    let old = json!({
        "type": "object",
        "properties": {
            "note": { "type": "string" },
            "retries": { "type": "object", "default": {}, "properties": { "max": { "type": "integer", "default": 3 } } },
            "disks": { "type": "array", "items": object(json!({ "size": { "type": "integer" } })) },
            "labels": { "type": "object", "additionalProperties": { "type": "string" } },
            "id": { "type": "string", "nullable": true },
        },
    });
    let new = json!({
        "type": "object", "required": ["name"],
        "properties": {
            "name": { "type": "string" },
            "disks": { "type": "array", "items": object(json!({ "size": { "type": "string" } })) },
            "labels": { "type": "object", "additionalProperties": { "type": "string", "maxLength": 1 } },
            "id": { "type": "string", "pattern": r"^\p{L}*$" },
        },
    });
    let harmless = json!({
        "name": "a", "note": null, "retries": { "max": 3 }, "disks": [{}], "labels": { "a": "b" },
        "id": "ä",
    });
    assert_eq!(losses(&old, &new, &harmless), [""; 0]);
    for (object, expected) in [
        (json!({}), ".spec.name"),
        (json!({ "name": "a", "note": "" }), ".spec.note"),
        (json!({ "name": "a", "retries": { "max": 4 } }), ".spec.retries"),
        (json!({ "name": "a", "disks": [{}, { "size": 1 }] }), ".spec.disks[*].size"),
        (json!({ "name": "a", "labels": { "a": "b", "c": "de" } }), ".spec.labels.*"),
        (json!({ "name": "a", "id": null }), ".spec.id"),
        (json!({ "name": "a", "id": "1" }), ".spec.id"),
    ] {
        assert_eq!(losses(&old, &new, &object), [expected], "{object}");
    }
}

#[test]
fn only_entries_without_a_name_are_lost_of_a_map() {
    let map = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let named = object(json!({ "a": { "type": "string" } }));
    assert_eq!(losses(&map, &named, &json!({ "a": "b" })), [""; 0]);
    assert_eq!(losses(&map, &named, &json!({ "b": "b" })).len(), 1);
}

/// A string that only occurs as a default.
const DEFAULT: &str = "by default";

/// Generates similar schemas, so that one often accepts the values of another.
fn any_schema() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        (0..4i64, 0..4i64, any::<bool>()).prop_map(|(min, more, exclusive)| json!({
            "type": "integer", "minimum": min, "maximum": min + more + 2, "exclusiveMaximum": exclusive,
        })),
        (1..4i64).prop_map(|factor| json!({ "type": "number", "multipleOf": factor })),
        Just(json!({ "type": "integer", "nullable": true })),
        (0..2i64, 0..3i64).prop_map(|(min, more)| json!({
            "type": "string", "minLength": min, "maxLength": min + more + 1,
        })),
        prop::sample::select(vec!["^a", "b$", "^[0-9]*$"]).prop_map(|it| json!({ "type": "string", "pattern": it })),
        prop::sample::select(vec!["date", "ipv4"]).prop_map(|it| json!({ "type": "string", "format": it })),
        prop::sample::subsequence(vec!["a", "b", "c"], 1..3).prop_map(|it| json!({ "type": "string", "enum": it })),
        Just(json!({ "x-kubernetes-int-or-string": true })),
        Just(json!({ "x-kubernetes-preserve-unknown-fields": true })),
        Just(json!({ "type": "boolean" })),
        Just(json!({ "type": "string", "default": DEFAULT })),
    ];
    scalar.prop_recursive(3, 16, 3, |inner| {
        let list_type = prop::sample::select(vec!["atomic", "set"]);
        let names = prop::sample::subsequence(vec!["a", "b", "c"], 0..3);
        let properties = prop::collection::btree_map("[abc]", inner.clone(), 0..3);
        prop_oneof![
            (inner.clone(), 0..2i64, list_type).prop_map(|(items, min, list_type)| json!({
                "type": "array", "items": items, "minItems": min, "x-kubernetes-list-type": list_type,
            })),
            (inner, 1..4i64).prop_map(|(values, most)| json!({
                "type": "object", "additionalProperties": values, "maxProperties": most,
            })),
            (properties, names, any::<bool>()).prop_map(|(properties, mut required, open)| {
                required.retain(|name| properties.contains_key(*name));
                json!({
                    "type": "object", "properties": properties, "required": required,
                    "x-kubernetes-preserve-unknown-fields": open.then_some(true),
                })
            }),
        ]
    })
}

proptest! {
    #[test]
    fn a_schema_loses_nothing_to_itself(schema in any_schema()) {
        prop_assert_eq!(texts(schema.clone(), schema), Vec::<String>::new());
    }

    /// A reported change affects each object that the old schema accepts, and that the new schema rejects or does not
    /// keep.
    #[test]
    fn each_loss_has_its_change(old in any_schema(), new in any_schema(), seed in any::<u64>()) {
        let differences = differences(&spec(old.clone()), &spec(new.clone()), Pruning::default());
        let samples = samples(&schema(old.clone()), seed, 8);
        // As a member, because null is dropped only there.
        let [old, new] = [old, new].map(|spec| schema(json!({ "type": "object", "properties": { "spec": spec } })));
        for sample in samples {
            let stored = admit(&old, &json!({ "spec": sample }));
            if !accepts(&old, &stored) {
                continue;
            }
            let kept = admit(&new, &stored);
            let is_refused = !accepts(&new, &kept);
            let is_found = differences.iter().any(|it| it.affects(&stored));
            // Dropping null is a loss only if the old schema declares null as a distinct value.
            let is_lost = is_refused || !holds(&kept, &stored, true);
            let may_be_lost = is_refused || !holds(&kept, &stored, false);
            prop_assert!(is_found || !is_lost, "{} becomes {}", stored, kept);
            prop_assert!(may_be_lost || !is_found, "{} is kept as {}", stored, kept);
        }
    }
}

/// Whether a value contains all of another one, except defaults and, with `without_null`, null.
fn holds(value: &Value, other: &Value, without_null: bool) -> bool {
    match (value, other) {
        (Value::Object(members), Value::Object(others)) => others.iter().all(|(name, other)| match members.get(name) {
            Some(value) => holds(value, other, without_null),
            None => *other == DEFAULT || (without_null && other.is_null()),
        }),
        (Value::Array(items), Value::Array(others)) => {
            let mut pairs = items.iter().zip(others);
            items.len() == others.len() && pairs.all(|(item, other)| holds(item, other, without_null))
        }
        _ => value == other || (without_null && other.is_null()),
    }
}
