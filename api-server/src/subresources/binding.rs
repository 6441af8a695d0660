//! Bindings of Pods to nodes, as schedulers request them.

use std::sync::Arc;

use crdkit_core::{
    ErrorType, go,
    literal::dns::{self, SUBDOMAIN},
    object_processing::{FieldError, aggregate},
};
use serde_json::{Map, Value, json};

use super::{document, pod_conditions, success};
use crate::{
    admission, failure::Failure, hooks, request::ResourceRequest, resource::Resource, response::Reply, state::State,
    store::Key, value::text, webhook_calls::Stop, write,
};

/// Binds a Pod, by its subresource `binding`.
pub(super) fn bind(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let binding = document(call)?;
    bind_pod(state, call, binding, call.name())
}

/// Binds a Pod, by the resource `bindings`, which has no names in its path.
pub(crate) fn create(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let mut binding = document(call)?;
    write::wipe_metadata(&mut binding);
    let name = text(&binding["metadata"], "name").to_owned();
    bind_pod(state, call, binding, &name)
}

fn bind_pod(state: &mut State, call: &ResourceRequest, binding: Value, name: &str) -> Result<Reply, Stop> {
    write::check_namespace_exists(state, call, &binding)?;
    let binding = admission::mutate(state, call, None, binding)?;
    if text(&binding["metadata"], "name") != name {
        return Err(Failure::bad_request("name in URL does not match name in Binding object").into());
    }
    let errors = errors(&binding["target"]);
    if !errors.is_empty() {
        return Err(Failure::internal(aggregate(&errors)).into());
    }
    admission::check(state, call, None, &binding)?;
    let pods = state.resources.get("", "pods").ok_or_else(Failure::no_such_path)?.clone();
    let key = Key::new(call.namespace(), name);
    let mut pod = state.store.find(&pods.collection(), &key).ok_or_else(|| pods.not_found(name))?;
    write::check_storage_preconditions(&pods, &key, &pod, &binding)?;
    if let Some(problem) = problem(&pod, name) {
        let message = format!("Operation cannot be fulfilled on pods/binding \"{name}\": {problem}");
        return Err(Failure::new(409, "Conflict", message).about("", "pods/binding", name).into());
    }
    assign(&mut pod, &binding, state.time_of(call));
    if !call.is_dry_run() {
        store(state, &pods, &key, pod)?;
    }
    Ok(success())
}

fn store(state: &mut State, pods: &Arc<Resource>, key: &Key, mut pod: Value) -> Result<(), Failure> {
    state.store.put(&pods.collection(), key, &mut pod);
    hooks::after_write(state, pods, &pod)
}

/// `ValidatePodBinding`.
fn errors(target: &Value) -> Vec<FieldError> {
    let error = |member: &str, kind: ErrorType, value: Option<&str>, detail: &str| FieldError {
        place: format!(".target.{member}"),
        kind,
        value: value.map(go::quote),
        detail: detail.to_owned(),
    };
    let (kind, name) = (text(target, "kind"), text(target, "name"));
    let mut errors = Vec::new();
    if !matches!(kind, "" | "Node") {
        let detail = "supported values: \"Node\", \"<empty>\"";
        errors.push(error("kind", ErrorType::NotSupported, Some(kind), detail));
    }
    if name.is_empty() {
        errors.push(error("name", ErrorType::Required, None, ""));
    } else if let (Err(problem), "" | "Node") = (dns::subdomain(name), kind) {
        let messages = SUBDOMAIN.messages(problem);
        errors.extend(messages.map(|detail| error("name", ErrorType::Invalid, Some(name), detail)));
    }
    errors
}

/// Returns why a Pod cannot be bound.
fn problem(pod: &Value, name: &str) -> Option<String> {
    let node = text(&pod["spec"], "nodeName");
    if !pod["metadata"]["deletionTimestamp"].is_null() {
        return Some(format!("pod {name} is being deleted, cannot be assigned to a host"));
    }
    if !node.is_empty() {
        return Some(format!("pod {name} is already assigned to node {}", go::quote(node)));
    }
    let has_gates = pod["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty());
    has_gates.then(|| format!("pod {name} has non-empty .spec.schedulingGates"))
}

fn assign(pod: &mut Value, binding: &Value, time: &str) {
    pod["spec"]["nodeName"] = binding["target"]["name"].clone();
    if let Value::Object(status) = &mut pod["status"] {
        status.remove("nominatedNodeName");
    }
    for name in ["annotations", "labels"] {
        let Some(added) = binding["metadata"][name].as_object().filter(|added| !added.is_empty()) else { continue };
        if !pod["metadata"][name].is_object() {
            pod["metadata"][name] = json!({});
        }
        pod["metadata"][name].as_object_mut().unwrap_or(&mut Map::new()).extend(added.clone());
    }
    pod_conditions::set_true(pod, time, "PodScheduled", "", "");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_nodes() {
        let texts = |target: Value| errors(&target).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(texts(json!({ "name": "a" })).is_empty());
        assert_eq!(texts(json!({})), ["target.name: Required value"]);
        assert_eq!(
            texts(json!({ "kind": "Pod", "name": "A" })),
            ["target.kind: Unsupported value: \"Pod\": supported values: \"Node\", \"<empty>\""]
        );
        assert_eq!(texts(json!({ "name": "A" })).len(), 1);
    }

    #[test]
    fn a_bound_pod_has_the_metadata_of_the_binding() {
        let mut pod = json!({ "metadata": { "labels": { "a": "1", "b": "1" } }, "spec": {}, "status": { "nominatedNodeName": "x" } });
        assert_eq!(problem(&pod, "web"), None);
        let binding = json!({ "metadata": { "labels": { "b": "2" } }, "target": { "name": "one" } });
        assign(&mut pod, &binding, "2030-01-01T00:00:00Z");
        assert_eq!(pod["metadata"], json!({ "labels": { "a": "1", "b": "2" } }));
        let condition = json!({
            "type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2030-01-01T00:00:00Z",
        });
        assert_eq!(pod["status"], json!({ "conditions": [condition] }));
        assert_eq!(problem(&pod, "web").unwrap(), "pod web is already assigned to node \"one\"");
    }
}
