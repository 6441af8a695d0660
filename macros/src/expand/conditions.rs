//! The implementation of `HasConditions` for a status.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::model::{conditions::Conditions, schema::SchemaType};

pub(super) fn expand(schema: &SchemaType) -> Option<TokenStream> {
    let conditions = schema.conditions.as_ref()?;
    Some(if conditions.is_marked {
        from_marked_field(conditions, schema)
    } else {
        from_usual_field(conditions, schema)
    })
}

/// `HasConditions`, from the field with `#[crd(conditions)]`.
fn from_marked_field(Conditions { member, ty, .. }: &Conditions, schema: &SchemaType) -> TokenStream {
    let (ident, private) = (&schema.ident, &schema.crates.private);
    let (impl_generics, type_generics, where_clause) = schema.generics.split_for_impl();
    let list = quote_spanned!(ty.span()=> <#ty as #private::conditions::ConditionList>::list_mut);
    quote! {
        #[automatically_derived]
        impl #impl_generics #private::conditions::HasConditions for #ident #type_generics #where_clause {
            fn conditions_mut(&mut self) -> &mut #private::conditions::Vec<#private::conditions::Condition> {
                #list(&mut self.#member)
            }
        }
    }
}

/// `ConditionsField`, which replaces `HasConditions` unless that is implemented manually. The bound does not hold if
/// `Condition` is another type of the same name.
fn from_usual_field(Conditions { member, ty, .. }: &Conditions, schema: &SchemaType) -> TokenStream {
    let (ident, private) = (&schema.ident, &schema.crates.private);
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use #private::conditions::NotByHand as _;
            #[automatically_derived]
            impl #private::conditions::ConditionsField<{ #private::conditions::ByHand::<#ident>::IS_IMPLEMENTED }> for #ident
            where
                for<'__a> #ty: #private::conditions::MaybeConditionList<'__a>,
            {
                fn field_mut(&mut self) -> &mut #private::conditions::Vec<#private::conditions::Condition> {
                    #private::conditions::ConditionList::list_mut(&mut self.#member)
                }
            }
        };
    }
}
