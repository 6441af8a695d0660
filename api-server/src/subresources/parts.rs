//! What of an object a request for a part of it changes.

use std::mem;

use serde_json::Value;

use crate::{
    draft::Draft,
    request::ResourceRequest,
    validation::WrittenPart,
    value::{items, text},
    write::set_or_remove,
};

/// What `ResetObjectMetaForStatus` keeps of the metadata.
const KEPT: [&str; 6] = ["annotations", "deletionTimestamp", "finalizers", "generation", "labels", "ownerReferences"];
/// The conditions of a certificate's request that only its approval changes.
const DECISIONS: [&str; 2] = ["Approved", "Denied"];

/// Keeps what a write of the status or the approval of a certificate's request does not change, and sets times.
pub(crate) fn restrict(call: &ResourceRequest, draft: &mut Draft, time: &str) {
    let Draft { part, old: Some(old), new, .. } = draft else { return };
    match part {
        WrittenPart::Status if call.resource.is_signing_request() => {
            keep_decisions(&old["status"], &mut new["status"]);
            set_times(&old["status"], &mut new["status"], time);
        }
        WrittenPart::Approval => {
            set_times(&old["status"], &mut new["status"], time);
            let conditions = new["status"].get_mut("conditions").map(Value::take);
            set_or_remove(new, "status", old.get("status").cloned());
            set_conditions(new, conditions);
        }
        _ => {}
    }
}

/// Keeps all of a Pod but the part that the request writes. Its managers own what else a client has sent.
pub(crate) fn keep_other_parts(part: WrittenPart, old: &Value, new: &mut Value) {
    match part {
        WrittenPart::EphemeralContainers => {
            let containers = new["spec"].get_mut("ephemeralContainers").map(Value::take);
            keep_all_but_spec(old, new);
            new["spec"] = old["spec"].clone();
            set_or_remove(&mut new["spec"], "ephemeralContainers", containers);
        }
        WrittenPart::Resize => keep_all_but_resources(old, new),
        _ => {}
    }
}

fn set_conditions(object: &mut Value, conditions: Option<Value>) {
    if let Some(conditions) = conditions {
        object["status"]["conditions"] = conditions;
    } else if let Value::Object(status) = &mut object["status"] {
        status.remove("conditions");
    }
}

fn keep_all_but_spec(old: &Value, new: &mut Value) {
    set_or_remove(new, "status", old.get("status").cloned());
    for name in KEPT {
        set_or_remove(&mut new["metadata"], name, old["metadata"].get(name).cloned());
    }
}

/// `dropNonResizeUpdates`. Validation refuses other containers.
fn keep_all_but_resources(old: &Value, new: &mut Value) {
    const LISTS: [&str; 2] = ["containers", "initContainers"];
    let len = |pod: &Value, list: &str| pod["spec"][list].as_array().map_or(0, Vec::len);
    if LISTS.iter().any(|list| len(old, list) != len(new, list)) {
        return;
    }
    let mut written = mem::replace(&mut new["spec"], old["spec"].clone());
    for list in LISTS {
        let Some(written) = written.get_mut(list).filter(|written| written.is_array()) else { continue };
        resize(&mut new["spec"][list], written);
    }
    if let Some(resources) = written.get_mut("resources") {
        new["spec"]["resources"] = resources.take();
    }
    keep_all_but_spec(old, new);
}

/// Takes the resources of containers. If they have other names, all of them.
fn resize(containers: &mut Value, written: &mut Value) {
    let (Some(kept), Some(containers_written)) = (containers.as_array_mut(), written.as_array_mut()) else { return };
    let name = |container: &Value| text(container, "name").to_owned();
    if kept.iter().map(name).ne(containers_written.iter().map(name)) {
        *containers = written.take();
        return;
    }
    for (container, written) in kept.iter_mut().zip(containers_written) {
        for name in ["resources", "resizePolicy"] {
            set_or_remove(container, name, written.get_mut(name).map(Value::take));
        }
    }
}

/// `preserveConditionInstances`. Validation refuses other numbers of conditions.
fn keep_decisions(old: &Value, new: &mut Value) {
    for decision in DECISIONS {
        let is_decision = |it: &&Value| it["type"] == decision;
        let kept: Vec<_> = items(&old["conditions"]).iter().filter(is_decision).collect();
        let Some(Value::Array(written)) = new.get_mut("conditions") else { return };
        if written.iter().filter(is_decision).count() == kept.len() {
            let written = written.iter_mut().filter(|it| it["type"] == decision);
            written.zip(kept).for_each(|(written, kept)| *written = kept.clone());
        }
    }
}

/// `populateConditionTimestamps`.
fn set_times(old: &Value, new: &mut Value, time: &str) {
    let Some(Value::Array(written)) = new.get_mut("conditions") else { return };
    for condition in written.iter_mut().filter(|it| it.is_object()) {
        if condition["lastUpdateTime"].is_null() {
            condition["lastUpdateTime"] = time.into();
        }
        if condition["lastTransitionTime"].is_null() {
            let is_same = |old: &&Value| {
                let has_time = !old["lastTransitionTime"].is_null();
                has_time && old["type"] == condition["type"] && old["status"] == condition["status"]
            };
            let since = items(&old["conditions"]).iter().find(is_same).map(|old| old["lastTransitionTime"].clone());
            condition["lastTransitionTime"] = since.unwrap_or_else(|| time.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_have_times() {
        let old = json!({ "conditions": [{ "type": "Approved", "status": "True", "lastTransitionTime": "before" }] });
        let mut new = json!({ "conditions": [
            { "type": "Approved", "status": "True", "lastUpdateTime": "given" }, { "type": "Other", "status": "False" },
        ] });
        set_times(&old, &mut new, "now");
        let expected = json!([
            { "type": "Approved", "status": "True", "lastUpdateTime": "given", "lastTransitionTime": "before" },
            { "type": "Other", "status": "False", "lastUpdateTime": "now", "lastTransitionTime": "now" },
        ]);
        assert_eq!(new["conditions"], expected);
    }

    #[test]
    fn only_an_approval_changes_decisions() {
        let old = json!({ "conditions": [{ "type": "Denied", "reason": "a" }] });
        let mut new = json!({ "conditions": [{ "type": "Denied", "reason": "b" }, { "type": "Failed" }] });
        keep_decisions(&old, &mut new);
        assert_eq!(new, json!({ "conditions": [{ "type": "Denied", "reason": "a" }, { "type": "Failed" }] }));
    }

    #[test]
    fn a_resize_changes_resources_alone() {
        let pod = |image: &str, cpu: &str| {
            json!({
                "metadata": { "labels": { "image": image } },
                "spec": { "containers": [{ "name": "a", "image": image, "resources": { "requests": { "cpu": cpu } } }] },
            })
        };
        let (old, mut new) = (pod("x", "1"), pod("y", "2"));
        keep_all_but_resources(&old, &mut new);
        assert_eq!(new, json!({ "metadata": { "labels": { "image": "x" } }, "spec": pod("x", "2")["spec"] }));
        let mut renamed = pod("x", "1");
        renamed["spec"]["containers"][0]["name"] = "b".into();
        keep_all_but_resources(&old, &mut renamed);
        assert_eq!(renamed["spec"]["containers"][0]["name"], "b");
    }
}
