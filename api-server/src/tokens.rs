//! Tokens of service accounts.
//!
//! A token has the claims that Kubernetes writes, which clients parse. The server knows the tokens that it has issued. With the feature
//! `signed-tokens` they are signed, and the server publishes the key; otherwise the signature is random.

use std::{collections::HashMap, sync::Arc};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use crdkit_core::{ErrorType, object_processing::FieldError};
use http::header::AUTHORIZATION;
use serde_json::{Value, json};

use super::{
    decode,
    failure::Failure,
    request::{Request, ResourceRequest},
    response::{Content, Reply},
    state::State,
    store::Key,
    user::{User, service_account_name},
    value::text,
    webhook_calls::Stop,
    write,
};

#[cfg(feature = "signed-tokens")]
pub(super) mod key;

const GROUP: &str = "authentication.k8s.io";
/// The issuer of most clusters, which is also the audience of tokens without another one.
const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";
/// How long a token is valid, in seconds.
const DEFAULT_LIFETIME: i64 = 60 * 60;
const MIN_LIFETIME: i64 = 10 * 60;
const MAX_LIFETIME: i64 = 1 << 32;

/// The tokens that a server has issued.
#[derive(Default)]
pub(super) struct Tokens(HashMap<String, Issued>);

#[derive(Clone)]
struct Issued {
    account: Key,
    uid: String,
    id: String,
    /// A Unix time.
    expires: i64,
    audiences: Vec<String>,
    bound: Option<Bound>,
    node: Option<NodeReference>,
}

/// The object that a token is bound to: it is invalid without it.
#[derive(Clone)]
struct Bound {
    kind: &'static str,
    name: String,
    uid: String,
}

impl Bound {
    fn collection(kind: &str) -> &'static str {
        match kind {
            "Node" => "nodes",
            "Pod" => "pods",
            _ => "secrets",
        }
    }

    /// Returns the key of an object in the namespace of an account, unless it is one of the cluster.
    fn key(kind: &str, namespace: &str, name: &str) -> Key {
        Key::new(if kind == "Node" { "" } else { namespace }, name)
    }
}

/// A node in the claims of a token.
#[derive(Clone)]
struct NodeReference {
    name: String,
    /// Nothing if the node of a Pod does not exist.
    uid: String,
}

impl NodeReference {
    /// Returns the node that a token is bound to, or the one of its Pod.
    fn of(state: &State, bound: &Bound, namespace: &str) -> Option<Self> {
        if bound.kind == "Node" {
            return Some(Self { name: bound.name.clone(), uid: bound.uid.clone() });
        }
        let pod = state.store.find("pods", &Key::new(namespace, &bound.name)).filter(|_| bound.kind == "Pod")?;
        let name = text(&pod["spec"], "nodeName");
        let node = state.store.find("nodes", &Key::new("", name)).unwrap_or_default();
        let uid = text(&node["metadata"], "uid").to_owned();
        (!name.is_empty()).then(|| Self { name: name.to_owned(), uid })
    }
}

/// Answers a `TokenRequest`.
pub(super) fn issue(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let decoded = decode::parse(&call.request.body, call.request.content_type()).map_err(Failure::bad_request)?;
    let mut request = decoded.object;
    if !matches!(text(&request, "kind"), "" | "TokenRequest") {
        let (api_version, kind) = (text(&request, "apiVersion"), text(&request, "kind"));
        return Err(Failure::bad_request(decode::not_registered(api_version, kind)).into());
    }
    write::check_namespace_exists(state, call, &request)?;
    let account = state.stored(call)?.value();
    let lifetime = request["spec"]["expirationSeconds"].as_i64().unwrap_or(DEFAULT_LIFETIME);
    check_lifetime(lifetime)?;
    let audiences = match texts(&request["spec"]["audiences"]) {
        none if none.is_empty() => vec![ISSUER.to_owned()],
        audiences => audiences,
    };
    let bound = bound(state, call, &request["spec"]["boundObjectRef"])?;
    let node = bound.as_ref().and_then(|bound| NodeReference::of(state, bound, call.namespace()));
    let now = state.clock.now().as_second();
    let issued = Issued {
        account: call.key(),
        uid: text(&account["metadata"], "uid").to_owned(),
        id: state.new_uid(),
        expires: now + lifetime,
        audiences,
        bound,
        node,
    };
    let token = token(state, &issued, now);
    let expiration = k8s_openapi::jiff::Timestamp::from_second(issued.expires).unwrap_or_default();
    request["kind"] = "TokenRequest".into();
    request["apiVersion"] = format!("{GROUP}/v1").into();
    request["metadata"] = json!({
        "name": call.name(), "namespace": call.namespace(), "uid": issued.uid, "creationTimestamp": state.clock.text(),
    });
    let reference = request["spec"]["boundObjectRef"].clone();
    request["spec"] =
        json!({ "audiences": issued.audiences, "expirationSeconds": lifetime, "boundObjectRef": reference });
    request["status"] = json!({ "token": token, "expirationTimestamp": expiration.to_string() });
    if !call.is_dry_run() {
        state.tokens.0.insert(token, issued);
    }
    Ok(Reply::new(201, Content::Document(request)))
}

