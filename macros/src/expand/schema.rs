//! The implementations of `KubeSchema` and `JsonSchema` for a type.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::{checks, conditions, keyword, schema_source, wrap_in_const};
use crate::{
    attrs::scale::ScaleRole,
    model::{
        crates::Crates,
        keyword::Keyword,
        schema::{Body, Column, Presence, SchemaField, SchemaType, Tagging, UnitVariant},
    },
};

mod variant;

pub(super) fn expand(schema: &SchemaType, errors: TokenStream) -> TokenStream {
    let parts = [
        kube_schema(schema),
        json_schema(schema),
        has_schema_impl(schema),
        checks::type_checks(schema),
        assert_is_spec(schema),
        cel(schema),
        conditions::expand(schema).unwrap_or_default(),
    ];
    let parts = wrap_in_const(&schema.crates, &quote!(#(#parts)*));
    quote! { #errors #parts }
}

fn kube_schema(schema: &SchemaType) -> TokenStream {
    let SchemaType { ident, generics, crates, .. } = schema;
    let private = &crates.private;
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let is_generic = !generics.params.is_empty();
    // A `static` cannot mention `Self`, and is evaluated even if it is not used.
    let is_lazy = is_generic || schema.mentions_self;
    let schema = self::schema(schema);
    let constants = if is_lazy {
        quote!(const SCHEMA: #private::Schema = #schema;)
    } else {
        quote! {
            const SCHEMA: #private::Schema = *Self::SCHEMA_REF;
            const SCHEMA_REF: &'static #private::Schema = {
                static SCHEMA: #private::Schema = #schema;
                &SCHEMA
            };
        }
    };
    quote! {
        #[automatically_derived]
        impl #impl_generics #private::KubeSchema for #ident #type_generics #where_clause {
            #constants
        }
    }
}

fn schema(schema: &SchemaType) -> TokenStream {
    let crates = &schema.crates;
    let private = &crates.private;
    if let Body::Null = schema.body {
        let name = type_name(schema);
        return quote!(#private::check::unit_struct().named(#name));
    }
    let (description, keywords) = keyword::split_description(&schema.keywords, crates);
    let Some(body) = body(schema, &description) else {
        return quote!(#private::check::ERRONEOUS);
    };
    let keywords = keyword::with_keywords(keywords, crates);
    let path = match &schema.body {
        Body::Object(fields) => path(fields),
        _ => None,
    };
    let closed = schema.deny_unknown_fields.then(|| closed(&schema.body));
    let immutable = schema.immutable.then(|| quote!(.immutable()));
    let transition = uses_old_self(schema).then(|| quote!(.transition()));
    let reports = schema.generics.params.is_empty() && schema.checks.reports_non_structural();
    let reported = reports.then(|| quote!(.reported()));
    quote!(#private::#body #path #closed #keywords #immutable #transition #reported)
}

/// Whether the type or one of its variants has a transition rule.
fn uses_old_self(schema: &SchemaType) -> bool {
    let variants = match &schema.body {
        Body::DataEnum(_, variants) => variants.as_slice(),
        _ => &[],
    };
    let of_variants = variants.iter().flat_map(|variant| &variant.keywords);
    let mut keywords = schema.keywords.iter().chain(of_variants);
    keywords.any(Keyword::uses_old_self)
}

/// `.closed()` for a type with `deny_unknown_fields`, if it has fields itself or an object with tag and content.
fn closed(body: &Body) -> TokenStream {
    match body {
        Body::Object(_) | Body::DataEnum(Tagging::Adjacent { .. }, _) => quote!(.closed()),
        _ => TokenStream::new(),
    }
}

/// The source location of a type with markers.
fn path(fields: &[SchemaField]) -> Option<TokenStream> {
    let is_marked = |field: &SchemaField| !field.columns.is_empty() || field.selectable || !field.scale.is_empty();
    fields.iter().any(is_marked).then(
        || quote!(.defined_at(::core::concat!(::core::module_path!(), ":", ::core::line!(), ":", ::core::column!()))),
    )
}

/// The Rust name of the type.
fn type_name(schema: &SchemaType) -> String {
    let name = schema.ident.to_string();
    name.trim_start_matches("r#").to_owned()
}

/// The schema with its name and its description.
fn body(schema: &SchemaType, description: &TokenStream) -> Option<TokenStream> {
    let crates = &schema.crates;
    let name = type_name(schema);
    let body = match &schema.body {
        Body::Object(fields) => {
            let fields = fields.iter().map(|f| field(f, crates));
            return Some(quote!(object(#name, #description, &[#(#fields),*])));
        }
        Body::StringEnum(variants) => {
            let variants = variants.iter().map(|v| variant(v, crates));
            return Some(quote!(enumeration(#name, #description, &[#(#variants),*])));
        }
        Body::DataEnum(tagging, variants) => {
            let tagging = variant::tagging(tagging, &crates.private);
            let all = variants.iter().map(|it| variant::variant(it, &name, schema.deny_unknown_fields, crates));
            quote!(one_of(#tagging, &[#(#all),*]))
        }
        Body::Tuple(items) => {
            let items = items.iter().map(|item| schema_source::schema(item, &crates.private));
            quote!(tuple(&[#(#items),*]))
        }
        Body::Newtype(inner, _) => {
            let inner = schema_source::schema(inner, &crates.private);
            quote!(newtype(#inner))
        }
        Body::Null | Body::Unknown => return None,
    };
    Some(quote!(Schema::#body.named(#name).describe(#description)))
}

fn field(field: &SchemaField, crates: &Crates) -> TokenStream {
    let private = &crates.private;
    let schema = schema_source::schema(&field.source, private);
    let (description, keywords) = keyword::split_description(&field.keywords, crates);
    let presence = presence(field.presence);
    let base = match (&field.name, keywords) {
        (Some(name), []) if field.presence == Presence::Inferred => {
            quote!(field(#name, #schema, #description))
        }
        (name, keywords) => {
            let keywords = keyword::slice(keywords, crates);
            match name {
                Some(name) => quote! {
                    field_with(#name, #schema, #description, #private::#presence, #keywords)
                },
                None => quote!(flattened(#schema, #private::#presence, #keywords)),
            }
        }
    };
    let immutable = field.immutable.then(|| quote!(.immutable()));
    let mut keywords_of_field = field.keywords.iter();
    let transition = keywords_of_field.any(Keyword::uses_old_self).then(|| quote!(.transition()));
    let aliases = &field.aliases;
    let aliases = (!aliases.is_empty()).then(|| quote!(.read_as(&[#(#aliases),*])));
    let filled = field.filled_in.then(|| quote!(.filled_in()));
    let marked = quote!(#private::#base #aliases #filled #immutable #transition);
    match markers(field, crates).as_slice() {
        [] => marked,
        markers => quote!(#private::marked(#marked, &[#(#markers),*])),
    }
}

fn presence(presence: Presence) -> TokenStream {
    match presence {
        Presence::Inferred => quote!(Inferred),
        Presence::Optional => quote!(Optional),
        Presence::Defaulted => quote!(Defaulted),
        Presence::Present => quote!(RequiredNullable),
        Presence::Required => quote!(Required),
    }
}

fn markers(field: &SchemaField, crates: &Crates) -> Vec<TokenStream> {
    let private = &crates.private;
    let marker = quote!(#private::Marker);
    let columns = field.columns.iter().map(|column| {
        let column = self::column(column, crates);
        quote!(#marker::Column(#column))
    });
    let selectable = field.selectable.then(|| quote!(#marker::Selectable));
    let scale = field.scale.iter().map(|scale| {
        let role = match scale.role {
            ScaleRole::Replicas => quote!(Replicas),
            ScaleRole::StatusReplicas => quote!(StatusReplicas),
            ScaleRole::LabelSelector => quote!(LabelSelector),
        };
        quote!(#marker::Scale(#private::ScaleRole::#role))
    });
    columns.chain(selectable).chain(scale).collect()
}

fn column(column: &Column, crates: &Crates) -> TokenStream {
    let private = &crates.private;
    let name = &column.name;
    let options = super::definition::column_options(&column.attrs.options);
    quote!(#private::Column::new(#name) #options)
}

fn variant(variant: &UnitVariant, crates: &Crates) -> TokenStream {
    let private = &crates.private;
    let name = &variant.name;
    match &variant.description {
        Some(description) => {
            let description = keyword::text(description, "description", private);
            quote!(#private::variant(#name, #description))
        }
        None => quote!(#private::UnitVariant::new(#name)),
    }
}

fn json_schema(schema: &SchemaType) -> TokenStream {
    let SchemaType { ident, generics, crates, name, .. } = schema;
    let private = &crates.private;
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    quote! {
        #private::implement_json_schema! {
            json_schema #name [#impl_generics] #ident #type_generics [#where_clause]
        }
    }
}

/// The implementation of `HasSchema` for a generic type, without the bounds of the schema.
fn has_schema_impl(schema: &SchemaType) -> TokenStream {
    let Some(declared) = &schema.declared else {
        return TokenStream::new();
    };
    let (ident, private) = (&schema.ident, &schema.crates.private);
    let (impl_generics, type_generics, where_clause) = declared.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #private::HasSchema<#private::Derived> for #ident #type_generics #where_clause {}
    }
}

/// Asserts that a type with the attributes of a resource derives `CustomResource`.
fn assert_is_spec(schema: &SchemaType) -> TokenStream {
    let Some(span) = schema.resource else {
        return TokenStream::new();
    };
    let (ident, private) = (&schema.ident, &schema.crates.private);
    let mut ident = ident.clone();
    ident.set_span(span);
    let private = schema_source::with_span(private, span);
    quote_spanned!(span=> const _: () = <#ident as #private::Spec>::IS_SPEC;)
}

/// `#[x_kube(cel)]`: in-process evaluation of rules.
fn cel(schema: &SchemaType) -> TokenStream {
    if schema.cel.is_none() || !schema.generics.params.is_empty() {
        return TokenStream::new();
    }
    let Crates { private, serde_json, .. } = &schema.crates;
    let ident = &schema.ident;
    quote!(#private::cel_of_type! { #ident, #serde_json::Value })
}
