//! The function that encodes a type.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use serde_derive_internals::{
    Derive,
    ast::{Container, Data, Field, Style, Variant},
};
use syn::spanned::Spanned;

use super::{bounds, implementations_of_serialize, probe, variable};

pub(super) fn expand(container: &Container<'_>) -> TokenStream {
    implementations_of_serialize(container, &body(container), &quote!(__codec::serialize(self, __serializer)))
}

fn body(container: &Container<'_>) -> TokenStream {
    let attrs = &container.attrs;
    let name = &attrs.name().serialize_name().value;
    if let Some(into) = attrs.type_into() {
        let probe = probe(into, "'_");
        let part = quote!(#probe::part(&__converted));
        return quote! {
            let __converted: #into = ::core::convert::Into::into(::core::clone::Clone::clone(self));
            __codec::encode_part(#part, __sink)
        };
    }
    match &container.data {
        Data::Struct(_, fields) if attrs.transparent() => {
            let field = fields.iter().find(|field| field.attrs.transparent());
            let (with, part) = field.map(|field| of_field(container, field)).unwrap_or_default();
            quote!(#with __codec::encode_part(#part, __sink))
        }
        Data::Struct(Style::Unit, _) => quote!(__sink.unit(#name)),
        Data::Struct(Style::Newtype, fields) => {
            let (with, part) = fields.first().map(|field| of_field(container, field)).unwrap_or_default();
            quote!(#with __sink.newtype(#name, #part))
        }
        Data::Struct(Style::Tuple, fields) => {
            let (withs, parts): (Vec<_>, Vec<_>) = encoded(fields).map(|field| of_field(container, field)).unzip();
            quote!(#(#withs)* __sink.tuple(#name, &[#(#parts),*]))
        }
        Data::Struct(Style::Struct, fields) => {
            let (withs, parts): (Vec<_>, Vec<_>) = encoded(fields).map(|field| of_field(container, field)).unzip();
            let names = encoded(fields).map(|field| &field.attrs.name().serialize_name().value);
            quote!(#(#withs)* __sink.object(#name, &[#((#names, #parts)),*]))
        }
        Data::Enum(variants) => enumeration(container, variants),
    }
}

fn encoded<'f>(fields: &'f [Field<'f>]) -> impl Iterator<Item = &'f Field<'f>> {
    fields.iter().filter(|field| !field.attrs.skip_serializing())
}

/// The declarations that a field of a struct needs, and its part.
fn of_field(container: &Container<'_>, field: &Field<'_>) -> (TokenStream, TokenStream) {
    let member = &field.member;
    let this = Ident::new("self", Span::call_site().located_at(field.ty.span()));
    part(container, field, &quote_spanned!(field.ty.span()=> &#this.#member))
}

/// The declarations that a field needs, and its part.
fn part(container: &Container<'_>, field: &Field<'_>, place: &TokenStream) -> (TokenStream, TokenStream) {
    let (ty, probe) = (field.ty, probe(field.ty, "'_"));
    let (with, part) = match field.attrs.serialize_with() {
        Some(function) => {
            let variable = format_ident!("__with{}", variable(field));
            let generics = bounds::of(container, Derive::Serialize);
            let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
            let ident = &container.ident;
            let arguments = quote!(self.0, __serializer);
            let call = quote_spanned!(function.span()=> #function(#arguments));
            let with = quote! {
                let #variable = {
                    struct __With<'a, T: ?Sized, C: ?Sized>(&'a T, ::core::marker::PhantomData<C>);
                    impl #impl_generics __codec::serde::Serialize for __With<'_, #ty, #ident #type_generics> #where_clause {
                        fn serialize<__S: __codec::serde::Serializer>(
                            &self,
                            __serializer: __S,
                        ) -> ::core::result::Result<__S::Ok, __S::Error> {
                            #call
                        }
                    }
                    __With::<'_, #ty, #ident #type_generics>(#place, ::core::marker::PhantomData)
                };
            };
            (with, quote!(__codec::Part::Foreign(&#variable)))
        }
        None => (TokenStream::new(), quote_spanned!(ty.span()=> #probe::part(#place))),
    };
    match field.attrs.skip_serializing_if() {
        Some(function) => {
            let is_skipped = quote_spanned!(function.span()=> #function(#place));
            (with, quote!(if #is_skipped { __codec::Part::Skipped } else { #part }))
        }
        None => (with, part),
    }
}

fn enumeration(container: &Container<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let arms = variants.iter().enumerate().map(|(index, variant)| arm(container, index, variant));
    quote! {
        match *self {
            #(#arms)*
        }
    }
}

fn arm(container: &Container<'_>, index: usize, variant: &Variant<'_>) -> TokenStream {
    let ident = &variant.ident;
    if variant.attrs.skip_serializing() {
        let message = format!("the enum variant {}::{ident} cannot be serialized", container.ident);
        return quote!(Self::#ident { .. } => __codec::not_encoded(#message),);
    }
    let type_name = &container.attrs.name().serialize_name().value;
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    let name = &variant.attrs.name().serialize_name().value;
    let variant_name = quote!(__codec::VariantName { type_name: #type_name, index: #index, name: #name });
    let bound: Vec<_> = encoded(&variant.fields).collect();
    let (members, variables): (Vec<_>, Vec<_>) = bound.iter().map(|field| (&field.member, variable(field))).unzip();
    let pattern = quote!(Self::#ident { #(#members: ref #variables,)* .. });
    let (withs, parts): (Vec<_>, Vec<_>) = bound
        .iter()
        .map(|field| {
            let variable = variable(field);
            part(container, field, &quote!(#variable))
        })
        .unzip();
    let call = match variant.style {
        Style::Unit => quote!(__sink.unit_variant(#variant_name)),
        Style::Newtype => quote!(__sink.newtype_variant(#variant_name, #(#parts)*)),
        Style::Tuple => quote!(__sink.tuple_variant(#variant_name, &[#(#parts),*])),
        Style::Struct => {
            let names = bound.iter().map(|field| &field.attrs.name().serialize_name().value);
            quote!(__sink.object_variant(#variant_name, &[#((#names, #parts)),*]))
        }
    };
    quote!(#pattern => { #(#withs)* #call })
}
