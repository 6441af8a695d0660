//! ValidatingAdmissionPolicies and their bindings.

use crdkit_core::cel::{AdmissionScope, ComposedVariable, ResultType};
use serde_json::Value;

use super::{
    conditions,
    configuration::GROUP,
    expression::{Expression, compile_variable},
    matching::Selection,
};
use crate::{
    store::Store,
    value::{text, texts},
};

mod evaluate;
mod parameters;
pub(super) mod run;

/// A policy with its bindings.
pub(super) struct Policy {
    name: String,
    selection: Selection,
    ignores_failures: bool,
    /// `apiVersion` and `kind` of the parameters.
    parameter_kind: Option<(String, String)>,
    conditions: Vec<Expression>,
    variables: Vec<ComposedVariable>,
    validations: Vec<Validation>,
    audit_annotations: Vec<Expression>,
    bindings: Vec<Binding>,
}

struct Validation {
    expression: Expression,
    message: String,
    message_expression: Option<Expression>,
    reason: String,
}

struct Binding {
    name: String,
    selection: Selection,
    /// `paramRef`, or null.
    parameters: Value,
    actions: Vec<String>,
}

/// Why a policy denies a request.
struct Denial {
    message: String,
    /// The reason of the status; empty for the default.
    reason: String,
}

impl Denial {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), reason: String::new() }
    }
}

/// Reads the policies in the server, in the order of their names.
pub(super) fn read(store: &Store) -> Vec<Policy> {
    let [bindings, policies] = ["validatingadmissionpolicybindings", "validatingadmissionpolicies"]
        .map(|plural| store.values(&format!("{plural}.{GROUP}")));
    policies.iter().map(|policy| Policy::parse(policy, &bindings)).collect()
}

impl Policy {
    fn parse(object: &Value, bindings: &[Value]) -> Self {
        let spec = &object["spec"];
        let name = text(&object["metadata"], "name").to_owned();
        let kind = &spec["paramKind"];
        let scope = AdmissionScope::new();
        let scope = if kind.is_object() { scope.with_params() } else { scope };
        let items = |list: &str| spec[list].as_array().into_iter().flatten();
        let conditions = conditions::compile(spec, &scope);
        let mut scope = if items("variables").next().is_some() { scope.with_variables() } else { scope };
        let variable = |it: &Value| compile_variable(&mut scope, text(it, "name"), text(it, "expression"));
        let variables = items("variables").map(variable).collect();
        let annotation =
            |it: &Value| Expression::compile(text(it, "valueExpression"), &scope, ResultType::StringOrNull);
        let own = bindings.iter().filter(|binding| text(&binding["spec"], "policyName") == name);
        Self {
            selection: Selection::of_policy(&spec["matchConstraints"]),
            ignores_failures: text(spec, "failurePolicy") == "Ignore",
            parameter_kind: kind
                .is_object()
                .then(|| (text(kind, "apiVersion").to_owned(), text(kind, "kind").to_owned())),
            conditions,
            variables,
            validations: items("validations").map(|it| Validation::parse(it, &scope)).collect(),
            audit_annotations: items("auditAnnotations").map(annotation).collect(),
            bindings: own.map(Binding::parse).collect(),
            name,
        }
    }
}

impl Validation {
    fn parse(object: &Value, scope: &AdmissionScope) -> Self {
        let member = |name: &str| text(object, name).to_owned();
        let message = text(object, "messageExpression");
        // The server does not have authorizers in messages.
        let of_message = || Expression::compile(message, &scope.clone().without_authorizer(), ResultType::String);
        Self {
            expression: Expression::compile(text(object, "expression"), scope, ResultType::Bool),
            message: member("message"),
            message_expression: (!message.is_empty()).then(of_message),
            reason: member("reason"),
        }
    }
}

impl Binding {
    fn parse(object: &Value) -> Self {
        let spec = &object["spec"];
        Self {
            name: text(&object["metadata"], "name").to_owned(),
            selection: Selection::of_policy(&spec["matchResources"]),
            parameters: spec["paramRef"].clone(),
            actions: texts(&spec["validationActions"]),
        }
    }
}
