use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The one kind that is served.
pub mod kind {
    /// The group.
    pub const GROUP: &str = "faults.example.com";
    /// The version.
    pub const VERSION: &str = "v1";
    /// The kind.
    pub const KIND: &str = "Widget";
    /// The name in paths.
    pub const PLURAL: &str = "widgets";

    pub(crate) fn api_version() -> String {
        format!("{GROUP}/{VERSION}")
    }
}

/// The part of an object that users write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content {
    /// The labels.
    pub labels: BTreeMap<String, String>,
    /// The annotations.
    pub annotations: BTreeMap<String, String>,
    /// The desired state.
    pub spec: Value,
}

/// A state of an object.
#[derive(Clone, Debug)]
pub struct Object {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The UID, which distinguishes it from other objects of the same name.
    pub uid: String,
    /// The resourceVersion.
    pub version: u64,
    /// The generation: how often the spec has changed.
    pub generation: u64,
    /// The part that users write.
    pub content: Content,
    json: String,
}

impl Object {
    pub(crate) fn new((namespace, name): (&str, &str), uid: String, version: u64, content: Content) -> Self {
        let mut object = Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            uid,
            version,
            generation: 1,
            content,
            json: String::new(),
        };
        object.json = object.render();
        object
    }

    pub(crate) fn updated(&self, version: u64, content: Content) -> Self {
        let mut object = self.clone();
        object.generation += u64::from(content.spec != object.content.spec);
        (object.version, object.content) = (version, content);
        object.json = object.render();
        object
    }

    /// Returns the same state with the version of the deletion.
    pub(crate) fn at_version(&self, version: u64) -> Self {
        let mut object = self.clone();
        object.version = version;
        object.json = object.render();
        object
    }

    /// The text that the API server sends.
    pub fn json(&self) -> &str {
        &self.json
    }

    pub(crate) fn key(&self) -> (String, String) {
        (self.namespace.clone(), self.name.clone())
    }

    fn render(&self) -> String {
        let managed = json!([{
            "apiVersion": kind::api_version(),
            "fieldsType": "FieldsV1",
            "fieldsV1": { "f:metadata": { "f:labels": { ".": {}, "f:tier": {} } }, "f:spec": { "f:size": {} } },
            "manager": "writer \"of\" {tests}",
            "operation": "Update",
            "time": "2026-01-01T00:00:00Z",
        }]);
        json!({
            "apiVersion": kind::api_version(),
            "kind": kind::KIND,
            "metadata": {
                "name": self.name,
                "namespace": self.namespace,
                "uid": self.uid,
                "resourceVersion": self.version.to_string(),
                "generation": self.generation,
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "labels": self.content.labels,
                "annotations": self.content.annotations,
                "managedFields": managed,
            },
            "spec": self.content.spec,
        })
        .to_string()
    }
}
