//! Patches of objects and of their status.

use serde_json::{Value, json};

use super::{
    apply,
    decode::{self, Decoded, FieldValidation},
    draft::Draft,
    failure::Failure,
    request::ResourceRequest,
    state::State,
    validation::{WrittenPart, go_text},
    value::text,
    webhook_calls::Stop,
    write::{Operation, check_name},
};

pub(super) mod json;
#[cfg(feature = "strategic-merge-patch")]
mod strategic;

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
pub(super) const APPLY: &str = "application/apply-patch+yaml";

/// The maximum number of operations of a JSON patch.
const MAX_OPERATIONS: usize = 10_000;

pub(super) fn patch(state: &State, call: &ResourceRequest, part: WrittenPart) -> Result<Draft, Stop> {
    match call.request.content_type() {
        APPLY => apply::apply(state, call, part),
        _ => patch_object(state, call, part),
    }
}

fn patch_object(state: &State, call: &ResourceRequest, part: WrittenPart) -> Result<Draft, Stop> {
    parse(call)?;
    let stored = state.stored(call)?.clone();
    let old = state.read(call, &stored)?;
    let mut decoded = patched(&old, call)?;
    decode::check_registered(call, &decoded.object).map_err(|problem| invalid_patch(&decoded.object, &problem))?;
    if let Err(error) = decode::complete_patched(call, &mut decoded) {
        let is_strategic = call.request.content_type() == STRATEGIC;
        let problem = if is_strategic { error.of_converter() } else { error.message };
        return Err(refusal(&old, call, &problem).into());
    }
    // The object after the patch has unknown fields, or the patch has duplicate ones.
    decoded.check_strictness(call, || refusal(&old, call, &decode::strict_error(&decoded.strict_errors)))?;
    check_name(call, &decoded.object)?;
    Ok(Draft { part, old: Some(old), new: decoded.object, operation: Operation::Update })
}

/// A patch whose result is no object of the kind. The server shows the result, or a strategic merge patch itself.
pub(super) fn refusal(old: &Value, call: &ResourceRequest, problem: &str) -> Failure {
    let shown = if call.request.content_type() == STRATEGIC {
        parse(call).map(|patch| go_text(&patch.object))
    } else {
        patched(old, call).map(|patched| patched.object.to_string())
    };
    shown.map_or_else(|failure| failure, |shown| refused_patch(&shown, problem))
}

/// The media type of a patch must be one of those that the resource can be patched by.
pub(super) fn check_media_type(call: &ResourceRequest) -> Result<(), Failure> {
    match call.request.content_type() {
        JSON | MERGE | APPLY if !call.request.body.is_empty() || call.resource.is_custom => Ok(()),
        STRATEGIC if !call.resource.is_custom => Ok(()),
        _ => Err(unsupported(call)),
    }
}

fn unsupported(call: &ResourceRequest) -> Failure {
    if call.resource.is_custom {
        Failure::unsupported_media_type(&[JSON, MERGE, APPLY])
    } else {
        Failure::new(415, "UnsupportedMediaType", "415: Unsupported Media Type").about("", "", "")
    }
}

/// Returns an object, or a scale, after the patch of a request.
pub(super) fn patched(old: &Value, call: &ResourceRequest) -> Result<Decoded, Failure> {
    let decoded = match call.request.content_type() {
        JSON => json_patch(old, call),
        MERGE => merge_patch(old, call),
        STRATEGIC if !call.resource.is_custom => strategic_patch(old, call),
        _ => Err(unsupported(call)),
    }?;
    check_type(&decoded.object)?;
    Ok(decoded)
}

fn json_patch(old: &Value, call: &ResourceRequest) -> Result<Decoded, Failure> {
    let mut decoded = parse(call)?;
    let is_lenient = FieldValidation::of(call) == FieldValidation::Ignore;
    let types = if is_lenient {
        ["jsonpatch.Patch", "jsonpatch.Operation"]
    } else {
        ["[]handlers.jsonPatchOp", "handlers.jsonPatchOp"]
    };
    match &decoded.object {
        Value::Null => decoded.object = json!([]),
        Value::Array(operations) => {
            if let Some(wrong) = operations.iter().find(|it| !it.is_object() && !it.is_null()) {
                return Err(not_a(wrong, types[1], is_lenient));
            }
        }
        other => return Err(not_a(other, types[0], is_lenient)),
    }
    let patch: json_patch::Patch = serde_json::from_value(decoded.object).map_err(|_| rejected())?;
    if patch.0.len() > MAX_OPERATIONS {
        let count = patch.0.len();
        let message = format!("The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {count}");
        return Err(Failure::new(413, "RequestEntityTooLarge", message));
    }
    let mut new = old.clone();
    json::apply(&mut new, patch).map_err(|_| rejected())?;
    Ok(Decoded { object: new, strict_errors: decoded.strict_errors })
}

