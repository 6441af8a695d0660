//! Evictions: deletions of Pods that respect PodDisruptionBudgets.

use bytes::Bytes;
use crdkit_core::{ErrorType, object_processing::FieldError};
use http::{HeaderMap, HeaderValue, Method, header};
use serde_json::{Value, json};

use super::{document, pod_conditions, success};
use crate::{
    admission,
    controllers::conditions,
    delete, draft,
    failure::Failure,
    request::ResourceRequest,
    response::Reply,
    selector::labels::LabelSelector,
    state::State,
    store::Key,
    validation::WrittenPart,
    value::{items, text, texts},
    verbs,
    webhook_calls::Stop,
    write,
};

const BUDGETS: &str = "poddisruptionbudgets.policy";
/// The Pods of a budget whose eviction no controller has confirmed: `MaxDisruptedPodSize`.
const MAX_DISRUPTED_PODS: usize = 2000;
/// What a client waits for a controller, in seconds.
const RETRY: i64 = 10;
const CONDITION: &str = "DisruptionAllowed";

/// Evicts a Pod.
pub(super) fn evict(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let mut eviction = document(call)?;
    write::wipe_metadata(&mut eviction);
    write::check_namespace_exists(state, call, &eviction)?;
    let eviction = admission::mutate(state, call, None, eviction)?;
    if text(&eviction["metadata"], "name") != call.name() {
        return Err(Failure::bad_request("name in URL does not match name in Eviction object").into());
    }
    let options = options(call, &eviction["deleteOptions"])?;
    let is_dry_run = options["dryRun"].as_array().is_some_and(|values| !values.is_empty());
    admission::check(state, call, None, &eviction)?;
    let pod = state.stored(call)?.value();
    if !is_beyond_budgets(&pod) {
        match &mut budgets(state, &pod)[..] {
            [] => {}
            [budget] if may_be_disturbed(&pod, &*budget) => {}
            [budget] => {
                take(budget, call.name(), state.time_of(call))?;
                if !is_dry_run {
                    write_status(state, budget)?;
                }
            }
            _ => {
                const PROBLEM: &str =
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
                return Err(Failure::internal(PROBLEM).into());
            }
        }
    }
    let deletion = internal(state, call.resource.names.plural.as_str(), (Method::DELETE, &call.key(), None), &options)?;
    let time = state.time_of(call).to_owned();
    delete::delete_marked(state, &deletion, |pod| {
        pod_conditions::set_true(pod, &time, "DisruptionTarget", "EvictionByEvictionAPI", "Eviction API: evicting");
    })?;
    Ok(success())
}

/// Returns the options of the deletion. A dry run may be in them or in the query.
fn options(call: &ResourceRequest, options: &Value) -> Result<Value, Failure> {
    const IGNORES_ERRORS: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";
    if options[IGNORES_ERRORS] == true {
        let error = FieldError {
            place: format!(".deleteOptions.{IGNORES_ERRORS}"),
            kind: ErrorType::Invalid,
            value: Some("true".to_owned()),
            detail: "can not be set for pod eviction, try after removing the option".to_owned(),
        };
        return Err(Failure::invalid("policy", "Eviction", call.name(), &[error]));
    }
    let mut options = if options.is_object() { options.clone() } else { json!({}) };
    let (of_query, of_body): (Vec<_>, _) = (call.query.all("dryRun").collect(), texts(&options["dryRun"]));
    if of_body.is_empty() {
        options["dryRun"] = of_query.into();
    } else if !of_query.is_empty() && of_query != of_body {
        return Err(Failure::internal(format!(
            "Non-matching dry-run options in request and content: [{}] and [{}]",
            of_query.join(" "),
            of_body.join(" ")
        )));
    }
    Ok(options)
}

/// Returns whether a Pod does not run, so that no budget counts it.
fn is_beyond_budgets(pod: &Value) -> bool {
    let is_deleted = !pod["metadata"]["deletionTimestamp"].is_null();
    is_deleted || matches!(text(&pod["status"], "phase"), "Succeeded" | "Failed" | "Pending")
}

