//! Schemas of the types of fields.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Type, spanned::Spanned};

use crate::model::schema_source::SchemaSource;

/// An expression of the type `&'static Schema`. `Fallback` and `__Probe` must be in scope.
///
/// The schemas of a type, and of an `Option`, a list or a map of it, are constants that all fields share. This compiles
/// much faster than a constant for each field.
pub(super) fn schema(source: &SchemaSource, private: &Ident) -> TokenStream {
    match source {
        SchemaSource::Type(ty) => lookup(ty, "schema"),
        SchemaSource::Optional(inner) => match &**inner {
            SchemaSource::Type(ty) => lookup(ty, "optional"),
            inner => {
                let inner = schema(inner, private);
                quote!(&#private::optional(#inner))
            }
        },
        SchemaSource::List(inner) => match &**inner {
            SchemaSource::Type(ty) => lookup(ty, "list"),
            inner => {
                let inner = schema(inner, private);
                quote!(&#private::Schema::list(#inner))
            }
        },
        SchemaSource::Map(keys, inner) => map(keys.as_ref(), inner, private),
        SchemaSource::Function(function) => quote! {
            &#private::Schema::foreign(#private::Foreign::new(
                || ::core::stringify!(#function),
                #function,
            ))
        },
        SchemaSource::PreserveUnknownFields => quote!(&#private::PRESERVED),
        SchemaSource::Opaque => quote!(&#private::OPAQUE),
        SchemaSource::IntOrString => quote!(&#private::Schema::int_or_string()),
        SchemaSource::Constant(schema) => quote_spanned!(schema.span()=> &#schema),
        SchemaSource::Invalid => quote!(&#private::check::ERRONEOUS),
    }
}

/// A map, whose keys may have known names.
fn map(keys: Option<&Type>, values: &SchemaSource, private: &Ident) -> TokenStream {
    if let (None, SchemaSource::Type(ty)) = (keys, values) {
        return lookup(ty, "map");
    }
    let values = schema(values, private);
    match keys {
        Some(keys) => {
            let span = keys.span();
            let (keys, private) = (lookup(keys, "known"), with_span(private, span));
            quote_spanned!(span=> &#private::keyed_map(#keys, #values))
        }
        None => quote!(&#private::Schema::map(#values)),
    }
}

/// The alias of crdkit with a span: a call has the span of its path.
pub(super) fn with_span(private: &Ident, span: Span) -> Ident {
    Ident::new(&private.to_string(), span)
}

fn lookup(ty: &Type, method: &str) -> TokenStream {
    let method = Ident::new(method, ty.span());
    quote_spanned!(ty.span()=> __Probe::<#ty>::LOOKUP.#method())
}
