//! Rendering of schemas.

use std::borrow::Cow;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSON, JSONSchemaProps, JSONSchemaPropsOrArray,
};
use serde_json::Value;

use crate::{
    crd::{
        render::{
            RenderError, keywords, map, members::ObjectFields, nullable, options::RenderOptions, relations, transforms,
            variants,
        },
        structural::{self, describe_variants},
    },
    resource::definition::DerivedRoot,
    schema::{Descriptions, Field, Presence, Schema, Shape, UnitVariant},
};

/// Renders a schema for a CustomResourceDefinition.
///
/// # Errors
///
/// If a schema that is available only at run time, such as that of a foreign type, is not structural.
pub fn render_schema(schema: &Schema) -> Result<JSONSchemaProps, RenderError> {
    let mut props = render_closed(schema)?;
    structural::strip_internal_marks(&mut props);
    structural::shorten_floats(&mut props);
    Ok(props)
}

/// Renders a schema with internal marks on objects that deny unknown fields.
pub(crate) fn render_closed(schema: &Schema) -> Result<JSONSchemaProps, RenderError> {
    render_in(schema, RenderOptions::default())
}

pub(super) fn render_in(schema: &Schema, options: RenderOptions) -> Result<JSONSchemaProps, RenderError> {
    let mut props = JSONSchemaProps::default();
    write(schema, &mut props, options)?;
    Ok(props)
}

/// Renders a schema in place: these types are large and expensive to move.
pub(super) fn write(schema: &Schema, props: &mut JSONSchemaProps, options: RenderOptions) -> Result<(), RenderError> {
    let options = options.of_type(schema);
    let keywords = match transforms::of_variants(schema, options)? {
        Some(transformed) => {
            *props = transformed;
            Cow::Owned(transforms::others(schema))
        }
        None => {
            write_shape(schema, props, options)?;
            keywords::describe_as(props, schema.description, options.descriptions);
            Cow::Borrowed(schema.keywords)
        }
    };
    if schema.optional {
        props.nullable = Some(true);
    } else {
        keywords::refuse_null_as_resource(&keywords, props);
    }
    keywords::apply(props, &keywords, options.descriptions)?;
    if schema.immutable {
        keywords::add_immutable_rule(props);
    }
    Ok(())
}

fn write_shape(schema: &Schema, props: &mut JSONSchemaProps, options: RenderOptions) -> Result<(), RenderError> {
    let of_members = options.of_members();
    match &schema.shape {
        Shape::Boolean => set_type(props, "boolean"),
        Shape::Integer => set_type(props, "integer"),
        Shape::Number => set_type(props, "number"),
        Shape::String => set_type(props, "string"),
        Shape::IntOrString => props.x_kubernetes_int_or_string = Some(true),
        Shape::Any => *props = structural::any(),
        Shape::List(items) => write_list(items, props, options)?,
        Shape::Map(values) => map::write(schema.keys, values, props, options)?,
        Shape::Object(fields) => {
            write_object(fields, props, of_members)?;
            if schema.closed {
                structural::deny_unknown(props);
            }
        }
        Shape::Enum(variants) => write_enumeration(variants, props, options.descriptions),
        Shape::OneOf(tagging, all) => {
            variants::write(*tagging, all, schema.closed, props, of_members)?;
        }
        Shape::Tuple(items) => write_tuple(items, props, of_members)?,
        Shape::Newtype(inner) => write(inner, props, options)?,
        Shape::Foreign(foreign) => *props = options.foreign(foreign)?,
    }
    Ok(())
}

pub(super) fn set_type(props: &mut JSONSchemaProps, type_: &str) {
    props.type_ = Some(type_.to_owned());
}

fn write_list(items: &Schema, props: &mut JSONSchemaProps, options: RenderOptions) -> Result<(), RenderError> {
    let mut inner = Box::<JSONSchemaProps>::default();
    write(items, &mut inner, options).map_err(|error| error.below("[]"))?;
    set_type(props, "array");
    props.items = Some(JSONSchemaPropsOrArray::Schema(inner));
    if let Shape::Foreign(foreign) = items.shape {
        options.merge_list_of(&foreign, props);
    }
    Ok(())
}

