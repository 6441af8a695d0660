//! What of the spec of a Pod can change.

use serde_json::{Value, json};

use super::items;
use crate::{
    validation::report::{Place, Report},
    value::text,
};

/// `ValidatePodUpdate`. The real server adds a difference in Go's form to the last message.
pub(super) fn pod_update(report: &mut Report, place: &Place<'_>, old: &Value, new: &Value) {
    for list in ["containers", "initContainers"] {
        if items(&old[list]).len() != items(&new[list]).len() {
            return report.forbidden(&place.field(list), "pod updates may not add or remove containers");
        }
        for (index, container) in items(&new[list]).iter().enumerate() {
            let (list_place, image) = (place.field(list), text(container, "image"));
            let at = list_place.index(index);
            if image.is_empty() {
                report.required(&at.field("image"), "");
            }
            if image.trim() != image {
                let detail = "must not have leading or trailing whitespace";
                report.invalid_text(&at.field("image"), image, detail);
            }
        }
    }
    if !active_deadline(report, place, &old["activeDeadlineSeconds"], &new["activeDeadlineSeconds"]) {
        return;
    }
    added_tolerations(report, place, old, new);
    if old != new && without_mutable(old, old) != without_mutable(new, old) {
        report.forbidden(
            place,
            "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
             `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
             `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n",
        );
    }
}

/// A deadline can only become shorter. Returns whether validation goes on.
fn active_deadline(report: &mut Report, place: &Place<'_>, old: &Value, new: &Value) -> bool {
    let place = place.field("activeDeadlineSeconds");
    match (old.as_i64(), new.as_i64()) {
        (_, Some(seconds)) if !(0..=i64::from(i32::MAX)).contains(&seconds) => {
            report.invalid(&place, &json!(seconds), "must be between 0 and 2147483647, inclusive");
            false
        }
        (Some(old), Some(new)) if old < new => {
            report.invalid(&place, &json!(new), "must be less than or equal to previous value");
            false
        }
        (Some(_), None) => {
            report.invalid(&place, &Value::Null, "must not update from a positive integer to nil value");
            true
        }
        _ => true,
    }
}

fn added_tolerations(report: &mut Report, place: &Place<'_>, old: &Value, new: &Value) {
    let without_seconds = |toleration: &Value| {
        let mut toleration = toleration.clone();
        toleration.as_object_mut().map(|members| members.remove("tolerationSeconds"));
        toleration
    };
    let kept: Vec<_> = items(&new["tolerations"]).iter().map(without_seconds).collect();
    if items(&old["tolerations"]).iter().any(|old| !kept.contains(&without_seconds(old))) {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        report.forbidden(&place.field("tolerations"), detail);
    }
}

/// Returns a spec with the fields of the old one that can change.
fn without_mutable(spec: &Value, old: &Value) -> Value {
    let mut spec = spec.clone();
    for list in ["containers", "initContainers"] {
        for (container, old) in
            spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().zip(items(&old[list]))
        {
            container["image"] = old["image"].clone();
        }
    }
    if let Some(members) = spec.as_object_mut() {
        members.remove("activeDeadlineSeconds");
        members.remove("tolerations");
        members.remove("schedulingGates");
        if old["terminationGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds < 0) {
            members.remove("terminationGracePeriodSeconds");
        }
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_fields_can_change() {
        let old = json!({ "containers": [{ "name": "a", "image": "x" }], "tolerations": [{ "key": "a" }] });
        let errors = |change: fn(&mut Value)| {
            let (mut report, mut new) = (Report::default(), old.clone());
            change(&mut new);
            pod_update(&mut report, &Place::Root.field("spec"), &old, &new);
            report.len()
        };
        assert_eq!(errors(|spec| spec["containers"][0]["image"] = "y".into()), 0);
        assert_eq!(errors(|spec| spec["tolerations"].as_array_mut().unwrap().push(json!({ "key": "b" }))), 0);
        assert_eq!(errors(|spec| spec["nodeName"] = "n".into()), 1);
        assert_eq!(errors(|spec| spec["containers"][0]["name"] = "b".into()), 1);
    }
}
