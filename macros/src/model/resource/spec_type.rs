//! Checks of the type that is the spec.

use darling::Error;
use proc_macro2::{Ident, Span};
use serde_derive_internals::{
    Ctxt, Derive,
    ast::{Container, Field as SerdeField},
};
use syn::{Data, DeriveInput, Field, Type, spanned::Spanned};

use crate::{
    attrs::{Errors, resource::reject_on_members, serde_or_schemars},
    model::schema_source::SchemaSource,
};

pub(super) fn check(input: &DeriveInput, no_spec: bool, errors: &mut Errors) {
    if matches!(input.data, Data::Union(_)) {
        errors.push(Error::custom("a union cannot be a spec").with_span(&input.ident));
    }
    if !input.generics.params.is_empty() {
        errors.push(
            Error::custom(
                "a spec cannot be generic: a CustomResourceDefinition has one schema for each version. The types of \
                 its fields can be generic",
            )
            .with_span(&input.generics.params),
        );
    }
    if no_spec {
        check_flattened(input, errors);
    }
    reject_on_members(input, errors);
}

/// The fields of the root, which share an object with those of a `no_spec` struct.
const ROOT_FIELDS: &[&str] = &["apiVersion", "kind", "metadata", "status"];

fn check_flattened(input: &DeriveInput, errors: &mut Errors) {
    let Data::Struct(data) = &input.data else {
        errors.push(no_named_fields_error(input));
        return;
    };
    if !matches!(data.fields, syn::Fields::Named(_)) {
        errors.push(no_named_fields_error(input));
        return;
    }
    for (field, name) in data.fields.iter().zip(json_names(input)) {
        if ROOT_FIELDS.contains(&name.as_str()) {
            errors.push(
                Error::custom(format!("with `no_spec`, this field conflicts with `{name}` of the root: rename it"))
                    .with_span(&field.ident),
            );
        }
    }
}

fn no_named_fields_error(input: &DeriveInput) -> Error {
    Error::custom("`no_spec` requires a struct with named fields, which replace `spec`").with_span(&input.ident)
}

/// The JSON names of the fields, in order.
fn json_names(input: &DeriveInput) -> Vec<String> {
    let mut ignored = Error::accumulator();
    let effective = serde_or_schemars::effective_input(input, &mut ignored);
    drop(ignored.into_inner());
    let context = Ctxt::new();
    let private = Ident::new("__private", Span::call_site());
    let container = Container::from_ast(&context, &effective, Derive::Deserialize, &private);
    let _ = context.check(); // reported by serde
    let name = |field: &SerdeField| field.attrs.name().deserialize_name().value.clone();
    container.map(|container| container.data.all_fields().map(name).collect()).unwrap_or_default()
}

/// The fields of the schema, in the order of their indexes: those that serde does not leave out when it deserializes.
fn schema_fields(input: &DeriveInput) -> impl Iterator<Item = (usize, &Field)> {
    let fields = match &input.data {
        Data::Struct(data) => Some(&data.fields),
        _ => None,
    };
    let is_read = |field: &&Field| !serde_or_schemars::has_key(field, &["skip", "skip_deserializing"]);
    fields.into_iter().flatten().filter(is_read).enumerate()
}

/// The flattened fields of the schema: indexes and spans.
pub(super) fn flattened_fields(input: &DeriveInput) -> Vec<(usize, Span)> {
    let flattened = schema_fields(input).filter(|(_, field)| serde_or_schemars::has_key(field, &["flatten"]));
    flattened.map(|(at, field)| (at, field.ident.span())).collect()
}

/// The fields of the schema whose types may have fields of their own: indexes and spans of the types.
pub(super) fn nested_fields(input: &DeriveInput) -> Vec<(usize, Span)> {
    let is_nested = |ty: &Type| SchemaSource::new(ty, None).possibly_non_structural().is_some();
    let nested = schema_fields(input).filter(|(_, field)| is_nested(&field.ty));
    nested.map(|(at, field)| (at, field.ty.span())).collect()
}
