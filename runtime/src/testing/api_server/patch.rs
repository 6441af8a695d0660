//! Patches of objects and of their status.

use serde_json::Value;

use super::{
    decode::{self, Decoded, FieldValidation, text},
    failure::Failure,
    request::Call,
    response::{Content, Reply},
    state::State,
    validation::Part,
    write::{Operation, check_name},
};

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

    fn apply(&mut self, _: &Call, _: Part) -> Result<Reply, Failure> {
        Err(Failure::unsupported_media_type(&[JSON, MERGE]))
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
        check_type(call, &old, &decoded.object)?;
        decode::complete(call, &mut decoded)?;
        let warnings = check_strictness(call, &decoded)?;
        check_name(call, &mut decoded.object)?;
        let new = self.replace_object(call, part, &old, decoded.object, Operation::Update)?;
        Ok(Reply::new(200, Content::Object(new)).with_warnings(warnings))
    }
}

fn json_patch(old: &Value, call: &Call) -> Result<Decoded, Failure> {
    let decoded = decode::parse(&call.request.body, JSON)
        .map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))?;
    let patch: json_patch::Patch = serde_json::from_value(decoded.object)
        .map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))?;
    if patch.0.len() > MAX_OPERATIONS {
        let count = patch.0.len();
        let message = format!("The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {count}");
        return Err(Failure::new(413, "RequestEntityTooLarge", message));
    }
    let mut new = old.clone();
    json_patch::patch(&mut new, &patch).map_err(|error| {
        let problem = format!("the server rejected our request due to an error in our request: {error}");
        Failure::new(422, "Invalid", problem)
    })?;
    Ok(Decoded { object: new, strict_errors: decoded.strict_errors })
}

fn merge_patch(old: &Value, call: &Call) -> Result<Decoded, Failure> {
    let decoded = decode::parse(&call.request.body, MERGE)
        .map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))?;
    let mut new = old.clone();
    json_patch::merge(&mut new, &decoded.object);
    Ok(Decoded { object: new, strict_errors: decoded.strict_errors })
}

/// A patch cannot change the type of an object.
fn check_type(call: &Call, old: &Value, new: &Value) -> Result<(), Failure> {
    if !new.is_object() || text(new, "kind").is_empty() {
        let problem = format!("Object 'Kind' is missing in '{new}'");
        return Err(invalid_patch(new, &problem));
    }
    if text(old, "apiVersion") != text(new, "apiVersion") && call.resource.is_custom {
        let [_, new] = [old, new].map(|it| text(it, "apiVersion"));
        let problem = format!(
            "the API version in the data ({new}) does not match the expected API version ({})",
            call.api_version()
        );
        return Err(Failure::bad_request(problem));
    }
    Ok(())
}

/// The object after a patch has unknown fields, or the patch has duplicate ones.
fn check_strictness(call: &Call, decoded: &Decoded) -> Result<Vec<String>, Failure> {
    match FieldValidation::of(call) {
        FieldValidation::Strict if !decoded.strict_errors.is_empty() => {
            Err(invalid_patch(&decoded.object, &decode::strict_error(&decoded.strict_errors)))
        }
        FieldValidation::Warn => Ok(decoded.strict_errors.clone()),
        _ => Ok(Vec::new()),
    }
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
