//! A client whose writes are dry runs, and which records what they would change.
//!
//! It is a layer below all requests, also those of kube's client: no write passes it that the API server would store. Later requests of
//! the same client see what the earlier ones would have stored.

mod path;
mod write;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE},
    request::Parts,
};
use kube::client::Body;
use serde_json::{Value, json};
use tower::{BoxError, Service};

use self::path::{Object, ResourcePath};
use super::{Client, endpoint::JSON, merge_patch};

pub use write::PlannedWrite;

/// Subresources that run something: a dry run of them would not be one.
const NEVER_SENT: [&str; 4] = ["attach", "exec", "portforward", "proxy"];
/// The groups of reviews, which store nothing.
const REVIEWS: [&str; 2] = ["authentication.k8s.io", "authorization.k8s.io"];
/// The resourceVersion of objects that do not exist yet.
const PLANNED_VERSION: &str = "1";

/// The writes of a client, which were not stored.
#[derive(Clone, Default)]
pub(crate) struct PlannedRequests(Arc<Mutex<Plan>>);

#[derive(Default)]
struct Plan {
    objects: HashMap<Object, Planned>,
    writes: Vec<PlannedWrite>,
    unchanged: usize,
}

/// An object that was written.
#[derive(Clone, Default)]
struct Planned {
    /// As it is stored.
    live: Option<Value>,
    /// As it would be stored.
    now: Option<Value>,
}

impl Planned {
    fn exists_only_in_plan(&self) -> bool {
        self.live.is_none() && self.now.is_some()
    }
}

impl PlannedRequests {
    /// Returns a client with the options of another one, on its connections.
    pub(crate) fn client(&self, of: &Client) -> Client {
        let service = PlanService { inner: of.kube().clone(), plan: self.clone() };
        let client = Client::from(kube::Client::new(service, of.default_namespace()));
        Client { options: of.options.clone(), ..client }.dry_run()
    }

    /// Returns the writes that change something, and the number of the others, since the last call.
    pub(crate) fn take(&self) -> (Vec<PlannedWrite>, usize) {
        let mut plan = self.lock();
        (std::mem::take(&mut plan.writes), std::mem::take(&mut plan.unchanged))
    }

    fn lock(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn planned(&self, object: &Object) -> Option<Planned> {
        self.lock().objects.get(object).cloned()
    }

    fn record(&self, object: Option<Object>, planned: Planned, write: PlannedWrite) {
        let mut plan = self.lock();
        if let Some(object) = object {
            plan.objects.insert(object, planned);
        }
        if write.before == write.after && write.notes.is_empty() {
            plan.unchanged += 1;
        } else {
            plan.writes.push(write);
        }
    }

    /// Returns what would have to exist for an object to be created, if that is planned.
    fn missing_before(&self, path: &ResourcePath) -> Option<String> {
        let plan = self.lock();
        let is_planned = |object: &Object, planned: &Planned| planned.exists_only_in_plan() && object.name.is_some();
        let mut planned = plan.objects.iter().filter(|(object, planned)| is_planned(object, planned));
        planned.find_map(|(object, planned)| {
            let name = object.name.as_deref()?;
            let now = planned.now.as_ref()?;
            let is_namespace = object.group.is_empty() && object.plural == "namespaces";
            let is_definition = object.plural == "customresourcedefinitions"
                && now["spec"]["group"] == path.group
                && now["spec"]["names"]["plural"] == path.plural;
            if is_namespace && path.namespace.as_deref() == Some(name) {
                return Some(format!("the namespace `{name}`"));
            }
            is_definition.then(|| format!("the definition `{name}`"))
        })
    }
}

#[derive(Clone)]
struct PlanService {
    inner: kube::Client,
    plan: PlannedRequests,
}

impl Service<Request<Body>> for PlanService {
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<Body>, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let service = self.clone();
        async move { service.respond(request).await }.boxed()
    }
}

impl PlanService {
    async fn respond(self, request: Request<Body>) -> Result<Response<Body>, BoxError> {
        let path = ResourcePath::parse(request.uri().path());
        let Some(path) = path else {
            return self.pass_on(request).await;
        };
        if path.subresource.as_deref().is_some_and(|subresource| NEVER_SENT.contains(&subresource)) {
            return Ok(refused(&path));
        }
        if request.method() == Method::GET {
            return self.read(request, &path).await;
        }
        if request.method() == Method::POST && REVIEWS.contains(&path.group.as_str()) {
            return self.pass_on(request).await;
        }
        self.write(request, path).await
    }

