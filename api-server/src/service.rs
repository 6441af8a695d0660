//! The HTTP side of the server.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::StreamExt;
use http::{HeaderValue, Method, Response, header};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::{Body, Frame};
use serde_json::{Value, json};
use tower::BoxError;

use super::{
    authorization::Attributes,
    builtin, discovery, documents,
    external::Stop,
    failure::Failure,
    options,
    projection::View,
    request::{Call, Request},
    response::{Content, Items, List, Reply},
    route::{Route, Target},
    stages,
    state::State,
    user::User,
    watch,
};

/// The real server's `MaxRequestBodyBytes`.
const MAX_BODY: usize = 3 << 20;

/// A response body.
pub(super) type ResponseBody = UnsyncBoxBody<Bytes, BoxError>;

/// An [`ApiServer`](super::ApiServer) as a service of HTTP requests, for clients of other crates. Clones are the same server.
#[derive(Clone)]
pub struct ApiServerService {
    pub(super) state: Arc<Mutex<State>>,
    /// The user of requests that impersonate no other one.
    pub(super) user: Arc<User>,
}

impl<B> tower::Service<http::Request<B>> for ApiServerService
where
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;
    type Response = Response<ResponseBody>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let body = match Limited::new(body, MAX_BODY).collect().await {
                Ok(body) => body.to_bytes(),
                Err(error) if error.is::<LengthLimitError>() => return Ok(write(Err(too_large()), &[])),
                Err(error) => return Err(error),
            };
            let request = Request { method: head.method, uri: head.uri, headers: head.headers, body };
            service.exchange(request).await
        })
    }
}

impl ApiServerService {
    /// Reads or changes the state.
    pub(super) fn state<T>(&self, action: impl FnOnce(&mut State) -> T) -> T {
        action(&mut self.state.lock().expect("no request panics"))
    }

    /// Processes a request, as far as that is possible without the answers of webhooks.
    pub(super) fn respond(&self, state: &mut State, route: Route, request: Request) -> Progress {
        let user = match self.authorize(state, &request) {
            Ok(user) => user,
            Err(failure) => return Progress::Complete(write(Err(failure), &[])),
        };
        let response = match route {
            Route::Resource(target) => return self.resource(state, target, request, user),
            Route::Health => write(Ok(Reply::new(200, Content::Text("ok"))), &[]),
            Route::Document(path) => {
                write(documents::respond(&request, &path, state.resources.iter().map(AsRef::as_ref)), &[])
            }
        };
        Progress::Complete(response)
    }

    /// Returns the user of a request, if it is authorized.
    fn authorize(&self, state: &mut State, request: &Request) -> Result<Arc<User>, Failure> {
        let user = state.authorization.authenticate(&state.store, &self.user, request)?;
        if state.authorization.is_enabled {
            state.authorization.authorize(&state.store, &user, &Attributes::of(request))?;
        }
        Ok(user)
    }

    fn resource(&self, state: &mut State, mut target: Target, request: Request, user: Arc<User>) -> Progress {
        let Some((resource, version)) = state.resources.resolve(&target) else {
            return Progress::Complete(write(not_served(&target), &[]));
        };
        if resource.is_custom {
            // The server ignores what follows a subresource.
            target.subresource = target.subresource.map(|it| it.split('/').next().unwrap_or_default().to_owned());
            // Only lists and watches are of all namespaces.
            if resource.is_namespaced && target.namespace.is_none() && request.method != Method::GET {
                return Progress::Complete(write(Ok(Reply::no_such_path()), &[]));
            }
        }
        let call = Call::new(resource, version, target, request, user);
        self.handle(state, call)
    }

    /// Processes a call, from the start if it waited for webhooks.
    pub(super) fn handle(&self, state: &mut State, call: Call) -> Progress {
        if let Some(warning) = deprecation(&call) {
            call.warn(warning);
        }
        if call.request.method == Method::GET && call.query.flag("watch") && call.target.name.is_none() {
            if watch::convert_watched(state, &call).is_err() {
                return Progress::Waiting(Box::new(call));
            }
            let reply = View::of(&call, state.clock.now().as_second())
                .and_then(|view| watch::watch(state, self.state.clone(), call, view).map_err(Stop::into_failure));
            return Progress::Complete(write(reply, &[]));
        }
        let reply = match self.reply(state, &call) {
            Ok(reply) => Ok(reply),
            Err(Stop::Fails(failure)) => Err(failure),
            Err(Stop::AwaitsWebhooks) => return Progress::Waiting(Box::new(call)),
        };
        let warnings = call.warnings.borrow();
        Progress::Complete(write(reply, &warnings))
    }

    fn reply(&self, state: &mut State, call: &Call) -> Result<Reply, Stop> {
        let view = View::of(call, state.clock.now().as_second())?;
        check_method(call)?;
        options::check(call)?;
        let reply = stages::verb(state, call)?;
        Ok(view.apply(call, reply)?)
    }
}

/// How far a request is.
pub(super) enum Progress {
    Complete(Response<ResponseBody>),
    /// The request needs the answers of webhooks.
    Waiting(Box<Call>),
}

/// As apimachinery's `NewRequestEntityTooLargeError`.
fn too_large() -> Failure {
    Failure::new(413, "RequestEntityTooLarge", format!("Request entity too large: limit is {MAX_BODY}"))
}

/// A path below a group that is not built in is refused before its resource is looked up.
fn not_served(target: &Target) -> Result<Reply, Failure> {
    if builtin::groups().contains(&target.group) { Err(Failure::no_such_path()) } else { Ok(Reply::no_such_path()) }
}

