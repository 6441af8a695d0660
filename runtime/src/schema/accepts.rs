//! Which JSON a schema accepts: the tests' way to hold a type's schema against what serde does.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{KubeSchema, Schema};
use crate::{admission, props::read, render::render_schema};

/// Panics unless the schema of `T` accepts what serde writes for `value`.
#[track_caller]
pub(super) fn assert_accepts_serialized<T: KubeSchema + Serialize>(value: T) {
    let json = serde_json::to_value(value).unwrap();
    assert!(accepts(&T::SCHEMA, &json), "{json}");
}

/// Panics unless `T` reads `json`, writes the same, and its schema accepts it.
#[track_caller]
pub(super) fn assert_roundtrips<T: KubeSchema + Serialize + DeserializeOwned>(json: Value) {
    let value: T = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(value).unwrap(), json);
    assert!(accepts(&T::SCHEMA, &json), "{json}");
}

/// Whether the server lets in the value and keeps all of it.
pub(super) fn accepts(schema: &Schema, json: &Value) -> bool {
    let props = render_schema(schema).unwrap();
    let unknown = admission::prune_and_default(&read::schema(&props), &mut json.clone());
    let is_null = schema.optional && json.is_null();
    is_null || unknown.is_empty() && admission::rejection(&props, json).is_none()
}
