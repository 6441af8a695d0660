//! Completes the documents of tests with the fields that API servers always send.

use serde_json::{Value, json};

use super::Sent;

/// Plural names and kinds.
const KINDS: [(&str, &str); 8] = [
    ("configmaps", "ConfigMap"),
    ("deployments", "Deployment"),
    ("nodes", "Node"),
    ("poddisruptionbudgets", "PodDisruptionBudget"),
    ("pods", "Pod"),
    ("secrets", "Secret"),
    ("vms", "Vm"),
    ("customresourcedefinitions", "CustomResourceDefinition"),
];

/// The target of a request.
struct Target<'a> {
    api_version: String,
    kind: &'a str,
    /// The name, for a single object.
    name: Option<&'a str>,
}

/// Completes the documents, one per line.
pub(super) fn body(body: &str, request: &Sent) -> String {
    let Some(target) = Target::of(request) else {
        return body.to_owned();
    };
    let lines = body.split_inclusive('\n').map(|line| {
        let Ok(mut document) = serde_json::from_str::<Value>(line) else {
            return line.to_owned();
        };
        match document.get_mut("object") {
            Some(object) => target.complete_event(object),
            None => target.complete(&mut document),
        }
        let end = if line.ends_with('\n') { "\n" } else { "" };
        format!("{document}{end}")
    });
    lines.collect()
}

impl<'a> Target<'a> {
    fn of(request: &'a Sent) -> Option<Self> {
        let (_, uri) = request.line.split_once(' ')?;
        let path = uri.split('?').next()?;
        let mut parts = path.strip_prefix('/')?.split('/');
        let api_version = match parts.next()? {
            "api" => parts.next()?.to_owned(),
            "apis" => format!("{}/{}", parts.next()?, parts.next()?),
            _ => return None,
        };
        let mut parts = parts.skip_while(|part| *part == "namespaces").peekable();
        if path.contains("/namespaces/") {
            parts.next();
        }
        let plural = parts.next()?;
        let (_, kind) = KINDS.iter().find(|(known, _)| *known == plural)?;
        let name = parts.next();
        if parts.next() == Some("scale") {
            return Some(Self { api_version: "autoscaling/v1".to_owned(), kind: "Scale", name });
        }
        let metadata = request.accept.contains("as=PartialObjectMetadata");
        Some(Self {
            api_version: if metadata { "meta.k8s.io/v1".to_owned() } else { api_version },
            kind: if metadata { "PartialObjectMetadata" } else { kind },
            name,
        })
    }

    fn complete(&self, document: &mut Value) {
        let is_list = document.get("items").is_some() && self.name.is_none();
        let kind = if is_list { format!("{}List", self.kind) } else { self.kind.to_owned() };
        self.add_types(document, &kind);
        if document["kind"] != kind.as_str() {
            return;
        }
        let (key, value) = match (is_list, self.name) {
            (true, _) => ("resourceVersion", json!("1")),
            (false, Some(name)) => ("name", json!(name)),
            (false, None) => return,
        };
        let metadata = document.as_object_mut().unwrap().entry("metadata").or_insert_with(|| json!({}));
        metadata.as_object_mut().unwrap().entry(key).or_insert(value);
    }

    fn complete_event(&self, object: &mut Value) {
        let kind = match object["kind"].as_str() {
            Some("Status") => return self.add_types_of(object, "v1", "Status"),
            _ => self.kind.to_owned(),
        };
        self.add_types(object, &kind);
    }

    fn add_types(&self, document: &mut Value, kind: &str) {
        if self.kind == "PartialObjectMetadata"
            && let Some(document) = document.as_object_mut()
        {
            // Servers convert any object to its metadata.
            document.remove("apiVersion");
            document.remove("kind");
        }
        match document.get("kind") {
            Some(Value::String(other)) if other != kind => {}
            _ => self.add_types_of(document, &self.api_version, kind),
        }
    }

    fn add_types_of(&self, document: &mut Value, api_version: &str, kind: &str) {
        if let Some(document) = document.as_object_mut() {
            document.entry("apiVersion").or_insert(api_version.into());
            document.entry("kind").or_insert(kind.into());
        }
    }
}
