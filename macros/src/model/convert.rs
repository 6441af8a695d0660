//! The conversion of a type to its counterpart in the hub version.

use darling::Error;
use proc_macro2::{Ident, Span};
use serde_derive_internals::{
    Ctxt, Derive,
    ast::{Container, Data as SerdeData, Field as SerdeField, Style, Variant as SerdeVariant},
    attr::TagType,
};
use syn::{Data, DeriveInput, Path, Type, spanned::Spanned};

use super::{apply::without_option, crates::Crates};
use crate::attrs::{
    Errors,
    apply::{self as serde_attrs, RootAttrs},
    convert::{
        self as attrs, ConvertAttrs, ConvertFieldAttrs, ConvertVariantAttrs, DefaultValue, HubDefault, WithModule,
    },
};

/// A type and its counterpart.
pub(crate) struct ConvertType {
    pub(crate) ident: Ident,
    pub(crate) hub: Path,
    pub(crate) hub_defaults: Vec<HubDefault>,
    pub(crate) is_partial: bool,
    /// Other spokes of the hub.
    pub(crate) spokes: Vec<Path>,
    /// The resource that has the type as its spec.
    pub(crate) root: Option<RootAttrs>,
    pub(crate) body: Body,
    pub(crate) crates: Crates,
}

/// What converts.
pub(crate) enum Body {
    Object(Vec<ConversionField>),
    Newtype(Type),
    Enum(Tagging, Vec<Variant>),
}

/// How JSON identifies the variant.
pub(crate) enum Tagging {
    External,
    Internal(String),
    Adjacent { tag: String, content: String },
}

pub(crate) struct ConversionField {
    /// The JSON name; empty if the field is flattened.
    pub(crate) name: String,
    /// The path in the hub; none if the hub has no such field.
    pub(crate) hub: Option<Vec<String>>,
    pub(crate) with: Option<WithModule>,
    pub(crate) default: Option<DefaultValue>,
    pub(crate) ty: Type,
    /// The type without `Option` and `Box`.
    pub(crate) value_type: Type,
    /// The token to blame.
    pub(crate) span: Span,
}

pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) hub: String,
    pub(crate) only_in_hub: Vec<String>,
    pub(crate) data: VariantData,
    pub(crate) span: Span,
}

/// The data of a variant.
pub(crate) enum VariantData {
    None,
    Newtype(Type),
    Object(Vec<ConversionField>),
}

impl ConvertType {
    /// Resolves a type; none if it has mistakes.
    pub(crate) fn resolve(input: &DeriveInput, errors: &mut Errors) -> Option<Self> {
        let parsed = ConvertAttrs::parse(input, errors)?;
        let root = serde_attrs::root(input);
        if let (None, Some(spoke)) = (&root, parsed.spokes.first()) {
            let message = "`spokes` belongs on the spec of a version: `TryFrom` is implemented for its root type";
            errors.push(Error::custom(message).with_span(spoke));
        }
        if let Some(message) = unsupported(input, root.as_ref()) {
            errors.push(Error::custom(message).with_span(&input.ident));
            return None;
        }
        Some(Self {
            body: body(input, errors)?,
            ident: input.ident.clone(),
            hub: parsed.hub,
            hub_defaults: parsed.hub_defaults,
            is_partial: parsed.is_partial,
            spokes: parsed.spokes,
            root,
            crates: Crates::of_resource(serde_attrs::crates(input)),
        })
    }
}

fn unsupported(input: &DeriveInput, root: Option<&RootAttrs>) -> Option<&'static str> {
    if !input.generics.params.is_empty() {
        return Some("`Convert` does not support generic types; convert the field with `with = ...`");
    }
    if root.is_some_and(|root| root.no_spec) {
        return Some("`Convert` does not support `no_spec`: only `spec` and `status` are converted");
    }
    matches!(input.data, Data::Union(_)).then_some("`Convert` supports only structs and enums")
}

