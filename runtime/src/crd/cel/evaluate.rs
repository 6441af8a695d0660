//! CEL rules, run in process on the values that the server would run them on: the only evaluator of rules, for the methods of
//! types, for defaults, for samples and for the API server in the process.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use crdkit_core::{json::Json, object_processing, schema::SchemaProps};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    crd::{
        crd_accessors::read,
        render::{crd, render_schema},
    },
    resource::custom_resource::{CustomResource, definition},
    schema::KubeSchema,
};

pub(crate) mod compiled;
pub(crate) mod error;
pub(crate) mod run;
pub(crate) mod zones;

use compiled::CompiledRules;
use error::{ErrorKind, ValidationError, ValidationErrors};
use run::{Cause, Failure};

/// Runs the rules of a resource on an object, which replaces `old` if given.
///
/// # Errors
///
/// If a rule fails, or cannot be evaluated.
///
/// # Panics
///
/// If the definition cannot be rendered, or the object cannot be written as JSON.
pub fn validate_resource<K: CustomResource + Serialize>(object: &K, old: Option<&K>) -> Result<(), ValidationErrors> {
    let rules = RulesOfType::of(std::ptr::from_ref(definition::<K>()).addr(), || {
        let version = crd::<K>().spec.versions.swap_remove(0);
        let schema = version.schema.and_then(|schema| schema.open_api_v3_schema);
        // The root has metadata, as embedded resources have.
        let is_resource = Some(true);
        JSONSchemaProps {
            x_kubernetes_embedded_resource: is_resource,
            ..schema.expect("rules stand in a derived schema")
        }
    });
    let json = |object: &K| read::take_json(json!(object));
    rules.validate(json(object), old.map(json))
}

/// Runs the rules of a type on a value, which replaces `old` if given.
///
/// # Errors
///
/// If a rule fails, or cannot be evaluated.
///
/// # Panics
///
/// If the schema cannot be rendered.
pub fn validate_value<T: KubeSchema>(value: &Value, old: Option<&Value>) -> Result<(), ValidationErrors> {
    let schema = T::SCHEMA_REF;
    let rules = RulesOfType::of(std::ptr::from_ref(schema).addr(), || {
        let rendered = render_schema(schema);
        rendered.unwrap_or_else(|error| panic!("the schema of {} is invalid: {error}", schema.name))
    });
    rules.validate(read::json(value), old.map(read::json))
}

/// The rules of a type, compiled once.
struct RulesOfType {
    schema: SchemaProps<'static>,
    rules: Option<CompiledRules>,
}

impl RulesOfType {
    /// Returns the rules of the type whose constant data is at an address.
    fn of(address: usize, schema: impl FnOnce() -> JSONSchemaProps) -> Arc<Self> {
        static ALL: LazyLock<Mutex<HashMap<usize, Arc<RulesOfType>>>> = LazyLock::new(Mutex::default);
        let all = || ALL.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all().get(&address) {
            return Arc::clone(known);
        }
        let schema = schema();
        let rules = CompiledRules::of(&schema);
        let schema = read::schema(&schema).into_owned();
        Arc::clone(all().entry(address).or_insert(Arc::new(Self { schema, rules })))
    }

    fn validate(&self, value: Json<'_>, old: Option<Json<'_>>) -> Result<(), ValidationErrors> {
        let Some(rules) = &self.rules else {
            return Ok(());
        };
        let (value, old) = (self.admitted(value), old.map(|old| self.admitted(old)));
        let failures = rules.failures(old.as_ref(), &value);
        if failures.is_empty() {
            return Ok(());
        }
        Err(failures.into_iter().map(validation_error).collect::<Vec<_>>().into())
    }

    /// Returns the value as the server stores it: with defaults, without misplaced nulls and unknown fields.
    fn admitted<'v>(&self, mut value: Json<'v>) -> Json<'v> {
        object_processing::prune_and_default(&self.schema, &mut value);
        object_processing::normalize_numbers(&mut value);
        value
    }
}

fn validation_error(failure: Failure) -> ValidationError {
    let field_path = |place: &str| place.trim_start_matches('.').to_owned();
    match failure {
        Failure::Rule { place, detail, rule, cause, kind, .. } => {
            let kind_of_error = match cause {
                Cause::False => ErrorKind::ValidationFailure,
                Cause::Error => ErrorKind::EvaluationError,
                Cause::DoesNotCompile => ErrorKind::CompilationFailure,
            };
            let reason = match (cause, kind) {
                (Cause::False, crdkit_core::ErrorType::Forbidden) => Some("FieldValueForbidden"),
                (Cause::False, crdkit_core::ErrorType::Required) => Some("FieldValueRequired"),
                (Cause::False, crdkit_core::ErrorType::Duplicate) => Some("FieldValueDuplicate"),
                (Cause::False, _) => Some("FieldValueInvalid"),
                _ => None,
            };
            ValidationError {
                rule,
                message: detail,
                field_path: field_path(&place),
                reason: reason.map(str::to_owned),
                kind: kind_of_error,
            }
        }
        Failure::Budget { place, .. } => ValidationError {
            rule: String::new(),
            message: crdkit_core::rules::defaults::OUT_OF_BUDGET.to_owned(),
            field_path: field_path(&place),
            reason: None,
            kind: ErrorKind::EvaluationError,
        },
    }
}
