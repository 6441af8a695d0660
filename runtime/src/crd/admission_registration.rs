//! The API server's rules for webhook configurations, and for admission policies and their bindings.

use crdkit_core::{
    ErrorType, Rule,
    cel::{AdmissionScope, CompileError, ResultType},
    go::quote,
    literal::dns::{SUBDOMAIN, subdomain},
    object_processing::{FieldError, ObjectMetaValidator},
    rules::admission_registration::{H15, H16, H17, H18, H33, MAX_MATCH_CONDITIONS},
};
use serde_json::Value;

use crate::crd::crd_accessors::read;

mod fields;
mod mutating_policy;
#[cfg(feature = "webhook")]
mod operation;
mod policy;
mod rules;
mod selector;
mod webhook;

#[cfg(feature = "webhook")]
pub use operation::Operation;

const KINDS: [&str; 6] = [
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
];

/// A rule that an object breaks, and the API server's error.
pub struct BrokenRule {
    pub rule: &'static Rule,
    pub error: FieldError,
}

/// Returns the broken rules of an object of a kind; none for other kinds. Its name is not checked.
pub fn broken_rules(kind: &str, object: &Value) -> Vec<BrokenRule> {
    let mut errors = Vec::new();
    let mut of_spec = Errors { path: ".spec".to_owned(), errors: &mut errors };
    match kind {
        "ValidatingAdmissionPolicy" => of_spec.policy(text(&object["metadata"], "name"), &object["spec"]),
        "ValidatingAdmissionPolicyBinding" => of_spec.binding(&object["spec"]),
        "MutatingAdmissionPolicy" => of_spec.mutating_policy(&object["spec"]),
        "MutatingAdmissionPolicyBinding" => of_spec.mutating_binding(&object["spec"]),
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => webhook::check(object, &mut errors),
        _ => {}
    }
    errors
}

/// Returns the rules that the fields of an object of a kind and their types break; none for other kinds.
pub(crate) fn broken_rules_of_fields(kind: &str, object: &Value) -> Vec<BrokenRule> {
    let mut errors = Vec::new();
    Errors { path: String::new(), errors: &mut errors }.fields(kind, object);
    errors
}

/// Returns the rules that the metadata of an object of a kind breaks; none for other kinds.
pub(crate) fn broken_rules_of_metadata(kind: &str, object: &Value) -> Vec<BrokenRule> {
    let mut errors = Vec::new();
    if !KINDS.contains(&kind) {
        return errors;
    }
    Errors { path: ".metadata".to_owned(), errors: &mut errors }.name(&object["metadata"]);
    let metadata = read::json(&object["metadata"]);
    let mut validator = ObjectMetaValidator::new(&metadata, ".metadata".to_owned());
    validator.labels_to_owners();
    validator.finalizers();
    errors.extend(validator.into_distinct_errors().into_iter().map(|error| BrokenRule { rule: &H33, error }));
    errors
}

/// The errors of a part of an object.
struct Errors<'e> {
    path: String,
    errors: &'e mut Vec<BrokenRule>,
}

