//! Topologies of schemas.

use std::{borrow::Cow, collections::BTreeMap};

use crdkit::__internal::crd_accessors::read;
use crdkit_core::schema::{AdditionalProperties, Items, SchemaProps};

use super::{
    ATOMIC, BOOLEAN, DEDUCED, Key, List, ListKind, MANAGED_FIELDS, Map, NOTHING, NUMBER, SCALAR, Scalar, TEXT, Type,
    TypeId,
};

pub(super) struct Builder {
    pub(super) types: Vec<Type>,
    /// `metadata`, once a schema refers to it.
    object_meta: Option<TypeId>,
    /// The structs of Kubernetes' own kinds, by their names.
    pub(super) go_types: BTreeMap<&'static str, TypeId>,
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
        Self { types, object_meta: None, go_types: BTreeMap::new() }
    }
}

impl Builder {
    pub(super) fn add(&mut self, type_: Type) -> TypeId {
        self.types.push(type_);
        TypeId(self.types.len() - 1)
    }

    pub(super) fn root(&mut self, schema: &SchemaProps<'_>) -> TypeId {
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
        let fields: BTreeMap<_, _> = properties
            .iter()
            .map(|(name, field)| (name.clone().into_owned(), self.type_of(field, preserves)))
            .collect();
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

    pub(super) fn object_meta(&mut self) -> TypeId {
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
