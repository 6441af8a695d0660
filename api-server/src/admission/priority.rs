//! The admission plugin `Priority`: the priority of a new Pod is that of its class.
//!
//! Source: `plugin/pkg/admission/priority/admission.go` of Kubernetes.

use serde_json::{Value, json};

use crate::{failure::Failure, request::ResourceRequest, state::State, value::text};

const RESOURCE: &str = "priorityclasses.scheduling.k8s.io";

/// The classes that a cluster has from the start, with their values.
const SYSTEM_CLASSES: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// Sets the priority of a new Pod.
///
/// # Errors
///
/// If its class does not exist.
pub(crate) fn set_priority(state: &State, call: &ResourceRequest, object: &mut Value) -> Result<(), Failure> {
    let is_pod = !call.resource.is_custom && call.resource.group.is_empty() && call.resource.names.plural == "pods";
    let Some(spec) = object.get_mut("spec").filter(|spec| is_pod && spec.is_object()) else {
        return Ok(());
    };
    let name = text(spec, "priorityClassName").to_owned();
    let classes = || state.store.find_collection(RESOURCE).into_iter().flat_map(|all| all.objects());
    let found = if name.is_empty() {
        let defaults = classes().map(|(_, stored)| stored.value()).filter(|class| class["globalDefault"] == true);
        defaults.min_by_key(|class| class["value"].as_i64())
    } else {
        let found = classes().find(|(key, _)| key.name == name).map(|(_, stored)| stored.value());
        found.or_else(|| {
            let system = SYSTEM_CLASSES.iter().find(|(system, _)| *system == name);
            system.map(|(name, value)| json!({ "metadata": { "name": name }, "value": value }))
        })
    };
    match found {
        Some(class) => {
            spec["priorityClassName"] = class["metadata"]["name"].clone();
            spec["priority"] = class["value"].as_i64().unwrap_or_default().into();
            if !class["preemptionPolicy"].is_null() {
                spec["preemptionPolicy"] = class["preemptionPolicy"].clone();
            }
            Ok(())
        }
        None if name.is_empty() => Ok(()),
        None => {
            let problem = format!("no PriorityClass with name {name} was found");
            Err(call.resource.forbidden(text(&object["metadata"], "name"), &problem))
        }
    }
}
