//! The implementations of `Convert` and `Spoke`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Path, Type, ext::IdentExt, spanned::Spanned};

use super::{resource::snake_case, wrap_in_const};
use crate::{
    attrs::{
        apply::RootAttrs,
        convert::{DefaultValue, WithModule},
    },
    model::convert::{Body, ConversionField, ConvertType, Tagging, Variant, VariantData},
};

pub(super) fn expand(convert: &ConvertType) -> TokenStream {
    let private = &convert.crates.private;
    let ident = &convert.ident;
    let node = node(convert);
    let checks = match &convert.body {
        Body::Object(fields) => object_checks(convert, fields),
        Body::Enum(_, variants) => enum_checks(convert, variants),
        Body::Newtype(_) => TokenStream::new(),
    };
    let root = convert.root.as_ref().map(|root| spoke(convert, root));
    let tokens = quote! {
        #[allow(unused_imports)]
        use #private::convert::{self as __convert, NoConversion as _, NoHub as _};
        #node
        #[automatically_derived]
        impl __convert::Convert for #ident {
            const NODE: __convert::ConversionNode = __NODE;
        }
        #root
        #checks
    };
    let implementations = wrap_in_const(&convert.crates, &tokens);
    let test = convert.root.as_ref().filter(|root| root.test).map(|root| test(convert, root));
    quote!(#implementations #test)
}