fn merge_patch(old: &Value, call: &ResourceRequest) -> Result<Decoded, Failure> {
    let decoded = parse(call)?;
    let is_lenient = FieldValidation::of(call) == FieldValidation::Ignore;
    match &decoded.object {
        Value::Object(_) => {}
        // A list replaces the object.
        Value::Array(_) if is_lenient => return Ok(decoded),
        Value::Null => return Err(Failure::bad_request("Invalid JSON Patch")),
        _ if is_lenient => return Err(Failure::bad_request("Invalid JSON Patch")),
        other => return Err(not_a(other, "map[string]interface {}", false)),
    }
    let mut new = old.clone();
    crdkit::__internal::merge_patch::merge(&mut new, &decoded.object);
    Ok(Decoded { object: new, strict_errors: decoded.strict_errors })
}

#[cfg(not(feature = "strategic-merge-patch"))]
fn strategic_patch(_: &Value, _: &ResourceRequest) -> Result<Decoded, Failure> {
    let message = "strategic merge patches need the feature `strategic-merge-patch` of crdkit-api-server";
    Err(Failure::new(415, "UnsupportedMediaType", message))
}

#[cfg(feature = "strategic-merge-patch")]
fn strategic_patch(old: &Value, call: &ResourceRequest) -> Result<Decoded, Failure> {
    let decoded = parse(call)?;
    let Value::Object(patch) = decoded.object else {
        let found = decode::json_type(&decoded.object);
        return Err(Failure::bad_request(format!(
            "json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
        )));
    };
    // Scales have no lists.
    let schema = if call.is_scale() {
        None
    } else {
        crate::kinds::schema(&call.resource.group, &call.version().spec.name, call.kind())
    };
    let object = strategic::merge(old, patch, schema).map_err(|error| match error {
        strategic::MergeError::Format(message) => Failure::bad_request(message),
        strategic::MergeError::Merge(message) => Failure::internal(message),
    })?;
    Ok(Decoded { object, strict_errors: decoded.strict_errors })
}

/// The operations of a JSON patch do not fit the object.
fn rejected() -> Failure {
    let message = "the server rejected our request due to an error in our request";
    Failure { details: Some(serde_json::Map::new()), ..Failure::new(422, "Invalid", message) }
}

fn parse(call: &ResourceRequest) -> Result<Decoded, Failure> {
    decode::parse(&call.request.body, JSON).map_err(|_| Failure::bad_request("invalid JSON patch"))
}

/// A patch of another type than the server expects, in Go's words.
fn not_a(patch: &Value, expected: &str, is_lenient: bool) -> Failure {
    let found = decode::json_type(patch);
    let context = if is_lenient { "" } else { "error decoding patch: " };
    Failure::bad_request(format!("{context}json: cannot unmarshal {found} into Go value of type {expected}"))
}

/// The object after a patch must be one.
fn check_type(new: &Value) -> Result<(), Failure> {
    if let Some(problem) = decode::type_error(new) {
        return Err(invalid_patch(new, &problem));
    }
    if !new.is_object() || text(new, "kind").is_empty() {
        let problem = format!("Object 'Kind' is missing in '{new}'");
        return Err(invalid_patch(new, &problem));
    }
    Ok(())
}

pub(super) fn invalid_patch(patched: &Value, problem: &str) -> Failure {
    refused_patch(&patched.to_string(), problem)
}

fn refused_patch(shown: &str, problem: &str) -> Failure {
    let error = crdkit_core::object_processing::FieldError {
        place: ".patch".to_owned(),
        kind: crdkit_core::ErrorType::Invalid,
        value: Some(crdkit_core::go::quote(shown)),
        detail: problem.to_owned(),
    };
    Failure::invalid("", "", "", &[error])
}
