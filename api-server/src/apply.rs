//! Server-side apply.

use crdkit_core::ErrorType;
use serde_json::{Value, json};

use super::{
    decode::{self, Decoded},
    draft::Draft,
    failure::Failure,
    managed_fields::{self, ApplyError, Writer},
    request::ResourceRequest,
    state::State,
    validation::WrittenPart,
    webhook_calls::Stop,
    write::{Operation, check_name},
};

/// The field manager of `kubectl apply --server-side`.
const KUBECTL: &str = "kubectl";
/// The configuration of the last `kubectl apply` without `--server-side`.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

pub(super) fn apply(state: &State, call: &ResourceRequest, part: WrittenPart) -> Result<Draft, Stop> {
    let configuration = configuration(call)?;
    let live = match state.stored(call).cloned() {
        Ok(stored) => Some(state.read(call, &stored)?),
        Err(_) if part == WrittenPart::Main => None,
        Err(failure) => return Err(failure.into()),
    };
    let (manager, api_version, time) = (call.query.get("fieldManager"), call.api_version(), state.time_of(call));
    let subresource = call.target.subresource.as_deref().unwrap_or_default();
    let writer = Writer { manager, api_version: &api_version, subresource, time };
    let force = call.query.flag("force");
    let merged = managed_fields::apply(&call.versions(), live.as_ref(), &configuration.object, &writer, force);
    call.external.require_answers()?;
    let mut merged = merged.map_err(failure)?;
    if manager == KUBECTL {
        update_last_applied(&mut merged, &configuration.object);
    }
    // Unknown fields are errors of the merge.
    configuration.check_strictness(call, || {
        let errors = configuration.strict_errors.join(", ");
        Failure::bad_request(format!("error strict decoding YAML: {errors}"))
    })?;
    check_name(call, &merged)?;
    if let Some(schema) = &call.version().schema {
        schema.prune_and_default_merged(&mut merged);
    }
    call.resource.read(call.version, &mut merged).map_err(|error| {
        if call.resource.is_custom {
            return Failure::bad_request(error.message);
        }
        let (kind, described) = (call.kind(), managed_fields::describe(&configuration.object));
        Failure::internal(format!(
            "failed to convert new object ({described}) to proper version: unable to convert unstructured object to {api_version}, \
             Kind={kind}: {}",
            error.of_converter()
        ))
    })?;
    Ok(Draft { part, old: live, new: merged, operation: Operation::Apply })
}

/// Updates the annotation of `kubectl apply`, if the object has it, so that a later apply without `--server-side` has the right
/// configuration to compare with.
fn update_last_applied(merged: &mut Value, configuration: &Value) {
    let Some(annotation) = merged.pointer_mut("/metadata/annotations").and_then(|it| it.get_mut(LAST_APPLIED)) else {
        return;
    };
    if annotation.as_str().is_none_or(str::is_empty) {
        return;
    }
    let mut configuration = configuration.clone();
    if let Some(Value::Object(annotations)) = configuration.pointer_mut("/metadata/annotations") {
        annotations.remove(LAST_APPLIED);
    }
    // Go escapes these characters, and ends the document with a line break.
    let escapes = [('<', "\\u003c"), ('>', "\\u003e"), ('&', "\\u0026")];
    let text = escapes.into_iter().fold(configuration.to_string(), |text, (from, to)| text.replace(from, to));
    *annotation = format!("{text}\n").into();
}

/// Reads the configuration, which may be YAML.
pub(super) fn configuration(call: &ResourceRequest) -> Result<Decoded, Failure> {
    if call.query.get("fieldManager").is_empty() {
        let detail = "is required for apply patch";
        return Err(Failure::invalid_option("PatchOptions", "fieldManager", ErrorType::Required, None, detail));
    }
    let failure = |problem| Failure::bad_request(format!("error decoding patch: {problem}"));
    let decoded = decode::parse(&call.request.body, "application/yaml").map_err(failure)?;
    if !decoded.object.is_object() && !decoded.object.is_null() {
        let type_ = decode::json_type(&decoded.object);
        return Err(failure(format!(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {type_} into Go value of type \
             map[string]interface {{}}"
        )));
    }
    Ok(decoded)
}

/// Returns the failure of an apply.
pub(super) fn failure(error: ApplyError) -> Failure {
    match error {
        ApplyError::Conflict { message, causes } => {
            let causes: Vec<Value> = causes
                .into_iter()
                .map(|it| json!({ "reason": "FieldManagerConflict", "message": it.message, "field": it.field }))
                .collect();
            Failure::new(409, "Conflict", message).with_detail("causes", causes)
        }
        ApplyError::BadRequest(message) => Failure::bad_request(message),
        ApplyError::Internal(message) => Failure::internal(message),
    }
}
