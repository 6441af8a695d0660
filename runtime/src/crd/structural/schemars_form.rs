//! Conversion of structural schemas to the form of schemars.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::{Map, Number, Value};

/// Converts a schema to the form of schemars, for types that embed a derived type.
pub(crate) fn to_schemars(props: JSONSchemaProps) -> Schema {
    let value = serde_json::to_value(props).unwrap_or_default();
    let mut schema = Schema::try_from(value).unwrap_or_default();
    RecursiveTransform(rewrite).transform(&mut schema);
    schema
}

fn rewrite(schema: &mut Schema) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    let is_part = !schema.contains_key("type");
    if is_part && schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        // A variant does not declare its fields here.
        schema.remove("additionalProperties");
    }
    null_as_type(schema);
    bound_as_number(schema, "minimum", "exclusiveMinimum");
    bound_as_number(schema, "maximum", "exclusiveMaximum");
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
        if let Some(number) = schema.get(keyword).and_then(whole) {
            schema.insert(keyword.to_owned(), number.into());
        }
    }
}

/// Moves `nullable` to `type`. Without a `type`, OpenAPI's `nullable` remains.
fn null_as_type(schema: &mut Map<String, Value>) {
    let is_nullable = schema.get("nullable") == Some(&Value::Bool(true));
    if let (true, Some(Value::Array(values))) = (is_nullable, schema.get_mut("enum")) {
        values.push(Value::Null);
    }
    if let (true, Some(Value::String(name))) = (is_nullable, schema.get("type")) {
        let types = vec![name.as_str().into(), "null".into()];
        schema.insert("type".to_owned(), Value::Array(types));
        schema.remove("nullable");
    }
}

fn bound_as_number(schema: &mut Map<String, Value>, inclusive: &str, exclusive: &str) {
    if schema.remove(exclusive) == Some(Value::Bool(true))
        && let Some(bound) = schema.remove(inclusive)
    {
        schema.insert(exclusive.to_owned(), bound);
    }
}

/// Returns the number without a zero fraction.
fn whole(number: &Value) -> Option<Number> {
    /// A float represents all integers up to 2^53.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = number.as_f64()?;
    let is_whole = number.fract() == 0.0 && number.abs() <= EXACT;
    is_whole.then_some((number as i64).into())
}
