//! Patches of objects and of their status.

use serde_json::Value;

use super::{
    decode::{self, Decoded, text},
    failure::Failure,
    merge_patch,
    request::Call,
    response::{Content, Reply},
    state::State,
    validation::Part,
    write::{Operation, check_name},
};

mod json;

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

/// The maximum number of operations of a JSON patch.
const MAX_OPERATIONS: usize = 10_000;

impl State {
    pub(super) fn patch(&mut self, call: &Call, part: Part) -> Result<Reply, Failure> {
        match call.request.content_type() {
            JSON => self.patch_with(call, part, json_patch),
            MERGE => self.patch_with(call, part, merge_patch),
            STRATEGIC if !call.resource.is_custom => self.patch_with(call, part, merge_patch),
            APPLY => self.apply(call, part),
            _ if call.resource.is_custom => Err(Failure::unsupported_media_type(&[JSON, MERGE, APPLY])),
            _ => Err(Failure::unsupported_media_type(&[JSON, MERGE, STRATEGIC, APPLY])),
        }
    }

    fn patch_with(
        &mut self,
        call: &Call,
        part: Part,
        patch: fn(&Value, &Call) -> Result<Decoded, Failure>,
    ) -> Result<Reply, Failure> {
        let stored = self.stored(call)?.clone();
        let old = self.read(call, &stored)?;
        let mut decoded = patch(&old, call)?;
        check_type(&decoded.object)?;
        if let Err(failure) = decode::complete(call, &mut decoded) {
            let problem = failure.message.split_once(": ").map_or("", |(_, problem)| problem);
            return Err(invalid_patch(&patch(&old, call)?.object, problem));
        }
        // The object after the patch has unknown fields, or the patch has duplicate ones.
        decoded
            .check_strictness(call, || invalid_patch(&decoded.object, &decode::strict_error(&decoded.strict_errors)))?;
        check_name(call, &decoded.object)?;
        let new = self.replace_object(call, part, &old, decoded.object, Operation::Update)?;
        Ok(Reply::new(200, Content::Object(new)))
    }
}

fn json_patch(old: &Value, call: &Call) -> Result<Decoded, Failure> {
    let decoded = decode::parse(&call.request.body, JSON)
        .map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))?;
    if !decoded.object.is_array() {
        return Err(not_a(&decoded.object, "[]handlers.jsonPatchOp"));
    }
    let patch: json_patch::Patch = serde_json::from_value(decoded.object).map_err(|_| rejected())?;
    if patch.0.len() > MAX_OPERATIONS {
        let count = patch.0.len();
        let message = format!("The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {count}");
        return Err(Failure::new(413, "RequestEntityTooLarge", message));
    }
    let mut new = old.clone();
    apply_operations(&mut new, patch).map_err(|_| rejected())?;
    Ok(Decoded { object: new, strict_errors: decoded.strict_errors })
}

/// Applies a JSON patch.
pub(super) fn apply_operations(object: &mut Value, patch: json_patch::Patch) -> Result<(), String> {
    let mut operations = patch.0.into_iter();
    operations.try_for_each(|operation| {
        let problem = json::problem(object, &operation);
        json::apply(object, operation).map_err(|error| problem.unwrap_or_else(|| error.to_string()))
    })
}

fn merge_patch(old: &Value, call: &Call) -> Result<Decoded, Failure> {
    let decoded = decode::parse(&call.request.body, MERGE)
        .map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))?;
    if !decoded.object.is_object() {
        return Err(not_a(&decoded.object, "map[string]interface {}"));
    }
    let mut new = old.clone();
    merge_patch::merge(&mut new, &decoded.object);
    Ok(Decoded { object: new, strict_errors: decoded.strict_errors })
}

/// The operations of a JSON patch do not fit the object.
fn rejected() -> Failure {
    let message = "the server rejected our request due to an error in our request";
    Failure { details: Some(serde_json::Map::new()), ..Failure::new(422, "Invalid", message) }
}

/// A patch of another type than the server expects, in Go's words.
fn not_a(patch: &Value, expected: &str) -> Failure {
    let found = decode::json_type(patch);
    Failure::bad_request(format!(
        "error decoding patch: json: cannot unmarshal {found} into Go value of type {expected}"
    ))
}

/// The object after a patch must be one.
fn check_type(new: &Value) -> Result<(), Failure> {
    if !new.is_object() || text(new, "kind").is_empty() {
        let problem = format!("Object 'Kind' is missing in '{new}'");
        return Err(invalid_patch(new, &problem));
    }
    Ok(())
}

fn invalid_patch(patched: &Value, problem: &str) -> Failure {
    let error = crdkit_core::admission::FieldError {
        place: ".patch".to_owned(),
        kind: crdkit_core::ErrorType::Invalid,
        value: Some(crdkit_core::admission::go::quote(&patched.to_string())),
        detail: problem.to_owned(),
    };
    Failure::invalid("", "", "", &[error])
}
