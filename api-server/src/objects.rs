//! Objects that a server has from the start.

use crdkit::__internal::yaml::read::{DuplicateKeys, documents};
use serde_json::Value;

use super::{
    ApiServer,
    decode::{self, Decoded},
    failure::Failure,
    internal,
    snapshot::TIME,
    stages,
    state::State,
    store::Key,
    value::text,
    webhook_calls::Stop,
    write::Operation,
};

/// What the server sets in new objects, unless a document has it.
const SERVER_METADATA: [&str; 6] =
    ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "managedFields"];

impl ApiServer {
    /// Adds objects from YAML documents, such as a [`ServerSnapshot`](super::ServerSnapshot), with their status.
    ///
    /// Their kinds must be served, so call this after [`Self::with`]. Namespaces that do not exist are created. UIDs of owners
    /// that are left out are those of the objects with the names of the owners. Defaults are set, and values of other types and
    /// unknown fields are refused. Objects of Kubernetes' own kinds are not validated otherwise: they need only the fields that a
    /// test reads.
    ///
    /// ```
    /// # use crdkit_api_server::ApiServer;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = ApiServer::new().with_objects("
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: { name: web, namespace: prod }
    /// data: { size: '2' }
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: { name: web, namespace: prod, ownerReferences: [{ apiVersion: v1, kind: ConfigMap, name: web }] }
    /// ");
    /// let configs = server.client().resources::<ConfigMap>().namespace("prod");
    /// assert_eq!(configs.get("web").await?.data.unwrap()["size"], "2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a document is no YAML, or the server refuses an object.
    #[track_caller]
    pub fn with_objects(self, yaml: &str) -> Self {
        let documents = match parse(yaml) {
            Ok(documents) => documents,
            Err(error) => panic!("the objects are no YAML: {error}"),
        };
        if let Some((at, message)) = self.add_objects(&documents).into_iter().next() {
            panic!("an object is refused: {message}\n{:#}", documents[at]);
        }
        self
    }

    /// Adds the objects of documents, definitions first. Returns the documents that are refused, and why.
    pub(crate) fn add_objects(&self, documents: &[Value]) -> Vec<(usize, String)> {
        self.install_types();
        let mut ordered: Vec<(usize, &Value)> = documents.iter().enumerate().filter(|(_, it)| !it.is_null()).collect();
        ordered.sort_by_key(|(_, document)| rank(document));
        self.state(|state| {
            let add = |(at, document): &(usize, &Value)| Some((*at, add(state, document).err()?.message));
            let refused = ordered.iter().filter_map(add).collect();
            ordered.iter().for_each(|(_, document)| complete_owners(state, document));
            refused
        })
    }
}

/// Returns the documents of a text in YAML; nulls for those without contents.
pub(crate) fn parse(yaml: &str) -> Result<Vec<Value>, String> {
    let parsed = documents(yaml, DuplicateKeys::LastWins).map_err(|error| error.to_string())?;
    Ok(parsed.into_iter().map(|document| document.value).collect())
}

/// What other objects need comes first.
fn rank(document: &Value) -> usize {
    let kinds = ["CustomResourceDefinition", "Namespace"];
    kinds.iter().position(|kind| text(document, "kind") == *kind).unwrap_or(kinds.len())
}

/// Adds an object with its status and the metadata that it has.
fn add(state: &mut State, document: &Value) -> Result<(), Failure> {
    let resource = state.resources.of_type(document)?.clone();
    let mut object = document.clone();
    if let Value::Object(metadata) = &mut object["metadata"] {
        for name in ["resourceVersion", "generateName"] {
            metadata.remove(name);
        }
        if resource.is_namespaced && !metadata.contains_key("namespace") {
            metadata.insert("namespace".into(), "default".into());
        }
    }
    replace_times(&mut object, &state.clock.text());
    let metadata = &object["metadata"];
    let key = Key::new(text(metadata, "namespace"), text(metadata, "name"));
    ensure_namespace(state, &key.namespace)?;
    // Owners without a UID follow when all objects are there.
    let mut new = object.clone();
    let owners = new["metadata"].get_mut("ownerReferences").and_then(Value::as_array_mut);
    for owner in owners.into_iter().flatten().filter(|owner| text(owner, "uid").is_empty()) {
        owner["uid"] = "unknown".into();
    }
    let call = internal::creation(resource.clone(), &new);
    let mut decoded = Decoded { object: new, strict_errors: Vec::new() };
    decode::complete(&call, &mut decoded)?;
    if !decoded.strict_errors.is_empty() {
        return Err(Failure::bad_request(decode::strict_error(&decoded.strict_errors)));
    }
    let given = decoded.object.clone();
    let collection = resource.collection();
    if state.store.get(&collection, &key).is_none() {
        stages::create(state, &call, decoded.object, Operation::Update).map_err(Stop::into_failure)?;
    }
    let Some(stored) = state.store.find(&collection, &key) else {
        return Err(Failure::internal("the object is gone"));
    };
    let mut restored = resource.convert(&call.external, stored, call.version).map_err(Stop::into_failure)?;
    for name in SERVER_METADATA {
        if let Some(value) = object["metadata"].get(name) {
            restored["metadata"][name] = value.clone();
        }
    }
    if let Some(status) = given.get("status") {
        restored["status"] = status.clone();
    }
    let mut restored = resource.to_storage(&call.external, restored).map_err(Stop::into_failure)?;
    state.store.put(&collection, &key, &mut restored);
    Ok(())
}

