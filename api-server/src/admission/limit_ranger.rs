//! The admission plugin `LimitRanger`, without limits of whole Pods.
//!
//! Source: `plugin/pkg/admission/limitranger/admission.go` of Kubernetes.

use crdkit_core::cel::Quantity;
use serde_json::{Map, Value, json};

use crate::{failure::Failure, request::ResourceRequest, state::State, value::text};

/// The annotation that tells what the plugin has set.
const ANNOTATION: &str = "kubernetes.io/limit-ranger";
const LISTS: [(&str, &str); 2] = [("containers", "container"), ("initContainers", "init container")];

/// Sets the limits and the requests of containers that have none.
pub(crate) fn set_defaults(state: &State, call: &ResourceRequest, object: &mut Value) {
    if !is_kind(call, "pods") {
        return;
    }
    for range in ranges(state, object) {
        let [limits, requests] = ["default", "defaultRequest"].map(|name| of_containers(&range, name));
        let mut notes = Vec::new();
        for (list, role) in LISTS {
            let containers = object["spec"].get_mut(list).and_then(Value::as_array_mut);
            for container in containers.into_iter().flatten().filter(|container| container.is_object()) {
                let name = text(container, "name").to_owned();
                for (part, defaults, what) in [("requests", &requests, "request"), ("limits", &limits, "limit")] {
                    let set = set_missing(container, part, defaults);
                    if !set.is_empty() {
                        notes.push(format!("{} {what} for {role} {name}", set.join(", ")));
                    }
                }
            }
        }
        if !notes.is_empty() {
            if !object["metadata"]["annotations"].is_object() {
                object["metadata"]["annotations"] = json!({});
            }
            let note = format!("LimitRanger plugin set: {}", notes.join("; "));
            object["metadata"]["annotations"][ANNOTATION] = note.into();
        }
    }
}

/// Refuses an object outside of the limits.
pub(crate) fn check(state: &State, call: &ResourceRequest, object: &Value) -> Result<(), Failure> {
    if !is_kind(call, "pods") && !is_kind(call, "persistentvolumeclaims") {
        return Ok(());
    }
    for range in ranges(state, object) {
        let mut problems = Vec::new();
        for limit in range["spec"]["limits"].as_array().into_iter().flatten() {
            match text(limit, "type") {
                "Container" if is_kind(call, "pods") => {
                    let containers = LISTS.iter().filter_map(|(list, _)| object["spec"][*list].as_array());
                    containers.flatten().for_each(|it| check_container(limit, &it["resources"], &mut problems));
                }
                "PersistentVolumeClaim" if is_kind(call, "persistentvolumeclaims") => {
                    check_claim(limit, &object["spec"]["resources"], &mut problems);
                }
                _ => {}
            }
        }
        let message = match &problems[..] {
            [] => continue,
            [problem] => problem.clone(),
            problems => format!("[{}]", problems.join(", ")),
        };
        return Err(call.resource.forbidden(text(&object["metadata"], "name"), &message));
    }
    Ok(())
}

fn is_kind(call: &ResourceRequest, plural: &str) -> bool {
    let resource = &call.resource;
    !resource.is_custom && resource.group.is_empty() && resource.names.plural == plural
}

/// Returns the LimitRanges in the namespace of an object.
fn ranges(state: &State, object: &Value) -> Vec<Value> {
    let namespace = text(&object["metadata"], "namespace");
    let Some(collection) = state.store.find_collection("limitranges") else {
        return Vec::new();
    };
    let in_namespace = collection.objects().filter(|(key, _)| key.namespace == namespace);
    in_namespace.map(|(_, stored)| stored.value()).collect()
}

/// Returns the defaults of containers.
fn of_containers(range: &Value, name: &str) -> Map<String, Value> {
    let limits = range["spec"]["limits"].as_array().into_iter().flatten();
    let of_containers = limits.filter(|limit| limit["type"] == "Container");
    let defaults = of_containers.filter_map(|limit| limit[name].as_object());
    defaults.flatten().map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Sets the quantities that a container does not have, and returns their names.
fn set_missing(container: &mut Value, part: &str, defaults: &Map<String, Value>) -> Vec<String> {
    let mut set = Vec::new();
    for (name, value) in defaults {
        if container["resources"][part].get(name).is_none() {
            container["resources"][part][name.as_str()] = value.clone();
            set.push(name.clone());
        }
    }
    set
}

fn check_container(limit: &Value, resources: &Value, problems: &mut Vec<String>) {
    let (requests, limits) = (&resources["requests"], &resources["limits"]);
    for (name, least) in members(&limit["min"]) {
        let bound = format!("minimum {name} usage per Container is {least}");
        match (quantity(requests, name), quantity(limits, name)) {
            (None, _) => problems.push(format!("{bound}.  No request is specified")),
            (Some(request), _) if order(request, least).is_lt() => {
                problems.push(format!("{bound}, but request is {request}"));
            }
            (_, Some(limit)) if order(limit, least).is_lt() => problems.push(format!("{bound}, but limit is {limit}")),
            _ => {}
        }
    }
    for (name, most) in members(&limit["max"]) {
        let bound = format!("maximum {name} usage per Container is {most}");
        match (quantity(limits, name), quantity(requests, name)) {
            (None, _) => problems.push(format!("{bound}.  No limit is specified")),
            (Some(limit), _) if order(limit, most).is_gt() => problems.push(format!("{bound}, but limit is {limit}")),
            (_, Some(request)) if order(request, most).is_gt() => {
                problems.push(format!("{bound}, but request is {request}"));
            }
            _ => {}
        }
    }
}

fn check_claim(limit: &Value, resources: &Value, problems: &mut Vec<String>) {
    for (name, bound, is_broken, adjective) in members(&limit["min"])
        .map(|(name, bound)| (name, bound, std::cmp::Ordering::Less, "minimum"))
        .chain(members(&limit["max"]).map(|(name, bound)| (name, bound, std::cmp::Ordering::Greater, "maximum")))
    {
        let text = format!("{adjective} {name} usage per PersistentVolumeClaim is {bound}");
        match quantity(&resources["requests"], name) {
            None => problems.push(format!("{text}.  No request is specified")),
            Some(request) if order(request, bound) == is_broken => {
                problems.push(format!("{text}, but request is {request}"));
            }
            Some(_) => {}
        }
    }
}

fn members(quantities: &Value) -> impl Iterator<Item = (&str, &str)> {
    let members = quantities.as_object().into_iter().flatten();
    members.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
}

fn quantity<'a>(quantities: &'a Value, name: &str) -> Option<&'a str> {
    quantities.get(name).and_then(Value::as_str)
}

fn order(one: &str, other: &str) -> std::cmp::Ordering {
    match (Quantity::parse(one), Quantity::parse(other)) {
        (Ok(one), Ok(other)) => one.order(&other),
        _ => std::cmp::Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_within_bounds() {
        let limit = json!({ "max": { "cpu": "1" }, "min": { "cpu": "10m" } });
        let problems = |resources: Value| {
            let mut problems = Vec::new();
            check_container(&limit, &resources, &mut problems);
            problems
        };
        assert!(problems(json!({ "limits": { "cpu": "1" }, "requests": { "cpu": "500m" } })).is_empty());
        assert_eq!(
            problems(json!({ "limits": { "cpu": "2" }, "requests": { "cpu": "5m" } })),
            [
                "minimum cpu usage per Container is 10m, but request is 5m",
                "maximum cpu usage per Container is 1, but limit is 2",
            ]
        );
        assert_eq!(problems(json!({})).len(), 2);
    }
}
