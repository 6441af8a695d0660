//! How the values of a type are merged.

mod build;
mod kubernetes;

use std::collections::BTreeMap;

use crdkit_core::schema::SchemaProps;
use serde_json::Value;

use self::build::Builder;

/// How the values of a resource are merged: what each list and map is, and the fields that a schema declares.
#[derive(Debug)]
pub(crate) struct Topology {
    types: Vec<Type>,
    root: TypeId,
}

/// The index of a type in a [`Topology`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypeId(usize);

/// No value has this type.
const NOTHING: TypeId = TypeId(0);
/// Any value, with granular maps and atomic lists.
const DEDUCED: TypeId = TypeId(1);
/// Any value, which has one owner.
const ATOMIC: TypeId = TypeId(2);
const TEXT: TypeId = TypeId(3);
const NUMBER: TypeId = TypeId(4);
const BOOLEAN: TypeId = TypeId(5);
/// Any scalar.
const SCALAR: TypeId = TypeId(6);
/// `metadata.managedFields`, which has no owner.
const MANAGED_FIELDS: TypeId = TypeId(7);

/// What a value of a type can be.
#[derive(Clone, Debug, Default)]
pub(super) struct Type {
    pub(super) scalar: Option<Scalar>,
    pub(super) list: Option<List>,
    pub(super) map: Option<Map>,
    /// Whether no operation reads the value.
    pub(super) is_ignored: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Text,
    Number,
    Boolean,
    Any,
}

#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) kind: ListKind,
    pub(super) items: TypeId,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ListKind {
    Atomic,
    Set,
    Map(Vec<Key>),
}

/// An entry of `x-kubernetes-list-map-keys`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    pub(super) name: String,
    /// The default of the field.
    pub(super) default: Option<Value>,
}

#[derive(Clone, Debug)]
pub(super) struct Map {
    pub(super) is_atomic: bool,
    fields: BTreeMap<String, TypeId>,
    /// The type of all other fields.
    others: TypeId,
}

impl Map {
    /// Whether the schema declares a field.
    pub(super) fn declares(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// Returns the type of a field.
    pub(super) fn field(&self, name: &str) -> TypeId {
        self.fields.get(name).copied().unwrap_or(self.others)
    }

    /// Returns the type of a field, if there can be one with this name.
    pub(super) fn allowed_field(&self, name: &str) -> Option<TypeId> {
        Some(self.field(name)).filter(|type_| *type_ != NOTHING)
    }

    /// Returns the type of fields that are not declared.
    pub(super) const fn others(&self) -> TypeId {
        self.others
    }

    /// Whether no field is declared, and a field can have any type.
    pub(super) fn is_deduced(&self) -> bool {
        self.others == DEDUCED && self.fields.is_empty()
    }
}

impl Topology {
    /// Returns the topology of the objects that a schema describes.
    pub(crate) fn of_schema(schema: &SchemaProps<'_>) -> Self {
        let mut builder = Builder::default();
        let root = builder.root(schema);
        Self { types: builder.types, root }
    }

    /// Returns the topology of the objects of a kind of Kubernetes, if it is known.
    pub(crate) fn of_kind(group: &str, version: &str, kind: &str) -> Option<Self> {
        let mut builder = Builder::default();
        let root = builder.kind(group, version, kind)?;
        Some(Self { types: builder.types, root })
    }

    /// Returns the topology of objects without a schema.
    pub(crate) fn deduced() -> Self {
        Self { types: Builder::default().types, root: DEDUCED }
    }

    pub(super) const fn root(&self) -> TypeId {
        self.root
    }

    pub(super) fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0]
    }

    /// Returns the part of a type that a value has, or the whole type of a value that has no part of it.
    pub(super) fn deduce(&self, id: TypeId, value: Option<&Value>) -> Shape<'_> {
        let type_ = self.get(id);
        let shape = match value {
            None | Some(Value::Null) => None,
            Some(Value::Array(_)) => type_.list.as_ref().map(Shape::List),
            Some(Value::Object(_)) => type_.map.as_ref().map(Shape::Map),
            Some(Value::Bool(_) | Value::Number(_) | Value::String(_)) => type_.scalar.map(Shape::Scalar),
        };
        shape.unwrap_or_else(|| type_.first())
    }
}

/// One of the forms of a type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'a> {
    Map(&'a Map),
    Scalar(Scalar),
    List(&'a List),
    /// There is no such value.
    Nothing,
    /// The value is not read.
    Ignored,
}

impl Shape<'_> {
    /// Whether two forms of the same type are the same form.
    pub(super) const fn is(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::Map(_), Self::Map(_)) | (Self::Scalar(_), Self::Scalar(_)) | (Self::List(_), Self::List(_))
        )
    }
}

impl Type {
    /// Returns the form that a value has if nothing else determines it.
    pub(super) fn first(&self) -> Shape<'_> {
        match self {
            Self { is_ignored: true, .. } => Shape::Ignored,
            Self { map: Some(map), .. } => Shape::Map(map),
            Self { scalar: Some(scalar), .. } => Shape::Scalar(*scalar),
            Self { list: Some(list), .. } => Shape::List(list),
            _ => Shape::Nothing,
        }
    }

    const fn scalar(scalar: Scalar) -> Self {
        Self { scalar: Some(scalar), list: None, map: None, is_ignored: false }
    }

    fn any(maps: Map) -> Self {
        let list = List { kind: ListKind::Atomic, items: ATOMIC };
        Self { list: Some(list), map: Some(maps), ..Self::scalar(Scalar::Any) }
    }
}