/// Sets the UIDs of the owners that a document has without one.
fn complete_owners(state: &mut State, document: &Value) {
    let Some(key) = stored_key(state, document) else { return };
    let Some(mut object) = state.store.find(&key.0, &key.1) else { return };
    let before = object.clone();
    let owners = object["metadata"].get_mut("ownerReferences").and_then(Value::as_array_mut);
    for owner in owners.into_iter().flatten().filter(|owner| text(owner, "uid") == "unknown") {
        let Ok(resource) = state.resources.of_type(owner) else { continue };
        let namespace = if resource.is_namespaced { key.1.namespace.as_str() } else { "" };
        let found = state.store.get(&resource.collection(), &Key::new(namespace, text(owner, "name")));
        if let Some(found) = found {
            owner["uid"] = found.value()["metadata"]["uid"].clone();
        }
    }
    if object != before {
        state.store.put(&key.0, &key.1, &mut object);
    }
}

fn stored_key(state: &State, document: &Value) -> Option<(String, Key)> {
    let resource = state.resources.of_type(document).ok()?;
    let metadata = &document["metadata"];
    let namespace = match (resource.is_namespaced, text(metadata, "namespace")) {
        (true, "") => "default",
        (_, namespace) => namespace,
    };
    Some((resource.collection(), Key::new(namespace, text(metadata, "name"))))
}

fn ensure_namespace(state: &mut State, name: &str) -> Result<(), Failure> {
    if name.is_empty() || state.store.namespace(name).is_some() {
        return Ok(());
    }
    let namespace = serde_json::json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
    internal::create(state, "", "namespaces", namespace).map(|_| ())
}

/// Sets the times that a snapshot hides.
fn replace_times(value: &mut Value, now: &str) {
    match value {
        Value::Object(members) => members.values_mut().for_each(|value| replace_times(value, now)),
        Value::Array(items) => items.iter_mut().for_each(|value| replace_times(value, now)),
        Value::String(text) if text == TIME => *value = now.into(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use kube::{
        Api,
        api::{ApiResource, DynamicObject},
        core::GroupVersionKind,
    };

    use super::*;

    const DEFINITION: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: tasks.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Task, plural: tasks, singular: task, listKind: TaskList }
  versions:
  - &version
    name: v1
    served: true
    storage: true
    subresources: { status: {} }
    schema: { openAPIV3Schema: { type: object, properties: {
      spec: { type: object, properties: { size: { type: integer, default: 1 } } },
      status: { type: object, properties: { done: { type: boolean } } },
    } } }
  - { <<: *version, name: v1beta1, storage: false }
---
";

    fn task(version: &str, rest: &str) -> String {
        format!("{DEFINITION}{{ apiVersion: example.com/{version}, kind: Task, metadata: {{ name: a }}, {rest} }}")
    }

    #[tokio::test]
    async fn objects_have_defaults_and_a_status_in_each_version() {
        for version in ["v1", "v1beta1"] {
            let server = ApiServer::new().with_objects(&task(version, "spec: {}, status: { done: true }"));
            let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Task"));
            let tasks = Api::<DynamicObject>::default_namespaced_with(server.kube_client(), &kind);
            let task = tasks.get("a").await.unwrap();
            assert_eq!((&task.data["spec"]["size"], &task.data["status"]["done"]), (&1.into(), &true.into()));
            assert!(server.snapshot().to_string().contains("apiVersion: example.com/v1\n"), "{version}");
        }
    }

    #[tokio::test]
    async fn unknown_fields_are_refused() {
        for rest in ["spec: { sise: 2 }", "spec: {}, status: { dine: true }", "speck: {}"] {
            let add = || ApiServer::new().with_objects(&task("v1", rest));
            let panic = catch_unwind(AssertUnwindSafe(add)).err().unwrap();
            let message = panic.downcast_ref::<String>().unwrap();
            assert!(message.contains("an object is refused: strict decoding error: unknown field"), "{message}");
        }
    }
}