fn check_lifetime(lifetime: i64) -> Result<(), Failure> {
    let detail = match lifetime {
        ..MIN_LIFETIME => "may not specify a duration less than 10 minutes",
        MIN_LIFETIME..=MAX_LIFETIME => return Ok(()),
        _ => "may not specify a duration larger than 2^32 seconds",
    };
    let error = FieldError {
        place: ".spec.expirationSeconds".to_owned(),
        kind: ErrorType::Invalid,
        value: Some(lifetime.to_string()),
        detail: detail.to_owned(),
    };
    Err(Failure::invalid(GROUP, "TokenRequest", "", &[error]))
}

/// Returns the object that a request binds its token to.
fn bound(state: &State, call: &ResourceRequest, reference: &Value) -> Result<Option<Bound>, Failure> {
    let kind = match (text(reference, "apiVersion"), text(reference, "kind")) {
        _ if reference.is_null() => return Ok(None),
        ("v1", "Node") => "Node",
        ("v1", "Pod") => "Pod",
        ("v1", "Secret") => "Secret",
        (api_version, kind) => {
            let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
            let problem = format!("cannot bind token to object of type {group}/{version}, Kind={kind}");
            return Err(Failure::bad_request(problem));
        }
    };
    let (plural, name) = (Bound::collection(kind), text(reference, "name"));
    let found = state.store.find(plural, &Bound::key(kind, call.namespace(), name)).ok_or_else(|| {
        Failure::new(404, "NotFound", format!("{plural} \"{name}\" not found")).about("", plural, name)
    })?;
    if kind == "Pod" && text(&found["spec"], "serviceAccountName") != call.name() {
        let account = crdkit_core::go::quote(call.name());
        return Err(Failure::bad_request(format!(
            "cannot bind token for serviceaccount {account} to pod running with different serviceaccount name."
        )));
    }
    let (uid, expected) = (text(&found["metadata"], "uid"), text(reference, "uid"));
    if !expected.is_empty() && expected != uid {
        let problem = format!(
            "Operation cannot be fulfilled on {kind} \"{name}\": the UID in the bound object reference ({expected}) does not match \
             the UID in record. The object might have been deleted and then recreated"
        );
        return Err(Failure::new(409, "Conflict", problem).about("", kind, name));
    }
    Ok(Some(Bound { kind, name: name.to_owned(), uid: uid.to_owned() }))
}

/// Returns a token as Kubernetes writes it.
fn token(state: &mut State, issued: &Issued, now: i64) -> String {
    let Key { namespace, name } = &issued.account;
    let mut private = json!({ "namespace": namespace, "serviceaccount": { "name": name, "uid": issued.uid } });
    if let Some(bound) = &issued.bound {
        private[bound.kind.to_lowercase()] = json!({ "name": bound.name, "uid": bound.uid });
    }
    if let Some(NodeReference { name, uid }) = &issued.node {
        private["node"] = if uid.is_empty() { json!({ "name": name }) } else { json!({ "name": name, "uid": uid }) };
    }
    let claims = json!({
        "aud": issued.audiences, "exp": issued.expires, "iat": now, "iss": ISSUER, "jti": issued.id, "kubernetes.io": private, "nbf": now,
        "sub": service_account_name(namespace, name),
    });
    signed(state, &claims)
}

