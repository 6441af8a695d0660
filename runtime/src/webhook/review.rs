//! Admission reviews: the requests of the API server to an admission webhook, and the responses.

use std::{borrow::Cow, collections::BTreeMap};

use k8s_openapi::{ByteString, api::authentication::v1::UserInfo};
use kube_core::GroupVersionKind;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};

use super::{
    Operation,
    context::{Notes, Request},
    error::{Refusal, denied_status},
};
use crate::{client::decode::path_of, serde::object_text};

const API_VERSION: &str = "admission.k8s.io/v1";
const KIND: &str = "AdmissionReview";
/// The maximum size of the options. They have a few short fields: the field manager has at most 128 characters.
const MAX_OPTIONS: usize = 16 << 10;

/// Why a body is no admission review.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(super) enum NotAReview {
    #[error("the body is no AdmissionReview: {0}")]
    Malformed(String),
    #[error("expected an AdmissionReview of admission.k8s.io/v1, and not {kind} of {api_version}")]
    OtherKind { api_version: String, kind: String },
    #[error("the AdmissionReview has no `request`")]
    NoRequest,
    #[error("{part} is of the kind {found}, but the webhook is for {expected}")]
    NotOfTheKind { part: &'static str, found: String, expected: String },
    #[error("the `options` of the AdmissionReview are larger than {MAX_OPTIONS} bytes")]
    LargeOptions,
}

/// A review with its objects as JSON.
pub(super) struct Review<'a> {
    pub(super) request: Request,
    pub(super) object: Option<&'a RawValue>,
    pub(super) old_object: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(borrow, default)]
    api_version: Cow<'a, str>,
    #[serde(borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    request: Option<DocumentRequest<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentRequest<'a> {
    uid: String,
    kind: GroupVersionKind,
    #[serde(default)]
    request_kind: Option<GroupVersionKind>,
    #[serde(default)]
    sub_resource: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    namespace: Option<String>,
    operation: Operation,
    #[serde(default)]
    user_info: UserInfo,
    #[serde(borrow, default)]
    object: Option<&'a RawValue>,
    #[serde(borrow, default)]
    old_object: Option<&'a RawValue>,
    #[serde(default)]
    dry_run: Option<bool>,
    #[serde(borrow, default)]
    options: Option<&'a RawValue>,
}

impl<'a> Review<'a> {
    pub(super) fn decode(body: &'a [u8]) -> Result<Self, NotAReview> {
        let document: Document<'a> =
            serde_json::from_slice(body).map_err(|error| NotAReview::Malformed(error.to_string()))?;
        if document.api_version != API_VERSION || document.kind != KIND {
            let (api_version, kind) = (document.api_version.into_owned(), document.kind.into_owned());
            return Err(NotAReview::OtherKind { api_version, kind });
        }
        let request = document.request.ok_or(NotAReview::NoRequest)?;
        let non_empty = |text: Option<String>| text.filter(|text| !text.is_empty());
        Ok(Self {
            object: request.object,
            old_object: request.old_object,
            request: Request {
                uid: request.uid,
                operation: request.operation,
                requested_kind: request.request_kind.unwrap_or_else(|| request.kind.clone()),
                kind: request.kind,
                name: non_empty(request.name),
                namespace: non_empty(request.namespace),
                subresource: non_empty(request.sub_resource),
                user: request.user_info,
                is_dry_run: request.dry_run.unwrap_or_default(),
                options: request.options.map_or(Ok(Value::Null), decode_options)?,
            },
        })
    }
}

/// Values of a tree take a hundred times the memory of their text.
fn decode_options(options: &RawValue) -> Result<Value, NotAReview> {
    if options.get().len() > MAX_OPTIONS {
        return Err(NotAReview::LargeOptions);
    }
    serde_json::from_str(options.get()).map_err(|error| NotAReview::Malformed(error.to_string()))
}

/// Decodes an object; an error names the field.
pub(super) fn decode_object<K: DeserializeOwned>(object: &RawValue) -> Result<K, String> {
    let json = object.get();
    object_text::read(json).map_err(|error| match path_of::<K>(json, &error) {
        Some(path) => format!("{path}: {error}"),
        None => error.to_string(),
    })
}

/// What a webhook answers to a review.
#[derive(Debug)]
pub(super) enum Verdict {
    /// The request is allowed, with these operations of a JSON patch.
    Allowed(Vec<Value>),
    Refused(Refusal),
    /// The objects are not of the kind of the webhook.
    Undecodable(String),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReviewResponse<'a> {
    api_version: &'static str,
    kind: &'static str,
    response: Response<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    uid: &'a str,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<ByteString>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    audit_annotations: &'a BTreeMap<String, String>,
}

