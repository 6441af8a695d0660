//! Where the schema of a field comes from.

use darling::Error;
use proc_macro2::Span;
use serde_derive_internals::ast::Field as SerdeField;
use syn::Type;

use super::{misplaced_attributes, null_types, recursion, resolver::Resolver};
use crate::{
    attrs::{
        Errors,
        field::FieldAttrs,
        keywords::{ElementAttrs, KeywordAttrs},
        schema_override::SchemaOverride,
    },
    model::schema_source::SchemaSource,
};

impl Resolver<'_> {
    pub(super) fn source(&self, field: &SerdeField, attrs: &FieldAttrs, errors: &mut Errors) -> SchemaSource {
        if let Some(schema) = attrs.schema_override.get() {
            misplaced_attributes::schemars_override(schema, &attrs.schemars, errors);
            return optional_as(field.ty, SchemaSource::from_override(schema));
        }
        if attrs.has_invalid_scale_role {
            return SchemaSource::Invalid;
        }
        let overridden = attrs.schemars.schema.as_ref();
        if attrs.size.is_opaque() {
            return SchemaSource::new(field.ty, overridden).opaque();
        }
        if overridden.is_none()
            && let Some((path, span)) = &attrs.serde_with
        {
            return with_type(path, *span, errors);
        }
        let source = SchemaSource::new(field.ty, overridden);
        let source = with_nested_overrides(source, &attrs.keywords, errors);
        if !field.attrs.flatten()
            && let Some(error) = source.leaf_type().and_then(null_types::null_type_error)
        {
            errors.push(error);
            return SchemaSource::Invalid;
        }
        if let Some(ty) = source.leaf_type()
            && let Some(mention) = recursion::find(self.input, ty)
        {
            errors.push(recursion::error(self.input, mention));
            return SchemaSource::Invalid;
        }
        source
    }
}

/// Replaces the schemas of items and values as the attributes require. Reports them if there is no source.
pub(super) fn apply_nested_overrides(source: Option<&mut SchemaSource>, attrs: &KeywordAttrs, errors: &mut Errors) {
    let mut nothing = SchemaSource::Invalid;
    let source = source.unwrap_or(&mut nothing);
    *source = with_nested_overrides(source.clone(), attrs, errors);
}

/// The source with the schemas of items and values replaced as the attributes require.
fn with_nested_overrides(source: SchemaSource, attrs: &KeywordAttrs, errors: &mut Errors) -> SchemaSource {
    match source {
        SchemaSource::Optional(value) => SchemaSource::Optional(Box::new(with_nested_overrides(*value, attrs, errors))),
        SchemaSource::List(items) => SchemaSource::List(Box::new(element_source(*items, attrs.items.as_ref(), errors))),
        SchemaSource::Map(keys, values) => {
            let values = element_source(*values, attrs.values.as_ref(), errors);
            SchemaSource::Map(keys, Box::new(values))
        }
        source => {
            let inner = attrs.items.iter().chain(&attrs.values);
            let schemas = inner.filter_map(|inner| inner.schema_override.get().zip(inner.schema_override.span()));
            for (schema, span) in schemas {
                errors.push(unknown_container(schema, span));
            }
            source
        }
    }
}

fn element_source(source: SchemaSource, inner: Option<&ElementAttrs>, errors: &mut Errors) -> SchemaSource {
    let Some(inner) = inner else {
        return source;
    };
    match inner.schema_override.get() {
        Some(schema) if source.is_optional() => SchemaSource::Optional(Box::new(SchemaSource::from_override(schema))),
        Some(schema) => SchemaSource::from_override(schema),
        None => with_nested_overrides(source, &inner.keywords, errors),
    }
}

fn unknown_container(schema: &SchemaOverride, span: Span) -> Error {
    Error::custom(format!(
        "`{}` replaces the schema of items or values, which this type does not show: write the type as `Vec<...>`, \
         `BTreeMap<...>` or `HashMap<...>`",
        schema.name()
    ))
    .with_span(&span)
}

/// The source, optional if the field is an `Option`.
fn optional_as(ty: &Type, source: SchemaSource) -> SchemaSource {
    if SchemaSource::new(ty, None).is_optional() { SchemaSource::Optional(Box::new(source)) } else { source }
}

/// The source for `#[serde(with = "...")]`: a type with a schema, or a module whose JSON form is unknown.
fn with_type(path: &syn::Path, span: Span, errors: &mut Errors) -> SchemaSource {
    let names_a_type =
        path.segments.last().is_some_and(|segment| segment.ident.to_string().starts_with(char::is_uppercase));
    if names_a_type {
        return SchemaSource::Type(syn::parse_quote!(#path));
    }
    errors.push(
        Error::custom(
            "a function of this module deserializes the field, so its JSON form is unknown: add `#[schemars(with = \
             \"Type\")]` or `#[schemars(schema_with = \"function\")]`",
        )
        .with_span(&span),
    );
    SchemaSource::PreserveUnknownFields
}
