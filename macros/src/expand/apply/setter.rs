//! Methods that set fields.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::{
    expand::json_with,
    model::apply::{SettableField, SetterArgument},
};

/// A method that sets a field of the object at a path.
pub(super) fn method(field: &SettableField, place: &[&str], private: &Ident) -> TokenStream {
    let SettableField { vis, ident, attributes, .. } = field;
    let value = Ident::new("value", Span::call_site());
    let doc = doc(field);
    let argument = argument(field, &value, private);
    let call = call(field, &value, place, private);
    quote! {
        #doc
        #(#attributes)*
        #vis fn #ident(self, #argument) -> Self {
            Self(self.0 #call)
        }
    }
}

/// The documentation of a method whose field has none.
fn doc(field: &SettableField) -> Option<TokenStream> {
    let is_documented = field.attributes.iter().any(|attr| attr.path().is_ident("doc"));
    let doc = match &field.name {
        Some(name) => format!("Sets `{name}`."),
        None => format!("Sets the fields of `{}`.", field.ident),
    };
    (!is_documented).then(|| quote!(#[doc = #doc]))
}

/// The argument of the setter.
pub(super) fn argument(field: &SettableField, name: &Ident, private: &Ident) -> TokenStream {
    let ty = match &field.serialize_with {
        Some(_) => {
            let ty = &field.ty;
            quote!(impl #private::Into<#ty>)
        }
        None => parameter(&field.argument, private),
    };
    quote!(#name: #ty)
}

fn parameter(argument: &SetterArgument, private: &Ident) -> TokenStream {
    match argument {
        SetterArgument::Primitive(ty) => quote!(#ty),
        SetterArgument::Value(ty) => quote!(impl #private::ApplyValue<#ty>),
        SetterArgument::List(item) => {
            let item = parameter(item, private);
            quote!(impl #private::IntoIterator<Item = #item>)
        }
        SetterArgument::Map(key, value) => {
            let value = parameter(value, private);
            quote!(impl #private::IntoIterator<Item = (impl #private::Into<#key>, #value)>)
        }
    }
}

/// The method call that sets a field.
pub(super) fn call(field: &SettableField, value: &Ident, place: &[&str], private: &Ident) -> TokenStream {
    let json = match &field.serialize_with {
        Some(function) => {
            let (ty, declared_type) = (&field.ty, &field.declared_type);
            let value = quote!(<_ as #private::Into<#ty>>::into(#value));
            json_with(function, &quote!(&<#ty as #private::Into<#declared_type>>::into(#value)), private)
        }
        None => json(&field.argument, value, private),
    };
    match &field.name {
        Some(name) => quote!(.set(&[#(#place),*], #name, #json)),
        None => quote!(.merge(&[#(#place),*], #json)),
    }
}

fn json(argument: &SetterArgument, value: &Ident, private: &Ident) -> TokenStream {
    let inner = Ident::new("value", Span::call_site());
    match argument {
        SetterArgument::Primitive(_) => quote!(#private::json(&#value)),
        SetterArgument::Value(ty) => quote!(<_ as #private::ApplyValue<#ty>>::into_json(#value)),
        SetterArgument::List(item) => {
            let item = json(item, &inner, private);
            quote!(#private::list(#value, |#inner| #item))
        }
        SetterArgument::Map(key, entry) => {
            let entry = json(entry, &inner, private);
            quote!(#private::map(
                #value,
                |(key, #inner)| (<_ as #private::Into<#key>>::into(key), #entry),
            ))
        }
    }
}
