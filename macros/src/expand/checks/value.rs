//! Checks of keywords and validations against the types of values.

use crdkit_core::{path::ElementStep, schema::AppliesTo};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{ident_of, rule};
use crate::{
    attrs::validation::ValidationTarget,
    model::schema::{KeywordCheck, KeywordCheckKind},
};

/// The check of a keyword; none if nothing depends on the schema.
pub(super) fn keyword_check(
    check: &KeywordCheck,
    schema: &TokenStream,
    field: usize,
    private: &Ident,
) -> Option<TokenStream> {
    let keyword = quote!(#private::check::keyword);
    let inside = check.inside.iter().map(|step| match step {
        ElementStep::Items => quote!(#keyword::ElementStep::Items),
        ElementStep::Values => quote!(#keyword::ElementStep::Values),
    });
    let inside = quote!(&[#(#inside),*]);
    let subject = subject(check.on_type, schema, field, &inside, private);
    let topology = quote!(#private::check::topology);
    Some(match &check.kind {
        KeywordCheckKind::ListAtomic => quote!(#topology::list_atomic(#subject)),
        KeywordCheckKind::ListSet => quote!(#topology::list_set(#subject)),
        KeywordCheckKind::ListMap => quote!(#topology::list_map(#subject)),
        KeywordCheckKind::ListMapKey(key) => quote!(#topology::list_map_key(#subject, #key)),
        KeywordCheckKind::MapMerge => quote!(#topology::map_merge(#subject)),
        KeywordCheckKind::Correlatable => quote!(#private::check::field_markers::is_correlatable(#subject)),
        KeywordCheckKind::FieldPath(steps) => {
            quote!(#private::check::path::field_path(#subject, &[#(#steps),*]))
        }
        KeywordCheckKind::Default(value) => {
            let value = crate::expand::keyword::constant(value, private);
            quote!(#keyword::default(#subject, #value))
        }
        KeywordCheckKind::Variant(name) => quote!(#keyword::has_variant(#subject, #name)),
        KeywordCheckKind::AppliesTo(key, applies_to) => {
            let values = values(*applies_to);
            quote!(#keyword::fits(#subject, #key, #keyword::AppliesTo::#values))
        }
        KeywordCheckKind::RuleTypes(check) => return rule::types(check, &subject, private),
        KeywordCheckKind::Satisfiable { .. } => quote!(#keyword::satisfiable(#subject)),
    })
}

fn values(applies_to: AppliesTo) -> TokenStream {
    match applies_to {
        AppliesTo::Numbers => quote!(Numbers),
        AppliesTo::Integers => quote!(Integers),
        AppliesTo::Fractions => quote!(Fractions),
        AppliesTo::Text => quote!(Text),
        AppliesTo::Lists => quote!(Lists),
        AppliesTo::Objects => quote!(Objects),
        AppliesTo::EachItem => quote!(EachItem),
        AppliesTo::EachValue => quote!(EachValue),
        AppliesTo::Null => quote!(Null),
        AppliesTo::Resource => quote!(Resource),
    }
}

/// The check of a validation.
pub(super) fn validation_check(
    target: ValidationTarget,
    on_type: bool,
    schema: &TokenStream,
    field: usize,
    private: &Ident,
) -> TokenStream {
    let subject = subject(on_type, schema, field, &quote!(&[]), private);
    let function = ident_of(match target {
        ValidationTarget::Sized => "has_size",
        ValidationTarget::Number => "is_number",
        ValidationTarget::String => "is_text",
        ValidationTarget::List => "is_list",
    });
    quote!(#private::check::field::#function(#subject))
}

/// The value of a type or of a field, or one within it.
fn subject(on_type: bool, schema: &TokenStream, field: usize, inside: &TokenStream, private: &Ident) -> TokenStream {
    let keyword = quote!(#private::check::keyword);
    if on_type {
        quote!(#keyword::Subject::of_type(#schema, #inside))
    } else {
        quote!(#keyword::Subject::of_field(#schema, #field, #inside))
    }
}
