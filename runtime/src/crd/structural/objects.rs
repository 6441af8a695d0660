//! Objects and maps.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, JSONSchemaPropsOrBool};
use serde_json::{Map, Value};

use crate::{
    crd::structural::{
        convert::{convert, convert_all},
        describe::undescribed,
        finish::any,
        keywords, null,
    },
    error::RenderError,
};

/// Reads the declared and the additional properties of an object.
pub(super) fn read(
    schema: &mut Map<String, Value>,
    props: &mut JSONSchemaProps,
    depth: usize,
) -> Result<(), RenderError> {
    props.required =
        keywords::object(schema, "required", "a list of strings")?.filter(|names: &Vec<String>| !names.is_empty());
    let properties: Map<_, _> = keywords::object(schema, "properties", "an object")?.unwrap_or_default();
    for (name, schema) in properties {
        let mut property = convert(schema, depth).map_err(|error| error.below(&format!(".{name}")))?;
        if !props.required.iter().flatten().any(|it| *it == name) {
            null::drop_from_enum(&mut property);
        }
        let properties = props.properties.get_or_insert_default();
        properties.insert(name, *property);
    }
    props.additional_properties = others(schema, depth)?;
    Ok(())
}

/// Reads the additional properties.
fn others(schema: &mut Map<String, Value>, depth: usize) -> Result<Option<JSONSchemaPropsOrBool>, RenderError> {
    let unevaluated = schema.remove("unevaluatedProperties");
    let additional = schema.remove("additionalProperties").or(unevaluated);
    let patterns: Map<_, _> = keywords::object(schema, "patternProperties", "an object")?.unwrap_or_default();
    match additional {
        None | Some(Value::Bool(false)) if !patterns.is_empty() => matching(patterns, depth).map(Some),
        None => Ok(None),
        Some(Value::Bool(allowed)) => Ok(Some(JSONSchemaPropsOrBool::Bool(allowed))),
        Some(_) if !patterns.is_empty() => Ok(Some(JSONSchemaPropsOrBool::Bool(true))),
        Some(schema) => Ok(Some(JSONSchemaPropsOrBool::Schema(value(schema, depth)?))),
    }
}

/// Reads properties whose names match patterns, such as the keys of a map from integers.
fn matching(patterns: Map<String, Value>, depth: usize) -> Result<JSONSchemaPropsOrBool, RenderError> {
    let schemas = patterns.into_iter().map(|(_, schema)| schema).collect();
    let mut values = convert_all(schemas, depth, "[*]")?;
    values.dedup_by_key(|value| undescribed(value));
    Ok(match <[_; 1]>::try_from(values) {
        Ok([value]) => JSONSchemaPropsOrBool::Schema(Box::new(value)),
        Err(_) => JSONSchemaPropsOrBool::Bool(true),
    })
}

fn value(schema: Value, depth: usize) -> Result<Box<JSONSchemaProps>, RenderError> {
    convert(schema, depth).map_err(|error| error.below("[*]"))
}

/// Completes an object for the server.
pub(super) fn finish(props: &mut JSONSchemaProps) {
    use JSONSchemaPropsOrBool::{Bool, Schema};
    let has_properties = props.properties.is_some();
    match props.additional_properties.take() {
        None => {}
        Some(Bool(false)) if props.type_.as_deref() != Some("object") => {}
        Some(Bool(false)) => props.additional_properties = Some(Bool(false)),
        // A structural object has either `properties` or `additionalProperties`.
        Some(_) if has_properties => props.x_kubernetes_preserve_unknown_fields = Some(true),
        Some(Bool(true)) => props.additional_properties = Some(Schema(Box::new(any()))),
        values => props.additional_properties = values,
    }
}
