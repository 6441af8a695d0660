//! Bounds on the parameters of generic types.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{DeriveInput, Generics, Path, Type, TypeParamBound, WherePredicate, spanned::Spanned};

use super::{Body, Content, SchemaField, all_fields};
use crate::{
    attrs::bound::{self, WherePredicates},
    model::{
        idents,
        keyword::{DefaultValue, Keyword},
        schema_source::SchemaSource,
    },
};

/// Whether the type has parameters other than lifetimes.
pub(super) fn depends_on_arguments(input: &DeriveInput) -> bool {
    input.generics.params.len() > input.generics.lifetimes().count()
}

/// The generics of an implementation for all arguments.
pub(super) fn declared(input: &DeriveInput) -> Generics {
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.default = None;
    }
    generics
}

/// The generics with the bounds that the schema requires, or with those of the user. Traits in the user's bounds that
/// the implementation replaces are added to `unused`.
pub(super) fn bounded(
    input: &DeriveInput,
    body: &Body,
    bound: Option<WherePredicates>,
    unused: &mut Vec<Path>,
) -> Generics {
    let mut generics = declared(input);
    if input.generics.params.is_empty() && bound.is_none() {
        return generics;
    }
    let of_fields = field_bounds(input);
    let types_with_bounds: Vec<String> = of_fields.iter().map(|(ty, _)| text(ty)).collect();
    let own = bound.unwrap_or_else(|| inferred(input, body, &types_with_bounds));
    let bounds = own.into_iter().chain(of_fields.into_iter().flat_map(|(_, bounds)| bounds));
    let bounds = replace_json_schema_bounds(bounds.collect(), unused);
    generics.make_where_clause().predicates.extend(bounds);
    generics
}