    /// Sends a request that stores nothing.
    async fn pass_on(&self, request: Request<Body>) -> Result<Response<Body>, BoxError> {
        Ok(self.inner.send(request).await?)
    }

    /// Reads an object as it would be stored.
    async fn read(&self, request: Request<Body>, path: &ResourcePath) -> Result<Response<Body>, BoxError> {
        let planned = path.object().and_then(|object| self.plan.planned(&object)).and_then(|planned| planned.now);
        match planned.filter(|_| path.is_of_object()) {
            Some(object) => Ok(response(StatusCode::OK, &object, request.headers().get(ACCEPT))),
            None => self.pass_on(request).await,
        }
    }

    async fn write(&self, request: Request<Body>, path: ResourcePath) -> Result<Response<Body>, BoxError> {
        let (parts, body) = request.into_parts();
        let body = body.collect_bytes().await?;
        let content: Value = serde_json::from_slice(&body).unwrap_or_default();
        let write = Write { verb: verb(&parts, &path), path: path.of_content(&content, &parts.method), content, parts };
        let planned = self.load(&write).await?;
        if planned.exists_only_in_plan() && !["apply", "create"].contains(&write.verb) {
            return Ok(self.write_planned(write, planned));
        }
        let response = self.inner.send(write.dry_run(&body)?).await?;
        let (head, response_body) = response.into_parts();
        let response_body = response_body.collect_bytes().await?;
        if head.status.is_success() {
            let stored: Value = serde_json::from_slice(&response_body)?;
            return Ok(self.record(write, planned, head.status, stored));
        }
        if head.status == StatusCode::NOT_FOUND
            && ["apply", "create"].contains(&write.verb)
            && let Some(missing) = self.plan.missing_before(&write.path)
        {
            return Ok(self.create_later(write, &missing));
        }
        Ok(Response::from_parts(head, Body::from(response_body)))
    }

    /// Returns an object as it is stored and as it would be.
    async fn load(&self, write: &Write) -> Result<Planned, BoxError> {
        let Some(object) = write.path.object().filter(|object| object.name.is_some()) else {
            return Ok(Planned::default());
        };
        if let Some(planned) = self.plan.planned(&object) {
            return Ok(planned);
        }
        let read = Request::get(write.path.uri_of_object()).header(ACCEPT, JSON).body(Body::empty())?;
        let response = self.inner.send(read).await?;
        if !response.status().is_success() {
            // Whatever is wrong, the write has it as well.
            return Ok(Planned::default());
        }
        let live: Value = serde_json::from_slice(&response.into_body().collect_bytes().await?)?;
        Ok(Planned { live: Some(live.clone()), now: Some(live) })
    }

    /// Records the response to a dry run.
    fn record(&self, write: Write, planned: Planned, status: StatusCode, stored: Value) -> Response<Body> {
        if !write.path.is_of_object() && write.path.subresource.is_some() {
            // Such as an eviction, whose response is not the object.
            let sent = if stored["kind"] == "Status" { &write.content } else { &stored };
            let written = write.planned(None, Some(sent), sent, None);
            self.plan.record(None, Planned::default(), written);
            return response(status, &stored, write.parts.headers.get(ACCEPT));
        }
        let is_deletion = write.verb == "delete" && (stored["kind"] == "Status" || is_last_state(&stored));
        let after = if is_deletion || write.verb == "deletecollection" { None } else { Some(after(&planned, &stored)) };
        let responded = after.clone().filter(|_| write.verb != "delete").unwrap_or_else(|| stored.clone());
        let note = (write.verb == "deletecollection").then(|| {
            let count = stored["items"].as_array().map_or(0, Vec::len);
            format!("it deletes a collection of {count} objects")
        });
        let object = Object { name: name_of(&responded).or(write.path.name.clone()), ..write.path.identity() };
        let written = write.planned(planned.now.as_ref(), after.as_ref(), &stored, note);
        self.plan.record(Some(object), Planned { live: planned.live, now: after }, written);
        response(status, &responded, write.parts.headers.get(ACCEPT))
    }

