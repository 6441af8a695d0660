//! Schemas.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSON, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use serde_json::Value;

use super::{RenderError, alternatives, keywords, members::Members};
use crate::{
    definition::Root,
    schema::{Field, Presence, Schema, Shape, Variant},
    structural::{self, describe_variants},
};

/// A schema as it stands in a CustomResourceDefinition.
///
/// # Errors
///
/// If a schema that is known only now, such as that of a foreign type, is not structural.
pub fn render_schema(schema: &Schema) -> Result<JSONSchemaProps, RenderError> {
    let mut props = JSONSchemaProps::default();
    write(schema, &mut props)?;
    Ok(props)
}

/// Writes a schema where it is to stand: these types are large, and moving them was most of the work.
fn write(schema: &Schema, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    write_shape(schema, props)?;
    if schema.optional {
        props.nullable = nullable(props);
    }
    keywords::apply(props, schema.keywords)
}

/// The server never accepts null where there is an `enum`, and drops it where it is not nullable.
fn nullable(props: &JSONSchemaProps) -> Option<bool> {
    props.enum_.is_none().then_some(true)
}

fn write_shape(schema: &Schema, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    match &schema.shape {
        Shape::Boolean => set_type(props, "boolean"),
        Shape::Integer => set_type(props, "integer"),
        Shape::Number => set_type(props, "number"),
        Shape::String => set_type(props, "string"),
        Shape::IntOrString => props.x_kubernetes_int_or_string = Some(true),
        Shape::Any => props.x_kubernetes_preserve_unknown_fields = Some(true),
        Shape::List(items) => write_list(items, props)?,
        Shape::Map(values) => write_map(values, props)?,
        Shape::Object(fields) => write_object(fields, props)?,
        Shape::Enum(variants) => write_enumeration(variants, props),
        Shape::OneOf(tagging, all) => alternatives::write(*tagging, all, props)?,
        Shape::Tuple(items) => write_tuple(items, props)?,
        Shape::Newtype(inner) => write(inner, props)?,
        Shape::Foreign(foreign) => *props = structural::foreign(foreign)?,
    }
    Ok(())
}

pub(super) fn set_type(props: &mut JSONSchemaProps, type_: &str) {
    props.type_ = Some(type_.to_owned());
}

fn write_list(items: &Schema, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    let mut inner = Box::<JSONSchemaProps>::default();
    write(items, &mut inner).map_err(|error| error.below("[]"))?;
    set_type(props, "array");
    props.items = Some(JSONSchemaPropsOrArray::Schema(inner));
    Ok(())
}

fn write_map(values: &Schema, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    let mut inner = Box::<JSONSchemaProps>::default();
    write(values, &mut inner).map_err(|error| error.below("[*]"))?;
    set_type(props, "object");
    props.additional_properties = Some(JSONSchemaPropsOrBool::Schema(inner));
    Ok(())
}

fn write_tuple(items: &[&Schema], props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    let item = |(at, item): (usize, &&Schema)| {
        render_schema(item).map_err(|error| error.below(&format!("[{at}]")))
    };
    let rendered = items.iter().enumerate().map(item);
    let common = structural::tuple(rendered.collect::<Result<_, _>>()?)?;
    set_type(props, "array");
    props.items = Some(JSONSchemaPropsOrArray::Schema(Box::new(common)));
    props.min_items = i64::try_from(items.len()).ok();
    props.max_items = props.min_items;
    Ok(())
}

fn write_enumeration(variants: &[Variant], props: &mut JSONSchemaProps) {
    let names = variants
        .iter()
        .map(|variant| JSON(Value::from(variant.name)));
    let described = variants
        .iter()
        .map(|variant| (variant.name, variant.description));
    set_type(props, "string");
    props.enum_ = Some(names.collect());
    props.description = describe_variants(None, described);
}

fn write_object(fields: &[Field], props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    let mut members = Members::default();
    for field in fields {
        members.add(field)?;
    }
    members.finish(props)
}

pub(super) fn write_field(field: &Field, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    write(field.schema, props)?;
    if field.presence == Presence::Required {
        props.nullable = None;
    }
    keywords::apply(props, field.keywords)
}

/// A foreign type that accepts null is an `Option`, as far as anybody can tell.
pub(super) fn is_required(field: &Field, props: &JSONSchemaProps) -> bool {
    let is_foreign_option =
        matches!(field.schema.shape, Shape::Foreign(_)) && props.nullable == Some(true);
    match field.presence {
        Presence::Inferred => field.is_required() && !is_foreign_option,
        _ => field.is_required(),
    }
}

/// The schema of a root: `apiVersion`, `kind` and `metadata` are the server's business.
pub(super) fn root(root: &Root) -> Result<JSONSchemaProps, RenderError> {
    let mut spec = Field::new("spec", root.spec);
    if root.flatten_spec {
        spec = Field::flattened(root.spec);
    }
    let mut members = Members::default();
    members.add(&spec)?;
    if let Some(status) = root.status {
        members.insert_with("status", |props| {
            write(&status.optional(), props)?;
            Ok(false)
        })?;
    }
    let mut props = JSONSchemaProps::default();
    members.finish(&mut props)?;
    keywords::apply(&mut props, root.keywords)?;
    Ok(props)
}

#[cfg(test)]
mod tests;
