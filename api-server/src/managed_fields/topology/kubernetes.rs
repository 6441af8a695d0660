//! Topologies of Kubernetes' own kinds, by their Go types.

use std::collections::BTreeMap;

use super::{ATOMIC, BOOLEAN, Key, List, ListKind, Map, NOTHING, NUMBER, SCALAR, TEXT, Type, TypeId, build::Builder};
use crate::types::{self, Field, Form, GoType, Merging, Struct};

const OBJECT_META: &str = "v1.ObjectMeta";

impl Builder {
    /// Returns the type of the objects of a kind.
    pub(super) fn kind(&mut self, group: &str, version: &str, kind: &str) -> Option<TypeId> {
        Some(self.go_type(types::of_kind(group, version, kind)?))
    }

    fn go_type(&mut self, id: types::TypeId) -> TypeId {
        let type_ = types::get(id);
        match &type_.form {
            Form::Boolean => BOOLEAN,
            Form::Integer(_) | Form::Float => NUMBER,
            Form::Text | Form::Bytes => TEXT,
            Form::Time | Form::MicroTime | Form::Quantity | Form::IntOrString => SCALAR,
            Form::Any => ATOMIC,
            Form::Pointer(inner) => self.go_type(*inner),
            Form::Struct(_) if type_.name == OBJECT_META => self.object_meta(),
            Form::Struct(of) => self.go_struct(id, of),
            Form::List(items) => {
                let items = self.go_type(*items);
                self.add(Type { list: Some(List { kind: ListKind::Atomic, items }), ..Type::default() })
            }
            Form::Map(values) => {
                let others = self.go_type(*values);
                let map = Map { is_atomic: false, fields: BTreeMap::new(), others };
                self.add(Type { map: Some(map), ..Type::default() })
            }
        }
    }

    fn go_struct(&mut self, id: types::TypeId, of: &'static Struct) -> TypeId {
        if let Some(known) = self.go_types.get(&id) {
            return *known;
        }
        // The type of a field can contain the type itself.
        let known = self.add(Type::default());
        self.go_types.insert(id, known);
        let fields = of.fields.iter().map(|field| (field.name.to_owned(), self.go_field(field))).collect();
        let map = Map { is_atomic: of.merging == Merging::Atomic, fields, others: NOTHING };
        self.types[known.0] = Type { map: Some(map), ..Type::default() };
        known
    }

    /// Returns the type of a field, which can merge its value in another way than others of the type.
    fn go_field(&mut self, field: &Field) -> TypeId {
        let id = self.go_type(field.type_);
        if field.merging == Merging::Usual {
            return id;
        }
        let mut type_ = self.types[id.0].clone();
        if let Some(map) = &mut type_.map {
            map.is_atomic = field.merging == Merging::Atomic;
        }
        if let Some(list) = &mut type_.list {
            list.kind = match field.merging {
                Merging::Set => ListKind::Set,
                Merging::Keys(keys) => ListKind::Map(keys.split(',').map(|name| key(name, field.type_)).collect()),
                _ => ListKind::Atomic,
            };
        }
        self.add(type_)
    }
}

/// Returns the key of the lists of a type.
fn key(name: &str, list: types::TypeId) -> Key {
    let GoType { form: Form::List(items), .. } = types::get(list) else {
        return Key { name: name.to_owned(), default: None };
    };
    let Form::Struct(items) = &types::get(*items).form else {
        return Key { name: name.to_owned(), default: None };
    };
    Key { name: name.to_owned(), default: items.field(name).and_then(|field| field.default.clone()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Topology;
    use crate::managed_fields::{
        owned::field_set,
        validate::{Duplicates, validate},
    };

    #[test]
    fn fields_and_items_of_a_deployment() {
        let topology = Topology::of_kind("apps", "v1", "Deployment").unwrap();
        let deployment = json!({
            "metadata": {"labels": {"a": "b"}, "finalizers": ["c"]},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"a": "b"}},
                "template": {"spec": {
                    "nodeSelector": {"a": "b"},
                    "containers": [{
                        "name": "d", "args": ["e"], "ports": [{"containerPort": 80}], "resources": {"limits": {"cpu": "1"}},
                    }],
                }},
            },
        });
        assert_eq!(
            field_set(&topology, &deployment).to_fields_v1(),
            json!({
                "f:metadata": {"f:labels": {"f:a": {}}, "f:finalizers": {"v:\"c\"": {}}},
                "f:spec": {
                    "f:replicas": {},
                    "f:selector": {},
                    "f:template": {"f:spec": {
                        "f:nodeSelector": {},
                        "f:containers": {"k:{\"name\":\"d\"}": {
                            ".": {}, "f:name": {}, "f:args": {}, "f:resources": {"f:limits": {"f:cpu": {}}},
                            "f:ports": {"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}},
                        }},
                    }},
                },
            })
        );
    }

    #[test]
    fn objects_without_keywords_are_nested() {
        let topology = Topology::of_kind("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration").unwrap();
        let service = json!({"name": "a", "namespace": "b"});
        let configuration = json!({"webhooks": [{"name": "c", "clientConfig": {"service": service}}]});
        assert!(validate(&topology, &configuration, Duplicates::Refused).is_ok());
        let service = json!({"f:service": {"f:name": {}, "f:namespace": {}}});
        assert_eq!(
            field_set(&topology, &configuration).to_fields_v1(),
            json!({"f:webhooks": {"k:{\"name\":\"c\"}": {".": {}, "f:name": {}, "f:clientConfig": service}}})
        );
    }

    #[test]
    fn fields_of_a_config_map() {
        let topology = Topology::of_kind("", "v1", "ConfigMap").unwrap();
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}, "immutable": true});
        let fields = json!({"f:apiVersion": {}, "f:kind": {}, "f:data": {"f:a": {}}, "f:immutable": {}});
        assert_eq!(field_set(&topology, &map).to_fields_v1(), fields);
        assert!(Topology::of_kind("", "v1", "Other").is_none());
    }
}
