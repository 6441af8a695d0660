//! The function that decodes a type.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use serde_derive_internals::{
    Derive,
    ast::{Container, Data, Field, Style, Variant},
    attr::{self, Default},
};
use syn::spanned::Spanned;

use super::{bounds, variable};

pub(super) fn expand(container: &Container<'_>) -> TokenStream {
    let generics = bounds::of(container, Derive::Deserialize);
    let with_lifetime = bounds::with_lifetime(&generics, &BTreeSet::new());
    let (impl_generics, _, where_clause) = with_lifetime.split_for_impl();
    let (_, type_generics, _) = generics.split_for_impl();
    let ident = &container.ident;
    let functions = functions(container);
    quote! {
        #[automatically_derived]
        impl #impl_generics __codec::Decode<'de> for #ident #type_generics #where_clause {
            #functions
        }
        #[automatically_derived]
        impl #impl_generics __codec::serde::Deserialize<'de> for #ident #type_generics #where_clause {
            fn deserialize<__D: __codec::serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                __codec::deserialize(deserializer)
            }
        }
    }
}

fn functions(container: &Container<'_>) -> TokenStream {
    let attrs = &container.attrs;
    let transparent = match &container.data {
        Data::Struct(_, fields) if attrs.transparent() => fields.iter().find(|field| field.attrs.transparent()),
        _ => None,
    };
    if let Some(ty) = attrs.type_from() {
        let probe = quote_spanned!(ty.span()=> __codec::Probe::<'de, #ty>::decode);
        return decode(&quote!(#probe(source).map(::core::convert::Into::into)));
    }
    if let Some(ty) = attrs.type_try_from() {
        let probe = quote_spanned!(ty.span()=> __codec::Probe::<'de, #ty>::decode);
        return decode(&quote!(__codec::converted(#probe(source)?)));
    }
    match (transparent, &container.data) {
        (Some(field), Data::Struct(_, fields)) => self::transparent(field, fields),
        (_, Data::Struct(Style::Unit, _)) => {
            let name = &attrs.name().deserialize_name().value;
            decode(&quote!(source.unit(#name).map(|()| Self)))
        }
        (_, Data::Struct(Style::Newtype, fields)) => {
            let name = &attrs.name().deserialize_name().value;
            let (variables, reads) = (fields.iter().map(|it| variable(&it.member)), fields.iter().map(read));
            let value = construct(&quote!(Self), fields, attrs.default());
            decode(&quote! {
                #(let mut #variables = ::core::option::Option::None;)*
                source.newtype(#name, &mut |source| { #(#reads)* })?;
                ::core::result::Result::Ok(#value)
            })
        }
        (_, Data::Struct(style, fields)) => {
            let kind = if matches!(style, Style::Struct) { "struct" } else { "tuple struct" };
            let expecting = format!("{kind} {}", container.ident);
            let name = &attrs.name().deserialize_name().value;
            let shape = shape(name, &expecting, attrs.expecting(), fields, attrs);
            let method = if matches!(style, Style::Struct) { quote!(object) } else { quote!(tuple) };
            let parts = parts(&quote!(Self), fields, attrs.default(), &quote!(source.#method), &shape);
            decode(&quote!(#parts __codec::decoded(__value)))
        }
        (_, Data::Enum(variants)) => self::variants(container, variants),
    }
}

fn decode(body: &TokenStream) -> TokenStream {
    quote! {
        fn decode(source: &mut dyn __codec::Source<'de>) -> __codec::Decoded<Self> {
            #body
        }
    }
}

fn transparent(field: &Field<'_>, fields: &[Field<'_>]) -> TokenStream {
    let variable = variable(&field.member);
    let read = read(field);
    let value = construct(&quote!(Self), fields, &Default::None);
    let decode = decode(&quote! {
        let mut #variable = ::core::option::Option::None;
        { #read }?;
        let field = "";
        ::core::result::Result::Ok(#value)
    });
    let missing = field.attrs.deserialize_with().is_none().then(|| {
        quote! {
            fn missing(field: &'static str) -> __codec::Decoded<Self> {
                let mut #variable = ::core::option::Option::None;
                ::core::result::Result::Ok(#value)
            }
        }
    });
    quote!(#decode #missing)
}

/// The fields that are decoded.
fn decoded<'f>(fields: &'f [Field<'f>]) -> impl Iterator<Item = &'f Field<'f>> {
    fields.iter().filter(|field| !field.attrs.skip_deserializing())
}

/// Decodes the fields to a struct or a variant, and binds it to `__value`.
fn parts(
    path: &TokenStream,
    fields: &[Field<'_>],
    default_of_all: &Default,
    call: &TokenStream,
    shape: &TokenStream,
) -> TokenStream {
    let variables = decoded(fields).map(|field| variable(&field.member));
    let arms = decoded(fields).enumerate().map(|(index, field)| {
        let read = read(field);
        quote!(__codec::Step::Field(#index, source) => #read,)
    });
    let default = default_of_all_fields(default_of_all);
    let value = construct(path, fields, default_of_all);
    quote! {
        #(let mut #variables = ::core::option::Option::None;)*
        let mut __value = ::core::option::Option::None;
        #call(#shape, &mut |step| match step {
            #(#arms)*
            __codec::Step::Field(..) => ::core::result::Result::Ok(()),
            __codec::Step::End => {
                #default
                __value = ::core::option::Option::Some(#value);
                ::core::result::Result::Ok(())
            }
        })?;
    }
}

/// Decodes a field to its variable.
fn read(field: &Field<'_>) -> TokenStream {
    let (variable, ty) = (variable(&field.member), field.ty);
    match field.attrs.deserialize_with() {
        Some(function) => {
            let call = quote_spanned!(function.span()=> #function(deserializer));
            quote! {
                source.foreign(&mut |deserializer| {
                    #variable = ::core::option::Option::Some(#call?);
                    ::core::result::Result::Ok(())
                })
            }
        }
        None => quote_spanned!(ty.span()=> __codec::Probe::<'de, #ty>::decode_field(&mut #variable, source)),
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
    let (member, variable, ty) = (&field.member, variable(&field.member), field.ty);
    let is_skipped = field.attrs.skip_deserializing();
    let fallback = match (field.attrs.default(), default_of_all) {
        (Default::Default, _) => Some(quote_spanned!(ty.span()=> ::core::default::Default::default())),
        (Default::Path(function), _) => Some(quote_spanned!(function.span()=> #function())),
        (Default::None, Default::None) if is_skipped => {
            Some(quote_spanned!(ty.span()=> ::core::default::Default::default()))
        }
        (Default::None, Default::None) => None,
        (Default::None, Default::Default | Default::Path(_)) => Some(quote!(__default.#member)),
    };
    match fallback {
        Some(fallback) if is_skipped => fallback,
        Some(fallback) => quote! {
            match #variable.take() {
                ::core::option::Option::Some(value) => value,
                ::core::option::Option::None => #fallback,
            }
        },
        None => {
            let name = &field.attrs.name().deserialize_name().value;
            let name = if field.attrs.transparent() { quote!(field) } else { quote!(#name) };
            match field.attrs.deserialize_with() {
                Some(_) => quote!(__codec::required(#variable.take(), #name)?),
                None => quote_spanned!(ty.span()=> __codec::Probe::<'de, #ty>::present(#variable.take(), #name)?),
            }
        }
    }
}

fn default_of_all_fields(default: &Default) -> TokenStream {
    match default {
        Default::None => TokenStream::new(),
        Default::Default => quote!(let __default: Self = ::core::default::Default::default();),
        Default::Path(function) => quote_spanned!(function.span()=> let __default: Self = #function();),
    }
}

/// The constant data of fields.
fn shape(
    name: &str,
    expecting: &str,
    custom: Option<&str>,
    fields: &[Field<'_>],
    container: &attr::Container,
) -> TokenStream {
    let is_default_of_all = !matches!(container.default(), Default::None);
    let shapes = decoded(fields).map(|field| {
        let name = &field.attrs.name().deserialize_name().value;
        let has_default = is_default_of_all || !matches!(field.attrs.default(), Default::None);
        quote!(__codec::FieldShape { name: #name, has_default: #has_default })
    });
    let named = decoded(fields).enumerate().flat_map(|(index, field)| {
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        field.attrs.aliases().iter().map(move |alias| (alias.value.clone(), index))
    });
    let (names, indexes): (Vec<_>, Vec<_>) = named.unzip();
    let count = decoded(fields).count();
    let elements = if count == 1 { "element" } else { "elements" };
    let of_elements = format!("{expecting} with {count} {elements}");
    let (expecting, of_elements) = (custom.unwrap_or(expecting), custom.unwrap_or(&of_elements));
    let denies_unknown_fields = container.deny_unknown_fields();
    quote! {
        &const {
            __codec::Fields {
                name: #name,
                expecting: #expecting,
                expecting_elements: #of_elements,
                fields: &[#(#shapes),*],
                names: &[#(#names),*],
                indexes: &[#(#indexes),*],
                denies_unknown_fields: #denies_unknown_fields,
            }
        }
    }
}

fn variants(container: &Container<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let read: Vec<_> = variants.iter().filter(|variant| !variant.attrs.skip_deserializing()).collect();
    let named = read.iter().enumerate().flat_map(|(index, variant)| {
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        variant.attrs.aliases().iter().map(move |alias| (alias.value.clone(), index))
    });
    let (names, indexes): (Vec<_>, Vec<_>) = named.unzip();
    let other = match read.iter().position(|variant| variant.attrs.other()) {
        Some(index) => {
            let index = u16::try_from(index).unwrap_or(u16::MAX);
            quote!(::core::option::Option::Some(#index))
        }
        None => quote!(::core::option::Option::None),
    };
    let name = &container.attrs.name().deserialize_name().value;
    let expecting = format!("enum {}", container.ident);
    let expecting = container.attrs.expecting().unwrap_or(&expecting);
    let shape = quote! {
        &const {
            __codec::Variants {
                name: #name,
                expecting: #expecting,
                names: &[#(#names),*],
                indexes: &[#(#indexes),*],
                other: #other,
            }
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
        source.variant(#shape, &mut |index, source| {
            __value = ::core::option::Option::Some(match index {
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
        ::core::result::Result::Ok(match __codec::unit_variant(source, #shape)? {
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
    let shape = || shape(name, &expecting, None, fields, &container.attrs);
    match variant.style {
        Style::Unit => quote!(source.unit()?; Self::#ident),
        Style::Newtype => {
            let (variables, reads) = (fields.iter().map(|it| variable(&it.member)), fields.iter().map(read));
            let value = construct(&path, fields, &Default::None);
            quote! {
                #(let mut #variables = ::core::option::Option::None;)*
                source.newtype(&mut |source| { #(#reads)* })?;
                #value
            }
        }
        Style::Tuple => {
            let parts = parts(&path, fields, &Default::None, &quote!(source.tuple), &shape());
            quote!(#parts __codec::decoded(__value)?)
        }
        Style::Struct => {
            let parts = parts(&path, fields, &Default::None, &quote!(source.object), &shape());
            quote!(#parts __codec::decoded(__value)?)
        }
    }
}