/// Returns the budgets of a Pod.
fn budgets(state: &State, pod: &Value) -> Vec<Value> {
    let mut budgets = state.store.values(BUDGETS);
    budgets.retain(|budget| {
        let selector = &budget["spec"]["selector"];
        budget["metadata"]["namespace"] == pod["metadata"]["namespace"]
            && selector.is_object()
            && LabelSelector::of_object(selector).matches(pod)
    });
    budgets
}

/// Returns whether a budget does not protect a Pod, because it is not ready.
fn may_be_disturbed(pod: &Value, budget: &Value) -> bool {
    if items(&pod["status"]["conditions"]).iter().any(|it| it["type"] == "Ready" && it["status"] == "True") {
        return false;
    }
    let (healthy, desired) = (number(budget, "currentHealthy"), number(budget, "desiredHealthy"));
    budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow" || healthy >= desired && desired > 0
}

fn number(budget: &Value, name: &str) -> i64 {
    budget["status"][name].as_i64().unwrap_or_default()
}

/// `checkAndDecrement`: takes a disruption from a budget.
fn take(budget: &mut Value, pod: &str, time: &str) -> Result<(), Failure> {
    let name = text(&budget["metadata"], "name").to_owned();
    if number(budget, "observedGeneration") < budget["metadata"]["generation"].as_i64().unwrap_or_default() {
        let message = format!("The disruption budget {name} is still being processed by the server.");
        return Err(too_many(&message).with_detail("retryAfterSeconds", RETRY));
    }
    let allowed = number(budget, "disruptionsAllowed");
    let refused = |problem: &str, reason: &str| {
        let message = format!("poddisruptionbudget.policy \"{name}\" is forbidden: {problem}");
        let cause = format!("The disruption budget {name} does not allow evicting pods currently: {reason}");
        Failure::new(403, "Forbidden", message)
            .about("policy", "poddisruptionbudget", &name)
            .with_detail("causes", causes(&cause))
    };
    if allowed < 0 {
        let problem = "pdb disruptions allowed is negative";
        return Err(refused(problem, problem));
    }
    if budget["status"]["disruptedPods"].as_object().is_some_and(|pods| pods.len() > MAX_DISRUPTED_PODS) {
        return Err(refused(
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
            "too many pending evictions not confirmed by PDB controller",
        ));
    }
    if allowed == 0 {
        return Err(too_many(&exhausted(budget, &name)));
    }
    budget["status"]["disruptionsAllowed"] = (allowed - 1).into();
    if allowed == 1 {
        set_insufficient(&mut budget["status"], time);
    }
    budget["status"]["disruptedPods"][pod] = time.into();
    Ok(())
}

/// Returns why a budget allows no disruption.
fn exhausted(budget: &Value, name: &str) -> String {
    let condition = items(&budget["status"]["conditions"])
        .iter()
        .find(|it| it["type"] == CONDITION)
        .filter(|it| it["status"] == "False");
    let (reason, message) = condition.map_or(("", ""), |it| (text(it, "reason"), text(it, "message")));
    let (healthy, desired) = (number(budget, "currentHealthy"), number(budget, "desiredHealthy"));
    let refusal = format!("The disruption budget {name} does not allow evicting pods currently");
    if reason == "SyncFailed" && !message.is_empty() {
        return format!("{refusal} because it failed sync: {message}");
    }
    if healthy <= desired {
        return format!("The disruption budget {name} needs {desired} healthy pods and has {healthy} currently");
    }
    if message.is_empty() { refusal } else { format!("{refusal} ({reason}): {message}") }
}

fn too_many(cause: &str) -> Failure {
    let message = "Cannot evict pod as it would violate the pod's disruption budget.";
    Failure::new(429, "TooManyRequests", message).with_detail("causes", causes(cause))
}

fn causes(message: &str) -> Value {
    json!([{ "reason": "DisruptionBudget", "message": message }])
}

/// `UpdateDisruptionAllowedCondition`, of a budget without a disruption that is left.
fn set_insufficient(status: &mut Value, time: &str) {
    let generation = status.get("observedGeneration").cloned();
    if let Some(condition) = conditions::set_in(status, time, (CONDITION, "False"), "InsufficientPods", "") {
        // Go writes a message that is empty.
        condition["message"] = "".into();
        if let Some(generation) = generation {
            condition["observedGeneration"] = generation;
        }
    }
}

