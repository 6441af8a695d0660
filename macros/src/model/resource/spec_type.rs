//! Checks of the type that is the spec.

use darling::Error;
use proc_macro2::{Ident, Span};
use serde_derive_internals::{
    Ctxt, Derive,
    ast::{Container, Field as SerdeField},
};
use syn::{Data, DeriveInput, Type, spanned::Spanned};

use crate::{
    attrs::{Errors, resource::reject_on_members, serde},
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
    let name = |field: &SerdeField| field.attrs.name().deserialize_name().value.clone();
    with_serde_fields(input, |fields| fields.map(name).collect())
}

/// The flattened fields of the schema: indexes and spans.
pub(super) fn flattened_fields(input: &DeriveInput) -> Vec<(usize, Span)> {
    with_serde_fields(input, |fields| {
        let read = fields.filter(|field| !field.attrs.skip_deserializing());
        let numbered = read.enumerate();
        let flattened = numbered.filter(|(_, field)| field.attrs.flatten());
        flattened.map(|(at, field)| (at, field.original.ident.span())).collect()
    })
}

/// The fields of the schema whose types may have fields of their own: indexes and spans of the types.
pub(super) fn nested_fields(input: &DeriveInput) -> Vec<(usize, Span)> {
    let Data::Struct(data) = &input.data else {
        return Vec::new();
    };
    let is_nested = |ty: &Type| SchemaSource::new(ty, None).possibly_non_structural().is_some();
    let read = data.fields.iter().filter(|field| !serde::skips_deserializing(field));
    let nested = read.enumerate().filter(|(_, field)| is_nested(&field.ty));
    nested.map(|(at, field)| (at, field.ty.span())).collect()
}

fn with_serde_fields<T: Default>(
    input: &DeriveInput,
    map: impl FnOnce(&mut dyn Iterator<Item = &SerdeField>) -> T,
) -> T {
    let mut ignored = Error::accumulator();
    let effective = serde::effective_input(input, &mut ignored);
    drop(ignored.into_inner());
    let context = Ctxt::new();
    let private = Ident::new("__private", Span::call_site());
    let container = Container::from_ast(&context, &effective, Derive::Deserialize, &private);
    let _ = context.check(); // reported by serde
    match container {
        Some(container) => map(&mut container.data.all_fields()),
        None => T::default(),
    }
}
