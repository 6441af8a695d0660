//! The apply type of a type: its fields, all optional, for server-side apply.

use darling::Error;
use proc_macro2::{Ident, Span, TokenStream};
use quote::format_ident;
use serde_derive_internals::{
    Ctxt, Derive,
    ast::{Container, Data as SerdeData, Field as SerdeField, Style},
    attr::TagType,
};
use syn::{Attribute, Data, DeriveInput, Type, Visibility, ext::IdentExt};

use super::{
    crates::Crates,
    schema_source::{arguments, as_path, is_primitive, is_std, ungrouped},
};
use crate::attrs::{
    Errors,
    apply::{self as attrs, RootAttrs},
};

/// A type and its apply type.
pub(crate) struct ApplyType {
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    /// The name of the apply type.
    pub(crate) apply: Ident,
    pub(crate) fields: Vec<SettableField>,
    pub(crate) root: Option<Root>,
    pub(crate) crates: Crates,
}

/// The resource that has the type as its spec.
pub(crate) struct Root {
    pub(crate) attrs: RootAttrs,
    pub(crate) apply: Ident,
}

/// A field that can be set.
pub(crate) struct SettableField {
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    /// Documentation and conditions.
    pub(crate) attributes: Vec<Attribute>,
    /// The JSON name; none if the field is flattened.
    pub(crate) name: Option<String>,
    pub(crate) is_key: bool,
    /// The type without `Option` and `Box`.
    pub(crate) ty: Type,
    /// The declared type.
    pub(crate) declared_type: Type,
    pub(crate) argument: SetterArgument,
    /// The function that serializes the field.
    pub(crate) serialize_with: Option<TokenStream>,
    /// The keys of the field's items.
    pub(crate) list_keys: Vec<String>,
}

/// The argument of a setter.
pub(crate) enum SetterArgument {
    /// A number, boolean or character.
    Primitive(Type),
    /// Any type that is converted to this one.
    Value(Type),
    List(Box<SetterArgument>),
    Map(Type, Box<SetterArgument>),
}

impl ApplyType {
    /// Resolves a type; none if it cannot have an apply type.
    pub(crate) fn resolve(input: &DeriveInput, errors: &mut Errors) -> Option<Self> {
        attrs::reject_on_type(&input.attrs, errors);
        if let Some(message) = unsupported(input) {
            errors.push(Error::custom(message).with_span(&input.ident));
            return None;
        }
        let effective = attrs::serde_view(input);
        let fields = fields(input, &effective, errors)?;
        Some(Self {
            vis: input.vis.clone(),
            apply: apply_ident(&input.ident),
            ident: input.ident.clone(),
            fields,
            root: attrs::root(input).map(|root| Root { apply: apply_ident(&root.root), attrs: root }),
            crates: Crates::of_resource(attrs::crates(input)),
        })
    }
}

fn apply_ident(ident: &Ident) -> Ident {
    format_ident!("{}Apply", ident.unraw(), span = Span::call_site())
}

/// Why the type cannot have an apply type, if so.
fn unsupported(input: &DeriveInput) -> Option<String> {
    let ident = &input.ident;
    match &input.data {
        Data::Enum(_) => Some(format!(
            "`Apply` supports only structs: an enum has no fields to omit; remove it, and setters accept a whole \
             `{ident}`"
        )),
        Data::Union(_) => Some("`Apply` supports only structs".to_owned()),
        Data::Struct(_) if !input.generics.params.is_empty() => {
            Some(format!("`Apply` does not support generic types; remove it, and setters accept a whole `{ident}`"))
        }
        Data::Struct(data) if !matches!(data.fields, syn::Fields::Named(_)) => Some(format!(
            "`Apply` supports only structs with named fields; remove it, and setters accept a whole \
                          `{ident}`"
        )),
        Data::Struct(_) => None,
    }
}