#[cfg(feature = "signed-tokens")]
fn signed(_: &mut State, claims: &Value) -> String {
    let text = [key::header(), claims.to_string()].map(|part| URL_SAFE_NO_PAD.encode(part)).join(".");
    let signature = key::sign(&text);
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

#[cfg(not(feature = "signed-tokens"))]
fn signed(state: &mut State, claims: &Value) -> String {
    /// The bytes of a signature by the key of a cluster, of 2048 bits.
    const SIGNATURE: usize = 256;
    let header = json!({ "alg": "RS256", "kid": "crdkit" });
    let signature: Vec<u8> =
        std::iter::repeat_with(|| state.new_uid().into_bytes()).flatten().take(SIGNATURE).collect();
    let parts = [header.to_string().into_bytes(), claims.to_string().into_bytes(), signature];
    parts.map(|part| URL_SAFE_NO_PAD.encode(part)).join(".")
}

/// Returns the user whose token a request has, if it is one of service accounts. The server knows no other tokens, and ignores them.
pub(super) fn sender(state: &State, request: &Request) -> Result<Option<Arc<User>>, Failure> {
    let Some(token) = request.header(AUTHORIZATION).strip_prefix("Bearer ").map(str::trim) else { return Ok(None) };
    if !is_of_this_issuer(token) {
        return Ok(None);
    }
    match authenticate(state, token, &[]) {
        Ok((user, _)) => Ok(Some(Arc::new(user))),
        Err(_) => Err(Failure::new(401, "Unauthorized", "Unauthorized")),
    }
}

fn is_of_this_issuer(token: &str) -> bool {
    let claims = token.split('.').nth(1).and_then(|claims| URL_SAFE_NO_PAD.decode(claims).ok());
    let claims = claims.and_then(|claims| serde_json::from_slice::<Value>(&claims).ok());
    claims.is_some_and(|claims| claims["iss"] == ISSUER)
}

/// Returns the status of a `TokenReview`.
pub(super) fn review(state: &State, spec: &Value) -> Value {
    match authenticate(state, text(spec, "token"), &texts(&spec["audiences"])) {
        Ok((user, audiences)) => json!({ "authenticated": true, "user": user.to_json(), "audiences": audiences }),
        Err(problem) => json!({ "user": {}, "error": problem }),
    }
}

/// Returns the user of a token, and for which audiences it is. Without others, the server itself is the audience.
fn authenticate(state: &State, token: &str, audiences: &[String]) -> Result<(User, Vec<String>), String> {
    const INVALID: &str = "invalid bearer token";
    let server = [ISSUER.to_owned()];
    let wanted = if audiences.is_empty() { &server[..] } else { audiences };
    let issued = state.tokens.0.get(token).ok_or_else(|| INVALID.to_owned())?;
    let common: Vec<_> = wanted.iter().filter(|audience| issued.audiences.contains(audience)).cloned().collect();
    if common.is_empty() {
        let quoted =
            |texts: &[String]| texts.iter().map(|text| crdkit_core::go::quote(text)).collect::<Vec<_>>().join(" ");
        return Err(format!(
            "[{INVALID}, token audiences [{}] is invalid for the target audiences [{}]]",
            quoted(&issued.audiences),
            quoted(wanted)
        ));
    }
    if issued.expires <= state.clock.now().as_second() {
        return Err(format!("[{INVALID}, service account token has expired]"));
    }
    let Key { namespace, name } = &issued.account;
    let is_there = |collection: &str, key: &Key, uid: &str| {
        let found = state.store.find(collection, key);
        found.is_some_and(|found| text(&found["metadata"], "uid") == uid)
    };
    if !is_there("serviceaccounts", &issued.account, &issued.uid) {
        return Err(format!("[{INVALID}, service account {namespace}/{name} has been deleted]"));
    }
    let mut user = User::new(&service_account_name(namespace, name), []);
    user.uid.clone_from(&issued.uid);
    let mut extra = |name: &str, value: String| {
        user.extra.insert(format!("authentication.kubernetes.io/{name}"), vec![value]);
    };
    extra("credential-id", format!("JTI={}", issued.id));
    if let Some(Bound { kind, name, uid }) = &issued.bound {
        if !is_there(Bound::collection(kind), &Bound::key(kind, namespace, name), uid) {
            return Err(format!("[{INVALID}, service account token has been invalidated]"));
        }
        if *kind == "Pod" {
            extra("pod-name", name.clone());
            extra("pod-uid", uid.clone());
        }
    }
    if let Some(NodeReference { name, uid }) = &issued.node {
        extra("node-name", name.clone());
        if !uid.is_empty() {
            extra("node-uid", uid.clone());
        }
    }
    Ok((user, common))
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
