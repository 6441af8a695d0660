//! What keywords and defaults ask of values.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::ident_of;
use crate::{
    attrs::validation::Demand,
    expand::keyword::variant_of,
    model::schema::{Asked, KeywordCheck},
};

/// What a keyword asks of the value that it is written on.
pub(super) fn of_keyword(check: &KeywordCheck, schema: &TokenStream, field: usize, private: &Ident) -> TokenStream {
    let keyword = quote!(#private::check::keyword);
    let inside = check.inside.iter().map(variant_of);
    let inside = inside.map(|step| quote!(#keyword::ElementStep::#step));
    let inside = quote!(&[#(#inside),*]);
    let subject = subject(check.of_type, schema, field, &inside, private);
    let merging = quote!(#private::check::topology);
    match &check.asked {
        Asked::ListAtomic => quote!(#merging::list_atomic(#subject)),
        Asked::ListSet => quote!(#merging::list_set(#subject)),
        Asked::ListMap => quote!(#merging::list_map(#subject)),
        Asked::ListMapKey(key) => quote!(#merging::list_map_key(#subject, #key)),
        Asked::MapMerge => quote!(#merging::map_merge(#subject)),
        Asked::Followed => quote!(#private::check::markers::is_followed(#subject)),
        Asked::FieldPath(steps) => {
            quote!(#private::check::path::field_path(#subject, &[#(#steps),*]))
        }
        Asked::Default(value) => {
            let value = crate::expand::keyword::constant(value, private);
            quote!(#keyword::default(#subject, #value))
        }
        Asked::Variant(name) => quote!(#keyword::has_variant(#subject, #name)),
        Asked::Fits(key, about) => {
            let about = variant_of(about);
            quote!(#keyword::fits(#subject, #key, #keyword::AppliesTo::#about))
        }
        Asked::Satisfiable { .. } => quote!(#keyword::satisfiable(#subject)),
    }
}

/// What a validation asks of the value that it is written on.
pub(super) fn of_validation(
    demand: Demand,
    of_type: bool,
    schema: &TokenStream,
    field: usize,
    private: &Ident,
) -> TokenStream {
    let subject = subject(of_type, schema, field, &quote!(&[]), private);
    let function = ident_of(match demand {
        Demand::Size => "has_size",
        Demand::Number => "is_number",
        Demand::Text => "is_text",
        Demand::List => "is_list",
    });
    quote!(#private::check::field::#function(#subject))
}

/// The value of a type or of a field, or what is in it.
fn subject(of_type: bool, schema: &TokenStream, field: usize, inside: &TokenStream, private: &Ident) -> TokenStream {
    let keyword = quote!(#private::check::keyword);
    match of_type {
        true => quote!(#keyword::Subject::of_type(#schema, #inside)),
        false => quote!(#keyword::Subject::of_field(#schema, #field, #inside)),
    }
}
