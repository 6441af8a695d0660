//! Errors that contain secrets.

use k8s_openapi::api::core::v1::ConfigMap;
use kube_core::response::{StatusCause, StatusDetails};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::*;
use crate::client::{
    limits::{Limit, QuoteLimit},
    request::Verb,
    selector::value,
};
use crate::{
    client::wait::{LastSeen, Met},
    resource::status::ObjectStatus,
};
use kube_core::DynamicObject;

pub(super) fn operation() -> ClientOperation {
    ClientOperation {
        verb: Verb::Get,
        group: String::new(),
        version: "v1".into(),
        kind: "Secret".into(),
        plural: "secrets".into(),
        subresource: None,
        namespace: Some("prod".into()),
        name: Some("web".into()),
        generate_name: None,
        quotes_values: false,
    }
}

pub(super) fn status_error(code: u16, reason: &str) -> StatusError {
    let message = format!(
        "Secret \"web\" is invalid: data.key: Invalid value: \"{SECRET}\": must not be {SECRET}; sent with \
         Authorization: Bearer {SECRET} and {CERTIFICATE}"
    );
    let cause = StatusCause {
        reason: "FieldValueInvalid".into(),
        message: format!("Unsupported value: {{\"a\":\"{SECRET}\"}}: supported values: \"A\""),
        field: "data.key".into(),
    };
    let details = StatusDetails {
        name: "web".into(),
        group: String::new(),
        kind: "Secret".into(),
        uid: String::new(),
        causes: vec![cause],
        retry_after_seconds: 0,
    };
    StatusError {
        operation: operation(),
        status: Status { details: Some(details), ..Status::failure(&message, reason).with_code(code) },
        retry_after: None,
        quote_limit: QuoteLimit::default(),
        needed: &[],
    }
}

pub(super) fn json_error<T: DeserializeOwned>(json: Value) -> JsonError {
    JsonError::from(serde_json::from_value::<T>(json).err().expect("it does not match"))
}

pub(super) fn undecodable() -> Undecodable {
    Undecodable {
        operation: operation(),
        namespace: Some("prod".into()),
        name: Some("web".into()),
        path: Some("data.key".into()),
        source: json_error::<ConfigMap>(json!({ "metadata": SECRET })),
    }
}

pub(super) fn requests() -> Vec<Error> {
    let refusals = [
        (404, "NotFound"),
        (409, "AlreadyExists"),
        (409, "Conflict"),
        (422, "Invalid"),
        (403, "Forbidden"),
        (401, "Unauthorized"),
        (410, "Expired"),
        (429, "TooManyRequests"),
        (504, "Timeout"),
        (503, "ServiceUnavailable"),
        (400, "BadRequest"),
    ];
    let mut errors: Vec<_> =
        refusals.into_iter().map(|(code, reason)| status_error(code, reason).into_error()).collect();
    let mut not_served = status_error(404, "NotFound");
    not_served.status.details = None;
    errors.push(not_served.into_error());
    let operation = || Box::new(operation());
    errors.extend([
        Error::InvalidName { operation: operation(), name: "a/b".into(), reason: "it is a path" },
        Error::InvalidSelector { operation: operation(), source: selector_error() },
        Error::MissingName { operation: operation() },
        Error::MissingMetadata { operation: operation(), missing: "metadata.uid" },
        Error::NamespaceMismatch { operation: operation(), namespace: "dev".into() },
        Error::NotLeader { operation: operation() },
        Error::Recreated { operation: operation() },
        Error::Encode {
            operation: operation(),
            source: <serde_json::Error as serde::ser::Error>::custom(SECRET).into(),
        },
        Error::Decode(Box::new(undecodable())),
        Error::Unexpected { operation: operation(), mismatch: Box::new(Mismatch::new("a", "b")) },
        Error::DeadlineExceeded { operation: operation(), phase: TimeoutPhase::Response, limit: Duration::ZERO },
        Error::TooLarge { operation: operation(), limit: Limit::Object, allowed: 0 },
    ]);
    errors.extend(
        from_kube().into_iter().map(|source| Error::Transport { operation: operation(), source: source.into() }),
    );
    errors
}

pub(super) fn selector_error() -> FieldValueError {
    let object = json!({ "a": SECRET });
    let value = value::Value::<value::StringField, _>::new(object);
    let error = value::OtherValue::text(value).unwrap_err();
    FieldValueError::new("spec.a", &error)
}

pub(super) fn applies() -> Vec<ApplyError> {
    vec![
        ApplyError::Conflicts(Box::new(status_error(409, "Conflict"))),
        ApplyError::NoFieldManager { operation: Box::new(operation()) },
        ApplyError::Request(status_error(422, "Invalid").into_error()),
    ]
}

pub(super) fn deletions() -> Vec<DeleteError> {
    vec![
        DeleteError::StillExists {
            operation: Box::new(operation()),
            limit: Duration::ZERO,
            finalizers: vec!["a/b".into()],
        },
        DeleteError::Request(status_error(409, "Conflict").into_error()),
    ]
}

pub(super) fn evictions() -> Vec<EvictError> {
    vec![
        EvictError::Budget(Box::new(status_error(429, "TooManyRequests"))),
        EvictError::Request(status_error(409, "Conflict").into_error()),
    ]
}

pub(super) fn waits() -> Vec<WaitUntilError> {
    let object = json!({
        "metadata": { "name": "a" },
        "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "Why", "message": SECRET }] },
    });
    let object: DynamicObject = serde_json::from_value(object).unwrap();
    vec![
        WaitUntilError::Elapsed {
            operation: Box::new(operation()),
            limit: Duration::ZERO,
            last_seen: LastSeen::Object(object.clone()).describe(false),
            source: Some(Box::new(status_error(409, "Conflict").into_error())),
        },
        WaitUntilError::Never {
            operation: Box::new(operation()),
            reason: match Met::from(ObjectStatus::failed("Why", SECRET)) {
                Met::Never(reason) => reason,
                met => panic!("{met:?}"),
            },
        },
        WaitUntilError::Deleted { operation: Box::new(operation()) },
        WaitUntilError::Request(status_error(409, "Conflict").into_error()),
    ]
}

pub(super) fn updates() -> Vec<Cancelled> {
    vec![
        // This text comes from the program.
        UpdateError::Aborted("no".into()),
        UpdateError::RetriesExhausted { attempts: 3, status_error: Box::new(status_error(409, "Conflict")) },
        UpdateError::Request(status_error(409, "Conflict").into_error()),
    ]
}

pub(super) fn owners() -> Vec<OwnerError> {
    vec![
        OwnerError::NotCreated { kind: "Pod".into() },
        OwnerError::NamespaceMismatch { owner: "a".into(), child: None },
        OwnerError::AlreadyOwned { kind: "Pod".into(), name: "a".into() },
    ]
}