/// A bound on each parameter that the schema depends on, and on each type whose default it contains.
fn inferred(input: &DeriveInput, body: &Body, types_with_bounds: &[String]) -> WherePredicates {
    let used = used_idents(body, types_with_bounds);
    let parameters = input.generics.type_params().map(|it| &it.ident);
    let schemas = parameters.filter(|ident| used.contains(ident)).map(|ident| syn::parse_quote!(#ident: __KubeSchema));
    let defaulted = defaulted_types(input, body);
    let defaults = defaulted.iter().map(|ty| syn::parse_quote!(#ty: __Default));
    let of_self =
        (depends_on_arguments(input) && has_container_default(body)).then(|| syn::parse_quote!(Self: __Default));
    schemas.chain(defaults).chain(of_self).collect()
}

/// The bounds with `KubeSchema` in place of `JsonSchema`, which it implies, so that a generic type has the same bounds
/// as the generic types in it. A type with both bounds keeps both.
fn replace_json_schema_bounds(mut bounds: WherePredicates, replaced: &mut Vec<Path>) -> WherePredicates {
    let is_kube_schema =
        |bound: &TypeParamBound| matches!(bound, TypeParamBound::Trait(it) if ends_in(&it.path, "KubeSchema"));
    let requires_kube_schema = |bound: &WherePredicate| match bound {
        WherePredicate::Type(ty) if ty.bounds.iter().any(is_kube_schema) => Some(text(&ty.bounded_ty)),
        _ => None,
    };
    let with_kube_schema: Vec<String> = bounds.iter().filter_map(requires_kube_schema).collect();
    for bound in &mut bounds {
        if let WherePredicate::Type(ty) = bound
            && !with_kube_schema.contains(&text(&ty.bounded_ty))
        {
            replaced.extend(ty.bounds.iter_mut().filter_map(replace));
        }
    }
    replaced.sort_by_key(text);
    replaced.dedup_by_key(|path| text(path));
    bounds
}

/// Replaces `JsonSchema` by `KubeSchema`; returns the replaced path.
fn replace(bound: &mut TypeParamBound) -> Option<Path> {
    match bound {
        TypeParamBound::Trait(bound) if ends_in(&bound.path, "JsonSchema") => {
            let kube_schema = Ident::new("__KubeSchema", bound.path.span());
            Some(std::mem::replace(&mut bound.path, kube_schema.into()))
        }
        _ => None,
    }
}

fn ends_in(path: &Path, name: &str) -> bool {
    let last = path.segments.last();
    last.is_some_and(|last| last.ident == name)
}

/// The types of fields with `bound`, and the bounds.
fn field_bounds(input: &DeriveInput) -> Vec<(Type, WherePredicates)> {
    let bounds = all_fields(input).into_iter().filter_map(|field| {
        let source = SchemaSource::new(&field.ty, None);
        Some((source.leaf_type()?.clone(), bound::from_field(field)?))
    });
    bounds.collect()
}

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// The data of all variants.
fn contents(body: &Body) -> impl Iterator<Item = &Content> {
    let variants = match body {
        Body::DataEnum(_, variants) => variants.as_slice(),
        _ => &[],
    };
    variants.iter().filter_map(|it| it.content.as_ref())
}

/// The fields of an object, and those of all variants.
fn fields(body: &Body) -> impl Iterator<Item = &SchemaField> {
    let own = match body {
        Body::Object(fields) => fields.as_slice(),
        _ => &[],
    };
    let of_variants = contents(body).flat_map(|content| match content {
        Content::Object(fields) => fields.as_slice(),
        _ => &[],
    });
    own.iter().chain(of_variants)
}

/// The defaults that are evaluated when the schema is rendered.
pub(super) fn defaults(body: &Body) -> impl Iterator<Item = &DefaultValue> {
    let keywords = fields(body).flat_map(|field| &field.keywords);
    keywords.filter_map(|keyword| match keyword {
        Keyword::Default(default) => Some(&default.value),
        _ => None,
    })
}

/// The types whose `Default` is that of a field and depends on the parameters.
fn defaulted_types<'a>(input: &DeriveInput, body: &'a Body) -> Vec<&'a Type> {
    let parameters: Vec<&Ident> = parameters(input).collect();
    let mut types: Vec<&Type> = Vec::new();
    for default in defaults(body) {
        if let DefaultValue::Type(ty) = default
            && idents::collect(ty).iter().any(|ident| parameters.contains(&ident))
            && types.iter().all(|other| text(other) != text(ty))
        {
            types.push(ty);
        }
    }
    types
}

fn parameters(input: &DeriveInput) -> impl Iterator<Item = &Ident> {
    input.generics.params.iter().filter_map(|parameter| match parameter {
        syn::GenericParam::Type(ty) => Some(&ty.ident),
        syn::GenericParam::Const(constant) => Some(&constant.ident),
        syn::GenericParam::Lifetime(_) => None,
    })
}

/// Whether fields have their defaults from the `Default` of the type.
fn has_container_default(body: &Body) -> bool {
    defaults(body).any(|default| matches!(default, DefaultValue::Member { container: None, .. }))
}

/// The identifiers in the types that the schema depends on, except those with bounds of their own.
fn used_idents(body: &Body, types_with_bounds: &[String]) -> Vec<Ident> {
    let values: &[SchemaSource] = match body {
        Body::Newtype(source, _) => std::slice::from_ref(source),
        Body::Tuple(items) => items,
        _ => &[],
    };
    let of_variants = contents(body).flat_map(|content| match content {
        Content::Value(source) => std::slice::from_ref(&**source),
        Content::Tuple(items) => items,
        Content::Object(_) => &[],
    });
    let of_fields = fields(body).map(|field| &field.source);
    let sources = of_fields.chain(values).chain(of_variants);
    sources
        .flat_map(|source| source.leaf_type().into_iter().chain(source.key_types()))
        .filter(|ty| !types_with_bounds.contains(&text(ty)))
        .flat_map(idents::collect)
        .collect()
}
