//! How the values of a type are merged.

use std::{borrow::Cow, collections::BTreeMap};

use crdkit_core::schema::{AdditionalProperties, Items, SchemaProps};
use serde_json::Value;

use crate::props::read;

/// How the values of a resource are merged: what each list and map is, and the fields that a schema declares.
#[derive(Debug)]
pub(in crate::testing::api_server) struct Topology {
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
/// `metadata.managedFields`, which nobody owns.
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
    pub(in crate::testing::api_server) fn of_schema(schema: &SchemaProps<'_>) -> Self {
        let mut builder = Builder::default();
        let root = builder.root(schema);
        Self { types: builder.types, root }
    }

    /// Returns the topology of objects without a schema.
    pub(in crate::testing::api_server) fn deduced() -> Self {
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

struct Builder {
    types: Vec<Type>,
    /// `metadata`, once a schema refers to it.
    object_meta: Option<TypeId>,
}

impl Default for Builder {
    fn default() -> Self {
        let map = |is_atomic, others| Map { is_atomic, fields: BTreeMap::new(), others };
        let types = vec![
            Type::default(),
            Type::any(map(false, DEDUCED)),
            Type::any(map(true, ATOMIC)),
            Type::scalar(Scalar::Text),
            Type::scalar(Scalar::Number),
            Type::scalar(Scalar::Boolean),
            Type::scalar(Scalar::Any),
            Type { is_ignored: true, ..Type::default() },
        ];
        Self { types, object_meta: None }
    }
}

impl Builder {
    fn add(&mut self, type_: Type) -> TypeId {
        self.types.push(type_);
        TypeId(self.types.len() - 1)
    }

    fn root(&mut self, schema: &SchemaProps<'_>) -> TypeId {
        let mut type_ = self.parse(schema, false);
        self.add_type_meta(&mut type_);
        self.add(type_)
    }

    /// Returns the type of a value. Below `x-kubernetes-preserve-unknown-fields`, all objects have further fields.
    fn type_of(&mut self, schema: &SchemaProps<'_>, preserves: bool) -> TypeId {
        match (&*kind(schema), schema.format.as_deref().unwrap_or_default()) {
            ("integer" | "number", _) => NUMBER,
            ("boolean", _) => BOOLEAN,
            ("string", "" | "byte") => TEXT,
            ("string", _) => SCALAR,
            _ => {
                let mut type_ = self.parse(schema, preserves);
                if schema.embedded_resource {
                    self.add_type_meta(&mut type_);
                }
                self.add(type_)
            }
        }
    }

    fn parse(&mut self, schema: &SchemaProps<'_>, preserves: bool) -> Type {
        let preserves = preserves || schema.preserve_unknown_fields == Some(true);
        match &*kind(schema) {
            "object" => Type { map: Some(self.map(schema, preserves)), ..Type::default() },
            "array" => Type { list: Some(self.list(schema, preserves)), ..Type::default() },
            _ => {
                let (list, map) = (self.list(schema, preserves), self.map(schema, preserves));
                Type { list: Some(list), map: Some(map), ..Type::scalar(Scalar::Any) }
            }
        }
    }

    fn map(&mut self, schema: &SchemaProps<'_>, preserves: bool) -> Map {
        let properties = schema.properties.as_deref().unwrap_or_default();
        let fields = properties.iter().map(|(name, field)| (name.clone().into_owned(), self.type_of(field, preserves)));
        let fields: BTreeMap<_, _> = fields.collect();
        let others = match &schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) => self.type_of(values, preserves),
            Some(AdditionalProperties::Bool(true)) => DEDUCED,
            Some(AdditionalProperties::Bool(false)) => NOTHING,
            None if preserves || fields.is_empty() => DEDUCED,
            None => NOTHING,
        };
        Map { is_atomic: schema.map_type.as_deref() == Some("atomic"), fields, others }
    }

    fn list(&mut self, schema: &SchemaProps<'_>, preserves: bool) -> List {
        let items = match &schema.items {
            Some(Items::Schema(items)) => Some(&**items),
            Some(Items::Schemas(all)) => all.first(),
            None => None,
        };
        let kind = match schema.list_type.as_deref() {
            Some("set") => ListKind::Set,
            Some("map") => ListKind::Map(schema.list_map_keys.iter().map(|name| key(name, items)).collect()),
            _ => ListKind::Atomic,
        };
        List { kind, items: items.map_or(ATOMIC, |items| self.type_of(items, preserves)) }
    }

    /// Adds the fields of all objects.
    fn add_type_meta(&mut self, type_: &mut Type) {
        let object_meta = self.object_meta();
        if let Some(map) = &mut type_.map {
            map.fields.insert("apiVersion".to_owned(), TEXT);
            map.fields.insert("kind".to_owned(), TEXT);
            map.fields.insert("metadata".to_owned(), object_meta);
        }
    }

    fn object_meta(&mut self) -> TypeId {
        if let Some(known) = self.object_meta {
            return known;
        }
        let strings = Map { is_atomic: false, fields: BTreeMap::new(), others: TEXT };
        let strings = self.add(Type { map: Some(strings), ..Type::default() });
        let finalizers = List { kind: ListKind::Set, items: TEXT };
        let finalizers = self.add(Type { list: Some(finalizers), ..Type::default() });
        let owner_references = self.owner_references();
        let texts = ["generateName", "name", "namespace", "resourceVersion", "selfLink", "uid"];
        let times = ["creationTimestamp", "deletionTimestamp"];
        let others = [
            ("annotations", strings),
            ("deletionGracePeriodSeconds", NUMBER),
            ("finalizers", finalizers),
            ("generation", NUMBER),
            ("labels", strings),
            ("managedFields", MANAGED_FIELDS),
            ("ownerReferences", owner_references),
        ];
        let all = texts.map(|name| (name, TEXT)).into_iter().chain(times.map(|name| (name, SCALAR))).chain(others);
        let map = declared(all);
        let object_meta = self.add(Type { map: Some(map), ..Type::default() });
        self.object_meta = Some(object_meta);
        object_meta
    }

    fn owner_references(&mut self) -> TypeId {
        let texts = ["apiVersion", "kind", "name", "uid"].map(|name| (name, TEXT));
        let flags = ["blockOwnerDeletion", "controller"].map(|name| (name, BOOLEAN));
        let reference = Map { is_atomic: true, ..declared(texts.into_iter().chain(flags)) };
        let items = self.add(Type { map: Some(reference), ..Type::default() });
        let kind = ListKind::Map(vec![Key { name: "uid".to_owned(), default: None }]);
        self.add(Type { list: Some(List { kind, items }), ..Type::default() })
    }
}

/// Returns a map with only these fields.
fn declared<'a>(fields: impl Iterator<Item = (&'a str, TypeId)>) -> Map {
    let fields = fields.map(|(name, type_)| (name.to_owned(), type_)).collect();
    Map { is_atomic: false, fields, others: NOTHING }
}

fn kind<'a>(schema: &'a SchemaProps<'_>) -> Cow<'a, str> {
    schema.type_.as_deref().unwrap_or_default().into()
}

fn key(name: &str, items: Option<&SchemaProps<'_>>) -> Key {
    let mut fields = items.and_then(|items| items.properties.as_deref()).unwrap_or_default().iter();
    let default = fields.find(|(field, _)| field == name).and_then(|(_, field)| field.default.clone());
    Key { name: name.to_owned(), default: default.map(read::to_serde) }
}