fn write_tuple(items: &[&Schema], props: &mut JSONSchemaProps, options: RenderOptions) -> Result<(), RenderError> {
    let item =
        |(at, item): (usize, &&Schema)| render_in(item, options).map_err(|error| error.below(&format!("[{at}]")));
    let rendered = items.iter().enumerate().map(item);
    let common = structural::tuple(rendered.collect::<Result<_, _>>()?)?;
    set_type(props, "array");
    props.items = Some(JSONSchemaPropsOrArray::Schema(Box::new(common)));
    props.min_items = i64::try_from(items.len()).ok();
    props.max_items = props.min_items;
    Ok(())
}

fn write_enumeration(variants: &[UnitVariant], props: &mut JSONSchemaProps, descriptions: Descriptions) {
    let names = variants.iter().map(|variant| JSON(Value::from(variant.name)));
    let described = variants.iter().map(|variant| (variant.name, variant.description));
    set_type(props, "string");
    props.enum_ = Some(names.collect());
    let description = describe_variants(None, described).and_then(|text| descriptions.of(text));
    props.description = description.map(Cow::into_owned);
}

fn write_object(fields: &[Field], props: &mut JSONSchemaProps, options: RenderOptions) -> Result<(), RenderError> {
    let mut members = ObjectFields::of(options);
    members.reserve(fields);
    for field in fields {
        members.add(field)?;
    }
    members.finish(props)?;
    for field in fields {
        let below = |error: RenderError| error.below(&format!(".{}", field.name));
        relations::check_required(field, props).map_err(below)?;
    }
    Ok(())
}

pub(super) fn write_field(
    field: &Field,
    props: &mut JSONSchemaProps,
    options: RenderOptions,
) -> Result<(), RenderError> {
    let options = options.with(field.keywords);
    write(field.schema, props, options)?;
    if field.presence == Presence::Required {
        props.nullable = None;
    }
    if !field.schema.optional {
        keywords::refuse_null_as_resource(field.keywords, props);
    }
    keywords::describe_as(props, field.description, options.descriptions);
    keywords::apply(props, field.keywords, options.descriptions)?;
    if field.immutable {
        keywords::add_immutable_rule(props);
    }
    Ok(())
}

/// Whether the field is required. A foreign type that accepts null is treated as an `Option`, unless it accepts any
/// value.
pub(super) fn is_required(field: &Field, props: &JSONSchemaProps) -> bool {
    let is_foreign_option =
        matches!(field.schema.shape, Shape::Foreign(_)) && props.nullable == Some(true) && !structural::is_any(props);
    match field.presence {
        Presence::Inferred => field.is_required() && !is_foreign_option,
        _ => field.is_required(),
    }
}

/// Renders the schema of a root. The server adds `apiVersion`, `kind` and `metadata`.
pub(super) fn root(root: &DerivedRoot, descriptions: Descriptions) -> Result<JSONSchemaProps, RenderError> {
    let options = RenderOptions::of(descriptions);
    let mut spec = Field::new("spec", root.spec);
    if root.flatten_spec {
        spec = Field::flattened(root.spec);
    }
    let mut members = ObjectFields::of_root(options, root.flatten_spec);
    members.add(&spec)?;
    if let Some(status) = root.status {
        members.insert_with("status", |props| {
            write(&status.optional(), props, options)?;
            Ok(false)
        })?;
    }
    let mut props = JSONSchemaProps::default();
    members.finish(&mut props)?;
    // `apiVersion`, `kind` and `metadata` are not entries of a map.
    if props.additional_properties.take().is_some() {
        props.x_kubernetes_preserve_unknown_fields = Some(true);
    }
    keywords::apply(&mut props, root.keywords, descriptions)?;
    if !root.nullable {
        nullable::remove(root, &mut props);
    }
    Ok(props)
}

#[cfg(test)]
mod tests;
