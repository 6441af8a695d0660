//! Schemas of the types of fields.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Path, spanned::Spanned};

use crate::model::source::Source;

/// An expression of the type `Schema`. `Fallback` and `__Probe` must be in scope.
pub(super) fn schema(source: &Source, crdkit: &Path) -> TokenStream {
    match source {
        Source::Type(ty) => quote_spanned!(ty.span()=> __Probe::<#ty>::LOOKUP.schema()),
        Source::Optional(inner) => {
            let inner = schema(inner, crdkit);
            quote!(#inner.optional())
        }
        Source::List(inner) => {
            let inner = schema(inner, crdkit);
            quote!(#crdkit::__private::Schema::list(&#inner))
        }
        Source::Map(inner) => {
            let inner = schema(inner, crdkit);
            quote!(#crdkit::__private::Schema::map(&#inner))
        }
        Source::Function(function) => quote! {
            #crdkit::__private::Schema::foreign(#crdkit::__private::Foreign::new(
                || ::core::stringify!(#function),
                #function,
            ))
        },
        Source::Any => quote!(#crdkit::__private::Schema::any()),
        Source::Mistaken => quote!(#crdkit::__private::check::MISTAKEN),
    }
}
