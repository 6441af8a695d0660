//! Schemas of the types of fields.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Type, spanned::Spanned};

use crate::model::source::Source;

/// An expression of the type `&'static Schema`. `Fallback` and `__Probe` must be in scope.
///
/// The schema of a type, of an `Option`, a list or a map of it is one constant for all fields that have it, which is
/// much cheaper to compile than a constant a field.
pub(super) fn schema(source: &Source, private: &Ident) -> TokenStream {
    match source {
        Source::Type(ty) => lookup(ty, "schema"),
        Source::Optional(inner) => match &**inner {
            Source::Type(ty) => lookup(ty, "optional"),
            inner => {
                let inner = schema(inner, private);
                quote!(&#private::optional(#inner))
            }
        },
        Source::List(inner) => match &**inner {
            Source::Type(ty) => lookup(ty, "list"),
            inner => {
                let inner = schema(inner, private);
                quote!(&#private::Schema::list(#inner))
            }
        },
        Source::Map(keys, inner) => map(keys.as_ref(), inner, private),
        Source::Function(function) => quote! {
            &#private::Schema::foreign(#private::Foreign::new(
                || ::core::stringify!(#function),
                #function,
            ))
        },
        Source::PreserveUnknownFields => quote!(&#private::PRESERVED),
        Source::Opaque => quote!(&#private::OPAQUE),
        Source::IntOrString => quote!(&#private::Schema::int_or_string()),
        Source::Constant(schema) => quote_spanned!(schema.span()=> &#schema),
        Source::Invalid => quote!(&#private::check::MISTAKEN),
    }
}

/// A map whose keys may have names.
fn map(keys: Option<&Type>, values: &Source, private: &Ident) -> TokenStream {
    if let (None, Source::Type(ty)) = (keys, values) {
        return lookup(ty, "map");
    }
    let values = schema(values, private);
    match keys {
        Some(keys) => {
            let span = keys.span();
            let (keys, private) = (lookup(keys, "known"), on(private, span));
            quote_spanned!(span=> &#private::keyed_map(#keys, #values))
        }
        None => quote!(&#private::Schema::map(#values)),
    }
}

/// What generated code names, on a token: a call has the span of its path.
pub(super) fn on(private: &Ident, span: Span) -> Ident {
    Ident::new(&private.to_string(), span)
}

fn lookup(ty: &Type, form: &str) -> TokenStream {
    let form = Ident::new(form, ty.span());
    quote_spanned!(ty.span()=> __Probe::<#ty>::LOOKUP.#form())
}
