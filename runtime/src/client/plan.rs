//! A client whose writes are dry runs, and which records what they would change.
//!
//! It is a layer below all requests, also those of kube's client: no write passes it that the API server would store. Later requests of
//! the same client see what the earlier ones would have stored.

mod path;
mod request;
mod state;
mod write;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use futures_util::future::{BoxFuture, FutureExt};
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use kube::client::Body;
use serde_json::{Value, json};
use tower::{BoxError, Service};

use self::{
    path::{Object, ResourcePath},
    request::{Write, name_of},
    state::{PLANNED_VERSION, Planned, after, is_last_state, with_identity_of},
};
use super::{Client, endpoint::JSON};
use crate::json::merge_patch::merge;

pub use write::PlannedWrite;

/// Subresources that run something: a dry run of them would not be one.
const NEVER_SENT: [&str; 4] = ["attach", "exec", "portforward", "proxy"];
/// The groups of reviews, which store nothing.
const REVIEWS: [&str; 2] = ["authentication.k8s.io", "authorization.k8s.io"];

/// The writes of a client, which were not stored.
#[derive(Clone, Default)]
pub(crate) struct PlannedRequests(Arc<Mutex<Plan>>);

#[derive(Default)]
struct Plan {
    objects: HashMap<Object, Planned>,
    writes: Vec<PlannedWrite>,
    unchanged: usize,
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
    fn missing_before(&self, path: &ResourcePath, error: &str) -> Option<String> {
        let plan = self.lock();
        let mut planned = plan.objects.iter().filter(|(_, planned)| planned.exists_only_in_plan());
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
            if is_definition {
                return Some(format!("the definition `{name}`"));
            }
            let kind = now["kind"].as_str()?;
            names(error, kind, &object.plural, name).then(|| format!("the {kind} `{name}`"))
        })
    }
}

/// Whether an error of the API server is about an object, such as `no PriorityClass with name high was found` or
/// `clusterroles.rbac.authorization.k8s.io "viewer" not found`.
fn names(error: &str, kind: &str, plural: &str, name: &str) -> bool {
    let is_apart = |character: char| !character.is_alphanumeric() && !"-.".contains(character);
    let words: Vec<_> = error.split(is_apart).map(|word| word.trim_matches('.')).collect();
    let is_kind = |word: &&str| {
        word.eq_ignore_ascii_case(kind)
            || *word == plural
            || word.split_once('.').is_some_and(|(first, _)| first == plural)
    };
    words.contains(&name) && words.iter().any(is_kind)
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
        let write = Write::new(parts, path, &body);
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
        // Admission refuses an object that refers to one which does not exist.
        let may_be_missing = [StatusCode::NOT_FOUND, StatusCode::FORBIDDEN].contains(&head.status);
        if may_be_missing
            && planned.live.is_none()
            && ["apply", "create"].contains(&write.verb)
            && let Some(missing) = self.plan.missing_before(&write.path, &String::from_utf8_lossy(&response_body))
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
            _ if write.is_merge_patch() => {
                let mut merged = now.clone();
                merge(&mut merged, &write.content);
                (Some(with_identity_of(&now, merged)), note())
            }
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

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn an_error_names_an_object() {
        for (error, kind, plural, name, is_named) in [
            ("no PriorityClass with name high was found", "PriorityClass", "priorityclasses", "high", true),
            (
                "error looking up service account default/web: not found",
                "ServiceAccount",
                "serviceaccounts",
                "web",
                false,
            ),
            (r#"serviceaccount "web" not found"#, "ServiceAccount", "serviceaccounts", "web", true),
            (r#"clusterroles.rbac.authorization.k8s.io "web" not found"#, "ClusterRole", "clusterroles", "web", true),
            (
                r#"clusterroles.rbac.authorization.k8s.io "web-2" not found"#,
                "ClusterRole",
                "clusterroles",
                "web",
                false,
            ),
            (r#"pods "web" is forbidden"#, "ServiceAccount", "serviceaccounts", "web", false),
        ] {
            assert_eq!(names(error, kind, plural, name), is_named, "{error}");
        }
    }
}
