mod indexes;
mod model;
mod threads;

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;

use super::{Index, Store, StoreChange};

/// The values of a small object.
#[derive(Clone, Debug, PartialEq)]
struct State {
    namespace: u8,
    name: u8,
    uid: u8,
    labels: Vec<(&'static str, &'static str)>,
    owners: Vec<u8>,
    values: Vec<u8>,
}

impl State {
    fn object(&self, version: usize) -> Arc<ConfigMap> {
        let owners = self
            .owners
            .iter()
            .map(|uid| json!({ "apiVersion": "v1", "kind": "Node", "name": "n", "uid": format!("owner-{uid}") }));
        let labels: std::collections::BTreeMap<_, _> = self.labels.iter().copied().collect();
        let data = self.values.iter().map(|value| (value.to_string(), String::new()));
        let object = json!({
            "metadata": {
                "namespace": format!("ns-{}", self.namespace), "name": format!("name-{}", self.name),
                "uid": self.uid.to_string(), "resourceVersion": version.to_string(),
                "labels": labels, "ownerReferences": owners.collect::<Vec<_>>(),
            },
            "data": data.collect::<std::collections::BTreeMap<_, _>>(),
        });
        Arc::new(serde_json::from_value(object).unwrap())
    }
}

fn by_value() -> Index<ConfigMap, String> {
    Index::new("value", |config: &ConfigMap| {
        let data = config.data.iter().flatten();
        data.map(|(key, _)| key.clone()).collect::<Vec<_>>()
    })
}

fn apply(store: &Store, object: Arc<ConfigMap>) -> StoreChange {
    let prepared = store.prepare(object);
    store.write().apply(prepared).1
}
