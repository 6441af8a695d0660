//! Defaults.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprPath, spanned::Spanned};

use crate::{
    attrs::{default::DefaultLiteral, keywords::Scalar},
    expand::json_with,
    model::{
        crates::Crates,
        keyword::{Default, DefaultValue},
    },
};

/// A literal default.
pub(in crate::expand) fn constant(value: &DefaultLiteral, private: &Ident) -> TokenStream {
    let literal = quote!(#private::Literal);
    match value {
        DefaultLiteral::Boolean(value) => quote!(#literal::Boolean(#value)),
        DefaultLiteral::Scalar(Scalar::Text(text)) => quote!(#literal::Text(#text)),
        DefaultLiteral::Scalar(Scalar::Integer(number)) => quote!(#literal::Integer(#number)),
        DefaultLiteral::Scalar(Scalar::Number(number)) => quote!(#literal::Number(#number)),
        DefaultLiteral::List(items) => {
            let items = items.iter().map(|item| constant(item, private));
            quote!(#literal::List(&[#(#items),*]))
        }
        DefaultLiteral::Object => quote!(#literal::Object),
    }
}

/// A function that returns the default as JSON.
pub(super) fn function(default: &Default, crates: &Crates) -> TokenStream {
    let p = &crates.private;
    // A reference, since fields cannot be moved out of a type that implements `Drop`.
    let value = match &default.value {
        DefaultValue::Type(ty) => {
            quote!(let __value = &<#ty as #p::Default>::default();)
        }
        DefaultValue::Function(function) => quote!(let __value = &#function();),
        DefaultValue::Member { container: Some(function), member } => quote! {
            let __container = #p::annotate::<Self>(#function());
            let __value = &__container.#member;
        },
        DefaultValue::Member { container: None, member } => quote! {
            let __container = <Self as #p::Default>::default();
            let __value = &__container.#member;
        },
        DefaultValue::Expression(expr) => {
            return expression(expr, default.serialize_with.as_ref(), p);
        }
    };
    let json = match &default.serialize_with {
        Some(function) => {
            let json = json_with(function, &quote!(__value), p);
            quote!(#json.map(#p::Some))
        }
        None => quote!(#p::DefaultValue(__value).to_json()),
    };
    let json = match &default.skip_if {
        Some(skip) => quote!(if #skip(__value) { #p::Ok(#p::None) } else { #json }),
        None => json,
    };
    quote! {
        || {
            #[allow(unused_imports)]
            use #p::NoDefaultValue as _;
            #value
            #json
        }
    }
}

/// A function that returns the value of an expression as JSON.
fn expression(expr: &Expr, serialize_with: Option<&ExprPath>, private: &Ident) -> TokenStream {
    match serialize_with {
        Some(function) => {
            let json = json_with(function, &quote!(&(#expr)), private);
            quote!(|| #json.map(#private::Some))
        }
        None => quote_spanned!(expr.span()=> || #private::default_of(&(#expr))),
    }
}
