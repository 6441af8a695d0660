//! Attributes of resources on fields and variants.

use darling::Error;
use syn::{Attribute, Data, DeriveInput, Field, Variant};

use crate::attrs::Errors;

/// Reports `#[kube(...)]` on fields and variants, where the compiler allows it as a helper attribute of
/// `CustomResource`.
pub(crate) fn reject_on_members(input: &DeriveInput, errors: &mut Errors) {
    for attr in attributes(input).filter(|attr| attr.path().is_ident("kube")) {
        errors.push(
            Error::custom("`#[kube(...)]` belongs on the type: on a field, write `#[crd(...)]` or `#[x_kube(...)]`")
                .with_span(attr.path()),
        );
    }
}

fn attributes(input: &DeriveInput) -> impl Iterator<Item = &Attribute> {
    let (fields, variants): (Vec<&Field>, Vec<&Variant>) = match &input.data {
        Data::Struct(data) => (data.fields.iter().collect(), Vec::new()),
        Data::Enum(data) => (data.variants.iter().flat_map(|it| &it.fields).collect(), data.variants.iter().collect()),
        Data::Union(_) => (Vec::new(), Vec::new()),
    };
    let of_fields = fields.into_iter().flat_map(|field| &field.attrs);
    of_fields.chain(variants.into_iter().flat_map(|variant| &variant.attrs))
}