/// Returns the response to a review as JSON.
///
/// # Errors
///
/// The message of a failure of the webhook, which is no response to a review.
pub(super) fn respond(request: &Request, verdict: Verdict, notes: &Notes) -> Result<Vec<u8>, String> {
    let (status, patch) = match verdict {
        Verdict::Allowed(operations) => (None, operations),
        Verdict::Refused(Refusal::Failed(message)) => return Err(message),
        Verdict::Refused(Refusal::Invalid(errors)) => {
            let name = request.name.as_deref().unwrap_or_default();
            (Some(errors.to_status(&request.kind.group, &request.kind.kind, name)), Vec::new())
        }
        Verdict::Refused(Refusal::Denied(message)) => (Some(denied_status(403, "Forbidden", &message)), Vec::new()),
        Verdict::Undecodable(message) => (Some(denied_status(400, "BadRequest", &message)), Vec::new()),
    };
    let patch = (!patch.is_empty()).then(|| ByteString(Value::Array(patch).to_string().into_bytes()));
    let response = Response {
        uid: &request.uid,
        allowed: status.is_none(),
        status,
        patch_type: patch.is_some().then_some("JSONPatch"),
        patch,
        warnings: &notes.warnings,
        audit_annotations: &notes.audit_annotations,
    };
    let review = ReviewResponse { api_version: API_VERSION, kind: KIND, response };
    serde_json::to_vec(&review).map_err(|error| format!("the response cannot be encoded: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn review() -> Value {
        json!({
            "kind": KIND, "apiVersion": API_VERSION,
            "request": {
                "uid": "u", "operation": "UPDATE", "name": "web", "namespace": "", "dryRun": true,
                "kind": { "group": "example.com", "version": "v1", "kind": "Machine" },
                "resource": { "group": "example.com", "version": "v1", "resource": "machines" },
                "requestKind": { "group": "example.com", "version": "v1alpha1", "kind": "Machine" },
                "userInfo": { "username": "alice", "groups": ["dev"], "extra": { "scope": ["a"] } },
                "object": { "x": 1 }, "oldObject": null, "options": { "kind": "UpdateOptions" },
            },
        })
    }

    #[test]
    fn reviews_are_decoded() {
        let body = review().to_string();
        let Review { request, object, old_object } = Review::decode(body.as_bytes()).unwrap();
        assert_eq!((object.unwrap().get(), old_object.is_none()), (r#"{"x":1}"#, true));
        assert_eq!((request.operation, request.name.as_deref()), (Operation::Update, Some("web")));
        assert_eq!((request.namespace, request.is_dry_run), (None, true));
        assert_eq!((request.kind.version.as_str(), request.requested_kind.version.as_str()), ("v1", "v1alpha1"));
        assert_eq!(request.user.extra.unwrap()["scope"], ["a"]);
        assert_eq!(request.options, json!({ "kind": "UpdateOptions" }));
    }

    #[test]
    fn other_bodies_are_refused() {
        let error = |body: &str| Review::decode(body.as_bytes()).err().unwrap().to_string();
        assert!(error("[").starts_with("the body is no AdmissionReview: "));
        assert!(error("{}").starts_with("expected an AdmissionReview of admission.k8s.io/v1"));
        let mut old = review();
        old["apiVersion"] = "admission.k8s.io/v1beta1".into();
        assert!(error(&old.to_string()).ends_with("and not AdmissionReview of admission.k8s.io/v1beta1"));
        let mut empty = review();
        empty["request"] = Value::Null;
        assert_eq!(error(&empty.to_string()), "the AdmissionReview has no `request`");
        let mut unknown = review();
        unknown["request"]["operation"] = "CONNECT".into();
        assert!(error(&unknown.to_string()).contains("unknown variant `CONNECT`"));
        let mut large = review();
        large["request"]["options"] = vec![0; MAX_OPTIONS].into();
        assert_eq!(error(&large.to_string()), "the `options` of the AdmissionReview are larger than 16384 bytes");
    }

    #[test]
    fn an_undecodable_object_names_the_field() {
        #[derive(Debug, Deserialize)]
        struct Machine {
            #[serde(rename = "replicas")]
            _replicas: u8,
        }
        let object = RawValue::from_string(r#"{"replicas":"many"}"#.to_owned()).unwrap();
        let error = decode_object::<Machine>(&object).unwrap_err();
        assert!(error.starts_with("replicas: invalid type: string \"many\", expected u8"), "{error}");
    }
}
