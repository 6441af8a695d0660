//! Validation of objects, as the server performs it before it stores them: of custom resources by their schemas, and of built-in
//! kinds by their rules.

use crdkit::__internal::{admission::schema_errors, cel::Failure as RuleFailure, crd_accessors::read};
use crdkit_core::{
    ErrorType,
    json::Json,
    object_processing::{self, FieldError},
    rules::defaults::OUT_OF_BUDGET,
    schema::SchemaProps,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceSubresourceScale;
use serde_json::Value;

use super::{metadata_validation, request::ResourceRequest, resource::Schema, value::text};

mod builtin;
mod event;
mod namespace;
mod ratchet;
mod report;
mod scale;

pub(super) use builtin::errors as builtin_errors;
pub(super) use event::errors as event_errors;
pub(super) use namespace::finalizer_errors as namespace_errors;
pub(super) use scale::go_text;

/// Which part of an object a request writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WrittenPart {
    /// All but the status, if that is a subresource.
    Main,
    Status,
    /// The conditions of the request of a certificate.
    Approval,
    EphemeralContainers,
    /// The resources of the containers of a Pod.
    Resize,
}

/// Returns the errors of an object of a custom resource.
pub(super) fn validate(call: &ResourceRequest, part: WrittenPart, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    let metadata_errors = || match old {
        Some(old) => metadata_validation::update_errors(&call.resource, old, new),
        None => metadata_validation::create_errors(&call.resource, new),
    };
    let Some(schema) = &call.version().schema else {
        return metadata_errors();
    };
    let errors = type_errors(call, new);
    if !errors.is_empty() {
        return errors;
    }
    let mut errors = metadata_errors();
    let json = metadata_validation::without_owned_fields(new);
    errors.extend(match part {
        WrittenPart::Status => of_status(&schema.props, &json, old, new),
        _ => of_schema(&schema.props, &json, old, new),
    });
    if let Some(scale) = scale_of(call) {
        errors.extend(scale::errors(scale, part, new));
    }
    if part == WrittenPart::Main {
        errors.extend(object_processing::validate_resources(&schema.props, &json));
    }
    errors.extend(list_errors(&schema.props, old, &json));
    errors.extend(rule_errors(schema, old, new, &errors));
    errors
}

fn scale_of(call: &ResourceRequest) -> Option<&CustomResourceSubresourceScale> {
    call.version().spec.subresources.as_ref()?.scale.as_ref()
}

fn type_errors(call: &ResourceRequest, object: &Value) -> Vec<FieldError> {
    let expected = [("kind", call.kind().to_owned()), ("apiVersion", call.api_version())];
    let wrong = expected.into_iter().filter(|(member, expected)| text(object, member) != expected);
    wrong.map(|(member, expected)| invalid(member, text(object, member), &format!("must be {expected}"))).collect()
}

fn invalid(member: &str, value: &str, detail: &str) -> FieldError {
    FieldError {
        place: format!(".{member}"),
        kind: ErrorType::Invalid,
        value: Some(crdkit_core::go::quote(value)),
        detail: detail.to_owned(),
    }
}

/// Returns the errors of a value by its schema. Those of unchanged values are ignored.
fn of_schema(schema: &SchemaProps<'_>, json: &Json<'_>, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    let mut errors = schema_errors(schema, json);
    if let Some(old) = old.filter(|_| !errors.is_empty()) {
        errors.retain(|error| !ratchet::is_unchanged(schema, old, new, &error.place));
    }
    errors
}

/// Returns the errors of the status, which the server validates on its own: messages have paths within it.
fn of_status(schema: &SchemaProps<'_>, json: &Json<'_>, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    let (Some(schema), Some(json), Some(new)) = (schema.property("status"), json.get("status"), new.get("status"))
    else {
        return Vec::new();
    };
    let old = old.and_then(|old| old.get("status"));
    let errors = of_schema(schema, json, old, new).into_iter();
    errors.map(|error| FieldError { place: format!(".status{}", error.place), ..error }).collect()
}

/// Returns the duplicate items of lists, unless the old object had some.
fn list_errors(schema: &SchemaProps<'_>, old: Option<&Value>, new: &Json<'_>) -> Vec<FieldError> {
    let errors = |object: &Json<'_>| object_processing::validate_list_types(schema, object);
    let new = errors(new);
    match old {
        Some(old) if !new.is_empty() && !errors(&read::json(old)).is_empty() => Vec::new(),
        _ => new,
    }
}

/// Returns the errors of the CEL rules, which are not evaluated on an object with errors of some types.
fn rule_errors(schema: &Schema, old: Option<&Value>, new: &Value, errors: &[FieldError]) -> Vec<FieldError> {
    const SKIPPED: &str = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    let Some(rules) = &schema.rules else {
        return Vec::new();
    };
    let is_blocking = |error: &FieldError| {
        use ErrorType::{NotSupported, Required, TooLong, TooMany, TypeInvalid};
        matches!(error.kind, NotSupported | Required | TooLong | TooMany | TypeInvalid)
    };
    if errors.iter().any(is_blocking) {
        let skipped = FieldError {
            place: String::new(),
            kind: ErrorType::Invalid,
            value: Some("null".to_owned()),
            detail: SKIPPED.to_owned(),
        };
        return vec![skipped];
    }
    rules.failures(old.map(read::json).as_ref(), &read::json(new)).into_iter().map(rule_error).collect()
}

fn rule_error(failure: RuleFailure) -> FieldError {
    match failure {
        RuleFailure::Rule { kind, place, value, detail, .. } => FieldError { place, kind, value, detail },
        RuleFailure::Budget { place, type_ } => {
            FieldError { place, kind: ErrorType::Invalid, value: Some(type_), detail: OUT_OF_BUDGET.to_owned() }
        }
    }
}
