//! Attributes of serde that these derives do not support.

use darling::Error;
use proc_macro2::Span;
use serde_derive_internals::{
    Derive,
    ast::{Container, Data, Field, Style},
    attr::{Identifier, TagType},
};
use syn::spanned::Spanned;

use crate::attrs::serde_or_schemars;

/// Returns the first attribute that is not supported, as an error that names the way out.
pub(super) fn find(container: &Container<'_>, derive: Derive) -> Option<Error> {
    of_type(container).or_else(|| of_fields(container)).map(|(what, span)| {
        let traits = match derive {
            Derive::Serialize => "Serialize",
            Derive::Deserialize => "Deserialize",
        };
        Error::custom(format!("crdkit's derive does not support {what}: derive `serde::{traits}` for this type"))
            .with_span(&span)
    })
}

fn of_type(container: &Container<'_>) -> Option<(&'static str, Span)> {
    let attrs = &container.attrs;
    let of = |key: &str| {
        serde_or_schemars::find(&container.original.attrs, key).map_or(container.ident.span(), |meta| meta.span())
    };
    match attrs.tag() {
        TagType::External => {}
        TagType::None => return Some(("`untagged`", of("untagged"))),
        TagType::Internal { .. } | TagType::Adjacent { .. } => return Some(("`tag`", of("tag"))),
    }
    if attrs.remote().is_some() {
        return Some(("`remote`", of("remote")));
    }
    match attrs.identifier() {
        Identifier::No => {}
        Identifier::Field => return Some(("`field_identifier`", of("field_identifier"))),
        Identifier::Variant => return Some(("`variant_identifier`", of("variant_identifier"))),
    }
    container.generics.lifetimes().next().map(|lifetime| ("borrowed fields", lifetime.span()))
}

fn of_fields(container: &Container<'_>) -> Option<(&'static str, Span)> {
    match &container.data {
        Data::Struct(style, fields) => fields.iter().find_map(|field| of_field(*style, field)),
        Data::Enum(variants) => variants.iter().find_map(|variant| {
            let of = |key: &str| {
                serde_or_schemars::find(&variant.original.attrs, key).map_or(variant.ident.span(), |meta| meta.span())
            };
            if variant.attrs.untagged() {
                return Some(("`untagged`", of("untagged")));
            }
            if variant.attrs.serialize_with().or(variant.attrs.deserialize_with()).is_some() {
                return Some(("a function for a variant", variant.ident.span()));
            }
            variant.fields.iter().find_map(|field| of_field(variant.style, field))
        }),
    }
}

fn of_field(style: Style, field: &Field<'_>) -> Option<(&'static str, Span)> {
    let of =
        |key: &str| serde_or_schemars::find(&field.original.attrs, key).map_or(field.ty.span(), |meta| meta.span());
    if field.attrs.flatten() {
        return Some(("`flatten`", of("flatten")));
    }
    if field.attrs.getter().is_some() {
        return Some(("`getter`", of("getter")));
    }
    let is_skipped = field.attrs.skip_deserializing() || field.attrs.skip_serializing();
    if matches!(style, Style::Newtype) && is_skipped && !field.attrs.transparent() {
        return Some(("a newtype whose value is skipped", field.ty.span()));
    }
    None
}
