//! Runs the policies that are for a request.

use serde_json::json;

use super::{Binding, Denial, Policy, evaluate::Input, parameters::parameters};
use crate::{
    admission::{attributes::Attributes, matching::select},
    failure::Failure,
    state::State,
    webhook_calls::Stop,
};

/// Runs the policies that are for a request.
pub(crate) fn check(state: &State, policies: &[Policy], attributes: &Attributes<'_>) -> Result<(), Stop> {
    let mut denied = None;
    for policy in policies {
        for (binding, denial) in run(state, policy, attributes)? {
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
fn run<'p>(
    state: &State,
    policy: &'p Policy,
    attributes: &Attributes<'_>,
) -> Result<Vec<(Option<&'p Binding>, Denial)>, Stop> {
    let mut denials = Vec::new();
    let version = match select(&state.store, &policy.selection, attributes) {
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
        let parameters = match select(&state.store, &binding.selection, attributes) {
            Ok(Some(_)) => parameters(state, policy, &binding.parameters, attributes),
            Ok(None) => continue,
            Err(failure) => Err(failure.into()),
        };
        match parameters {
            Ok(parameters) => {
                let namespace = state.store.namespace(attributes.call.namespace());
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
