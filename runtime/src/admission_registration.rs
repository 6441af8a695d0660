//! The API server's rules for webhook configurations, and for ValidatingAdmissionPolicies and their bindings.

use crdkit_core::{
    ErrorType,
    admission::{FieldError, go::quote},
    cel::{AdmissionScope, CompileError, ResultType},
    literal::dns::{SUBDOMAIN, subdomain},
};
use serde_json::Value;

#[cfg(any(feature = "testing", feature = "webhook"))]
mod operation;
mod policy;
mod rules;
mod selector;
mod webhook;

#[cfg(any(feature = "testing", feature = "webhook"))]
#[cfg_attr(not(feature = "webhook"), allow(unreachable_pub, reason = "`webhook` has its public path"))]
pub use operation::Operation;

/// Returns the errors of an object of a kind; none for other kinds. Defaults must be set.
pub(crate) fn errors(kind: &str, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut of_spec = Errors { path: ".spec".to_owned(), errors: &mut errors };
    match kind {
        "ValidatingAdmissionPolicy" => of_spec.policy(text(&object["metadata"], "name"), &object["spec"]),
        "ValidatingAdmissionPolicyBinding" => of_spec.binding(&object["spec"]),
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => webhook::check(object, &mut errors),
        _ => {}
    }
    errors
}

/// Returns the errors of the name of an object.
pub(crate) fn name_errors(name: &str) -> impl Iterator<Item = String> {
    let messages = subdomain(name).err().into_iter().flat_map(|error| SUBDOMAIN.messages(error));
    messages.map(move |message| format!("metadata.name: Invalid value: {}: {message}", quote(name)))
}

/// The errors of a part of an object.
struct Errors<'e> {
    path: String,
    errors: &'e mut Vec<FieldError>,
}

impl Errors<'_> {
    /// Returns the errors of a part of this part.
    fn below(&mut self, field: &str) -> Errors<'_> {
        Errors { path: format!("{}.{field}", self.path), errors: self.errors }
    }

    fn add(&mut self, field: &str, kind: ErrorType, value: Option<String>, detail: &str) {
        let place = match field {
            "" => self.path.clone(),
            field => format!("{}.{field}", self.path),
        };
        self.errors.push(FieldError { place, kind, value, detail: detail.to_owned() });
    }

    fn required(&mut self, field: &str, detail: &str) {
        self.add(field, ErrorType::Required, None, detail);
    }

    fn invalid(&mut self, field: &str, value: String, detail: &str) {
        self.add(field, ErrorType::Invalid, Some(value), detail);
    }

    fn duplicate(&mut self, field: &str, value: &str) {
        self.add(field, ErrorType::Duplicate, Some(quote(value)), "");
    }

    fn not_supported(&mut self, field: &str, value: &str, supported: &[&str]) {
        let supported: Vec<_> = supported.iter().map(|it| quote(it)).collect();
        let detail = format!("supported values: {}", supported.join(", "));
        self.add(field, ErrorType::NotSupported, Some(quote(value)), &detail);
    }

    /// Checks a value that must be one of several, if it is set.
    fn one_of(&mut self, object: &Value, field: &str, supported: &[&str]) {
        if let Some(value) = object[field].as_str().filter(|value| !supported.contains(value)) {
            self.not_supported(field, value, supported);
        }
    }

    /// Checks an expression; `required` is the detail of the error about an empty one.
    fn expression(
        &mut self,
        field: &str,
        expression: &str,
        required: &str,
        result: ResultType,
        compile: impl FnOnce(&str) -> Result<(), CompileError>,
    ) {
        if expression.trim().is_empty() {
            return self.required(field, required);
        }
        if let Err(error) = compile(expression) {
            self.invalid(field, quote(expression), &error.admission_text(expression, result));
        }
    }

    fn conditions(&mut self, object: &Value, scope: &AdmissionScope) {
        let conditions = items(&object["matchConditions"]);
        let count = conditions.clone().count();
        if count > crdkit_core::rules::webhooks::MAX_MATCH_CONDITIONS {
            self.add("matchConditions", ErrorType::TooMany, Some(count.to_string()), "must have at most 64 items");
        }
        let mut names = Vec::new();
        for (index, condition) in conditions {
            let path = format!("matchConditions[{index}]");
            let expression = text(condition, "expression").trim();
            self.expression(&format!("{path}.expression"), expression, "", ResultType::Bool, |source| {
                scope.compile(source, ResultType::Bool)
            });
            let (field, name) = (format!("{path}.name"), text(condition, "name"));
            match name {
                "" => self.required(&field, ""),
                name => self.qualified_name(&field, name),
            }
            if !name.is_empty() && names.contains(&name) {
                self.duplicate(&field, name);
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
