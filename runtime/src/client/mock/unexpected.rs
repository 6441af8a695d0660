//! Responses that are not what was requested.

use serde_json::{Value, json};

use crate::client::Error;

/// Returns unexpected responses with the status 200 to any request.
pub(crate) fn in_place_of_anything() -> Vec<Value> {
    vec![
        json!({}),
        json!([]),
        json!({ "status": "ok" }),
        json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 502 }),
    ]
}

/// Returns unexpected responses with the status 200 to a request for a namespaced object.
pub(crate) fn in_place_of(object: &Value) -> Vec<Value> {
    let with = |change: fn(&mut Value)| {
        let mut object = object.clone();
        change(&mut object);
        object
    };
    let mut all = in_place_of_anything();
    all.extend([
        json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 502 }),
        json!({ "kind": "List", "apiVersion": "v1", "metadata": {}, "items": [object] }),
        with(|object| object["kind"] = json!("Secret")),
        with(|object| object["apiVersion"] = json!("other/v1")),
        with(|object| object["metadata"]["name"] = json!("db")),
        with(|object| object["metadata"]["name"] = Value::Null),
        with(|object| object["metadata"]["namespace"] = json!("dev")),
        with(|object| object["metadata"] = json!({})),
    ]);
    all
}

/// Asserts that an error contains the expected and the actual response.
#[track_caller]
pub(crate) fn assert_unexpected(error: &Error) {
    let Error::Unexpected { mismatch, .. } = error else {
        panic!("{error}");
    };
    assert!(!mismatch.expected.is_empty() && !mismatch.found.is_empty());
    assert_ne!(mismatch.expected, mismatch.found);
    let message = error.to_string();
    assert!(message.contains(&mismatch.expected) && message.contains(&mismatch.found), "{message}");
}
