//! The implementation of `Decode` for a type.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Ident, Member, spanned::Spanned};

use super::wrap_in_const;
use crate::model::decode::{Body, DecodeType, DecodedField, DecodedObject, Decoder, FieldDefault, Variant};

pub(super) fn expand(decode: &DecodeType) -> TokenStream {
    let private = &decode.crates.private;
    let functions = match &decode.body {
        Body::Object(object) => self::object(object, private),
        Body::Newtype { member, decoder, transparent } => newtype(member, decoder, *transparent, private),
        Body::UnitEnum(variants) => unit_enum(variants, private),
        Body::SerdeOnly => serde_only(private),
    };
    let ident = &decode.ident;
    let mut generics = decode.generics.clone();
    if !generics.params.is_empty() {
        let predicates = &mut generics.make_where_clause().predicates;
        predicates.push(syn::parse_quote!(Self: #private::decode::DeserializeOwned));
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let tokens = quote! {
        #[automatically_derived]
        #[allow(unreachable_patterns, unused_imports)]
        impl #impl_generics #private::decode::Decode for #ident #type_generics #where_clause {
            #functions
        }
    };
    wrap_in_const(&decode.crates, &tokens)
}

/// `Decode::decode`, with the body that uses `__parser`.
fn function(body: &TokenStream, private: &Ident) -> TokenStream {
    quote! {
        fn decode(__parser: &mut #private::decode::Parser<'_>) -> #private::Option<Self> {
            use #private::decode::BySerde as _;
            #body
        }
    }
}

fn object(object: &DecodedObject, private: &Ident) -> TokenStream {
    let read: Vec<_> = object.fields.iter().filter(|it| !it.names.is_empty()).collect();
    let variables = read.iter().map(|field| field.variable());
    let arms = read.iter().map(|field| arm(field, private));
    let unknown = if object.deny_unknown_fields { quote!(return #private::None) } else { quote!(__parser.skip()?) };
    let default = match &object.default {
        FieldDefault::None | FieldDefault::OfSchema => None,
        FieldDefault::OfType => Some(quote!(#private::Default::default())),
        FieldDefault::Function(function) => Some(quote!(#function())),
    };
    let default_of_all = default.map(|default| quote!(let __default: Self = #default;));
    let fields = object.fields.iter().map(|field| {
        let member = &field.member;
        let value = value(field, &object.default, private);
        quote!(#member: #value)
    });
    let body = quote! {
        #(let mut #variables = #private::None;)*
        __parser.object()?;
        while let #private::Some(__key) = __parser.key()? {
            match __key {
                #(#arms)*
                _ => #unknown,
            }
        }
        #default_of_all
        #private::Some(Self { #(#fields),* })
    };
    function(&body, private)
}

fn arm(field: &DecodedField, private: &Ident) -> TokenStream {
    let (names, variable) = (&field.names, field.variable());
    let read = reader(&field.decoder, private);
    quote!(#(#names)|* => __parser.once(&mut #variable, #read)?,)
}

/// A function that decodes a value from a parser.
fn reader(decoder: &Decoder, private: &Ident) -> TokenStream {
    match decoder {
        Decoder::Type(ty) => quote_spanned!(ty.span()=> #private::decode::Reader::<#ty>::decode),
        Decoder::Function(function) => {
            let call = quote_spanned!(function.span()=> #function(deserializer));
            quote!(|__parser| __parser.with(|deserializer| #call))
        }
    }
}

fn value(field: &DecodedField, default_of_all: &FieldDefault, private: &Ident) -> TokenStream {
    let member = &field.member;
    let missing = match (&field.default, default_of_all) {
        (FieldDefault::OfType, _) => quote!(#private::Default::default()),
        (FieldDefault::Function(function), _) => quote!(#function()),
        (FieldDefault::OfSchema, _) => quote!(return #private::None),
        (FieldDefault::None, FieldDefault::OfType | FieldDefault::Function(_)) => {
            quote!(__default.#member)
        }
        (FieldDefault::None, FieldDefault::None | FieldDefault::OfSchema) => match missing(&field.decoder, private) {
            Some(missing) => quote!(#missing?),
            None => quote!(return #private::None),
        },
    };
    if field.names.is_empty() {
        return missing;
    }
    let variable = field.variable();
    quote! {
        match #variable {
            #private::Some(value) => value,
            #private::None => #missing,
        }
    }
}

/// The value of a missing field, if it may be missing.
fn missing(decoder: &Decoder, private: &Ident) -> Option<TokenStream> {
    match decoder {
        Decoder::Type(ty) => Some(quote_spanned!(ty.span()=> #private::decode::Reader::<#ty>::missing())),
        Decoder::Function(_) => None,
    }
}

fn newtype(member: &Member, decoder: &Decoder, transparent: bool, private: &Ident) -> TokenStream {
    let this = |value: TokenStream| quote!(#private::Some(Self { #member: #value }));
    let decoded = match decoder {
        Decoder::Type(_) => {
            let reader = reader(decoder, private);
            quote!(#reader(__parser)?)
        }
        Decoder::Function(function) => {
            quote!(__parser.with(|deserializer| #function(deserializer))?)
        }
    };
    let decode = function(&this(decoded), private);
    let missing = missing(decoder, private).filter(|_| transparent).map(|missing| {
        let this = this(quote!(#missing?));
        quote! {
            fn missing() -> #private::Option<Self> {
                use #private::decode::BySerde as _;
                #this
            }
        }
    });
    quote!(#decode #missing)
}

fn unit_enum(variants: &[Variant], private: &Ident) -> TokenStream {
    let arms = variants.iter().map(|variant| {
        let (ident, names) = (&variant.ident, &variant.names);
        quote!(#(#names)|* => #private::Some(Self::#ident),)
    });
    let body = quote! {
        match &*__parser.text()? {
            #(#arms)*
            _ => #private::None,
        }
    };
    function(&body, private)
}

/// The functions of a type that only serde can deserialize.
fn serde_only(private: &Ident) -> TokenStream {
    let decode = function(&quote!(__parser.by_serde()), private);
    quote! {
        #decode
        fn missing() -> #private::Option<Self> {
            #private::decode::by_serde_missing()
        }
    }
}
