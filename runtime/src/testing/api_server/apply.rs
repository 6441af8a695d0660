//! Server-side apply.

use serde_json::{Value, json};

use super::{
    decode::{self, FieldValidation, text},
    failure::Failure,
    managed_fields::{self, ApplyError, Writer},
    request::Call,
    response::{Content, Reply},
    state::State,
    validation::Part,
    write::{Operation, check_name},
};

impl State {
    pub(super) fn apply(&mut self, call: &Call, part: Part) -> Result<Reply, Failure> {
        let mut configuration = configuration(call)?;
        check_name(call, &mut configuration.object)?;
        check_strictness(call, &configuration)?;
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
        if let Some(schema) = &call.version().schema {
            schema.prune_and_default(&mut merged);
        }
        let (code, written) = match &live {
            None => (201, self.create_object(call, merged, Operation::Apply)?),
            Some(live) => (200, self.replace_object(call, part, live, merged, Operation::Apply)?),
        };
        Ok(Reply::new(code, Content::Object(written)))
    }
}

/// Reads the configuration, which may be YAML.
fn configuration(call: &Call) -> Result<decode::Decoded, Failure> {
    if call.query.get("fieldManager").is_empty() {
        let error = crdkit_core::admission::FieldError {
            place: ".fieldManager".to_owned(),
            kind: crdkit_core::ErrorType::Required,
            value: None,
            detail: "is required for apply patch".to_owned(),
        };
        return Err(Failure::invalid("meta.k8s.io", "PatchOptions", "", &[error]));
    }
    let body = &call.request.body;
    let decoded = decode::parse(body, "application/yaml")
        .map_err(|problem| Failure::bad_request(format!("error decoding YAML: {problem}")))?;
    for (member, expected) in [("kind", call.kind().to_owned()), ("apiVersion", call.api_version())] {
        let found = text(&decoded.object, member);
        if found != expected {
            let message = match member {
                "kind" => format!("invalid object type: /{}, Kind={found}", text(&decoded.object, "apiVersion")),
                _ => format!(
                    "Incorrect version specified in apply patch. Specified patch version: {found}, expected: {expected}"
                ),
            };
            return Err(Failure::bad_request(message));
        }
    }
    Ok(decoded)
}

/// Returns the warnings about unknown fields of the configuration, or fails because of them.
fn check_strictness(call: &Call, configuration: &decode::Decoded) -> Result<(), Failure> {
    let mut checked = decode::Decoded { object: configuration.object.clone(), strict_errors: Vec::new() };
    decode::complete(call, &mut checked)?;
    checked.strict_errors.splice(0..0, configuration.strict_errors.iter().cloned());
    match FieldValidation::of(call) {
        FieldValidation::Strict if !checked.strict_errors.is_empty() => {
            Err(Failure::bad_request(decode::strict_error(&checked.strict_errors)))
        }
        FieldValidation::Warn => {
            checked.strict_errors.into_iter().for_each(|error| call.warn(error));
            Ok(())
        }
        _ => Ok(()),
    }
}

fn failure(error: ApplyError) -> Failure {
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
