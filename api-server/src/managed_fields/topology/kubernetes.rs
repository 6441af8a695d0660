//! Topologies of Kubernetes' own types, whose fields are in a generated table. Neither the fields that it does not have nor what is
//! in them have keywords.

use std::collections::BTreeMap;

use crdkit::__internal::kubernetes_types::{KnownField, KnownType};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use super::{ATOMIC, Key, List, ListKind, Map, PLAIN, TEXT, Type, TypeId, build::Builder};

const OBJECT_META: &str = "apimachinery.pkg.apis.meta.v1.ObjectMeta";
const RAW_EXTENSION: &str = "apimachinery.pkg.runtime.RawExtension";

impl Builder {
    /// Returns the type of the objects of a kind.
    pub(super) fn kind(&mut self, group: &str, version: &str, kind: &str) -> Option<TypeId> {
        let group = match group.split('.').next() {
            None | Some("") => "core",
            Some(group) => group,
        };
        let root = self.named(&format!("api.{group}.{version}.{kind}"))?;
        if let Some(map) = &mut self.types[root.0].map {
            map.fields.extend(["apiVersion", "kind"].map(|name| (name.to_owned(), TEXT)));
        }
        Some(root)
    }

    /// Returns a type of the table.
    fn named(&mut self, name: &str) -> Option<TypeId> {
        match name {
            OBJECT_META => return Some(self.object_meta()),
            RAW_EXTENSION => return Some(ATOMIC),
            _ => {}
        }
        let found = KnownType::find(name)?;
        if let Some(known) = self.named.get(name) {
            return Some(*known);
        }
        // The type of a field can contain the type itself.
        let id = self.add(Type::default());
        self.named.insert(found.name(), id);
        let members: Vec<_> = found.known_fields().map(|field| (field.name.to_owned(), self.field(&field))).collect();
        let is_atomic = found.keywords().x_kubernetes_map_type.as_deref() == Some("atomic");
        let map = Map { is_atomic, is_struct: true, fields: BTreeMap::from_iter(members), others: PLAIN };
        self.types[id.0] = Type { map: Some(map), ..Type::default() };
        Some(id)
    }

    fn field(&mut self, field: &KnownField) -> TypeId {
        let Some(inner) = self.named(field.inner_type) else {
            return match list_kind(field.keywords, None) {
                ListKind::Atomic => PLAIN,
                kind => {
                    let list = List { kind, items: PLAIN };
                    self.add(Type { list: Some(list), ..Type::default() })
                }
            };
        };
        // A list of the type, or the type itself, which the keywords of the field can change.
        let mut type_ = self.types[inner.0].clone();
        if let (Some(map), Some(map_type)) = (&mut type_.map, &field.keywords.x_kubernetes_map_type) {
            map.is_atomic = map_type == "atomic";
        }
        if type_.list.is_none() {
            let kind = list_kind(field.keywords, KnownType::find(field.inner_type));
            type_.list = Some(List { kind, items: inner });
        }
        self.add(type_)
    }
}

fn list_kind(keywords: &JSONSchemaProps, items: Option<KnownType>) -> ListKind {
    match keywords.x_kubernetes_list_type.as_deref() {
        Some("set") => ListKind::Set,
        Some("map") => {
            let keys = keywords.x_kubernetes_list_map_keys.iter().flatten().map(|name| {
                let field = items.and_then(|items| items.known_fields().find(|field| field.name == name));
                let default = field.and_then(|field| field.keywords.default.clone());
                Key { name: name.clone(), default: default.map(|default| default.0) }
            });
            ListKind::Map(keys.collect())
        }
        _ => ListKind::Atomic,
    }
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
                        "f:nodeSelector": {"f:a": {}},
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