/// The generated test of the conversion.
fn test(convert: &ConvertType, attrs: &RootAttrs) -> TokenStream {
    let (root, crdkit) = (&attrs.root, &convert.crates.crdkit);
    let snake = snake_case(&root.unraw().to_string());
    let module = format_ident!("__test_of_conversion_of_{snake}");
    let name = format_ident!("{snake}_converts_without_loss");
    quote!(#crdkit::__private::convert::conversion_test! { #root #module #name })
}

/// The counterpart of the type.
fn hub_type(convert: &ConvertType) -> TokenStream {
    let (hub, private) = (&convert.hub, &convert.crates.private);
    match &convert.root {
        Some(_) => quote_spanned!(hub.span()=> <#hub as #private::CustomResource>::Spec),
        None => quote!(#hub),
    }
}

fn schema(ty: &TokenStream, span: &impl Spanned) -> TokenStream {
    quote_spanned!(span.span()=> <#ty as __KubeSchema>::SCHEMA_REF)
}

/// `__NODE`, and for an object `__CONVERSION`.
fn node(convert: &ConvertType) -> TokenStream {
    let ident = &convert.ident;
    let spoke = schema(&quote!(#ident), ident);
    let hub = schema(&hub_type(convert), &convert.hub);
    match &convert.body {
        Body::Object(fields) => {
            let conversion = object(fields, convert, &spoke, &hub);
            quote! {
                const __CONVERSION: __convert::ObjectConversion = #conversion;
                const __NODE: __convert::ConversionNode = __convert::ConversionNode::Object(&__CONVERSION);
            }
        }
        Body::Newtype(ty) => {
            let node = node_of(ty);
            quote!(const __NODE: __convert::ConversionNode = #node;)
        }
        Body::Enum(tagging, variants) => {
            let (private, tagging) = (&convert.crates.private, self::tagging(tagging, &convert.crates.private));
            let conversions = variants.iter().enumerate().filter_map(|(at, it)| {
                let VariantData::Object(fields) = &it.data else { return None };
                let (name, hub_name) = (conversion_of(at), &it.hub);
                let spoke = quote!(#private::check::variants::content(#spoke, #at));
                let hub = quote!(#private::check::convert::hub_content(#hub, #hub_name));
                let conversion = object(fields, convert, &spoke, &hub);
                Some(quote!(const #name: __convert::ObjectConversion = #conversion;))
            });
            let only_in_hub = variants.iter().flat_map(|variant| {
                let name = &variant.name;
                variant.only_in_hub.iter().map(move |hub| quote!((#hub, #name)))
            });
            let variants = variants.iter().enumerate().map(|(at, it)| variant(at, it, &hub, private));
            quote! {
                #(#conversions)*
                const __CONVERSION: __convert::EnumConversion = __convert::EnumConversion {
                    spoke: #spoke,
                    hub: #hub,
                    tagging: #tagging,
                    hub_tagging: #private::check::convert::hub_tagging(#hub, #tagging),
                    variants: &[#(#variants),*],
                    only_in_hub: &[#(#only_in_hub),*],
                };
                const __NODE: __convert::ConversionNode = __convert::ConversionNode::Enum(&__CONVERSION);
            }
        }
    }
}

fn tagging(tagging: &Tagging, private: &Ident) -> TokenStream {
    match tagging {
        Tagging::External => quote!(#private::Tagging::External),
        Tagging::Internal(tag) => quote!(#private::Tagging::Internal(#tag)),
        Tagging::Adjacent { tag, content } => quote!(#private::Tagging::Adjacent { tag: #tag, content: #content }),
    }
}

fn object(fields: &[ConversionField], convert: &ConvertType, spoke: &TokenStream, hub: &TokenStream) -> TokenStream {
    let fields = fields.iter().map(field);
    let is_partial = convert.is_partial;
    let hub_defaults = convert.hub_defaults.iter().map(|default| {
        let (name, value) = (&default.name, &default.value);
        quote!(__convert::HubDefault { path: &[#name], value: || __convert::value_of(#value) })
    });
    quote! {
        __convert::ObjectConversion {
            spoke: #spoke,
            hub: #hub,
            fields: &[#(#fields),*],
            hub_defaults: &[#(#hub_defaults),*],
            is_partial: #is_partial,
        }
    }
}

fn field(field: &ConversionField) -> TokenStream {
    let name = &field.name;
    let some = quote!(::core::option::Option::Some);
    let none = quote!(::core::option::Option::None);
    let hub = match &field.hub {
        Some(path) => quote!(#some(&[#(#path),*])),
        None => none.clone(),
    };
    let with = match &field.with {
        Some(with) => {
            let with = self::with(with, &field.value_type);
            quote!(#some(#with))
        }
        None => none.clone(),
    };
    let default = match &field.default {
        Some(default) => {
            let value = self::default(default, &field.ty);
            quote!(#some(|| __convert::value_of::<#value))
        }
        None => none,
    };
    let node = match (&field.with, &field.hub) {
        (None, Some(_)) => node_of(&field.ty),
        _ => quote!(__convert::ConversionNode::Same),
    };
    quote!(__convert::FieldConversion { name: #name, hub: #hub, with: #with, default: #default, node: #node })
}

/// The type and the argument of `value_of`.
fn default(default: &DefaultValue, ty: &Type) -> TokenStream {
    match default {
        DefaultValue::OfType => quote_spanned!(ty.span()=> #ty>(<#ty as ::core::default::Default>::default())),
        DefaultValue::Expr(value) => quote!(_>(#value)),
    }
}

fn with(with: &WithModule, ty: &Type) -> TokenStream {
    let path = &with.path;
    let apply = if with.can_fail { quote!(try_apply) } else { quote!(apply) };
    let rest = if with.can_fail { quote!(, _) } else { TokenStream::new() };
    let to_hub = quote_spanned!(path.span()=> __convert::#apply::<#ty, _ #rest>(value, #path::to_hub));
    let from_hub = quote_spanned!(path.span()=> __convert::#apply::<_, #ty #rest>(value, #path::from_hub));
    let canonical = quote_spanned!(ty.span()=> __convert::canonical::<#ty>);
    quote!(__convert::With { to_hub: |value| #to_hub, from_hub: |value| #from_hub, canonical: #canonical })
}

fn node_of(ty: &Type) -> TokenStream {
    quote_spanned!(ty.span()=> __convert::NodeOf::<#ty>::NODE)
}

fn variant(at: usize, variant: &Variant, hub: &TokenStream, private: &Ident) -> TokenStream {
    let (name, hub_name) = (&variant.name, &variant.hub);
    let has_data = !matches!(variant.data, VariantData::None);
    let node = match &variant.data {
        VariantData::None => quote!(__convert::ConversionNode::Same),
        VariantData::Newtype(ty) => node_of(ty),
        VariantData::Object(_) => {
            let conversion = conversion_of(at);
            quote!(__convert::ConversionNode::Object(&#conversion))
        }
    };
    quote! {
        __convert::VariantConversion {
            name: #name,
            hub: #hub_name,
            has_data: #has_data,
            hub_has_data: #private::check::convert::has_data_in_hub(#hub, #hub_name, #has_data),
            node: #node,
        }
    }
}

/// The constant with the conversion of the fields of a variant.
fn conversion_of(variant: usize) -> Ident {
    format_ident!("__CONVERSION_{variant}")
}

/// Checks each field, and that the hub's fields are set.
fn object_checks(convert: &ConvertType, fields: &[ConversionField]) -> TokenStream {
    let private = &convert.crates.private;
    let of_fields = field_checks(private, fields, &format_ident!("__CONVERSION"));
    let of_defaults = convert.hub_defaults.iter().map(|default| {
        let name = &default.name;
        let call =
            quote_spanned!(default.span=> __require(#private::check::convert::hub_path(&__CONVERSION, &[#name])));
        quote!(const _: () = #call;)
    });
    let hub = &convert.hub;
    let of_hub = quote_spanned!(hub.span()=> __require(#private::check::convert::hub_fields(&__CONVERSION)));
    quote!(#of_fields #(#of_defaults)* const _: () = #of_hub;)
}

fn field_checks(private: &Ident, fields: &[ConversionField], conversion: &Ident) -> TokenStream {
    let checks = fields.iter().enumerate().map(|(at, field)| {
        let call = quote_spanned!(field.span=> __require(#private::check::convert::field(&#conversion, #at)));
        quote!(const _: () = #call;)
    });
    checks.collect()
}

/// Checks each variant with its fields, and that the hub's variants are represented.
fn enum_checks(convert: &ConvertType, variants: &[Variant]) -> TokenStream {
    let private = &convert.crates.private;
    let each = variants.iter().enumerate().map(|(at, variant)| {
        let require = |check: TokenStream| {
            let call = quote_spanned!(variant.span=> __require(#private::check::convert::#check));
            quote!(const _: () = #call;)
        };
        let is_in_hub = require(quote!(hub_variant(&__CONVERSION, #at)));
        let fields = match &variant.data {
            VariantData::Object(fields) => {
                let conversion = conversion_of(at);
                let of_hub = require(quote!(hub_fields(&#conversion)));
                let of_fields = field_checks(private, fields, &conversion);
                quote!(#of_fields #of_hub)
            }
            VariantData::None | VariantData::Newtype(_) => TokenStream::new(),
        };
        let stand_in = (!variant.only_in_hub.is_empty()).then(|| require(quote!(stand_in(&__CONVERSION, #at))));
        quote!(#is_in_hub #fields #stand_in)
    });
    let path = &convert.hub;
    let all = quote_spanned!(path.span()=> __require(#private::check::convert::hub_variants(&__CONVERSION)));
    quote!(#(#each)* const _: () = #all;)
}

/// The conversion of the resource.
fn spoke(convert: &ConvertType, attrs: &RootAttrs) -> TokenStream {
    let (private, hub, ident) = (&convert.crates.private, &convert.hub, &convert.ident);
    let root = &attrs.root;
    let status = match &attrs.status {
        Some(status) => quote_spanned!(status.span()=> __convert::NodeOf::<#status>::NODE),
        None => quote!(__convert::ConversionNode::Same),
    };
    let same_kind = quote_spanned! {hub.span()=>
        __require(#private::check::convert::kind(
            <#root as __convert::Spoke>::CONVERSION,
            __convert::HubOf::<#hub>::HUB,
        ))
    };
    let pairs = convert.spokes.iter().map(|other| pair(root, other));
    quote! {
        #[automatically_derived]
        impl __convert::Spoke for #root {
            type Hub = #hub;
            const CONVERSION: __convert::KindConversion = __convert::KindConversion {
                spoke: #private::definition::<#root>(),
                hub: #private::definition::<#hub>(),
                spec: <#ident as __convert::Convert>::NODE,
                status: #status,
            };
        }
        #[automatically_derived]
        impl __convert::VersionOf<#hub> for #root {}
        #[automatically_derived]
        impl ::core::convert::TryFrom<#root> for #hub {
            type Error = __convert::ConvertError;
            fn try_from(object: #root) -> ::core::result::Result<Self, Self::Error> {
                __convert::to_hub(&object)
            }
        }
        #[automatically_derived]
        impl ::core::convert::TryFrom<#hub> for #root {
            type Error = __convert::ConvertError;
            fn try_from(object: #hub) -> ::core::result::Result<Self, Self::Error> {
                __convert::from_hub(&object)
            }
        }
        #(#pairs)*
        const _: () = #same_kind;
    }
}

/// The conversions between this version and another spoke.
fn pair(root: &Ident, other: &Path) -> TokenStream {
    let convert = quote_spanned!(other.span()=> __convert::convert(&object));
    quote! {
        #[automatically_derived]
        impl ::core::convert::TryFrom<#root> for #other {
            type Error = __convert::ConvertError;
            fn try_from(object: #root) -> ::core::result::Result<Self, Self::Error> {
                #convert
            }
        }
        #[automatically_derived]
        impl ::core::convert::TryFrom<#other> for #root {
            type Error = __convert::ConvertError;
            fn try_from(object: #other) -> ::core::result::Result<Self, Self::Error> {
                #convert
            }
        }
    }
}
