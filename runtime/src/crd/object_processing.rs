//! The API server's treatment of values, for schemas and values of k8s-openapi and serde_json.

use crdkit_core::{
    json::Json,
    literal::formats,
    object_processing::{self, FieldError, Patterns, ValueSource},
    schema::SchemaProps,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;

use crate::crd::crd_accessors::read;

/// Returns the value as the server stores it: with defaults, without misplaced nulls and unknown fields.
pub(crate) fn admit(schema: &JSONSchemaProps, value: &Value) -> Value {
    let mut admitted = value.clone();
    prune_and_default(&read::schema(schema), &mut admitted);
    admitted
}

/// Converts a value to the form that the server stores, and returns the paths of the unknown fields, such as `spec.x`.
pub fn prune_and_default(schema: &SchemaProps<'_>, value: &mut Value) -> Vec<String> {
    let mut json = read::take_json(value.take());
    let unknown = object_processing::prune_and_default(schema, &mut json);
    object_processing::normalize_numbers(&mut json);
    *value = read::to_serde(json);
    unknown
}

thread_local! {
    /// The compiled patterns of all schemas.
    static PATTERNS: Patterns = Patterns::default();
}

/// Converts an object that server-side apply has merged to the form that the server stores. Unlike
/// [`prune_and_default`], it keeps misplaced nulls of fields without defaults, which validation then reports.
pub fn prune_and_default_merged(schema: &SchemaProps<'_>, value: &mut Value) {
    let mut json = read::take_json(value.take());
    object_processing::prune(schema, &mut json);
    object_processing::apply_defaults(schema, &mut json);
    object_processing::normalize_numbers(&mut json);
    *value = read::to_serde(json);
}

/// Does to an object that was converted what the server does: without misplaced nulls of fields that have no default, and without
/// unknown fields, but with no defaults (`schemaCoercingConverter` of apiextensions-apiserver).
pub fn coerce_converted(schema: &SchemaProps<'_>, value: &mut Value) {
    let mut json = read::take_json(value.take());
    object_processing::prune(schema, &mut json);
    object_processing::prune_nulls(schema, &mut json);
    object_processing::coerce_metadata(schema, &mut json);
    object_processing::normalize_numbers(&mut json);
    *value = read::to_serde(json);
}

/// Returns all errors of a value that was pruned and defaulted, besides those of embedded resources and of list types. CEL
/// rules are not evaluated.
pub fn schema_errors(schema: &SchemaProps<'_>, value: &Json<'_>) -> Vec<FieldError> {
    PATTERNS.with(|patterns| object_processing::validate(schema, value, ValueSource::Object, patterns))
}

/// Returns the first mismatch of a value that the server has admitted. CEL rules are not evaluated.
pub fn mismatch(schema: &SchemaProps<'_>, value: &Json<'_>) -> Option<FieldError> {
    let validate = |patterns: &_| object_processing::validate(schema, value, ValueSource::Object, patterns);
    let first = |errors: Vec<FieldError>| errors.into_iter().next();
    first(PATTERNS.with(validate))
        .or_else(|| first(object_processing::validate_resources(schema, value)))
        .or_else(|| first(object_processing::validate_list_types(schema, value)))
}

/// Returns whether a schema accepts a value that the server has admitted. CEL rules are not evaluated. Values that the
/// server does not validate are rejected, because they cannot be decoded.
pub fn accepts(schema: &JSONSchemaProps, value: &Value) -> bool {
    let (schema, json) = (read::schema(schema), read::json(value));
    rejection_of(&schema, &json).is_none() && !contains_unvalidated(&schema, &json)
}

/// Returns why a value that is part of an object is rejected; unknown fields are dropped from it.
#[cfg(test)]
pub(crate) fn rejection(schema: &JSONSchemaProps, value: &Value) -> Option<String> {
    rejection_of(&read::schema(schema), &read::json(value))
}

fn rejection_of(schema: &SchemaProps<'_>, value: &Json<'_>) -> Option<String> {
    mismatch(schema, value).map(|error| error.to_string())
}

/// Returns whether the server accepts lists of anything: for text with a format, it validates only strings.
pub(crate) fn accepts_any_list(schema: &SchemaProps<'_>) -> bool {
    let format = schema.format.as_deref().and_then(formats::string_format);
    schema.type_.as_deref() == Some("string") && format.is_some()
}

/// Returns whether the value contains a value whose type the server does not validate.
fn contains_unvalidated(schema: &SchemaProps<'_>, value: &Json<'_>) -> bool {
    match value {
        Json::Array(_) if accepts_any_list(schema) => true,
        Json::Array(items) => {
            schema.items().is_some_and(|of_items| items.iter().any(|it| contains_unvalidated(of_items, it)))
        }
        Json::Object(members) => members.iter().any(|(name, value)| {
            let member = schema.property(name).or_else(|| schema.values());
            member.is_some_and(|member| contains_unvalidated(member, value))
        }),
        _ => false,
    }
}

/// Returns whether the server validates the format.
pub(crate) fn is_validated_format(name: &str) -> bool {
    formats::string_format(name).is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_server_does_not_look_at_is_not_accepted() {
        let schema = json!({ "type": "array", "items": { "type": "string", "format": "date" } });
        let schema = serde_json::from_value(schema).unwrap();
        assert!(accepts(&schema, &json!(["2026-01-01"])));
        assert!(!accepts(&schema, &json!(["2026-02-30"])));
        assert!(!accepts(&schema, &json!([[0]])));
    }

    #[test]
    fn objects_are_kept_as_the_server_keeps_them() {
        let schema = json!({
            "type": "object",
            "properties": { "a": { "type": "number", "default": 1.0 }, "b": { "type": "string" } },
        });
        let schema = serde_json::from_value(schema).unwrap();
        let kept = admit(&schema, &json!({ "b": null, "c": 1 }));
        assert_eq!(kept, json!({ "a": 1 }));
    }
}
