//! The source of a field's schema.

use std::collections::HashMap;

use proc_macro2::{Ident, Span};
use syn::{Expr, GenericArgument, Path, PathArguments, Type};

use crate::attrs::{schema_override::SchemaOverride, schemars::SchemarsOverride};

/// An expression over types, from which a schema is built.
#[derive(Clone)]
pub(crate) enum SchemaSource {
    /// The schema of a type.
    Type(Type),
    /// `Option`, so that its content may be foreign.
    Optional(Box<SchemaSource>),
    /// `Vec`, likewise.
    List(Box<SchemaSource>),
    /// A map, likewise, with the type of its keys unless that is `String`.
    Map(Option<Type>, Box<SchemaSource>),
    /// A schema that a function returns.
    Function(Path),
    /// Any JSON value.
    PreserveUnknownFields,
    IntOrString,
    /// An object with unknown fields.
    Opaque,
    /// A constant expression.
    Constant(Expr),
    /// An error has been reported, from which no others must result.
    Invalid,
}

impl SchemaSource {
    pub(crate) fn new(ty: &Type, overridden: Option<&SchemarsOverride>) -> Self {
        match overridden {
            Some(SchemarsOverride::Type(ty)) => Self::from_type(ty),
            Some(SchemarsOverride::Function(function)) => Self::Function(function.clone()),
            None => Self::from_type(ty),
        }
    }

    /// The source of an overriding schema.
    pub(crate) fn from_override(schema: &SchemaOverride) -> Self {
        match schema {
            SchemaOverride::PreserveUnknownFields => Self::PreserveUnknownFields,
            SchemaOverride::IntOrString => Self::IntOrString,
            SchemaOverride::Constant(expr) => Self::Constant(expr.clone()),
        }
    }

    fn from_type(ty: &Type) -> Self {
        let argument = |at: usize| Box::new(Self::from_type(arguments(ty)[at]));
        match container(ty) {
            Some("Option") => Self::Optional(argument(0)),
            Some("Box") => *argument(0),
            Some("Vec") => Self::List(argument(0)),
            Some("HashMap" | "BTreeMap") => Self::Map(non_string_key(arguments(ty)[0]), argument(1)),
            _ => Self::Type(ungrouped(ty).clone()),
        }
    }

    /// The source with [`Self::Opaque`] in place of the type.
    pub(crate) fn opaque(self) -> Self {
        match self {
            Self::Type(_) => Self::Opaque,
            Self::Optional(inner) => Self::Optional(Box::new(inner.opaque())),
            Self::List(inner) => Self::List(Box::new(inner.opaque())),
            Self::Map(keys, inner) => Self::Map(keys, Box::new(inner.opaque())),
            other => other,
        }
    }

    /// The source without an outer `Option`.
    pub(crate) fn required(self) -> Self {
        match self {
            Self::Optional(inner) => *inner,
            other => other,
        }
    }

    /// The type without the containers around it.
    pub(crate) fn leaf_type(&self) -> Option<&Type> {
        match self {
            Self::Type(ty) => Some(ty),
            Self::Optional(inner) | Self::List(inner) | Self::Map(_, inner) => inner.leaf_type(),
            _ => None,
        }
    }

    /// The types of the keys of all maps.
    pub(crate) fn key_types(&self) -> Vec<&Type> {
        match self {
            Self::Optional(inner) | Self::List(inner) => inner.key_types(),
            Self::Map(keys, inner) => keys.iter().chain(inner.key_types()).collect(),
            _ => Vec::new(),
        }
    }

    /// The type, if it may be or contain one without a structural schema, such as an alias of a tuple.
    pub(crate) fn possibly_non_structural(&self) -> Option<Type> {
        self.leaf_type().filter(|ty| !is_scalar(ty)).cloned()
    }

    /// Gives a type that occurs in several fields the span of the first one, so that an error about it is reported
    /// once.
    pub(crate) fn share_span(&mut self, seen: &mut HashMap<Ident, Span>) {
        match self {
            Self::Type(Type::Path(path)) if path.path.get_ident().is_some() => {
                let ident = &mut path.path.segments[0].ident;
                let first = *seen.entry(ident.clone()).or_insert(ident.span());
                ident.set_span(first.resolved_at(ident.span()));
            }
            Self::Optional(inner) | Self::List(inner) | Self::Map(_, inner) => {
                inner.share_span(seen);
            }
            _ => {}
        }
    }

