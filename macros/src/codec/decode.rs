//! The function that decodes a type.

use std::collections::{BTreeMap, BTreeSet};

use darling::Error;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use serde_derive_internals::{
    ast::{Container, Data, Field, Style, Variant},
    attr::{self, Default},
    name::Name,
};
use syn::spanned::Spanned;

use super::{implementations_of_deserialize, probe, variable};
use crate::attrs::items;

pub(super) fn expand(container: &Container<'_>) -> TokenStream {
    implementations_of_deserialize(
        container,
        &BTreeSet::new(),
        &functions(container),
        &quote!(__codec::deserialize(__deserializer)),
    )
}

fn functions(container: &Container<'_>) -> TokenStream {
    let attrs = &container.attrs;
    let transparent = match &container.data {
        Data::Struct(_, fields) if attrs.transparent() => fields.iter().find(|field| field.attrs.transparent()),
        _ => None,
    };
    if let Some(ty) = attrs.type_from() {
        let probe = probe(ty, "'de");
        let decode = decode(&quote!(#probe::decode(__source).map(::core::convert::Into::into)));
        let absent = absent(&probe);
        let missing = missing(&quote!(#absent.map(::core::convert::Into::into)));
        return quote!(#decode #missing);
    }
    if let Some(ty) = attrs.type_try_from() {
        let probe = probe(ty, "'de");
        let decode = decode(&quote!(__codec::converted(#probe::decode(__source)?)));
        let absent = absent(&probe);
        let missing = missing(&quote!(__codec::converted(#absent?)));
        return quote!(#decode #missing);
    }
    match (transparent, &container.data) {
        (Some(field), _) => self::transparent(field),
        (_, Data::Struct(Style::Unit, _)) => {
            let name = &attrs.name().deserialize_name().value;
            decode(&quote!(__source.unit(#name).map(|()| Self)))
        }
        (_, Data::Struct(Style::Newtype, fields)) => {
            let name = &attrs.name().deserialize_name().value;
            let (variables, slots) = (fields.iter().map(|field| variable(field)), slots(fields));
            let value = construct(&quote!(Self), fields, &Default::None);
            decode(&quote! {
                #slots
                __codec::newtype(__source, #name, #(&mut #variables)*)?;
                ::core::result::Result::Ok(#value)
            })
        }
        (_, Data::Struct(style, fields)) => {
            let kind = if matches!(style, Style::Struct) { "struct" } else { "tuple struct" };
            let expecting = format!("{kind} {}", container.ident);
            let name = &attrs.name().deserialize_name().value;
            let shape = shape(name, &expecting, fields, attrs);
            let function = if matches!(style, Style::Struct) { quote!(object) } else { quote!(tuple) };
            let fields = parts(&quote!(Self), fields, attrs.default(), &function, &shape);
            decode(&quote!(::core::result::Result::Ok({ #fields })))
        }
        (_, Data::Enum(variants)) => self::variants(container, variants),
    }
}

fn decode(body: &TokenStream) -> TokenStream {
    // Compiled where it is used, as serde's generic code: a library of types costs nothing that its programs do not need.
    quote! {
        #[inline]
        fn decode(__source: &mut dyn __codec::Source<'de>) -> __codec::Decoded<Self> {
            #body
        }
    }
}

/// The function for the value of a missing field.
fn missing(body: &TokenStream) -> TokenStream {
    quote! {
        fn missing(__field: &'static str) -> __codec::Decoded<Self> {
            #body
        }
    }
}

/// The value of a type whose field is missing.
fn absent(probe: &TokenStream) -> TokenStream {
    quote!(#probe::missing(__field))
}

/// A type with one field, which is read and written by its type.
fn transparent(field: &Field<'_>) -> TokenStream {
    let (member, probe) = (&field.member, probe(field.ty, "'de"));
    let of_type = |call: TokenStream| quote!(::core::result::Result::Ok(Self { #member: #call? }));
    let decode = decode(&of_type(quote!(#probe::decode(__source))));
    let missing = missing(&of_type(absent(&probe)));
    quote!(#decode #missing)
}

/// The fields that are decoded.
fn decoded<'f>(fields: &'f [Field<'f>]) -> impl Iterator<Item = &'f Field<'f>> {
    fields.iter().filter(|field| !field.attrs.skip_deserializing())
}

/// The value of a struct or a variant, whose fields a `function` decodes.
fn parts(
    path: &TokenStream,
    fields: &[Field<'_>],
    default_of_all: &Default,
    function: &TokenStream,
    shape: &TokenStream,
) -> TokenStream {
    let variables = decoded(fields).map(|field| variable(field));
    let slots = slots(decoded(fields));
    let default = default_of_all_fields(default_of_all);
    let value = construct(path, fields, default_of_all);
    quote! {
        #slots
        __codec::#function(__source, #shape, &mut [#(&mut #variables),*])?;
        #default
        #value
    }
}

/// Declares the variables of fields.
fn slots<'f>(fields: impl IntoIterator<Item = &'f Field<'f>>) -> TokenStream {
    fields
        .into_iter()
        .map(|field| {
            let (variable, slot) = (variable(field), slot(field));
            quote!(let mut #variable = #slot;)
        })
        .collect()
}

/// A field without a value.
fn slot(field: &Field<'_>) -> TokenStream {
    let (ty, probe) = (field.ty, probe(field.ty, "'de"));
    match field.attrs.deserialize_with() {
        Some(function) => {
            let deserializer = quote!(__deserializer);
            let call = quote_spanned!(function.span()=> #function(#deserializer));
            quote!(__codec::with(|__deserializer| #call))
        }
        None if has_other_schema(field) => {
            quote_spanned!(ty.span()=> <#probe as __codec::ForeignDecode<'_, #ty>>::slot())
        }
        None => quote_spanned!(ty.span()=> #probe::slot()),
    }
}

/// The value of a struct or a variant, from the variables of its fields.
fn construct(path: &TokenStream, fields: &[Field<'_>], default_of_all: &Default) -> TokenStream {
    let values = fields.iter().map(|field| {
        let member = &field.member;
        let value = value(field, default_of_all);
        quote!(#member: #value)
    });
    quote!(#path { #(#values),* })
}

fn value(field: &Field<'_>, default_of_all: &Default) -> TokenStream {
    let (member, variable, ty) = (&field.member, variable(field), field.ty);
    let is_skipped = field.attrs.skip_deserializing();
    match (field.attrs.default(), default_of_all) {
        (Default::Path(function), _) => {
            let fallback = quote_spanned!(function.span()=> #function());
            if is_skipped {
                return fallback;
            }
            quote! {
                match #variable.0 {
                    ::core::option::Option::Some(__value) => __value,
                    ::core::option::Option::None => #fallback,
                }
            }
        }
        (Default::None, Default::Default | Default::Path(_)) if is_skipped => quote!(__default.#member),
        (Default::None, Default::Default | Default::Path(_)) => quote!(#variable.0.unwrap_or(__default.#member)),
        _ if is_skipped => quote_spanned!(ty.span()=> ::core::default::Default::default()),
        (Default::Default, _) => quote_spanned!(ty.span()=> #variable.0.unwrap_or_default()),
        (Default::None, Default::None) => quote!(__codec::value(#variable.0)),
    }
}

fn default_of_all_fields(default: &Default) -> TokenStream {
    match default {
        Default::None => TokenStream::new(),
        Default::Default => quote!(let __default: Self = ::core::default::Default::default();),
        Default::Path(function) => {
            let call = quote_spanned!(function.span()=> #function());
            quote!(let __default: Self = #call;)
        }
    }
}

/// The constant data of fields.
fn shape(name: &str, expecting: &str, fields: &[Field<'_>], container: &attr::Container) -> TokenStream {
    let (names, indexes) = names(decoded(fields).map(|field| field.attrs.aliases()));
    let own_names: Vec<_> = decoded(fields).map(|field| &*field.attrs.name().deserialize_name().value).collect();
    // Two fields may have the same name, which then stands for the first.
    let aliases = if names == own_names && indexes.iter().copied().eq(0..) {
        quote!(::core::option::Option::None)
    } else {
        quote!(::core::option::Option::Some(__codec::Aliases { fields: &[#(#own_names),*], indexes: &[#(#indexes),*] }))
    };
    let has_default_of_all = !matches!(container.default(), Default::None);
    let defaults = indexes_of(fields, |field| has_default_of_all || !matches!(field.attrs.default(), Default::None));
    let schema_defaults = indexes_of(fields, has_schema_default);
    let denies_unknown_fields = container.deny_unknown_fields();
    quote! {
        &__codec::Fields {
            name: #name,
            expecting: #expecting,
            names: &[#(#names),*],
            aliases: #aliases,
            defaults: &[#(#defaults),*],
            denies_unknown_fields: #denies_unknown_fields,
            denies_lists: false,
            schema_defaults: &[#(#schema_defaults),*],
        }
    }
}

fn indexes_of(fields: &[Field<'_>], has: impl Fn(&Field<'_>) -> bool) -> Vec<u16> {
    let having = decoded(fields).enumerate().filter(|(_, field)| has(field));
    having.map(|(index, _)| u16::try_from(index).unwrap_or(u16::MAX)).collect()
}

/// The names of fields or variants, and the index of the one that each stands for: the first that has the name.
fn names<'n>(of_each: impl Iterator<Item = &'n BTreeSet<Name>>) -> (Vec<&'n str>, Vec<u16>) {
    let mut first = BTreeMap::new();
    let named = of_each.enumerate().flat_map(|(index, names)| {
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        names.iter().map(move |name| (&*name.value, index))
    });
    named.map(|(name, index)| (name, *first.entry(name).or_insert(index))).unzip()
}

/// Whether a field has a default of the schema, which is not the one of serde.
fn has_schema_default(field: &Field<'_>) -> bool {
    has_key(field, "crd", &["default"])
}

/// Whether the schema of a field is that of another type, whose defaults its own type does not know.
fn has_other_schema(field: &Field<'_>) -> bool {
    has_key(field, "schemars", &["with", "schema_with"])
}

fn has_key(field: &Field<'_>, attribute: &str, keys: &[&str]) -> bool {
    let mut ignored = Error::accumulator();
    let items = items::parse_attribute(&field.original.attrs, attribute, &mut ignored);
    // Reported by `KubeSchema`.
    drop(ignored.into_inner());
    items.iter().any(|item| keys.iter().any(|key| item.path().is_ident(key)))
}

fn variants(container: &Container<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let read: Vec<_> = variants.iter().filter(|variant| !variant.attrs.skip_deserializing()).collect();
    let (names, indexes) = names(read.iter().map(|variant| variant.attrs.aliases()));
    let other = match read.iter().position(|variant| variant.attrs.other()) {
        Some(index) => {
            let index = u16::try_from(index).unwrap_or(u16::MAX);
            quote!(::core::option::Option::Some(#index))
        }
        None => quote!(::core::option::Option::None),
    };
    let name = &container.attrs.name().deserialize_name().value;
    let expecting = format!("enum {}", container.ident);
    let shape = quote! {
        &__codec::Variants {
                name: #name,
                expecting: #expecting,
                names: &[#(#names),*],
                indexes: &[#(#indexes),*],
                other: #other,
        }
    };
    if read.iter().all(|variant| matches!(variant.style, Style::Unit)) {
        return unit_variants(&read, &shape);
    }
    let arms = read.iter().enumerate().map(|(index, variant)| {
        let body = variant_body(container, variant);
        quote!(#index => { #body })
    });
    decode(&quote! {
        let mut __value = ::core::option::Option::None;
        __source.variant(#shape, &mut |__index, __source| {
            __value = ::core::option::Option::Some(match __index {
                #(#arms)*
                _ => return __codec::no_variant(),
            });
            ::core::result::Result::Ok(())
        })?;
        __codec::decoded(__value)
    })
}

fn unit_variants(variants: &[&Variant<'_>], shape: &TokenStream) -> TokenStream {
    let arms = variants.iter().enumerate().map(|(index, variant)| {
        let ident = &variant.ident;
        quote!(#index => Self::#ident,)
    });
    decode(&quote! {
        ::core::result::Result::Ok(match __codec::unit_variant(__source, #shape)? {
            #(#arms)*
            _ => return __codec::no_variant(),
        })
    })
}

fn variant_body(container: &Container<'_>, variant: &Variant<'_>) -> TokenStream {
    let ident = &variant.ident;
    let name = &variant.attrs.name().deserialize_name().value;
    let fields = &variant.fields;
    let path = quote!(Self::#ident);
    let kind = if matches!(variant.style, Style::Struct) { "struct" } else { "tuple" };
    let expecting = format!("{kind} variant {}::{ident}", container.ident);
    let shape = || shape(name, &expecting, fields, &container.attrs);
    match variant.style {
        Style::Unit => quote!(__source.unit()?; Self::#ident),
        Style::Newtype => {
            let (variables, slots) = (fields.iter().map(|field| variable(field)), slots(fields));
            let value = construct(&path, fields, &Default::None);
            quote! {
                #slots
                __codec::newtype_variant(__source, #(&mut #variables)*)?;
                #value
            }
        }
        Style::Tuple => parts(&path, fields, &Default::None, &quote!(tuple_variant), &shape()),
        Style::Struct => parts(&path, fields, &Default::None, &quote!(object_variant), &shape()),
    }
}
