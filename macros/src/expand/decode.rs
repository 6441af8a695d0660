//! The decoder of a type.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Ident, Member, spanned::Spanned};

use super::enclosed;
use crate::model::decode::{Body, DecodeType, Default, Field, Object, Read, Variant};

pub(super) fn expand(decode: &DecodeType) -> TokenStream {
    let private = &decode.crates.private;
    let functions = match &decode.body {
        Body::Object(object) => self::object(object, private),
        Body::Newtype { member, read, transparent } => newtype(member, read, *transparent, private),
        Body::Names(variants) => names(variants, private),
        Body::Foreign => foreign(private),
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
    enclosed(&decode.crates, &tokens)
}

/// `Decode::decode`, which has a `parser`.
fn function(body: &TokenStream, private: &Ident) -> TokenStream {
    quote! {
        fn decode(__parser: &mut #private::decode::Parser<'_>) -> #private::Option<Self> {
            use #private::decode::BySerde as _;
            #body
        }
    }
}

fn object(object: &Object, private: &Ident) -> TokenStream {
    let read: Vec<_> = object.fields.iter().filter(|it| !it.names.is_empty()).collect();
    let variables = read.iter().map(|field| field.variable());
    let arms = read.iter().map(|field| arm(field, private));
    let unknown = if object.deny_unknown_fields { quote!(return #private::None) } else { quote!(__parser.skip()?) };
    let default = match &object.default {
        Default::None => None,
        Default::OfType => Some(quote!(#private::Default::default())),
        Default::Function(function) => Some(quote!(#function())),
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

fn arm(field: &Field, private: &Ident) -> TokenStream {
    let (names, variable) = (&field.names, field.variable());
    let read = reader(&field.read, private);
    quote!(#(#names)|* => __parser.once(&mut #variable, #read)?,)
}

/// A function that takes a parser.
fn reader(read: &Read, private: &Ident) -> TokenStream {
    match read {
        Read::Type(ty) => quote_spanned!(ty.span()=> #private::decode::Reader::<#ty>::decode),
        Read::With(function) => {
            let call = quote_spanned!(function.span()=> #function(deserializer));
            quote!(|__parser| __parser.with(|deserializer| #call))
        }
    }
}

fn value(field: &Field, default_of_all: &Default, private: &Ident) -> TokenStream {
    let member = &field.member;
    let missing = match (&field.default, default_of_all) {
        (Default::OfType, _) => quote!(#private::Default::default()),
        (Default::Function(function), _) => quote!(#function()),
        (Default::None, Default::OfType | Default::Function(_)) => quote!(__default.#member),
        (Default::None, Default::None) => match missing(&field.read, private) {
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

/// The value of a field that is not there, if there may be one.
fn missing(read: &Read, private: &Ident) -> Option<TokenStream> {
    match read {
        Read::Type(ty) => Some(quote_spanned!(ty.span()=> #private::decode::Reader::<#ty>::missing())),
        Read::With(_) => None,
    }
}

fn newtype(member: &Member, read: &Read, transparent: bool, private: &Ident) -> TokenStream {
    let this = |value: TokenStream| quote!(#private::Some(Self { #member: #value }));
    let decoded = match read {
        Read::Type(_) => {
            let reader = reader(read, private);
            quote!(#reader(__parser)?)
        }
        Read::With(function) => quote!(__parser.with(|deserializer| #function(deserializer))?),
    };
    let decode = function(&this(decoded), private);
    let missing = missing(read, private).filter(|_| transparent).map(|missing| {
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

fn names(variants: &[Variant], private: &Ident) -> TokenStream {
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

/// What serde alone can read.
fn foreign(private: &Ident) -> TokenStream {
    let decode = function(&quote!(__parser.by_serde()), private);
    quote! {
        #decode
        fn missing() -> #private::Option<Self> {
            #private::decode::by_serde_missing()
        }
    }
}
