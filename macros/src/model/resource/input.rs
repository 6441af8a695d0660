//! Rules on the type that is the spec.

use darling::Error;
use proc_macro2::{Ident, Span};
use syn::{Data, DeriveInput};

use crate::attrs::{Errors, serde};

pub(super) fn check(input: &DeriveInput, no_spec: bool, errors: &mut Errors) {
    if matches!(input.data, Data::Union(_)) {
        errors.push(Error::custom("a union cannot be a spec").with_span(&input.ident));
    }
    if !input.generics.params.is_empty() {
        errors.push(
            Error::custom(
                "a spec cannot be generic: a CustomResourceDefinition has one schema for each \
                 version. Types that are used in it may be",
            )
            .with_span(&input.generics.params),
        );
    }
    if no_spec {
        check_flattened(input, errors);
    }
    refuse_kube_on_fields(input, errors);
}

/// `CustomResource` owns `#[kube(...)]`, so that the compiler lets it stand on fields too.
fn refuse_kube_on_fields(input: &DeriveInput, errors: &mut Errors) {
    let fields: Vec<&syn::Field> = match &input.data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|it| &it.fields).collect(),
        Data::Union(_) => Vec::new(),
    };
    let variants: Vec<&syn::Variant> = match &input.data {
        Data::Enum(data) => data.variants.iter().collect(),
        Data::Struct(_) | Data::Union(_) => Vec::new(),
    };
    let of_fields = fields.iter().flat_map(|field| &field.attrs);
    let of_variants = variants.iter().flat_map(|variant| &variant.attrs);
    for attr in of_fields.chain(of_variants) {
        if attr.path().is_ident("kube") {
            errors.push(
                Error::custom(
                    "`#[kube(...)]` stands on the type: on a field write `#[crd(...)]` or \
                     `#[x_kube(...)]`",
                )
                .with_span(attr.path()),
            );
        }
    }
}

/// The fields of the root, beside which those of a `no_spec` struct stand.
const ROOT_FIELDS: &[&str] = &["apiVersion", "kind", "metadata", "status"];

fn check_flattened(input: &DeriveInput, errors: &mut Errors) {
    let Data::Struct(data) = &input.data else {
        errors.push(no_fields(input));
        return;
    };
    if !matches!(data.fields, syn::Fields::Named(_)) {
        errors.push(no_fields(input));
        return;
    }
    for (field, name) in data.fields.iter().zip(json_names(input)) {
        if ROOT_FIELDS.contains(&name.as_str()) {
            errors.push(
                Error::custom(format!(
                    "with `no_spec` this field stands beside the root's own `{name}`: rename it"
                ))
                .with_span(&field.ident),
            );
        }
    }
}

fn no_fields(input: &DeriveInput) -> Error {
    Error::custom("`no_spec` puts the fields of a struct in place of `spec`: this type has none")
        .with_span(&input.ident)
}

/// The names of the fields as serde writes them, in order.
fn json_names(input: &DeriveInput) -> Vec<String> {
    use serde_derive_internals::{Ctxt, Derive, ast::Container};
    let mut ignored = Error::accumulator();
    let effective = serde::effective(input, &mut ignored);
    drop(ignored.into_inner());
    let context = Ctxt::new();
    let private = Ident::new("__private", Span::call_site());
    let container = Container::from_ast(&context, &effective, Derive::Deserialize, &private);
    let _ = context.check(); // reported by serde
    container
        .iter()
        .flat_map(|container| container.data.all_fields())
        .map(|field| field.attrs.name().deserialize_name().value.clone())
        .collect()
}
