//! The apply type of a type.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::{
    expand::json_with,
    model::apply::{ApplyType, SettableField},
};

mod root;
mod setter;

pub(super) fn expand(apply: &ApplyType, errors: TokenStream) -> TokenStream {
    let (crdkit, private) = (&apply.crates.crdkit, &apply.crates.private);
    let ident = &apply.ident;
    let doc = format!("A part of a [`{ident}`], for server-side apply. Fields that are not set are not sent.");
    let definition = definition(apply, &apply.apply, &doc);
    let root = root::definition(apply);
    let parts = [
        methods(apply),
        serialize_impl(apply, &apply.apply),
        apply_value_impl(apply),
        full_json(apply),
        checks(apply),
        root::expand(apply),
    ];
    quote! {
        #errors
        #definition
        #root
        #[allow(deprecated)]
        const _: () = {
            #[allow(unused_imports)]
            use #crdkit::__private::{
                require as __require,
                apply::{self as #private, NoDefinition as _, NoListKeys as _, SerializedJson as _},
            };
            #(#parts)*
        };
    }
}

fn definition(apply: &ApplyType, ident: &Ident, doc: &str) -> TokenStream {
    let (vis, crdkit) = (&apply.vis, &apply.crates.crdkit);
    quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq)]
        #[must_use]
        #vis struct #ident(#crdkit::__private::apply::Fields);
    }
}

fn methods(apply: &ApplyType) -> TokenStream {
    let (ident, private, vis) = (&apply.apply, &apply.crates.private, &apply.vis);
    let (keys, fields): (Vec<_>, Vec<_>) = apply.fields.iter().partition(|field| field.is_key);
    let arguments = keys.iter().map(|key| setter::argument(key, &key.ident, private));
    let set = keys.iter().map(|key| setter::call(key, &key.ident, &[], private));
    let setters = fields.iter().map(|field| setter::method(field, &[], private));
    let (doc, default) = if keys.is_empty() {
        ("Creates a value without fields.", default(ident))
    } else {
        ("Creates a value that has only its keys.", TokenStream::new())
    };
    quote! {
        #[automatically_derived]
        impl #ident {
            #[doc = #doc]
            #vis fn new(#(#arguments),*) -> Self {
                Self(#private::Fields::new() #(#set)*)
            }
            #(#setters)*
        }
        #default
    }
}

fn default(ident: &Ident) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::core::default::Default for #ident {
            fn default() -> Self {
                Self::new()
            }
        }
    }
}

fn serialize_impl(apply: &ApplyType, ident: &Ident) -> TokenStream {
    let serde = &apply.crates.serde;
    quote! {
        #[automatically_derived]
        impl #serde::Serialize for #ident {
            fn serialize<__S: #serde::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                #serde::Serialize::serialize(&self.0, serializer)
            }
        }
    }
}

fn apply_value_impl(apply: &ApplyType) -> TokenStream {
    let (type_, ident, private) = (&apply.ident, &apply.apply, &apply.crates.private);
    quote! {
        #[automatically_derived]
        impl #private::ApplyValue<#type_> for #ident {
            fn into_json(self) -> #private::Json {
                self.0.into_json()
            }
        }
    }
}

/// The implementation that serializes all fields of the type.
fn full_json(apply: &ApplyType) -> TokenStream {
    let (type_, private) = (&apply.ident, &apply.crates.private);
    let keys = apply.fields.iter().filter(|field| field.is_key).filter_map(|field| field.name.as_ref());
    let fields = apply.fields.iter().map(|field| full_json_field(field, private));
    quote! {
        #[automatically_derived]
        impl #private::ToFullJson for #type_ {
            const KEYS: &'static [&'static ::core::primitive::str] = &[#(#keys),*];
            fn to_full_json(&self) -> #private::Json {
                let fields = #private::Fields::new();
                #(#fields)*
                fields.into_json()
            }
        }
    }
}

fn full_json_field(field: &SettableField, private: &Ident) -> TokenStream {
    let ident = &field.ident;
    let cfgs = field.attributes.iter().filter(|attr| attr.path().is_ident("cfg"));
    let json = match &field.serialize_with {
        Some(function) => json_with(function, &quote!(&self.#ident), private),
        None => quote!(#private::FieldJson(&self.#ident).json()),
    };
    match &field.name {
        Some(name) => quote!(#(#cfgs)* let fields = fields.put(#name, #json);),
        None => quote!(#(#cfgs)* let fields = fields.merge(&[], #json);),
    }
}

/// Checks that the apply types of list items have the keys of the list.
fn checks(apply: &ApplyType) -> TokenStream {
    let private = &apply.crates.private;
    let of_lists = apply.fields.iter().filter(|field| !field.list_keys.is_empty());
    of_lists
        .filter_map(|field| Some((field.argument.item()?, &field.list_keys)))
        .map(|(item, keys)| {
            let name = quote!(#item).to_string();
            let call = quote!(#private::keys(#name, #private::ListKeys::<#item>::KEYS, &[#(#keys),*]));
            let check = quote_spanned!(item.span()=> __require(#call));
            quote!(const _: () = #check;)
        })
        .collect()
}
