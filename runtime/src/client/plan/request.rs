//! A request that writes: as a dry run, and as what it would change.

use bytes::Bytes;
use http::{
    Method, Request,
    header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE},
    request::Parts,
};
use kube::client::Body;
use serde_json::{Value, json};
use tower::BoxError;

use super::{
    path::{self, ResourcePath},
    write::{self, PlannedWrite},
};
use crate::client::endpoint::JSON;

/// A request that writes.
pub(super) struct Write {
    pub(super) verb: &'static str,
    pub(super) path: ResourcePath,
    pub(super) content: Value,
    pub(super) parts: Parts,
}

impl Write {
    pub(super) fn new(parts: Parts, path: ResourcePath, body: &[u8]) -> Self {
        let content: Value = serde_json::from_slice(body).unwrap_or_default();
        Self { verb: verb(&parts, &path), path: path.of_content(&content, &parts.method), content, parts }
    }

    /// Returns the request as a dry run, whose response is the whole object.
    pub(super) fn dry_run(&self, body: &Bytes) -> Result<Request<Body>, BoxError> {
        let mut request =
            Request::builder().method(self.parts.method.clone()).uri(path::with_dry_run(&self.parts.uri)?);
        for (name, value) in self.parts.headers.iter().filter(|(name, _)| ![ACCEPT, CONTENT_LENGTH].contains(name)) {
            request = request.header(name, value);
        }
        let mut body = body.clone();
        if self.parts.method == Method::DELETE && self.content.is_object() {
            // With a body, the API server ignores the query.
            let mut options = self.content.clone();
            options["dryRun"] = json!(["All"]);
            body = serde_json::to_vec(&options)?.into();
        }
        Ok(request.header(ACCEPT, JSON).body(Body::from(body))?)
    }

    pub(super) fn is_merge_patch(&self) -> bool {
        media_type(&self.parts).starts_with("application/merge-patch")
    }

    pub(super) fn planned(
        &self,
        before: Option<&Value>,
        after: Option<&Value>,
        object: &Value,
        note: Option<String>,
    ) -> PlannedWrite {
        let content = [object, &self.content, before.unwrap_or(&Value::Null)];
        let kind = content
            .iter()
            .filter_map(|it| it["kind"].as_str())
            .find(|kind| *kind != "Status" && *kind != "DeleteOptions");
        let kind = kind.unwrap_or_default();
        // The response to the deletion of a collection is a list.
        let kind = kind.strip_suffix("List").filter(|_| self.verb == "deletecollection").unwrap_or(kind);
        PlannedWrite {
            verb: self.verb,
            group: self.path.group.clone(),
            version: self.path.version.clone(),
            kind: kind.to_owned(),
            resource: self.path.plural.clone(),
            subresource: self.path.subresource.clone(),
            namespace: self.path.namespace.clone(),
            name: name_of(object).or_else(|| self.path.name.clone()).unwrap_or_default(),
            before: before.map(|object| write::shown(object, after)),
            after: after.map(|object| write::shown_after(object, before)),
            notes: note.into_iter().collect(),
        }
    }
}

fn verb(parts: &Parts, path: &ResourcePath) -> &'static str {
    match parts.method {
        Method::POST => "create",
        Method::PUT => "update",
        Method::DELETE if path.name.is_some() => "delete",
        Method::DELETE => "deletecollection",
        _ if media_type(parts).starts_with("application/apply-patch") => "apply",
        _ => "patch",
    }
}

fn media_type(parts: &Parts) -> &str {
    parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

pub(super) fn name_of(object: &Value) -> Option<String> {
    object["metadata"]["name"].as_str().map(str::to_owned)
}
