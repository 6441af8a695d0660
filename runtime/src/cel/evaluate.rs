//! CEL rules, run in process on the values that the server would run them on.

use kube_core::cel::{ValidationErrors, Validator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    __private::crd,
    definition::CustomResource,
    render::render_schema,
    schema::{KubeSchema, Schema},
};

#[cfg(feature = "testing")]
pub(crate) mod expression;
mod identifiers;
#[cfg(feature = "testing")]
mod messages;
pub(crate) mod rule;

/// Runs the rules of a resource on an object, which replaces `old` if given.
///
/// # Errors
///
/// If a rule fails.
///
/// # Panics
///
/// If the definition cannot be rendered, or the object cannot be written as JSON.
pub fn validate_resource<K: CustomResource + Serialize>(object: &K, old: Option<&K>) -> Result<(), ValidationErrors> {
    let version = crd::<K>().spec.versions.swap_remove(0);
    let schema = version.schema.and_then(|schema| schema.open_api_v3_schema);
    let schema = json!(schema.expect("rules stand in a derived schema"));
    let [object, old] = [Some(object), old].map(|it| it.map(|it| json!(it)));
    validate(schema, &object.unwrap_or_default(), old.as_ref())
}

/// Runs the rules of a type on a value, which replaces `old` if given.
///
/// # Errors
///
/// If a rule fails.
///
/// # Panics
///
/// If the schema cannot be rendered.
pub fn validate_value<T: KubeSchema>(value: &Value, old: Option<&Value>) -> Result<(), ValidationErrors> {
    validate(rendered(T::SCHEMA_REF), value, old)
}

/// Runs the rules of a schema on a new value.
#[cfg(any(feature = "testing", feature = "tools"))]
pub(crate) fn validate_new(schema: &Value, value: &Value) -> Result<(), ValidationErrors> {
    validate(schema.clone(), value, None)
}

fn rendered(schema: &Schema) -> Value {
    let rendered = render_schema(schema);
    json!(rendered.unwrap_or_else(|error| panic!("the schema of {} is invalid: {error}", schema.name)))
}

fn validate(mut schema: Value, value: &Value, old: Option<&Value>) -> Result<(), ValidationErrors> {
    let [value, old] = [Some(value), old].map(|it| it.map(|it| without_null_fields(it, &schema)));
    identifiers::rename(&mut schema);
    Validator::new().validate(&schema, &value.unwrap_or_default(), old.as_ref())
}

/// Returns the value as rules see it: null fields are absent.
fn without_null_fields(value: &Value, schema: &Value) -> Value {
    match value {
        Value::Object(members) => match schema["properties"].as_object() {
            Some(properties) => fields(members, properties),
            None => {
                let values = &schema["additionalProperties"];
                let entry = |(name, value): (&String, _)| (name.clone(), without_null_fields(value, values));
                Value::Object(members.iter().map(entry).collect())
            }
        },
        Value::Array(items) => {
            let schema = &schema["items"];
            items.iter().map(|item| without_null_fields(item, schema)).collect()
        }
        value => value.clone(),
    }
}

fn fields(members: &Map<String, Value>, properties: &Map<String, Value>) -> Value {
    let unknown = Value::Null;
    let there = members.iter().filter(|(_, value)| !value.is_null());
    let field = |(name, value): (&String, _)| {
        let schema = properties.get(name).unwrap_or(&unknown);
        (name.clone(), without_null_fields(value, schema))
    };
    Value::Object(there.map(field).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_are_null_are_not_there() {
        let schema = json!({
            "properties": {
                "map": { "additionalProperties": { "type": "string", "nullable": true } },
                "list": { "items": { "properties": { "a": {} } } },
            },
        });
        let value = json!({
            "map": { "a": null }, "list": [{ "a": null }, null], "other": null, "unknown": { "a": null },
        });
        assert_eq!(
            without_null_fields(&value, &schema),
            json!({ "map": { "a": null }, "list": [{}, null], "unknown": { "a": null } })
        );
    }
}
