//! A type that has a decoder.

use proc_macro2::{Ident, Span};
use serde_derive_internals::{
    Ctxt, Derive,
    ast::{Container, Data, Field as SerdeField, Style, Variant as SerdeVariant},
    attr::{self, TagType},
};
use syn::{DeriveInput, ExprPath, Generics, Member, Type, ext::IdentExt};

use super::crates::Crates;
use crate::attrs::{apply as attrs, decode};

/// A type that has a decoder.
pub(crate) struct DecodeType {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) crates: Crates,
    pub(crate) body: Body,
}

/// What is decoded.
pub(crate) enum Body {
    Object(Object),
    /// The value of another type.
    Newtype {
        member: Member,
        read: Read,
        /// Whether the value is in no way told from that of the other type.
        transparent: bool,
    },
    /// One of several texts.
    Names(Vec<Variant>),
    /// What serde alone can read.
    Foreign,
}

pub(crate) struct Object {
    pub(crate) fields: Vec<Field>,
    pub(crate) default: Default,
    pub(crate) deny_unknown_fields: bool,
}

pub(crate) struct Field {
    pub(crate) member: Member,
    pub(crate) read: Read,
    pub(crate) default: Default,
    /// The names in JSON; none if the field is never read.
    pub(crate) names: Vec<String>,
}

/// How a value is read.
pub(crate) enum Read {
    Type(Box<Type>),
    /// By a function of the user's, of the value's type.
    With(Box<ExprPath>),
}

/// What a field is that is missing, or all fields that are.
pub(crate) enum Default {
    None,
    OfType,
    Function(ExprPath),
}

pub(crate) struct Variant {
    pub(crate) ident: Ident,
    pub(crate) names: Vec<String>,
}

impl DecodeType {
    /// Reads a type; none if it asks for no decoder, or if serde's own derive has something to say first.
    pub(crate) fn resolve(input: &DeriveInput) -> Option<Self> {
        if !decode::is_wanted(&input.attrs) {
            return None;
        }
        let effective = attrs::as_serde_sees_it(input);
        let context = Ctxt::new();
        let private = Ident::new("__private", Span::call_site());
        let container = Container::from_ast(&context, &effective, Derive::Deserialize, &private);
        let (Ok(()), Some(container)) = (context.check(), container) else {
            return None;
        };
        let reads_another_type = container.attrs.remote().is_some();
        (!reads_another_type).then(|| Self {
            ident: input.ident.clone(),
            generics: generics(input),
            crates: Crates::of_resource(attrs::crates(input)),
            body: Body::of(&container),
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
    fn of(container: &Container) -> Self {
        let attrs = &container.attrs;
        let is_converted = attrs.type_from().or(attrs.type_try_from()).is_some();
        let is_tagged = !matches!(attrs.tag(), TagType::External);
        if is_converted || is_tagged || !container.generics.params.is_empty() {
            return Self::Foreign;
        }
        match &container.data {
            Data::Enum(variants) => names(variants).map_or(Self::Foreign, Self::Names),
            Data::Struct(Style::Newtype, fields) => newtype(fields, attrs.transparent()),
            Data::Struct(_, fields) if attrs.transparent() => newtype(fields, true),
            Data::Struct(Style::Struct, fields) => object(attrs, fields),
            Data::Struct(Style::Tuple | Style::Unit, _) => Self::Foreign,
        }
    }
}

fn newtype(fields: &[SerdeField], transparent: bool) -> Body {
    match fields {
        [field] if !field.attrs.skip_deserializing() => {
            Body::Newtype { member: field.member.clone(), read: Read::of(field), transparent }
        }
        _ => Body::Foreign,
    }
}

fn object(attrs: &attr::Container, fields: &[SerdeField]) -> Body {
    if fields.iter().any(|field| field.attrs.flatten()) {
        return Body::Foreign;
    }
    Body::Object(Object {
        fields: fields.iter().map(Field::of).collect(),
        default: Default::of(attrs.default()),
        deny_unknown_fields: attrs.deny_unknown_fields(),
    })
}

/// The names of variants, if that is all they are.
fn names(variants: &[SerdeVariant]) -> Option<Vec<Variant>> {
    let read = variants.iter().filter(|variant| !variant.attrs.skip_deserializing());
    read.map(|variant| {
        let attrs = &variant.attrs;
        let is_plain = matches!(variant.style, Style::Unit)
            && !attrs.untagged()
            && !attrs.other()
            && attrs.deserialize_with().is_none();
        is_plain.then(|| Variant {
            ident: variant.ident.clone(),
            names: attrs.aliases().iter().map(|it| it.value.clone()).collect(),
        })
    })
    .collect()
}

impl Field {
    fn of(field: &SerdeField) -> Self {
        let attrs = &field.attrs;
        let names = attrs.aliases().iter().map(|it| it.value.clone());
        Self {
            member: field.member.clone(),
            read: Read::of(field),
            default: Default::of(attrs.default()),
            names: if attrs.skip_deserializing() { Vec::new() } else { names.collect() },
        }
    }

    /// A name for what is read of the field.
    pub(crate) fn variable(&self) -> Ident {
        match &self.member {
            Member::Named(ident) => {
                quote::format_ident!("__{}", ident.unraw(), span = Span::call_site())
            }
            Member::Unnamed(index) => quote::format_ident!("__{}", index.index),
        }
    }
}

impl Read {
    fn of(field: &SerdeField) -> Self {
        match field.attrs.deserialize_with() {
            Some(function) => Self::With(Box::new(function.clone())),
            None => Self::Type(Box::new(field.ty.clone())),
        }
    }
}

impl Default {
    fn of(default: &attr::Default) -> Self {
        match default {
            attr::Default::None => Self::None,
            attr::Default::Default => Self::OfType,
            attr::Default::Path(function) => Self::Function(function.clone()),
        }
    }
}
