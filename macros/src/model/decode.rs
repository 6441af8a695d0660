//! A type with `#[crd(decode)]`.

use proc_macro2::{Ident, Span};
use serde_derive_internals::{
    Ctxt, Derive,
    ast::{Container, Data, Field as SerdeField, Style, Variant as SerdeVariant},
    attr::{self, TagType},
};
use syn::{DeriveInput, ExprPath, Generics, Member, Type, ext::IdentExt};

use super::crates::Crates;
use crate::attrs::{apply as attrs, decode};

/// A type with `#[crd(decode)]`.
pub(crate) struct DecodeType {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) crates: Crates,
    pub(crate) body: Body,
}

/// How the type is decoded.
pub(crate) enum Body {
    Object(DecodedObject),
    /// As the value of another type.
    Newtype {
        member: Member,
        decoder: Decoder,
        /// Whether serde treats the type like the other one in all respects.
        transparent: bool,
    },
    /// As one of several strings.
    UnitEnum(Vec<Variant>),
    /// By serde.
    SerdeOnly,
}

pub(crate) struct DecodedObject {
    pub(crate) fields: Vec<DecodedField>,
    pub(crate) default: FieldDefault,
    pub(crate) deny_unknown_fields: bool,
}

pub(crate) struct DecodedField {
    pub(crate) member: Member,
    pub(crate) decoder: Decoder,
    pub(crate) default: FieldDefault,
    /// The JSON names; none if the field is never deserialized.
    pub(crate) names: Vec<String>,
}

/// How a field is decoded.
pub(crate) enum Decoder {
    Type(Box<Type>),
    /// By a function of the user.
    Function(Box<ExprPath>),
}

/// The value of a missing field, or of all missing fields of a type.
pub(crate) enum FieldDefault {
    None,
    OfType,
    Function(ExprPath),
    /// The default of the schema, which is filled in when serde decodes the text.
    OfSchema,
}

pub(crate) struct Variant {
    pub(crate) ident: Ident,
    pub(crate) names: Vec<String>,
}

impl DecodeType {
    /// Resolves a type; none if it has no `#[crd(decode)]`, or if serde's own derive reports an error.
    pub(crate) fn resolve(input: &DeriveInput) -> Option<Self> {
        if !decode::is_enabled(&input.attrs) {
            return None;
        }
        let effective = attrs::serde_view(input);
        let context = Ctxt::new();
        let private = Ident::new("__private", Span::call_site());
        let container = Container::from_ast(&context, &effective, Derive::Deserialize, &private);
        let (Ok(()), Some(container)) = (context.check(), container) else {
            return None;
        };
        let reads_another_type = container.attrs.remote().is_some();
        let mut body = Body::from_serde(&container);
        body.apply_schema_defaults(input);
        (!reads_another_type).then(|| Self {
            ident: input.ident.clone(),
            generics: generics(input),
            crates: Crates::of_resource(attrs::crates(input)),
            body,
        })
    }
}

fn generics(input: &DeriveInput) -> Generics {
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.default = None;
    }
    generics
}

impl Body {
    fn from_serde(container: &Container) -> Self {
        let attrs = &container.attrs;
        let is_converted = attrs.type_from().or(attrs.type_try_from()).is_some();
        let is_tagged = !matches!(attrs.tag(), TagType::External);
        if is_converted || is_tagged || !container.generics.params.is_empty() {
            return Self::SerdeOnly;
        }
        match &container.data {
            Data::Enum(variants) => unit_variants(variants).map_or(Self::SerdeOnly, Self::UnitEnum),
            Data::Struct(Style::Newtype, fields) => newtype(fields, attrs.transparent()),
            Data::Struct(_, fields) if attrs.transparent() => newtype(fields, true),
            Data::Struct(Style::Struct, fields) => object(attrs, fields),
            Data::Struct(Style::Tuple | Style::Unit, _) => Self::SerdeOnly,
        }
    }

    fn apply_schema_defaults(&mut self, input: &DeriveInput) {
        let (Self::Object(object), syn::Data::Struct(data)) = (self, &input.data) else { return };
        for (field, original) in object.fields.iter_mut().zip(&data.fields) {
            if !field.names.is_empty() && decode::has_schema_default(&original.attrs) {
                field.default = FieldDefault::OfSchema;
            }
        }
    }
}

fn newtype(fields: &[SerdeField], transparent: bool) -> Body {
    match fields {
        [field] if !field.attrs.skip_deserializing() => {
            Body::Newtype { member: field.member.clone(), decoder: Decoder::from_serde(field), transparent }
        }
        _ => Body::SerdeOnly,
    }
}

fn object(attrs: &attr::Container, fields: &[SerdeField]) -> Body {
    if fields.iter().any(|field| field.attrs.flatten()) {
        return Body::SerdeOnly;
    }
    Body::Object(DecodedObject {
        fields: fields.iter().map(DecodedField::from_serde).collect(),
        default: FieldDefault::from_serde(attrs.default()),
        deny_unknown_fields: attrs.deny_unknown_fields(),
    })
}

/// The names of the variants, if all of them are units.
fn unit_variants(variants: &[SerdeVariant]) -> Option<Vec<Variant>> {
    let read = variants.iter().filter(|variant| !variant.attrs.skip_deserializing());
    read.map(|variant| {
        let attrs = &variant.attrs;
        let is_unit = matches!(variant.style, Style::Unit)
            && !attrs.untagged()
            && !attrs.other()
            && attrs.deserialize_with().is_none();
        is_unit.then(|| Variant {
            ident: variant.ident.clone(),
            names: attrs.aliases().iter().map(|it| it.value.clone()).collect(),
        })
    })
    .collect()
}

impl DecodedField {
    fn from_serde(field: &SerdeField) -> Self {
        let attrs = &field.attrs;
        let names = attrs.aliases().iter().map(|it| it.value.clone());
        Self {
            member: field.member.clone(),
            decoder: Decoder::from_serde(field),
            default: FieldDefault::from_serde(attrs.default()),
            names: if attrs.skip_deserializing() { Vec::new() } else { names.collect() },
        }
    }

    /// The variable for the decoded value.
    pub(crate) fn variable(&self) -> Ident {
        match &self.member {
            Member::Named(ident) => {
                quote::format_ident!("__{}", ident.unraw(), span = Span::call_site())
            }
            Member::Unnamed(index) => quote::format_ident!("__{}", index.index),
        }
    }
}

impl Decoder {
    fn from_serde(field: &SerdeField) -> Self {
        match field.attrs.deserialize_with() {
            Some(function) => Self::Function(Box::new(function.clone())),
            None => Self::Type(Box::new(field.ty.clone())),
        }
    }
}

impl FieldDefault {
    fn from_serde(default: &attr::Default) -> Self {
        match default {
            attr::Default::None => Self::None,
            attr::Default::Default => Self::OfType,
            attr::Default::Path(function) => Self::Function(function.clone()),
        }
    }
}
