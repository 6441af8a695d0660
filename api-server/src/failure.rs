//! Failures, as the API server reports them in a `Status`.

use std::borrow::Cow;

use crdkit_core::{
    ErrorType,
    object_processing::{FieldError, aggregate},
};
use serde_json::{Map, Value, json};

/// A request that failed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Failure {
    pub(super) code: u16,
    pub(super) reason: Cow<'static, str>,
    pub(super) message: String,
    /// `None` if there are none, which differs from empty ones.
    pub(super) details: Option<Map<String, Value>>,
    /// `metadata.continue` and other fields of the list metadata.
    pub(super) metadata: Map<String, Value>,
}

impl Failure {
    pub(super) fn new(code: u16, reason: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), message: message.into(), details: None, metadata: Map::new() }
    }

    /// A failure with the reason and the message that Kubernetes has for a status code.
    pub(super) fn of_code(code: u16) -> Self {
        let (reason, message) = generic(code);
        Self::new(code, reason, message)
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// A failure without a reason.
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// A failure of another program, or of what the server has stored.
    pub(super) fn internal_error(problem: &str) -> Self {
        let failure = Self::new(500, "InternalError", format!("Internal error occurred: {problem}"));
        failure.with_detail("causes", json!([{ "message": problem }]))
    }

    /// The path is not served.
    pub(super) fn no_such_path() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource").about("", "", "")
    }

    /// The server does not do this at all, so that a client may try it in another way.
    pub(super) fn unavailable(message: &str) -> Self {
        Self::new(503, "ServiceUnavailable", message)
    }

    pub(super) fn method_not_allowed() -> Self {
        Self::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
    }

    /// As apimachinery's `NewRequestEntityTooLargeError`.
    pub(super) fn body_too_large(limit: usize) -> Self {
        Self::new(413, "RequestEntityTooLarge", format!("Request entity too large: limit is {limit}"))
    }

    pub(super) fn unsupported_media_type(accepted: &[&str]) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {}",
            accepted.join(", ")
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// An object, or the options of a request, with errors in its fields.
    pub(super) fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
        let qualified = qualified_kind(group, kind);
        let problem = aggregate(errors);
        let message = format!("{qualified} \"{name}\" is invalid: {problem}");
        let mut failure = Self::new(422, "Invalid", message).about(group, kind, name);
        failure.details.get_or_insert_default().insert("causes".into(), errors.iter().map(cause).collect());
        failure
    }

    /// A parameter of a request with an error; `options` is the kind of the parameters, such as `ListOptions`.
    pub(super) fn invalid_option(
        options: &str,
        parameter: &str,
        kind: ErrorType,
        value: Option<String>,
        detail: &str,
    ) -> Self {
        let error = FieldError { place: format!(".{parameter}"), kind, value, detail: detail.to_owned() };
        Self::invalid("meta.k8s.io", options, "", &[error])
    }

    pub(super) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// Sets `details`; empty texts are absent.
    pub(super) fn about(mut self, group: &str, kind: &str, name: &str) -> Self {
        let details = self.details.get_or_insert_default();
        for (key, value) in [("name", name), ("group", group), ("kind", kind)] {
            if !value.is_empty() {
                details.insert(key.into(), value.into());
            }
        }
        self
    }

    pub(super) fn with_detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.get_or_insert_default().insert(key.into(), value.into());
        self
    }

    /// Returns the seconds after which a client may try again.
    pub(super) fn retry_after(&self) -> Option<u64> {
        self.details.as_ref()?.get("retryAfterSeconds")?.as_u64().filter(|seconds| *seconds > 0)
    }

    pub(super) fn to_json(&self) -> Value {
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": self.metadata, "status": "Failure",
            "message": self.message, "reason": self.reason, "code": self.code,
        });
        if self.reason.is_empty()
            && let Value::Object(members) = &mut status
        {
            members.remove("reason");
        }
        if let Some(details) = &self.details {
            status["details"] = details.clone().into();
        }
        status
    }
}

/// Returns the reason and the message that Kubernetes has for a status code.
pub(super) fn generic(code: u16) -> (&'static str, String) {
    let (reason, message) = match code {
        400 => ("BadRequest", "the server rejected our request for an unknown reason"),
        401 => ("Unauthorized", "the server has asked for the client to provide credentials"),
        403 => ("Forbidden", "forbidden"),
        404 => ("NotFound", "the server could not find the requested resource"),
        405 => ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
        406 => ("NotAcceptable", "the server was unable to respond with a content type that the client supports"),
        409 => ("Conflict", "the server reported a conflict"),
        410 => ("Expired", "The resourceVersion for the provided watch is too old."),
        415 => ("UnsupportedMediaType", "the body of the request was in an unknown format"),
        422 => ("Invalid", "the server rejected our request due to an error in our request"),
        429 => ("TooManyRequests", "the server has received too many requests and has asked us to try again later"),
        503 => ("ServiceUnavailable", "the server is currently unable to handle the request"),
        504 => (
            "Timeout",
            "the server was unable to return a response in the time allotted, but may still be processing the request",
        ),
        500.. => ("InternalError", "an error on the server (\"unknown\") has prevented the request from succeeding"),
        _ => {
            let message =
                format!("the server responded with the status code {code} but did not return more information");
            return ("Unknown", message);
        }
    };
    (reason, message.to_owned())
}

/// Returns `Kind.group`, or the kind in the core group.
pub(super) fn qualified_kind(group: &str, kind: &str) -> String {
    match group {
        "" => kind.to_owned(),
        _ => format!("{kind}.{group}"),
    }
}

/// Returns several errors as one, as Go's `NewAggregate` formats them; `None` if there are none.
pub(super) fn aggregate_texts(errors: &[String]) -> Option<String> {
    match errors {
        [] => None,
        [error] => Some(error.clone()),
        errors => Some(format!("[{}]", errors.join(", "))),
    }
}

fn cause(error: &FieldError) -> Value {
    json!({ "reason": error.kind.reason(), "message": error.body(), "field": error.field("") })
}
