//! Types whose form needs serde's own derive: its code for a mirror of the type, which stands for the type as serde's `remote`.
//!
//! Such are representations of enums that read a value twice, flattened fields, and borrowed ones. They compile as with serde.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use serde_derive_internals::{
    Derive,
    ast::{Container, Data, Field, Style},
    attr::{Default, Identifier, TagType},
};
use syn::{Attribute, Data as InputData, DeriveInput, Fields, Lifetime, Meta, Path, Type, parse_quote};

use super::{bounds, implementations_of_deserialize, implementations_of_serialize};
use crate::attrs::serde_or_schemars::{self, Item};

/// Whether serde's derive has to read or write a type.
pub(super) fn is_needed(container: &Container<'_>) -> bool {
    let attrs = &container.attrs;
    let is_tagged = !matches!(attrs.tag(), TagType::External);
    let is_identifier = !matches!(attrs.identifier(), Identifier::No);
    is_tagged
        || is_identifier
        || attrs.is_packed()
        || attrs.expecting().is_some()
        || container.generics.lifetimes().next().is_some()
        || match &container.data {
            Data::Struct(style, fields) => is_special_struct(container, *style, fields),
            Data::Enum(variants) => {
                variants.iter().all(|variant| variant.attrs.skip_deserializing())
                    || variants.iter().any(|variant| {
                        variant.attrs.untagged()
                            || variant.attrs.serialize_with().is_some()
                            || variant.attrs.deserialize_with().is_some()
                            || variant.fields.iter().any(|field| is_special(variant.style, field))
                    })
            }
        }
}

fn is_special_struct(container: &Container<'_>, style: Style, fields: &[Field<'_>]) -> bool {
    let attrs = &container.attrs;
    if attrs.transparent() {
        return fields.iter().any(|field| !is_plain(field)) || fields.len() > 1;
    }
    let has_default = !matches!(attrs.default(), Default::None);
    // Errors have the name in Rust, not the one in data.
    let name = attrs.name();
    let is_renamed = [name.serialize_name(), name.deserialize_name()].iter().any(|it| container.ident != it.value);
    match style {
        Style::Newtype => has_default || is_renamed || fields.iter().any(|field| is_special(style, field)),
        Style::Unit => is_renamed,
        Style::Struct | Style::Tuple => fields.iter().any(|field| is_special(style, field)),
    }
}

/// Whether serde's derive treats a field of a type other than by its type and its names.
fn is_special(style: Style, field: &Field<'_>) -> bool {
    let attrs = &field.attrs;
    attrs.flatten() || !attrs.borrowed_lifetimes().is_empty() || matches!(style, Style::Newtype) && !is_plain(field)
}

/// Whether a field is read and written in any case, and by its type. An `Option` that is flattened is read in a way of its own.
fn is_plain(field: &Field<'_>) -> bool {
    let attrs = &field.attrs;
    let is_option = match field.ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|segment| segment.ident == "Option"),
        _ => false,
    };
    !is_option
        && !attrs.skip_deserializing()
        && !attrs.skip_serializing()
        && attrs.skip_serializing_if().is_none()
        && attrs.serialize_with().is_none()
        && attrs.deserialize_with().is_none()
        && attrs.borrowed_lifetimes().is_empty()
        && matches!(attrs.default(), Default::None)
}

