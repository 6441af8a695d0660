//! Schemas of variants.

use crdkit_core::{
    schema::{AppliesTo, CountBound, Kind},
    shared_schema::variants,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSON, JSONSchemaProps, JSONSchemaPropsOrBool,
};
use serde_json::{Map, Value};

use crate::{
    crd::{
        crd_accessors::count_mut,
        render::{RenderError, schema::set_type},
        structural,
    },
    schema::Tagging,
};

pub(super) fn one_of_names(names: &[&str]) -> JSONSchemaProps {
    let mut props = JSONSchemaProps {
        enum_: Some(names.iter().map(|name| JSON(Value::from(*name))).collect()),
        ..JSONSchemaProps::default()
    };
    set_type(&mut props, "string");
    props
}

/// Returns the schema of an object with one field.
pub(super) fn object(name: &str, value: JSONSchemaProps) -> JSONSchemaProps {
    let mut props = structural::requires(name);
    set_type(&mut props, "object");
    props.properties = Some([(name.to_owned(), value)].into());
    props
}

/// Adds a tag to the schema of an object.
pub(super) fn tagged(mut data: JSONSchemaProps, tag: &str, variant: &str) -> Result<JSONSchemaProps, RenderError> {
    if data.properties.iter().flatten().any(|(name, _)| name == tag) {
        let message = variants::tag_field_conflict(variant, tag);
        return Err(RenderError::new(message.as_str()).below(&format!(".{tag}")));
    }
    if let Some(JSONSchemaPropsOrBool::Schema(_)) = data.additional_properties {
        let message = variants::cannot_hold_tag(variant, Kind::Map, tag);
        return Err(RenderError::new(message.as_str()));
    }
    data.nullable = None;
    count_one_more(&mut data);
    structural::restrict(&mut data, object(tag, one_of_names(&[variant])))?;
    Ok(data)
}

/// Adjusts bounds on the number of properties, because the data does not count the tag.
fn count_one_more(data: &mut JSONSchemaProps) {
    for bound in CountBound::applying_to(AppliesTo::Objects) {
        let count = count_mut(data, bound);
        *count = count.map(|count| count.saturating_add(1));
    }
    for branches in [&mut data.all_of, &mut data.any_of, &mut data.one_of] {
        branches.iter_mut().flatten().for_each(count_one_more);
    }
}

/// Converts a variant to the form of schemars, in which its name is a `const`.
pub(super) fn to_schemars_variant(schema: JSONSchemaProps, tagging: Tagging) -> Value {
    let mut schema = structural::to_schemars(schema).to_value();
    let name = match tagging {
        Tagging::Internal(tag) | Tagging::Adjacent { tag, .. } => {
            schema.pointer_mut("/properties").and_then(|all| all.get_mut(tag))
        }
        Tagging::External | Tagging::Untagged => Some(&mut schema),
    };
    if let Some(Value::Object(name)) = name {
        enum_to_const(name);
    }
    schema
}

fn enum_to_const(schema: &mut Map<String, Value>) {
    let value = match schema.get("enum").and_then(Value::as_array).map(Vec::as_slice) {
        Some([value]) => value.clone(),
        _ => return,
    };
    schema.remove("enum");
    schema.insert("const".to_owned(), value);
}
