//! Server-side apply.

use serde_json::{Value, json};

use super::{
    decode::{self, Decoded, FieldValidation},
    failure::Failure,
    managed_fields::{self, ApplyError, Writer},
    metadata,
    request::Call,
    response::{Content, Reply},
    state::State,
    validation::Part,
    write::{Operation, check_name},
};

impl State {
    pub(super) fn apply(&mut self, call: &Call, part: Part) -> Result<Reply, Failure> {
        let configuration = configuration(call)?;
        let live = match self.stored(call).cloned() {
            Ok(stored) => Some(self.read(call, &stored)?),
            Err(_) if part == Part::Main => None,
            Err(failure) => return Err(failure),
        };
        let (manager, api_version, time) = (call.query.get("fieldManager"), call.api_version(), self.clock.text());
        let subresource = call.target.subresource.as_deref().unwrap_or_default();
        let writer = Writer { manager, api_version: &api_version, subresource, time: &time };
        let force = call.query.flag("force");
        let merged = managed_fields::apply(&*call.resource, live.as_ref(), &configuration.object, &writer, force);
        let mut merged = merged.map_err(failure)?;
        check_strictness(call, &configuration)?;
        check_name(call, &merged)?;
        if let Some(schema) = &call.version().schema {
            schema.prune_and_default_merged(&mut merged);
        }
        metadata::decode(&mut merged["metadata"]).map_err(Failure::bad_request)?;
        let (code, written) = match &live {
            None => (201, self.create_object(call, merged, Operation::Apply)?),
            Some(live) => (200, self.replace_object(call, part, live, merged, Operation::Apply)?),
        };
        Ok(Reply::new(code, Content::Object(written)))
    }
}

/// Reads the configuration, which may be YAML.
pub(super) fn configuration(call: &Call) -> Result<Decoded, Failure> {
    if call.query.get("fieldManager").is_empty() {
        let error = crdkit_core::admission::FieldError {
            place: ".fieldManager".to_owned(),
            kind: crdkit_core::ErrorType::Required,
            value: None,
            detail: "is required for apply patch".to_owned(),
        };
        return Err(Failure::invalid("meta.k8s.io", "PatchOptions", "", &[error]));
    }
    decode::parse(&call.request.body, "application/yaml")
        .map_err(|problem| Failure::bad_request(format!("error decoding YAML: {problem}")))
}

/// Warns about duplicate fields of the configuration, or fails because of them. Unknown fields are dropped.
fn check_strictness(call: &Call, configuration: &decode::Decoded) -> Result<(), Failure> {
    match FieldValidation::of(call) {
        FieldValidation::Strict if !configuration.strict_errors.is_empty() => {
            let errors = configuration.strict_errors.join(", ");
            Err(Failure::bad_request(format!("error strict decoding YAML: {errors}")))
        }
        FieldValidation::Warn => {
            configuration.strict_errors.iter().for_each(|error| call.warn(error));
            Ok(())
        }
        _ => Ok(()),
    }
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