impl Errors<'_> {
    /// Returns the errors of a part of this part.
    fn below(&mut self, field: &str) -> Errors<'_> {
        Errors { path: format!("{}.{field}", self.path), errors: self.errors }
    }

    /// Checks the name, or the prefix of one that the server generates.
    fn name(&mut self, metadata: &Value) {
        let (name, prefix) = (text(metadata, "name"), text(metadata, "generateName"));
        if !prefix.is_empty() {
            // As `maskTrailingDash` of the server: the name goes on behind the prefix.
            let masked = match prefix.strip_suffix('-') {
                Some(start) if !start.is_empty() => format!("{start}a"),
                _ => prefix.to_owned(),
            };
            self.subdomain("generateName", prefix, &masked);
        } else if name.is_empty() {
            self.required(&H18, "name", "name or generateName is required");
        }
        if !name.is_empty() {
            self.subdomain("name", name, name);
        }
    }

    fn subdomain(&mut self, field: &str, name: &str, checked: &str) {
        if let Err(error) = subdomain(checked) {
            SUBDOMAIN.messages(error).for_each(|message| self.invalid(&H18, field, quote(name), message));
        }
    }

    fn add(&mut self, rule: &'static Rule, field: &str, kind: ErrorType, value: Option<String>, detail: &str) {
        let place = match field {
            "" => self.path.clone(),
            field => format!("{}.{field}", self.path),
        };
        let error = FieldError { place, kind, value, detail: detail.to_owned() };
        self.errors.push(BrokenRule { rule, error });
    }

    fn required(&mut self, rule: &'static Rule, field: &str, detail: &str) {
        self.add(rule, field, ErrorType::Required, None, detail);
    }

    fn invalid(&mut self, rule: &'static Rule, field: &str, value: String, detail: &str) {
        self.add(rule, field, ErrorType::Invalid, Some(value), detail);
    }

    fn duplicate(&mut self, rule: &'static Rule, field: &str, value: &str) {
        self.add(rule, field, ErrorType::Duplicate, Some(quote(value)), "");
    }

    fn not_supported(&mut self, rule: &'static Rule, field: &str, value: &str, supported: &[&str]) {
        let supported: Vec<_> = supported.iter().map(|it| quote(it)).collect();
        let detail = format!("supported values: {}", supported.join(", "));
        self.add(rule, field, ErrorType::NotSupported, Some(quote(value)), &detail);
    }

    /// Checks a value that must be one of several, if it is set.
    fn one_of(&mut self, rule: &'static Rule, object: &Value, field: &str, supported: &[&str]) {
        if let Some(value) = object[field].as_str().filter(|value| !supported.contains(value)) {
            self.not_supported(rule, field, value, supported);
        }
    }

    /// Checks an expression; `required` is the detail of the error about an empty one.
    fn expression(
        &mut self,
        rule: &'static Rule,
        field: &str,
        expression: &str,
        required: &str,
        result: ResultType,
        compile: impl FnOnce(&str) -> Result<(), CompileError>,
    ) {
        if expression.trim().is_empty() {
            return self.required(rule, field, required);
        }
        if let Err(error) = compile(expression) {
            self.invalid(rule, field, quote(expression), &error.admission_text(expression, result));
        }
    }

    fn conditions(&mut self, object: &Value, scope: &AdmissionScope) {
        let conditions = items(&object["matchConditions"]);
        let count = conditions.clone().count();
        if count > MAX_MATCH_CONDITIONS {
            self.add(
                &H15,
                "matchConditions",
                ErrorType::TooMany,
                Some(count.to_string()),
                "must have at most 64 items",
            );
        }
        let mut names = Vec::new();
        for (index, condition) in conditions {
            let path = format!("matchConditions[{index}]");
            let expression = text(condition, "expression").trim();
            self.expression(&H17, &format!("{path}.expression"), expression, "", ResultType::Bool, |source| {
                scope.compile(source, ResultType::Bool)
            });
            let (field, name) = (format!("{path}.name"), text(condition, "name"));
            match name {
                "" => self.required(&H16, &field, ""),
                name => self.qualified_name(&H16, &field, name),
            }
            if !name.is_empty() && names.contains(&name) {
                self.duplicate(&H16, &field, name);
            }
            names.push(name);
        }
    }
}

fn text<'v>(object: &'v Value, name: &str) -> &'v str {
    object[name].as_str().unwrap_or_default()
}

fn items(list: &Value) -> impl Iterator<Item = (usize, &Value)> + Clone {
    list.as_array().into_iter().flatten().enumerate()
}

/// Returns the texts of a list.
fn texts(list: &Value) -> Vec<&str> {
    items(list).map(|(_, item)| item.as_str().unwrap_or_default()).collect()
}