    /// Whether there is an outer `Option`.
    pub(crate) fn is_optional(&self) -> bool {
        matches!(self, Self::Optional(_))
    }
}

/// Whether the type is written as a scalar of the standard library.
fn is_scalar(ty: &Type) -> bool {
    is_primitive(ty) || as_path(ty).is_some_and(|ty| ty.path.is_ident("String"))
}

/// Whether the type is written as a number, a boolean or a character.
pub(crate) fn is_primitive(ty: &Type) -> bool {
    const PRIMITIVES: &[&str] = &[
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
        "usize",
    ];
    let name = as_path(ty).and_then(|ty| ty.path.get_ident()).map(ToString::to_string);
    name.is_some_and(|name| PRIMITIVES.contains(&name.as_str()))
}

/// The type of the keys of a map, which may be an enum, unless it is `String`.
fn non_string_key(ty: &Type) -> Option<Type> {
    let is_text = as_path(ty).is_some_and(|ty| is_std(&ty.path) && ty.path.is_ident("String"));
    (!is_text).then(|| ungrouped(ty).clone())
}

/// The type in a container of the standard library, or the type of the items or values in one.
pub(crate) fn element_type(ty: &Type) -> Option<&Type> {
    match ungrouped(ty) {
        Type::Array(array) => Some(&array.elem),
        Type::Slice(slice) => Some(&slice.elem),
        Type::Reference(reference) => Some(&reference.elem),
        ty => {
            let path = &as_path(ty)?.path;
            let name = path.segments.last()?.ident.to_string();
            let argument = usize::from(MAPS.contains(&name.as_str()));
            let holds = argument == 1 || CONTAINERS.contains(&name.as_str());
            (holds && is_std(path)).then(|| arguments(ty).get(argument).copied())?
        }
    }
}

const MAPS: &[&str] = &["BTreeMap", "HashMap"];
const CONTAINERS: &[&str] = &[
    "Option",
    "Box",
    "Rc",
    "Arc",
    "Cow",
    "Cell",
    "RefCell",
    "Mutex",
    "RwLock",
    "Reverse",
    "Vec",
    "VecDeque",
    "LinkedList",
    "BinaryHeap",
    "BTreeSet",
    "HashSet",
];

/// The container of the standard library that a type is written as, if it has the right number of arguments.
fn container(ty: &Type) -> Option<&'static str> {
    let path = &as_path(ty)?.path;
    let last = path.segments.last()?;
    let known = [("Option", 1), ("Box", 1), ("Vec", 1), ("HashMap", 2), ("BTreeMap", 2)];
    let (name, count) = known.iter().find(|(name, _)| last.ident == name)?;
    (is_std(path) && arguments(ty).len() == *count).then_some(*name)
}

/// Whether a path may be one of the standard library: a bare name, or a path that starts with its crates.
pub(crate) fn is_std(path: &Path) -> bool {
    let roots = ["std", "core", "alloc"];
    let first = path.segments.first().map(|segment| &segment.ident);
    path.segments.len() == 1 || first.is_some_and(|first| roots.iter().any(|root| first == root))
}

pub(crate) fn arguments(ty: &Type) -> Vec<&Type> {
    let Some(path) = as_path(ty) else {
        return Vec::new();
    };
    match path.path.segments.last().map(|segment| &segment.arguments) {
        Some(PathArguments::AngleBracketed(arguments)) => arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

pub(crate) fn as_path(ty: &Type) -> Option<&syn::TypePath> {
    match ungrouped(ty) {
        Type::Path(path) if path.qself.is_none() => Some(path),
        _ => None,
    }
}

pub(crate) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        ty => ty,
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn standard_containers_are_unwrapped() {
        let source = SchemaSource::from_type(&parse_quote!(Option<Box<Vec<std::collections::HashMap<String, Foo>>>>));
        let SchemaSource::Optional(inner) = source else { panic!() };
        let SchemaSource::List(inner) = *inner else { panic!() };
        let SchemaSource::Map(None, inner) = *inner else { panic!() };
        assert!(matches!(*inner, SchemaSource::Type(_)));
    }

    #[test]
    fn other_types_are_not_unwrapped() {
        for ty in [parse_quote!(my::Option<Foo>), parse_quote!(Vec), parse_quote!(HashMap<Foo>)] {
            assert!(matches!(SchemaSource::from_type(&ty), SchemaSource::Type(_)));
        }
    }
}
