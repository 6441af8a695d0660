//! The objects that each namespace has.

use serde_json::{Value, json};

use super::{metadata::Metadata, request::ControllerRequest, running::Controller};
use crate::{
    state::State,
    store::{Key, Write},
};

/// Creates the objects that are missing in namespaces in which something has changed.
pub(super) struct ServiceAccountController;

impl Controller for ServiceAccountController {
    fn name(&self) -> &'static str {
        "serviceaccount-controller"
    }

    fn run(&mut self, state: &mut State, writes: &[Write]) {
        for Write { resource, change } in writes {
            let name = match resource.as_str() {
                "namespaces" if !change.is_deletion => &change.key.name,
                "serviceaccounts" | "configmaps" if change.is_deletion => &change.key.namespace,
                _ => continue,
            };
            let namespace = state.store.get("namespaces", &Key::new("", name)).map(|stored| Metadata::of(stored));
            if namespace.is_none_or(|namespace| namespace.is_deleting()) {
                continue;
            }
            ensure(state, "serviceaccounts", name, json!({ "metadata": { "name": "default", "namespace": name } }));
            let description = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such \
                               as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across \
                               distributions of Kubernetes clusters.";
            let metadata = json!({
                "name": "kube-root-ca.crt", "namespace": name, "annotations": { "kubernetes.io/description": description },
            });
            ensure(state, "configmaps", name, json!({ "metadata": metadata, "data": { "ca.crt": "" } }));
        }
    }
}

fn ensure(state: &mut State, resource: &str, namespace: &str, object: Value) {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    if state.store.get(resource, &Key::new(namespace, name)).is_none() {
        // Nothing refuses these objects.
        let _ = ControllerRequest::create(resource, &Key::new(namespace, ""), object).send(state);
    }
}