/// Writes the status of a budget, as kube-apiserver itself does.
fn write_status(state: &mut State, budget: &Value) -> Result<(), Stop> {
    let metadata = &budget["metadata"];
    let key = Key::new(text(metadata, "namespace"), text(metadata, "name"));
    let call = internal(state, BUDGETS, (Method::PUT, &key, Some("status")), budget)?;
    let draft = draft::update(state, &call, WrittenPart::Status)?;
    verbs::write(draft, state, &call).map(drop)
}

/// Returns a request of the server itself.
fn internal(
    state: &State,
    resource: &str,
    (method, key, subresource): (Method, &Key, Option<&str>),
    body: &Value,
) -> Result<ResourceRequest, Failure> {
    let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
    let resource = state.resources.get(group, plural).ok_or_else(Failure::no_such_path)?.clone();
    let headers = HeaderMap::from_iter([
        (header::USER_AGENT, HeaderValue::from_static("kube-apiserver")),
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
    ]);
    let request = (method, headers, Bytes::from(body.to_string()));
    let version = resource.storage();
    let call = ResourceRequest::without_client(resource, version, key, subresource, request);
    Ok(ResourceRequest { is_internal: true, ..call })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: &str = "2030-01-01T00:00:00Z";

    fn budget(status: Value) -> Value {
        json!({ "metadata": { "name": "a", "generation": 1 }, "spec": {}, "status": status })
    }

    fn cause(status: Value) -> (u16, String) {
        let failure = take(&mut budget(status), "web", TIME).unwrap_err();
        (failure.code, text(&failure.details.unwrap()["causes"][0], "message").to_owned())
    }

    #[test]
    fn budgets_say_why_they_allow_no_disruption() {
        let conditions = |reason: &str| json!([{ "type": "DisruptionAllowed", "status": "False", "reason": reason, "message": "why" }]);
        for (status, code, expected) in [
            (json!({}), 429, "The disruption budget a is still being processed by the server."),
            (
                json!({ "observedGeneration": 1, "desiredHealthy": 2, "currentHealthy": 1 }),
                429,
                "The disruption budget a needs 2 healthy pods and has 1 currently",
            ),
            (
                json!({ "observedGeneration": 1, "conditions": conditions("SyncFailed") }),
                429,
                "The disruption budget a does not allow evicting pods currently because it failed sync: why",
            ),
            (
                json!({ "observedGeneration": 1, "currentHealthy": 1, "conditions": conditions("Other") }),
                429,
                "The disruption budget a does not allow evicting pods currently (Other): why",
            ),
            (
                json!({ "observedGeneration": 1, "disruptionsAllowed": -1 }),
                403,
                "The disruption budget a does not allow evicting pods currently: pdb disruptions allowed is negative",
            ),
        ] {
            assert_eq!(cause(status), (code, expected.to_owned()));
        }
    }

    #[test]
    fn a_disruption_is_taken() {
        let mut budget = budget(json!({ "observedGeneration": 1, "disruptionsAllowed": 2 }));
        take(&mut budget, "web", TIME).unwrap();
        assert_eq!(budget["status"]["disruptedPods"], json!({ "web": TIME }));
        assert_eq!((number(&budget, "disruptionsAllowed"), &budget["status"]["conditions"]), (1, &Value::Null));
        take(&mut budget, "db", TIME).unwrap();
        assert_eq!(budget["status"]["conditions"][0]["reason"], "InsufficientPods");
        assert_eq!(take(&mut budget, "cache", TIME).unwrap_err().code, 429);
    }

    #[test]
    fn pods_that_are_not_ready_may_be_disturbed() {
        let pod = |status: &str| json!({ "status": { "conditions": [{ "type": "Ready", "status": status }] } });
        let mut budget = budget(json!({ "currentHealthy": 2, "desiredHealthy": 2 }));
        assert!(may_be_disturbed(&pod("False"), &budget));
        assert!(!may_be_disturbed(&pod("True"), &budget));
        budget["status"]["currentHealthy"] = 1.into();
        assert!(!may_be_disturbed(&pod("False"), &budget));
        budget["spec"]["unhealthyPodEvictionPolicy"] = "AlwaysAllow".into();
        assert!(may_be_disturbed(&pod("False"), &budget));
    }
}
