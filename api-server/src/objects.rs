//! Objects that a server has from the start.

use crdkit::__internal::yaml::read::{DuplicateKeys, documents};
use serde_json::Value;

use super::{ApiServer, failure::Failure, internal, snapshot::TIME, state::State, store::Key, value::text};

/// What the server sets in new objects, unless a document has it.
const SERVER_METADATA: [&str; 6] =
    ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "managedFields"];

impl ApiServer {
    /// Adds objects from YAML documents, such as a [`ServerSnapshot`](super::ServerSnapshot), with their status.
    ///
    /// Their kinds must be served, so call this after [`Self::with`]. Namespaces that do not exist are created. UIDs of owners
    /// that are left out are those of the objects with the names of the owners.
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
        self.install_types();
        let parsed = match documents(yaml, DuplicateKeys::LastWins) {
            Ok(parsed) => parsed,
            Err(error) => panic!("the objects are no YAML: {error}"),
        };
        let mut documents: Vec<Value> = parsed.into_iter().map(|it| it.value).filter(|it| !it.is_null()).collect();
        documents.sort_by_key(rank);
        let refused = self.state(|state| {
            let added: Vec<_> = documents.iter().map(|document| add(state, document)).collect();
            let failed = added.into_iter().zip(&documents).find_map(|(result, it)| Some((result.err()?, it)));
            documents.iter().for_each(|document| complete_owners(state, document));
            failed.map(|(failure, document)| (failure.message, document.clone()))
        });
        if let Some((message, document)) = refused {
            panic!("an object is refused: {message}\n{document:#}");
        }
        self
    }
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
    let qualified = resource.qualified();
    if state.store.get(&qualified, &key).is_none() {
        internal::create(state, &resource.group, &resource.names.plural, new)?;
    }
    let Some(mut stored) = state.store.find(&qualified, &key) else {
        return Err(Failure::internal("the object is gone"));
    };
    for name in SERVER_METADATA {
        if let Some(value) = object["metadata"].get(name) {
            stored["metadata"][name] = value.clone();
        }
    }
    if let Some(status) = object.get("status") {
        stored["status"] = status.clone();
    }
    state.store.put(&qualified, &key, &mut stored);
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
        let found = state.store.get(&resource.qualified(), &Key::new(namespace, text(owner, "name")));
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
    Some((resource.qualified(), Key::new(namespace, text(metadata, "name"))))
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
