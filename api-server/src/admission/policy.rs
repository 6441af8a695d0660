//! ValidatingAdmissionPolicies and their bindings.

use serde_json::{Value, json};

use super::{
    GROUP,
    attributes::Attributes,
    matching::Selection,
    webhook::{conditions, texts},
};
use crate::{decode::text, external::Stop, failure::Failure, state::State};
use evaluate::Input;

mod evaluate;
mod parameters;

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

impl State {
    /// Reads the policies in the server, in the order of their names.
    pub(super) fn read_policies(&mut self) -> Vec<Policy> {
        let bindings = self.objects(GROUP, "validatingadmissionpolicybindings");
        let policies = self.objects(GROUP, "validatingadmissionpolicies");
        policies.iter().map(|policy| Policy::parse(policy, &bindings)).collect()
    }

    /// Runs the policies that are for a request.
    pub(super) fn check_policies(&mut self, policies: &[Policy], attributes: &Attributes<'_>) -> Result<(), Stop> {
        let mut denied = None;
        for policy in policies {
            for (binding, denial) in self.run_policy(policy, attributes)? {
                let by = match binding {
                    Some(binding) => format!("'{}' with binding '{}'", policy.name, binding.name),
                    None => format!("'{}'", policy.name),
                };
                let actions = binding.map_or(&[][..], |binding| &binding.actions);
                if actions.iter().any(|action| action == "Warn") {
                    let warning = format!("Validation failed for ValidatingAdmissionPolicy {by}: {}", denial.message);
                    attributes.call.warn(warning);
                }
                if binding.is_none() || actions.iter().any(|action| action == "Deny") {
                    denied.get_or_insert_with(|| failure(attributes, &by, &denial));
                }
            }
        }
        denied.map_or(Ok(()), |failure| Err(failure.into()))
    }

    /// Returns the denials of a policy, each with its binding.
    fn run_policy<'p>(
        &mut self,
        policy: &'p Policy,
        attributes: &Attributes<'_>,
    ) -> Result<Vec<(Option<&'p Binding>, Denial)>, Stop> {
        let mut denials = Vec::new();
        let version = match self.select(&policy.selection, attributes) {
            Ok(Some(version)) => version,
            Ok(None) => return Ok(denials),
            Err(failure) => {
                if !policy.ignores_failures {
                    denials.push((None, Denial::new(format!("failed to configure policy: {}", failure.message))));
                }
                return Ok(denials);
            }
        };
        for binding in &policy.bindings {
            let parameters = match self.select(&binding.selection, attributes) {
                Ok(Some(_)) => self.parameters(policy, &binding.parameters, attributes),
                Ok(None) => continue,
                Err(failure) => Err(failure.into()),
            };
            match parameters {
                Ok(parameters) => {
                    let namespace = self.namespace(attributes.call.namespace());
                    for parameters in parameters {
                        let input = Input { attributes, version, parameters: &parameters, namespace: &namespace };
                        denials.extend(policy.evaluate(&input)?.into_iter().map(|denial| (Some(binding), denial)));
                    }
                }
                Err(Stop::AwaitsWebhooks) => return Err(Stop::AwaitsWebhooks),
                Err(Stop::Fails(_)) if policy.ignores_failures => {}
                // Such a failure is no result of a validation, so that actions do not matter.
                Err(Stop::Fails(problem)) => {
                    let denial = Denial::new(format!("failed to configure binding: {}", problem.message));
                    let by = format!("'{}' with binding '{}'", policy.name, binding.name);
                    return Err(failure(attributes, &by, &denial).into());
                }
            }
        }
        Ok(denials)
    }
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

fn failure(attributes: &Attributes<'_>, by: &str, denial: &Denial) -> Failure {
    let message = format!("ValidatingAdmissionPolicy {by} denied request: {}", denial.message);
    let mut failure = attributes.forbidden(&message).with_detail("causes", json!([{ "message": message }]));
    let (reason, code) = match denial.reason.as_str() {
        "Forbidden" => ("Forbidden", 403),
        "RequestEntityTooLarge" => ("RequestEntityTooLarge", 413),
        _ => ("Invalid", 422),
    };
    failure.reason = reason.into();
    failure.code = code;
    failure
}
