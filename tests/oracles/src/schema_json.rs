//! Schemas as JSON.

use crdkit_core::{
    json::Json,
    schema::{AdditionalProperties, SchemaProps, ValidationRule},
};

type Schema = SchemaProps<'static>;
type Value = Json<'static>;

/// A schema as JSON.
pub fn schema_json(schema: &Schema) -> Value {
    let mut members: Vec<(&'static str, Value)> = Vec::new();
    let text = |text: &str| Json::String(text.to_owned().into());
    let mut add = |name, value: Option<Value>| members.extend(value.map(|value| (name, value)));
    let flag = |is: bool| is.then_some(Json::Bool(true));
    let all =
        |schemas: &[Schema]| (!schemas.is_empty()).then(|| Json::Array(schemas.iter().map(schema_json).collect()));
    let list = |all: &[std::borrow::Cow<'static, str>]| {
        (!all.is_empty()).then(|| Json::Array(all.iter().map(|it| text(it)).collect()))
    };
    add("type", schema.type_.as_deref().map(text));
    add("format", schema.format.as_deref().map(text));
    add("pattern", schema.pattern.as_deref().map(text));
    add("nullable", flag(schema.nullable));
    add("default", schema.default.clone());
    add("enum", schema.enum_.clone().map(Json::Array));
    add("minimum", schema.minimum.map(Json::Float));
    add("exclusiveMinimum", flag(schema.exclusive_minimum));
    add("maximum", schema.maximum.map(Json::Float));
    add("exclusiveMaximum", flag(schema.exclusive_maximum));
    add("multipleOf", schema.multiple_of.map(Json::Float));
    add("minLength", schema.min_length.map(Json::Integer));
    add("maxLength", schema.max_length.map(Json::Integer));
    add("minItems", schema.min_items.map(Json::Integer));
    add("maxItems", schema.max_items.map(Json::Integer));
    add("uniqueItems", flag(schema.unique_items));
    add("minProperties", schema.min_properties.map(Json::Integer));
    add("maxProperties", schema.max_properties.map(Json::Integer));
    add("required", list(&schema.required));
    add("items", schema.items().map(schema_json));
    add(
        "properties",
        schema.properties.as_ref().map(|all| {
            Json::Object(all.iter().map(|(name, property)| (name.clone(), schema_json(property))).collect())
        }),
    );
    add(
        "additionalProperties",
        schema.additional_properties.as_ref().map(|it| match it {
            AdditionalProperties::Bool(is) => Json::Bool(*is),
            AdditionalProperties::Schema(values) => schema_json(values),
        }),
    );
    add("allOf", all(&schema.all_of));
    add("anyOf", all(&schema.any_of));
    add("oneOf", all(&schema.one_of));
    add("not", schema.not.as_deref().map(schema_json));
    add("x-kubernetes-preserve-unknown-fields", schema.preserve_unknown_fields.map(Json::Bool));
    add("x-kubernetes-embedded-resource", flag(schema.embedded_resource));
    add("x-kubernetes-int-or-string", flag(schema.int_or_string));
    add("x-kubernetes-list-type", schema.list_type.as_deref().map(text));
    add("x-kubernetes-list-map-keys", list(&schema.list_map_keys));
    if !schema.validations.is_empty() {
        add("x-kubernetes-validations", Some(Json::Array(schema.validations.iter().map(rule_json).collect())));
    }
    Json::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

/// An entry of `x-kubernetes-validations` as JSON.
fn rule_json(rule: &ValidationRule<'static>) -> Value {
    let text = |text: &str| Json::String(text.to_owned().into());
    let mut members: Vec<(_, Value)> = vec![("rule".into(), text(&rule.rule))];
    for (name, value) in [
        ("message", &rule.message),
        ("messageExpression", &rule.message_expression),
        ("reason", &rule.reason),
        ("fieldPath", &rule.field_path),
    ] {
        members.extend(value.as_deref().map(|it| (name.into(), text(it))));
    }
    members.extend(rule.optional_old_self.map(|it| ("optionalOldSelf".into(), Json::Bool(it))));
    Json::Object(members)
}
