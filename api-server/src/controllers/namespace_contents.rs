//! The objects that each namespace has.

use std::{collections::BTreeSet, mem};

use serde_json::{Value, json};

use super::{metadata::OwnedMetadata, request::ControllerRequest, running::Controller};
use crate::{
    failure::Failure,
    state::State,
    store::{Key, Write},
};

/// Creates the objects that are missing in namespaces in which something has changed. In a cluster, those are two controllers.
#[derive(Default)]
pub(super) struct ServiceAccountController {
    /// The namespaces in which objects may be missing.
    pending: BTreeSet<String>,
}

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
            self.pending.insert(name.clone());
        }
        for name in mem::take(&mut self.pending) {
            let namespace = state.store.get("namespaces", &Key::new("", &name)).map(|stored| OwnedMetadata::of(stored));
            if namespace.is_none_or(|namespace| namespace.is_deleting()) {
                continue;
            }
            // What webhooks or policies refuse is tried again after the next change.
            if create_missing(state, &name).is_err() {
                self.pending.insert(name);
            }
        }
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

fn create_missing(state: &mut State, namespace: &str) -> Result<(), Failure> {
    let description = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as \
                       the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of \
                       Kubernetes clusters.";
    let account = json!({ "metadata": { "name": "default", "namespace": namespace } });
    let metadata = json!({
        "name": "kube-root-ca.crt", "namespace": namespace, "annotations": { "kubernetes.io/description": description },
    });
    let map = json!({ "metadata": metadata, "data": { "ca.crt": "" } });
    let created = ensure(state, "serviceaccounts", namespace, account);
    ensure(state, "configmaps", namespace, map).and(created)
}

fn ensure(state: &mut State, resource: &str, namespace: &str, object: Value) -> Result<(), Failure> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    if state.store.get(resource, &Key::new(namespace, name)).is_none() {
        ControllerRequest::create(resource, &Key::new(namespace, ""), object).send(state)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::{
        admissionregistration::v1::ValidatingAdmissionPolicyBinding,
        core::v1::{Namespace, ServiceAccount},
    };
    use kube::Api;

    use crate::ApiServer;

    const POLICY: &str = "
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: closed }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [serviceaccounts] }]
  validations: [{ expression: 'false' }]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: closed }
spec: { policyName: closed, validationActions: [Deny] }
";

    #[tokio::test]
    async fn what_was_refused_is_tried_again() {
        let server = ApiServer::new().with_objects(POLICY).with_service_accounts();
        let client = server.kube_client();
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some("a".to_owned());
        Api::all(client.clone()).create(&<_>::default(), &namespace).await.unwrap();
        let accounts = Api::<ServiceAccount>::namespaced(client.clone(), "a");
        assert!(accounts.get_opt("default").await.unwrap().is_none());
        let bindings = Api::<ValidatingAdmissionPolicyBinding>::all(client);
        bindings.delete("closed", &<_>::default()).await.unwrap();
        assert!(accounts.get_opt("default").await.unwrap().is_some());
    }
}
