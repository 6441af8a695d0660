//! Test helpers that compare a type's schema with serde's behaviour.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{KubeSchema, Schema};
use crate::crd::{crd_accessors::read, object_processing, render::render_schema};

/// Panics unless the schema of `T` accepts the serialized `value`.
#[track_caller]
pub(super) fn assert_accepts_serialized<T: KubeSchema + Serialize>(value: T) {
    let json = serde_json::to_value(value).unwrap();
    assert!(accepts(&T::SCHEMA, &json), "{json}");
}

/// Panics unless `T` deserializes `json`, serializes to the same JSON, and its schema accepts it.
#[track_caller]
pub(super) fn assert_roundtrips<T: KubeSchema + Serialize + DeserializeOwned>(json: Value) {
    let value: T = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(value).unwrap(), json);
    assert!(accepts(&T::SCHEMA, &json), "{json}");
}

/// Returns whether the server accepts the value and stores all of it.
pub(super) fn accepts(schema: &Schema, json: &Value) -> bool {
    let props = render_schema(schema).unwrap();
    let unknown = object_processing::prune_and_default(&read::schema(&props), &mut json.clone());
    let is_null = schema.optional && json.is_null();
    is_null || unknown.is_empty() && object_processing::rejection(&props, json).is_none()
}
