//! The requests, as bytes, so that only the server and the transport are measured.

use anyhow::{Context, Result};
use crdkit_benches::objects::{Shape, name_of, namespace_of};
use http::{Method, Request, header};
use serde_json::{Value, json};

const APPLY: &str = "application/apply-patch+yaml";
const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
const ROOT: &str = "/apis/vm.test/v1";

/// Builds the requests for objects of which there will be a number in all.
#[derive(Clone, Copy)]
pub(crate) struct Requests {
    pub(crate) objects: usize,
}

impl Requests {
    /// The path of the objects of a namespace.
    fn collection(self, number: usize) -> String {
        format!("{ROOT}/namespaces/{}/virtualmachines", namespace_of(number, self.objects))
    }

    fn path(self, number: usize) -> String {
        format!("{}/{}", self.collection(number), name_of(number))
    }

    /// A machine as a client creates it, without what the server sets: 1.3 KB of JSON.
    fn object(self, number: usize) -> Value {
        let mut object: Value =
            serde_json::from_str(&Shape::VirtualMachines.json(number, self.objects)).unwrap_or_default();
        if let Some(members) = object.as_object_mut() {
            members.remove("status");
        }
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.retain(|name, _| matches!(name.as_str(), "name" | "namespace" | "labels" | "annotations"));
        }
        object
    }

    pub(crate) fn create(self, number: usize) -> Result<Request<Vec<u8>>> {
        request(Method::POST, &format!("{}?fieldManager=bench", self.collection(number)), JSON, &self.object(number))
    }

    pub(crate) fn get(self, number: usize) -> Result<Request<Vec<u8>>> {
        request(Method::GET, &self.path(number), JSON, &Value::Null)
    }

    /// A page of ten objects of a namespace.
    pub(crate) fn list(self, number: usize) -> Result<Request<Vec<u8>>> {
        request(Method::GET, &format!("{}?limit=10", self.collection(number)), JSON, &Value::Null)
    }

    /// A page of 500 objects of all namespaces.
    pub(crate) fn page(token: &str) -> Result<Request<Vec<u8>>> {
        request(Method::GET, &format!("{ROOT}/virtualmachines?limit=500&continue={token}"), JSON, &Value::Null)
    }

    /// An update of the status of an object, as a server returned it.
    pub(crate) fn update_status(self, number: usize, current: &str) -> Result<Request<Vec<u8>>> {
        let mut object: Value = serde_json::from_str(current)?;
        let condition = json!({
            "type": "Ready", "status": "True", "reason": "AllRunning", "message": "all 3 machines answer their probes",
            "lastTransitionTime": "2026-03-01T09:31:40Z", "observedGeneration": 1,
        });
        object["status"] = json!({ "phase": "Running", "replicas": 3, "conditions": [condition] });
        request(Method::PUT, &format!("{}/status?fieldManager=operator", self.path(number)), JSON, &object)
    }

    /// A small change of the status.
    pub(crate) fn change(self, number: usize, replicas: usize) -> Result<Request<Vec<u8>>> {
        let patch = json!({ "status": { "phase": "Running", "replicas": replicas } });
        request(Method::PATCH, &format!("{}/status?fieldManager=operator", self.path(number)), MERGE, &patch)
    }

    /// An apply by another manager, of most fields of the spec.
    pub(crate) fn apply(self, number: usize) -> Result<Request<Vec<u8>>> {
        let object = self.object(number);
        let mut spec = object["spec"].clone();
        spec["replicas"] = 5.into();
        let configuration = json!({
            "apiVersion": object["apiVersion"], "kind": object["kind"],
            "metadata": { "name": object["metadata"]["name"], "labels": { "tier": "back" } },
            "spec": spec,
        });
        let path = format!("{}?fieldManager=applier&force=true", self.path(number));
        request(Method::PATCH, &path, APPLY, &configuration)
    }

    /// A watch of all objects from now on.
    pub(crate) fn watch(revision: &str) -> Result<Request<Vec<u8>>> {
        let path = format!("{ROOT}/virtualmachines?watch=true&resourceVersion={revision}");
        request(Method::GET, &path, JSON, &Value::Null)
    }

    pub(crate) fn create_namespace(name: &str) -> Result<Request<Vec<u8>>> {
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
        request(Method::POST, "/api/v1/namespaces", JSON, &namespace)
    }

    /// The first request of a test.
    pub(crate) fn first() -> Result<Request<Vec<u8>>> {
        request(Method::GET, "/api/v1/namespaces/default", JSON, &Value::Null)
    }

    /// A list of the kind, which is refused while the kind is not served.
    pub(crate) fn probe() -> Result<Request<Vec<u8>>> {
        request(Method::GET, &format!("{ROOT}/virtualmachines?limit=1"), JSON, &Value::Null)
    }

    /// Installs the definition of the kind.
    pub(crate) fn install(definition: &Value) -> Result<Request<Vec<u8>>> {
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        request(Method::POST, path, JSON, definition)
    }
}

fn request(method: Method, path: &str, media_type: &str, body: &Value) -> Result<Request<Vec<u8>>> {
    let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let mut request = Request::builder().method(method).uri(path).header(header::ACCEPT, JSON);
    if !bytes.is_empty() {
        request = request.header(header::CONTENT_TYPE, media_type);
    }
    request.body(bytes).context("the request is malformed")
}