pub(super) fn expand(container: &Container<'_>, derive: Derive, crdkit: &Path) -> TokenStream {
    let mirror = mirror(container, derive, crdkit);
    let implementations = match derive {
        Derive::Deserialize => implementations_of_deserialize(
            container,
            &borrowed_lifetimes(container),
            &quote! {
                #[inline]
                fn decode(__source: &mut dyn __codec::Source<'de>) -> __codec::Decoded<Self> {
                    __codec::by_serde(__source, |__deserializer| __Mirror::deserialize(__deserializer))
                }
                #[inline]
                fn missing(__field: &'static str) -> __codec::Decoded<Self> {
                    __codec::missing_by_serde(__field)
                }
            },
            &quote!(__Mirror::deserialize(__deserializer)),
        ),
        Derive::Serialize => implementations_of_serialize(
            container,
            &quote!(__sink.foreign(&self)),
            &quote!(__Mirror::serialize(self, __serializer)),
        ),
    };
    quote!(#mirror #implementations)
}

fn borrowed_lifetimes(container: &Container<'_>) -> BTreeSet<Lifetime> {
    let of = |fields: &[Field<'_>]| -> Vec<Lifetime> {
        let read = fields.iter().filter(|field| !field.attrs.skip_deserializing());
        read.flat_map(|field| field.attrs.borrowed_lifetimes().iter().cloned()).collect()
    };
    match &container.data {
        Data::Struct(_, fields) => of(fields).into_iter().collect(),
        Data::Enum(variants) => variants.iter().flat_map(|variant| of(&variant.fields)).collect(),
    }
}

/// The type with only the attributes of serde, under another name, and with serde's derive.
fn mirror(container: &Container<'_>, derive: Derive, crdkit: &Path) -> DeriveInput {
    let mut mirror = container.original.clone();
    for parameter in mirror.generics.type_params_mut() {
        parameter.default = None;
    }
    mirror.ident = Ident::new("__Mirror", Span::call_site());
    mirror.vis = syn::Visibility::Inherited;
    mirror.attrs = container_attributes(container, derive, crdkit);
    match &mut mirror.data {
        InputData::Struct(data) => mirror_fields(&mut data.fields),
        InputData::Enum(data) => {
            for variant in &mut data.variants {
                variant.attrs.retain(is_of_serde);
                variant.discriminant = None;
                mirror_fields(&mut variant.fields);
            }
        }
        InputData::Union(_) => {}
    }
    mirror
}

/// The keys that the mirror has with other values.
const REPLACED: [&str; 4] = ["rename", "crate", "default", "bound"];

/// The function for missing fields. serde's derive would require that the mirror has a default.
fn default(container: &Container<'_>) -> Option<String> {
    let (ident, (_, type_generics, _)) = (&container.ident, container.generics.split_for_impl());
    match container.attrs.default() {
        Default::None => None,
        Default::Default => Some(quote!(<#ident #type_generics as ::core::default::Default>::default).to_string()),
        Default::Path(function) => Some(function.to_token_stream().to_string()),
    }
}

fn container_attributes(container: &Container<'_>, derive: Derive, crdkit: &Path) -> Vec<Attribute> {
    let items = serde_or_schemars::items(&container.original.attrs, "serde").unwrap_or_default();
    let kept = items.into_iter().filter_map(|item| match item {
        Item::Meta(meta) if !REPLACED.contains(&serde_or_schemars::key(&meta).as_str()) => Some(meta),
        _ => None,
    });
    let kept: Vec<Meta> = kept.collect();
    let default = default(container).map(|function| quote!(default = #function,));
    let bound = bounds::of(container, derive).where_clause.map(|clause| {
        let predicates = clause.predicates.to_token_stream().to_string();
        quote!(bound = #predicates,)
    });
    let name = container.attrs.name();
    let (serialize, deserialize) = (&name.serialize_name().value, &name.deserialize_name().value);
    let serde = format!("{}::serde::__private::serde", crdkit.to_token_stream()).replace(' ', "");
    // serde adds the generics of the mirror.
    let remote = container.ident.to_string();
    let derive = match derive {
        Derive::Serialize => quote!(__codec::serde::Serialize),
        Derive::Deserialize => quote!(__codec::serde::Deserialize),
    };
    let representation = container.original.attrs.iter().filter(|attribute| attribute.path().is_ident("repr"));
    let mut attributes: Vec<Attribute> = vec![
        parse_quote!(#[derive(#derive)]),
        // Reported for the type itself.
        parse_quote!(#[allow(
            dead_code,
            missing_docs,
            non_camel_case_types,
            non_snake_case,
            clippy::all,
            clippy::pedantic
        )]),
        parse_quote!(#[serde(
            crate = #serde,
            remote = #remote,
            rename(serialize = #serialize, deserialize = #deserialize),
            #default
            #bound
            #(#kept),*
        )]),
    ];
    attributes.extend(representation.cloned());
    attributes
}

fn mirror_fields(fields: &mut Fields) {
    for field in fields {
        field.attrs.retain(is_of_serde);
        field.vis = syn::Visibility::Inherited;
    }
}

fn is_of_serde(attribute: &Attribute) -> bool {
    attribute.path().is_ident("serde")
}
