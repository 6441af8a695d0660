//! Topologies of Kubernetes' own kinds, by their Go types.

use std::collections::BTreeMap;

use super::{ATOMIC, BOOLEAN, Key, List, ListKind, Map, NOTHING, NUMBER, SCALAR, TEXT, Type, TypeId, build::Builder};
use crate::go_types::{self, Field, GoType, Merging, Scalar, Shape};

const OBJECT_META: &str = "meta/v1.ObjectMeta";

impl Builder {
    /// Returns the type of the objects of a kind.
    pub(super) fn kind(&mut self, group: &str, version: &str, kind: &str) -> Option<TypeId> {
        Some(self.go_struct(go_types::of_resource(group, version, kind)?))
    }

    fn go_type(&mut self, shape: &Shape) -> TypeId {
        match shape {
            Shape::Bool => BOOLEAN,
            Shape::Int32 | Shape::Int64 | Shape::Double => NUMBER,
            Shape::Text | Shape::Bytes => TEXT,
            Shape::Scalar(Scalar::Time | Scalar::MicroTime | Scalar::Quantity | Scalar::IntOrString) => SCALAR,
            Shape::Scalar(_) | Shape::Any => ATOMIC,
            Shape::Struct(of) if of.name == OBJECT_META => self.object_meta(),
            Shape::Struct(of) => self.go_struct(of),
            Shape::List(items) | Shape::Items(items) => {
                let items = self.go_type(&items.shape);
                self.add(Type { list: Some(List { kind: ListKind::Atomic, items }), ..Type::default() })
            }
            Shape::Map(values) => {
                let others = self.go_type(&values.shape);
                let map = Map { is_atomic: false, fields: BTreeMap::new(), others };
                self.add(Type { map: Some(map), ..Type::default() })
            }
        }
    }

    fn go_struct(&mut self, of: &'static GoType) -> TypeId {
        if let Some(known) = self.go_types.get(of.name) {
            return *known;
        }
        // The type of a field can contain the type itself.
        let known = self.add(Type::default());
        self.go_types.insert(of.name, known);
        let fields = of.members().map(|(member, field)| (member.name.to_owned(), self.go_field(field))).collect();
        let map = Map { is_atomic: of.merging == Merging::Atomic, fields, others: NOTHING };
        self.types[known.0] = Type { map: Some(map), ..Type::default() };
        known
    }

    /// Returns the type of a field, which can merge its value in another way than others of the type.
    fn go_field(&mut self, field: &Field) -> TypeId {
        let id = self.go_type(&field.type_.shape);
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
                Merging::Keys(keys) => {
                    ListKind::Map(keys.split(',').map(|name| key(name, &field.type_.shape)).collect())
                }
                _ => ListKind::Atomic,
            };
        }
        self.add(type_)
    }
}

/// Returns the key of the lists of a type.
fn key(name: &str, list: &Shape) -> Key {
    let items = match list {
        Shape::List(items) | Shape::Items(items) => Some(&items.shape),
        _ => None,
    };
    let field = match items {
        Some(Shape::Struct(items)) => items.member(name),
        _ => None,
    };
    Key { name: name.to_owned(), default: field.and_then(|(_, field)| field.default.clone()) }
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
