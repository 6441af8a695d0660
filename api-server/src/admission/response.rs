//! The answers of webhooks.

use std::sync::atomic::{AtomicU64, Ordering};

use k8s_openapi::ByteString;
use serde::Deserialize;
use serde_json::Value;

use crate::{failure::Failure, value::text, webhook_calls::Answer};

/// A checked `AdmissionResponse`.
pub(super) struct Response(pub(super) Value);

/// Returns a UID for a review.
pub(crate) fn new_uid() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("00000000-0000-4000-8000-{:012x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Returns the `response` of a review, if it is valid.
pub(super) fn check(review: Value, uid: &str, version: &str, is_mutating: bool) -> Answer {
    let problem = problem(&review, uid, version, is_mutating);
    match problem {
        Some(problem) => Err(format!("received invalid webhook response: {problem}")),
        None => Ok(review["response"].clone()),
    }
}

fn problem(review: &Value, uid: &str, version: &str, is_mutating: bool) -> Option<String> {
    let response = &review["response"];
    if !response.is_object() {
        return Some("webhook response was absent".to_owned());
    }
    if version != "v1" {
        return None;
    }
    let found = text(response, "uid");
    if found != uid {
        return Some(format!("expected response.uid=\"{uid}\", got \"{found}\""));
    }
    let (api_version, kind) = (text(review, "apiVersion"), text(review, "kind"));
    let expected = "admission.k8s.io/v1";
    if (api_version, kind) != (expected, "AdmissionReview") {
        let found = format!("{api_version}, Kind={kind}");
        return Some(format!("expected webhook response of {expected}, Kind=AdmissionReview, got {found}"));
    }
    let has_patch = match &response["patch"] {
        Value::String(text) => !text.is_empty(),
        Value::Array(bytes) => !bytes.is_empty(),
        _ => false,
    };
    let patch_type = response["patchType"].as_str();
    match (is_mutating, has_patch, patch_type) {
        (true, true, None) => Some("webhook returned response.patch but not response.patchType".to_owned()),
        (true, false, Some(_)) => Some("webhook returned response.patchType but not response.patch".to_owned()),
        (true, true, Some("")) => Some("webhook returned invalid response.patchType of \"\"".to_owned()),
        (false, true, _) => Some("validating webhook may not return response.patch".to_owned()),
        (false, false, Some(_)) => Some("validating webhook may not return response.patchType".to_owned()),
        _ => None,
    }
}

impl Response {
    pub(super) fn is_allowed(&self) -> bool {
        self.0["allowed"] == true
    }

    pub(super) fn warnings(&self) -> impl Iterator<Item = &str> {
        self.0["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    /// Returns the JSON patch; `None` if it changes nothing.
    pub(super) fn patch(&self) -> Result<Option<json_patch::Patch>, String> {
        let undecodable = |error: String| format!("received undecodable patch in webhook response: {error}");
        let bytes = match &self.0["patch"] {
            // The server accepts bytes in base64 and as a list of numbers.
            Value::String(text) if !text.is_empty() => {
                ByteString::deserialize(&self.0["patch"]).map_err(|error| undecodable(error.to_string()))?.0
            }
            Value::Array(list) if !list.is_empty() => {
                Vec::<u8>::deserialize(&self.0["patch"]).map_err(|error| undecodable(error.to_string()))?
            }
            _ => return Ok(None),
        };
        let patch: json_patch::Patch =
            serde_json::from_slice(&bytes).map_err(|error| undecodable(error.to_string()))?;
        match self.0["patchType"].as_str() {
            _ if patch.0.is_empty() => Ok(None),
            Some(other) if other != "JSONPatch" => Err(format!("unsupported patch type \"{other}\"")),
            _ => Ok(Some(patch)),
        }
    }

    /// Returns the failure of a request that a webhook denies.
    pub(super) fn denial(&self, webhook: &str) -> Failure {
        let status = &self.0["status"];
        let code = status["code"].as_u64().and_then(|code| u16::try_from(code).ok()).filter(|code| *code >= 400);
        let denied = format!("admission webhook \"{webhook}\" denied the request");
        let message = match (text(status, "message"), text(status, "reason")) {
            ("", "") => format!("{denied} without explanation"),
            ("", reason) => format!("{denied}: {reason}"),
            (message, _) => format!("{denied}: {message}"),
        };
        let mut failure = Failure::new(code.unwrap_or(400), "", message);
        failure.reason = text(status, "reason").to_owned().into();
        failure.details = status["details"].as_object().cloned();
        if let Some(metadata) = status["metadata"].as_object() {
            failure.metadata.clone_from(metadata);
        }
        failure
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_are_checked() {
        let review = |response: Value| json!({ "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "response": response });
        let problem = |response: Value, is_mutating| problem(&review(response), "u", "v1", is_mutating);
        assert_eq!(problem(json!({ "uid": "u", "allowed": true }), false), None);
        for (response, is_mutating, expected) in [
            (Value::Null, true, "webhook response was absent"),
            (json!({ "uid": "v" }), true, "expected response.uid=\"u\", got \"v\""),
            (
                json!({ "uid": "u", "patch": "W10=" }),
                true,
                "webhook returned response.patch but not response.patchType",
            ),
            (json!({ "uid": "u", "patch": [91, 93] }), false, "validating webhook may not return response.patch"),
        ] {
            assert_eq!(problem(response, is_mutating).as_deref(), Some(expected));
        }
    }

    #[test]
    fn patches_are_bytes() {
        let patch = |patch: Value| Response(json!({ "patch": patch, "patchType": "JSONPatch" })).patch();
        for valid in [json!("W10="), json!([91, 93])] {
            assert_eq!(patch(valid), Ok(None));
        }
        assert!(patch(json!("e30=")).is_err());
    }
}
