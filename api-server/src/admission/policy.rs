//! ValidatingAdmissionPolicies and their bindings.

use serde_json::Value;

use super::{configuration::GROUP, matching::Selection, webhook::conditions};
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
    conditions: Vec<(String, String)>,
    /// Names and expressions.
    variables: Vec<(String, String)>,
    validations: Vec<Validation>,
    /// Keys and expressions.
    audit_annotations: Vec<(String, String)>,
    bindings: Vec<Binding>,
}

struct Validation {
    expression: String,
    message: String,
    message_expression: String,
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
        let pairs = |list: &Value, key: &str, value: &str| {
            let items = list.as_array().into_iter().flatten();
            items.map(|item| (text(item, key).to_owned(), text(item, value).to_owned())).collect()
        };
        let kind = &spec["paramKind"];
        let own = bindings.iter().filter(|binding| text(&binding["spec"], "policyName") == name);
        Self {
            selection: Selection::of_policy(&spec["matchConstraints"]),
            ignores_failures: text(spec, "failurePolicy") == "Ignore",
            parameter_kind: kind
                .is_object()
                .then(|| (text(kind, "apiVersion").to_owned(), text(kind, "kind").to_owned())),
            conditions: conditions(spec),
            variables: pairs(&spec["variables"], "name", "expression"),
            validations: spec["validations"].as_array().into_iter().flatten().map(Validation::parse).collect(),
            audit_annotations: pairs(&spec["auditAnnotations"], "key", "valueExpression"),
            bindings: own.map(Binding::parse).collect(),
            name,
        }
    }
}

impl Validation {
    fn parse(object: &Value) -> Self {
        let member = |name: &str| text(object, name).to_owned();
        Self {
            expression: member("expression"),
            message: member("message"),
            message_expression: member("messageExpression"),
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