    /// Changes an object that does not exist yet, so that the API server cannot.
    fn write_planned(&self, write: Write, planned: Planned) -> Response<Body> {
        let now = planned.now.clone().unwrap_or_default();
        let note = || Some("the object does not exist yet: the change is not validated".to_owned());
        let (after, note) = match write.verb {
            "delete" => (None, None),
            "update" => (Some(with_identity_of(&now, write.content.clone())), note()),
            _ if write.is_merge_patch() => (Some(with_identity_of(&now, merged(&now, &write.content))), note()),
            _ => (Some(now.clone()), Some("the object does not exist yet: the patch is not shown".to_owned())),
        };
        let responded = after.clone().unwrap_or_else(|| now.clone());
        let written = write.planned(Some(&now), after.as_ref(), &responded, note);
        self.plan.record(write.path.object(), Planned { live: None, now: after }, written);
        response(StatusCode::OK, &responded, write.parts.headers.get(ACCEPT))
    }

    /// Creates an object in a namespace, or of a kind, that does not exist yet.
    fn create_later(&self, write: Write, missing: &str) -> Response<Body> {
        let mut object = write.content.clone();
        if let Some(namespace) = &write.path.namespace {
            object["metadata"]["namespace"] = namespace.as_str().into();
        }
        let count = self.plan.lock().objects.len();
        object["metadata"]["uid"] = format!("00000000-0000-0000-0000-{count:012x}").into();
        object["metadata"]["resourceVersion"] = PLANNED_VERSION.into();
        let note = format!("{missing} does not exist yet: the object is shown as it is sent, without defaults");
        let written = write.planned(None, Some(&object), &object, Some(note));
        self.plan.record(write.path.object(), Planned { live: None, now: Some(object.clone()) }, written);
        response(StatusCode::CREATED, &object, write.parts.headers.get(ACCEPT))
    }
}

/// A request that writes.
struct Write {
    verb: &'static str,
    path: ResourcePath,
    content: Value,
    parts: Parts,
}

impl Write {
    /// Returns the request as a dry run, whose response is the whole object.
    fn dry_run(&self, body: &Bytes) -> Result<Request<Body>, BoxError> {
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

    fn is_merge_patch(&self) -> bool {
        media_type(&self.parts).starts_with("application/merge-patch")
    }

    fn planned(
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

fn name_of(object: &Value) -> Option<String> {
    object["metadata"]["name"].as_str().map(str::to_owned)
}

/// Whether the response to a deletion is the last state of an object that is gone, and not one that is terminating.
fn is_last_state(object: &Value) -> bool {
    object["metadata"]["deletionTimestamp"].is_null()
}

/// Returns an object as it would be stored. A dry run starts with what is stored, and not with what earlier ones would have.
fn after(planned: &Planned, stored: &Value) -> Value {
    let mut after = match (&planned.live, &planned.now) {
        (Some(live), Some(now)) if live != now => merge_patch::rebase(now, live, stored),
        (None, Some(now)) => with_identity_of(now, stored.clone()),
        _ => stored.clone(),
    };
    if after["metadata"].is_object() && after["metadata"]["resourceVersion"].is_null() {
        after["metadata"]["resourceVersion"] = PLANNED_VERSION.into();
    }
    after
}

/// Returns an object with the identity of another state of it.
fn with_identity_of(now: &Value, mut object: Value) -> Value {
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        let value = &now["metadata"][field];
        if !value.is_null() {
            object["metadata"][field] = value.clone();
        }
    }
    object
}

/// Applies a [merge patch](https://www.rfc-editor.org/rfc/rfc7386).
fn merged(object: &Value, patch: &Value) -> Value {
    let Value::Object(changes) = patch else {
        return patch.clone();
    };
    let mut merged_object = object.as_object().cloned().unwrap_or_default();
    for (key, change) in changes {
        if change.is_null() {
            merged_object.remove(key);
        } else {
            let before = merged_object.get(key).cloned().unwrap_or_default();
            merged_object.insert(key.clone(), merged(&before, change));
        }
    }
    merged_object.into()
}

/// Returns a response in the representation that was requested.
fn response(status: StatusCode, object: &Value, accept: Option<&HeaderValue>) -> Response<Body> {
    let accept = accept.and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let is_metadata = accept.contains("as=PartialObjectMetadata") && object["kind"] != "Status";
    let body = if is_metadata {
        json!({ "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": object["metadata"] })
            .to_string()
    } else {
        object.to_string()
    };
    let mut response = Response::new(Body::from(body.into_bytes()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

/// Refuses a request that a plan cannot have.
fn refused(path: &ResourcePath) -> Response<Body> {
    let subresource = path.subresource.as_deref().unwrap_or_default();
    let message = format!("a plan does not send requests to the subresource `{subresource}` of {}", path.plural);
    let status = json!({
        "apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "MethodNotAllowed", "code": 405, "message": message,
    });
    response(StatusCode::METHOD_NOT_ALLOWED, &status, None)
}