/// The method must be one of the path.
fn check_method(call: &Call) -> Result<(), Failure> {
    let method = call.request.method.as_str();
    let subresource = call.target.subresource.as_deref();
    if !call.resource.is_custom {
        let is_allowed = match (subresource, call.target.name.is_some()) {
            (None, false) if call.resource.is_namespaced && call.target.namespace.is_none() => method == "GET",
            (None, false) => matches!(method, "GET" | "POST" | "DELETE"),
            (None, true) => matches!(method, "GET" | "PUT" | "PATCH" | "DELETE"),
            (Some("status"), _) if call.version().has_status() => matches!(method, "GET" | "PUT" | "PATCH"),
            (Some("scale"), _) if call.version().has_scale() => matches!(method, "GET" | "PUT" | "PATCH"),
            _ => return Err(Failure::no_such_path()),
        };
        return if is_allowed { Ok(()) } else { Err(Failure::method_not_allowed().about("", "", "")) };
    }
    let is_served = match subresource {
        None => return check_verb(call, matches!(method, "GET" | "POST" | "PUT" | "PATCH" | "DELETE")),
        Some("status") => call.version().has_status(),
        Some("scale") => call.version().has_scale(),
        _ => false,
    };
    check_verb(call, !is_served || matches!(method, "GET" | "PUT" | "PATCH"))
}

fn check_verb(call: &Call, is_allowed: bool) -> Result<(), Failure> {
    if is_allowed {
        return Ok(());
    }
    let verb = match call.request.method.as_str() {
        "POST" => "create",
        "DELETE" => "delete",
        _ => "",
    };
    let (group, plural) = (&call.resource.group, &call.resource.names.plural);
    let message = format!("{verb} is not supported on resources of kind \"{}\"", call.resource.qualified());
    Err(Failure::new(405, "MethodNotAllowed", message).about(group, plural, ""))
}

/// Returns the warning about a deprecated version.
fn deprecation(call: &Call) -> Option<String> {
    let spec = &call.version().spec;
    (spec.deprecated == Some(true)).then(|| {
        // The versions are in the order of discovery, so those before this one are newer.
        let newer = call.resource.versions[..call.version].iter().find(|it| it.spec.deprecated != Some(true));
        let default = || {
            let advice = newer.map_or_else(String::new, |newer| {
                format!("; use {} {}", call.resource.api_version(&newer.spec.name), call.kind())
            });
            format!("{} {} is deprecated{advice}", call.api_version(), call.kind())
        };
        spec.deprecation_warning.clone().unwrap_or_else(default)
    })
}

pub(super) fn write(reply: Result<Reply, Failure>, warnings: &[String]) -> Response<ResponseBody> {
    let reply = reply.unwrap_or_else(|failure| Reply::new(failure.code, Content::Document(failure.to_json())));
    let (content_type, body) = match reply.content {
        Content::Object(object) | Content::Document(object) => (JSON, full(to_bytes(&object))),
        Content::Written(written) => (JSON, full(written.json.unwrap_or_else(|| to_bytes(&written.object)))),
        Content::Stored(stored) => (JSON, full(stored.json.clone())),
        Content::List(list) => (JSON, full(list.to_bytes())),
        Content::Discovery(document) => (discovery::AGGREGATED, full(to_bytes(&document))),
        Content::Text(text) => ("text/plain; charset=utf-8", full(Bytes::from_static(text.as_bytes()))),
        Content::Watch(watch) => (JSON, StreamBody::new(watch.map(|line| line.map(Frame::data))).boxed_unsync()),
    };
    let mut response = Response::new(body);
    *response.status_mut() = http::StatusCode::from_u16(reply.code).expect("codes of HTTP");
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    for warning in warnings {
        let text = format!("299 - {}", crdkit_core::go::quote(warning));
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.append(header::WARNING, value);
        }
    }
    response
}

const JSON: &str = "application/json";

fn full(bytes: Bytes) -> ResponseBody {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

fn to_bytes(object: &Value) -> Bytes {
    serde_json::to_vec(object).expect("documents are JSON").into()
}

impl List {
    fn to_bytes(&self) -> Bytes {
        let head =
            json!({ "apiVersion": self.api_version, "kind": self.kind, "metadata": self.metadata() }).to_string();
        let mut bytes = BytesMut::with_capacity(head.len() + 32);
        // The metadata may end with several braces, so only that of the list is left open.
        bytes.put_slice(head.strip_suffix('}').unwrap_or(&head).as_bytes());
        bytes.put_slice(b",\"items\":[");
        match &self.items {
            Items::Stored(items) if self.is_custom => separated(&mut bytes, items.iter().map(|it| it.json.clone())),
            Items::Stored(items) => separated(&mut bytes, items.iter().map(|it| to_bytes(&untyped(it.value())))),
            Items::Objects(items) if self.is_custom => separated(&mut bytes, items.iter().map(to_bytes)),
            Items::Objects(items) => separated(&mut bytes, items.iter().map(|it| to_bytes(&untyped(it.clone())))),
        }
        bytes.put_slice(b"]}");
        bytes.freeze()
    }
}

/// Returns an item of a list of a built-in kind, which has no type.
fn untyped(mut item: Value) -> Value {
    if let Value::Object(members) = &mut item {
        members.remove("apiVersion");
        members.remove("kind");
    }
    item
}

fn separated(bytes: &mut BytesMut, items: impl Iterator<Item = Bytes>) {
    for (at, item) in items.enumerate() {
        if at > 0 {
            bytes.put_u8(b',');
        }
        bytes.put_slice(&item);
    }
}
