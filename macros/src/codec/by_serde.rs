//! Types whose form needs serde's own derive: its code for a mirror of the type, which stands for the type as serde's `remote`.
//!
//! Such are representations of enums that read a value twice, flattened fields, and borrowed ones. They compile as with serde.

use std::collections::BTreeSet;

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use serde_derive_internals::{
    Derive,
    ast::{Container, Data, Field, Style},
    attr::{Identifier, TagType},
};
use syn::{Attribute, Data as InputData, DeriveInput, Fields, Lifetime, Meta, Path, Type, parse_quote};

use super::bounds;
use crate::attrs::serde_or_schemars::{self, Item};

/// Whether serde's derive has to read or write a type.
pub(super) fn is_needed(container: &Container<'_>) -> bool {
    let is_tagged = !matches!(container.attrs.tag(), TagType::External);
    let is_identifier = !matches!(container.attrs.identifier(), Identifier::No);
    is_tagged
        || is_identifier
        || container.generics.lifetimes().next().is_some()
        || match &container.data {
            Data::Struct(style, fields) => fields.iter().any(|field| is_special(*style, field)),
            Data::Enum(variants) => variants.iter().any(|variant| {
                variant.attrs.untagged()
                    || variant.attrs.serialize_with().is_some()
                    || variant.attrs.deserialize_with().is_some()
                    || variant.fields.iter().any(|field| is_special(variant.style, field))
            }),
        }
}

fn is_special(style: Style, field: &Field<'_>) -> bool {
    let is_skipped = field.attrs.skip_deserializing() || field.attrs.skip_serializing();
    field.attrs.flatten() || matches!(style, Style::Newtype) && is_skipped && !field.attrs.transparent()
}

pub(super) fn expand(container: &Container<'_>, derive: Derive, crdkit: &Path) -> TokenStream {
    let mirror = mirror(container, derive, crdkit);
    let generics = bounds::of(container, derive);
    let (_, type_generics, _) = generics.split_for_impl();
    let ident = &container.ident;
    match derive {
        Derive::Deserialize => {
            let with_lifetime = bounds::with_lifetime(&generics, &borrowed_lifetimes(container));
            let (impl_generics, _, where_clause) = with_lifetime.split_for_impl();
            quote! {
                #mirror
                #[automatically_derived]
                impl #impl_generics __codec::Decode<'de> for #ident #type_generics #where_clause {
                    fn decode(source: &mut dyn __codec::Source<'de>) -> __codec::Decoded<Self> {
                        __codec::by_serde(source, |deserializer| __Mirror::deserialize(deserializer))
                    }
                }
                #[automatically_derived]
                impl #impl_generics __codec::serde::Deserialize<'de> for #ident #type_generics #where_clause {
                    fn deserialize<__D: __codec::serde::Deserializer<'de>>(
                        deserializer: __D,
                    ) -> ::core::result::Result<Self, __D::Error> {
                        __Mirror::deserialize(deserializer)
                    }
                }
            }
        }
        Derive::Serialize => {
            let (impl_generics, _, where_clause) = generics.split_for_impl();
            quote! {
                #mirror
                #[automatically_derived]
                impl #impl_generics __codec::Encode for #ident #type_generics #where_clause {
                    fn encode(&self, sink: &mut dyn __codec::Sink) -> __codec::Encoded {
                        sink.foreign(&self)
                    }
                }
                #[automatically_derived]
                impl #impl_generics __codec::serde::Serialize for #ident #type_generics #where_clause {
                    fn serialize<__S: __codec::serde::Serializer>(
                        &self,
                        serializer: __S,
                    ) -> ::core::result::Result<__S::Ok, __S::Error> {
                        __Mirror::serialize(self, serializer)
                    }
                }
            }
        }
    }
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
    let ident = &container.ident;
    let mut mirror = container.original.clone();
    let (_, type_generics, _) = container.generics.split_for_impl();
    let this: TokenStream = quote!(#ident #type_generics);
    for parameter in mirror.generics.type_params_mut() {
        parameter.default = None;
    }
    mirror.ident = Ident::new("__Mirror", Span::call_site());
    mirror.vis = syn::Visibility::Inherited;
    mirror.attrs = container_attributes(container, derive, crdkit, &this);
    match &mut mirror.data {
        InputData::Struct(data) => mirror_fields(&mut data.fields, &this),
        InputData::Enum(data) => {
            for variant in &mut data.variants {
                variant.attrs.retain(is_of_serde);
                variant.discriminant = None;
                mirror_fields(&mut variant.fields, &this);
            }
        }
        InputData::Union(_) => {}
    }
    mirror
}

fn container_attributes(
    container: &Container<'_>,
    derive: Derive,
    crdkit: &Path,
    this: &TokenStream,
) -> Vec<Attribute> {
    let items = serde_or_schemars::items(&container.original.attrs, "serde").unwrap_or_default();
    let kept = items.into_iter().filter_map(|item| match item {
        Item::Meta(meta) if !["rename", "crate"].contains(&serde_or_schemars::key(&meta).as_str()) => Some(meta),
        _ => None,
    });
    let kept: Vec<Meta> = kept.collect();
    let name = container.attrs.name();
    let (serialize, deserialize) = (&name.serialize_name().value, &name.deserialize_name().value);
    let serde = format!("{}::serde::__private::serde", crdkit.to_token_stream()).replace(' ', "");
    let remote = this.to_string();
    let derive = match derive {
        Derive::Serialize => quote!(__codec::serde::Serialize),
        Derive::Deserialize => quote!(__codec::serde::Deserialize),
    };
    vec![
        parse_quote!(#[derive(#derive)]),
        parse_quote!(#[allow(dead_code)]),
        parse_quote!(#[serde(
            crate = #serde,
            remote = #remote,
            rename(serialize = #serialize, deserialize = #deserialize),
            #(#kept),*
        )]),
    ]
}

fn mirror_fields(fields: &mut Fields, this: &TokenStream) {
    for field in fields {
        field.attrs.retain(is_of_serde);
        field.ty = Type::Verbatim(without_self(field.ty.to_token_stream(), this));
    }
}

fn is_of_serde(attribute: &Attribute) -> bool {
    attribute.path().is_ident("serde")
}

/// Tokens in which `Self` is the type, because the mirror is another one.
fn without_self(tokens: TokenStream, this: &TokenStream) -> TokenStream {
    let replaced = tokens.into_iter().flat_map(|token| match token {
        TokenTree::Ident(ident) if ident == "Self" => this.clone(),
        TokenTree::Group(group) => {
            let mut replaced = Group::new(group.delimiter(), without_self(group.stream(), this));
            replaced.set_span(group.span());
            TokenTree::from(replaced).into()
        }
        token => token.into(),
    });
    replaced.collect()
}
