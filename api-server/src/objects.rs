//! Objects that a server has from the start.

use crdkit::__internal::yaml::read::{DuplicateKeys, documents};
use serde_json::Value;

use super::{
    ApiServer,
    decode::text,
    failure::{Failure, qualified_kind},
    snapshot::TIME,
    state::State,
    store::Key,
};

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
            let added: Vec<_> = documents.iter().map(|document| state.add(document)).collect();
            let failed = added.into_iter().zip(&documents).find_map(|(result, it)| Some((result.err()?, it)));
            documents.iter().for_each(|document| state.complete_owners(document));
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

impl State {
    /// Adds an object with its status and the metadata that it has.
    fn add(&mut self, document: &Value) -> Result<(), Failure> {
        let (group, plural, is_namespaced) = self.resource_of(document)?;
        let mut object = document.clone();
        if let Value::Object(metadata) = &mut object["metadata"] {
            for name in ["resourceVersion", "generateName"] {
                metadata.remove(name);
            }
            if is_namespaced && !metadata.contains_key("namespace") {
                metadata.insert("namespace".into(), "default".into());
            }
        }
        replace_times(&mut object, &self.clock.text());
        let metadata = &object["metadata"];
        let key = Key::new(text(metadata, "namespace"), text(metadata, "name"));
        self.ensure_namespace(&key.namespace)?;
        // Owners without a UID follow when all objects are there.
        let mut new = object.clone();
        let owners = new["metadata"].get_mut("ownerReferences").and_then(Value::as_array_mut);
        for owner in owners.into_iter().flatten().filter(|owner| text(owner, "uid").is_empty()) {
            owner["uid"] = "unknown".into();
        }
        let resource = self.resource(&group, &plural).ok_or_else(Failure::no_such_path)?.qualified();
        if self.store.get(&resource, &key).is_none() {
            self.create_internally(&group, &plural, new)?;
        }
        let Some(mut stored) = self.store.get(&resource, &key).map(|stored| stored.value()) else {
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
        self.store.put(&resource, &key, &mut stored);
        Ok(())
    }

    /// Sets the UIDs of the owners that a document has without one.
    fn complete_owners(&mut self, document: &Value) {
        let Some(key) = self.stored_key(document) else { return };
        let Some(mut object) = self.store.get(&key.0, &key.1).map(|stored| stored.value()) else { return };
        let before = object.clone();
        let owners = object["metadata"].get_mut("ownerReferences").and_then(Value::as_array_mut);
        for owner in owners.into_iter().flatten().filter(|owner| text(owner, "uid") == "unknown") {
            let Ok((group, plural, is_namespaced)) = self.resource_of(owner) else { continue };
            let namespace = if is_namespaced { key.1.namespace.as_str() } else { "" };
            let Some(resource) = self.resource(&group, &plural) else { continue };
            let found = self.store.get(&resource.qualified(), &Key::new(namespace, text(owner, "name")));
            if let Some(found) = found {
                owner["uid"] = found.value()["metadata"]["uid"].clone();
            }
        }
        if object != before {
            self.store.put(&key.0, &key.1, &mut object);
        }
    }

    fn stored_key(&self, document: &Value) -> Option<(String, Key)> {
        let (group, plural, is_namespaced) = self.resource_of(document).ok()?;
        let metadata = &document["metadata"];
        let namespace = match (is_namespaced, text(metadata, "namespace")) {
            (true, "") => "default",
            (_, namespace) => namespace,
        };
        let resource = self.resource(&group, &plural)?.qualified();
        Some((resource, Key::new(namespace, text(metadata, "name"))))
    }

    fn ensure_namespace(&mut self, name: &str) -> Result<(), Failure> {
        if name.is_empty() || self.namespace(name).is_some() {
            return Ok(());
        }
        let namespace = serde_json::json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
        self.create_internally("", "namespaces", namespace).map(|_| ())
    }

    /// Returns the group, the plural name and the scope of the resource of `apiVersion` and `kind`.
    pub(super) fn resource_of(&self, typed: &Value) -> Result<(String, String, bool), Failure> {
        let (api_version, kind) = (text(typed, "apiVersion"), text(typed, "kind"));
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let found = self.resources().find(|it| it.group == group && it.names.kind == kind);
        match found.filter(|it| it.by_api_version(api_version).is_some()) {
            Some(resource) => Ok((resource.group.clone(), resource.names.plural.clone(), resource.is_namespaced)),
            None => {
                let qualified = qualified_kind(group, kind);
                Err(Failure::new(404, "NotFound", format!("no resource is served for {qualified} in {api_version}")))
            }
        }
    }
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
