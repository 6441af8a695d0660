//! The implementation of `HasConditions` for a status.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::model::{conditions::Conditions, schema::SchemaType};

pub(super) fn expand(schema: &SchemaType) -> Option<TokenStream> {
    let Conditions { member, ty } = schema.conditions.as_ref()?;
    let (ident, private) = (&schema.ident, &schema.crates.private);
    let (impl_generics, type_generics, where_clause) = schema.generics.split_for_impl();
    let list = quote_spanned!(ty.span()=> <#ty as #private::conditions::ConditionList>::list_mut);
    Some(quote! {
        #[automatically_derived]
        impl #impl_generics #private::conditions::HasConditions for #ident #type_generics #where_clause {
            fn conditions_mut(&mut self) -> &mut #private::conditions::Vec<#private::conditions::Condition> {
                #list(&mut self.#member)
            }
        }
    })
}