fn body(input: &DeriveInput, errors: &mut Errors) -> Option<Body> {
    let effective = serde_attrs::serde_view(input);
    let context = Ctxt::new();
    let private = Ident::new("__private", Span::call_site());
    let container = Container::from_ast(&context, &effective, Derive::Serialize, &private);
    // Serde's own derive reports these errors.
    let (Ok(()), Some(container)) = (context.check(), container) else {
        return None;
    };
    if container.attrs.type_into().is_some() || container.attrs.remote().is_some() {
        let message =
            "`Convert` supports only types that serde serializes field by field; convert the field with `with = ...`";
        errors.push(Error::custom(message).with_span(&input.ident));
        return None;
    }
    match (&container.data, &input.data) {
        (SerdeData::Struct(Style::Struct, parts), Data::Struct(data)) if !container.attrs.transparent() => {
            Some(Body::Object(fields(parts, &data.fields, errors)))
        }
        (SerdeData::Struct(_, parts), Data::Struct(_)) => match parts.as_slice() {
            [part] => Some(Body::Newtype(part.ty.clone())),
            _ => {
                let message = "`Convert` does not support tuples; convert the field with `with = ...`";
                errors.push(Error::custom(message).with_span(&input.ident));
                None
            }
        },
        (SerdeData::Enum(parts), Data::Enum(data)) => {
            let tagging = tagging(container.attrs.tag(), input, errors)?;
            let variants = parts.iter().zip(&data.variants).filter(|(part, _)| !part.attrs.skip_serializing());
            Some(Body::Enum(tagging, variants.filter_map(|(part, it)| variant(part, it, errors)).collect()))
        }
        _ => None,
    }
}

fn tagging(tag: &TagType, input: &DeriveInput, errors: &mut Errors) -> Option<Tagging> {
    match tag {
        TagType::External => Some(Tagging::External),
        TagType::Internal { tag } => Some(Tagging::Internal(tag.clone())),
        TagType::Adjacent { tag, content } => Some(Tagging::Adjacent { tag: tag.clone(), content: content.clone() }),
        TagType::None => {
            let message = "`Convert` does not support untagged enums; convert the field with `with = ...`";
            errors.push(Error::custom(message).with_span(&input.ident));
            None
        }
    }
}

fn fields(parts: &[SerdeField], declared: &syn::Fields, errors: &mut Errors) -> Vec<ConversionField> {
    let pairs = parts.iter().zip(declared).filter(|(part, _)| !part.attrs.skip_serializing());
    pairs.map(|(part, field)| ConversionField::new(part, field, errors)).collect()
}

impl ConversionField {
    fn new(part: &SerdeField, field: &syn::Field, errors: &mut Errors) -> Self {
        let attrs = ConvertFieldAttrs::parse(field, errors);
        let name = if part.attrs.flatten() { String::new() } else { part.attrs.name().serialize_name().value.clone() };
        if part.attrs.flatten() {
            attrs::reject(&field.attrs, "a field with `#[serde(flatten)]` converts by its type", errors);
        }
        let span = match (&attrs.to, &field.ident) {
            (Some(to), _) => to.span,
            (None, Some(ident)) => ident.span(),
            (None, None) => field.span(),
        };
        let hub = match (attrs.dropped, attrs.flatten || part.attrs.flatten(), attrs.to) {
            (true, ..) => None,
            (_, true, _) => Some(Vec::new()),
            (.., Some(to)) => Some(to.names),
            (.., None) => Some(vec![name.clone()]),
        };
        Self {
            name,
            hub,
            with: attrs.with,
            default: attrs.default,
            ty: field.ty.clone(),
            value_type: without_option(&field.ty).clone(),
            span,
        }
    }
}

fn variant(part: &SerdeVariant, declared: &syn::Variant, errors: &mut Errors) -> Option<Variant> {
    let attrs = ConvertVariantAttrs::parse(declared, errors);
    let name = part.attrs.name().serialize_name().value.clone();
    let data = match (part.style, part.fields.as_slice()) {
        (Style::Unit, _) => VariantData::None,
        (Style::Newtype, [field]) => VariantData::Newtype(field.ty.clone()),
        (Style::Struct, parts) => VariantData::Object(fields(parts, &declared.fields, errors)),
        _ => {
            let message = "`Convert` does not support tuples; convert the field with `with = ...`";
            errors.push(Error::custom(message).with_span(declared));
            return None;
        }
    };
    let span = attrs.to.as_ref().map_or(declared.ident.span(), |to| to.span());
    Some(Variant {
        hub: attrs.to.map_or_else(|| name.clone(), |to| to.value()),
        only_in_hub: attrs.from.iter().map(syn::LitStr::value).collect(),
        name,
        data,
        span,
    })
}
