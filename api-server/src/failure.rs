//! Failures, as the API server reports them in a `Status`.

use std::borrow::Cow;

use crdkit_core::{
    ErrorType,
    admission::{FieldError, aggregate},
};
use serde_json::{Map, Value, json};

use super::{decode::text, resource::Resource};

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

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    pub(super) fn of_object(code: u16, reason: &'static str, resource: &Resource, name: &str, problem: &str) -> Self {
        let message = format!("{} \"{name}\" {problem}", resource.qualified());
        Self::new(code, reason, message).about(&resource.group, &resource.names.plural, name)
    }

    pub(super) fn not_found(resource: &Resource, name: &str) -> Self {
        Self::of_object(404, "NotFound", resource, name, "not found")
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

    /// There is an object with the name in the metadata, which the server has generated if there is a prefix.
    pub(super) fn already_exists(resource: &Resource, metadata: &Value, is_deleting: bool) -> Self {
        const NOT_UNIQUE: &str = "already exists, the server was not able to generate a unique name for the object";
        let of = |problem| Self::of_object(409, "AlreadyExists", resource, text(metadata, "name"), problem);
        let failure = match text(metadata, "generateName") {
            "" => of("already exists"),
            _ => of(NOT_UNIQUE).with_detail("retryAfterSeconds", 1),
        };
        if is_deleting {
            Self { message: format!("object is being deleted: {}", failure.message), ..failure }
        } else {
            failure
        }
    }

    pub(super) fn conflict(resource: &Resource, name: &str, problem: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {problem}", resource.qualified());
        Self::new(409, "Conflict", message).about(&resource.group, &resource.names.plural, name)
    }

    /// The object was changed since the client read it.
    pub(super) fn modified(resource: &Resource, name: &str) -> Self {
        const PROBLEM: &str =
            "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(resource, name, PROBLEM)
    }

    pub(super) fn forbidden(resource: &Resource, name: &str, problem: &str) -> Self {
        Self::of_object(403, "Forbidden", resource, name, &format!("is forbidden: {problem}"))
    }

    pub(super) fn method_not_allowed() -> Self {
        Self::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
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

/// Returns `Kind.group`, or the kind in the core group.
pub(super) fn qualified_kind(group: &str, kind: &str) -> String {
    match group {
        "" => kind.to_owned(),
        _ => format!("{kind}.{group}"),
    }
}

fn cause(error: &FieldError) -> Value {
    json!({ "reason": error.kind.reason(), "message": error.body(), "field": error.field("") })
}