fn fields(input: &DeriveInput, effective: &DeriveInput, errors: &mut Errors) -> Option<Vec<SettableField>> {
    let context = Ctxt::new();
    let private = Ident::new("__private", Span::call_site());
    let container = Container::from_ast(&context, effective, Derive::Serialize, &private);
    // Serde's own derive reports these errors.
    let (Ok(()), Some(container)) = (context.check(), container) else {
        return None;
    };
    let attrs = &container.attrs;
    let is_tagged = matches!(attrs.tag(), TagType::Internal { .. });
    if attrs.transparent() || attrs.type_into().is_some() || attrs.remote().is_some() || is_tagged {
        let message = "`Apply` supports only structs that serde serializes field by field; remove it, and setters \
                       accept a whole value";
        errors.push(Error::custom(message).with_span(&input.ident));
        return None;
    }
    let SerdeData::Struct(Style::Struct, fields) = &container.data else {
        return None;
    };
    let Data::Struct(data) = &input.data else {
        return None;
    };
    let fields = fields.iter().zip(&data.fields).filter(|(serde, _)| !serde.attrs.skip_serializing());
    Some(fields.filter_map(|(serde, field)| SettableField::new(serde, field, errors)).collect())
}

impl SettableField {
    fn new(serde: &SerdeField, field: &syn::Field, errors: &mut Errors) -> Option<Self> {
        let ident = field.ident.clone().expect("all fields are named");
        if ident.unraw() == "new" {
            let message = "the setter of this field conflicts with the constructor `new`: rename the field, and add \
                           `#[serde(rename = \"new\")]`";
            errors.push(Error::custom(message).with_span(&ident));
            return None;
        }
        let is_key = attrs::is_key(field, errors);
        let flatten = serde.attrs.flatten();
        if is_key && flatten {
            let message = "a key must be a single field: remove `flatten`";
            errors.push(Error::custom(message).with_span(&ident));
        }
        let keep = |attr: &&Attribute| ["doc", "cfg"].iter().any(|name| attr.path().is_ident(name));
        let ty = without_option(&field.ty);
        Some(Self {
            vis: field.vis.clone(),
            ident,
            attributes: field.attrs.iter().filter(keep).cloned().collect(),
            name: (!flatten).then(|| serde.attrs.name().serialize_name().value.clone()),
            is_key,
            argument: SetterArgument::from_type(ty),
            ty: ty.clone(),
            declared_type: field.ty.clone(),
            serialize_with: serde.attrs.serialize_with().map(quote::ToTokens::to_token_stream),
            list_keys: attrs::list_keys(field),
        })
    }
}

/// The type without `Option` and `Box` around it.
pub(crate) fn without_option(ty: &Type) -> &Type {
    match single_argument(ty, &["Option", "Box"]) {
        Some(inner) => without_option(inner),
        None => ungrouped(ty),
    }
}

impl SetterArgument {
    fn from_type(ty: &Type) -> Self {
        if let Some(item) = single_argument(ty, &["Vec", "BTreeSet", "HashSet"]) {
            return Self::List(Box::new(Self::from_type(item)));
        }
        if let Some((key, value)) = entry(ty) {
            return Self::Map(key.clone(), Box::new(Self::from_type(value)));
        }
        match single_argument(ty, &["Box"]) {
            Some(inner) => Self::from_type(inner),
            None if is_primitive(ty) => Self::Primitive(ty.clone()),
            None => Self::Value(ungrouped(ty).clone()),
        }
    }

    /// The type of the items of a list.
    pub(crate) fn item(&self) -> Option<&Type> {
        match self {
            Self::List(item) => match &**item {
                Self::Value(ty) => Some(ty),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The type argument of one of these containers of the standard library.
fn single_argument<'a>(ty: &'a Type, containers: &[&str]) -> Option<&'a Type> {
    match container_arguments(ty, containers)?.as_slice() {
        [argument] => Some(argument),
        _ => None,
    }
}

fn entry(ty: &Type) -> Option<(&Type, &Type)> {
    match container_arguments(ty, &["BTreeMap", "HashMap"])?.as_slice() {
        [key, value] => Some((key, value)),
        _ => None,
    }
}

fn container_arguments<'a>(ty: &'a Type, containers: &[&str]) -> Option<Vec<&'a Type>> {
    let path = &as_path(ty)?.path;
    let last = path.segments.last()?;
    let is_one = containers.iter().any(|container| last.ident == container);
    (is_one && is_std(path)).then(|| arguments(ungrouped(ty)))
}
