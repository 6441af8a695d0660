//! Updates of parts of a Pod by its subresources.

use serde_json::Value;

use super::items;
use crate::{
    defaults::pod::quality_of_service,
    validation::report::{Place, Report},
    value::text,
};

/// The annotation of a Pod that a file of a node has.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// `ValidatePodEphemeralContainersUpdate`. The real server adds a difference in Go's form to the message about a change.
pub(super) fn ephemeral_containers(report: &mut Report, old: &Value, new: &Value) {
    if is_static(old) {
        *report = Report::default();
        return report.forbidden(&Place::Root, "static pods do not support ephemeral containers");
    }
    let spec = Place::Root.field("spec");
    let place = spec.field("ephemeralContainers");
    let list = |pod: &'_ Value| items(&pod["spec"]["ephemeralContainers"]).to_vec();
    let new = list(new);
    for old in list(old) {
        let name = text(&old, "name");
        // The last one of a name counts.
        match new.iter().rfind(|it| text(it, "name") == name) {
            None => report.forbidden(&place, format!("existing ephemeral containers \"{name}\" may not be removed\n")),
            Some(new) if *new != old => {
                report.forbidden(&place, format!("existing ephemeral containers \"{name}\" may not be changed\n"));
            }
            Some(_) => {}
        }
    }
}

fn is_static(pod: &Value) -> bool {
    !pod["metadata"]["annotations"][MIRROR].is_null()
}

/// `ValidatePodResize`, without the resources of a Pod as a whole.
pub(super) fn resize(report: &mut Report, old: &Value, new: &Value) {
    if is_static(old) {
        *report = Report::default();
        return report.forbidden(&Place::Root, "static pods cannot be resized");
    }
    let spec = Place::Root.field("spec");
    if quality_of_service(old) != quality_of_service(new) {
        let class = &new["status"]["qosClass"];
        report.invalid(&spec, class, "Pod QOS Class may not change as a result of resizing");
    }
    let mut running = items(&old["status"]["containerStatuses"]).iter().filter(|it| !it["state"]["running"].is_null());
    if running.next().is_some_and(|status| status["resources"].is_null()) {
        report.forbidden(&spec, "Pod running on node without support for resize");
    }
    let before = report.len();
    for list in ["containers", "initContainers"] {
        order(report, &spec.field(list), list, [old, new].map(|pod| items(&pod["spec"][list])));
    }
    if report.len() > before {
        return;
    }
    for list in ["initContainers", "containers"] {
        let place = spec.field(list);
        for (index, (old, new)) in items(&old["spec"][list]).iter().zip(items(&new["spec"][list])).enumerate() {
            resources(report, &spec, &place.index(index), [&old["resources"], &new["resources"]]);
        }
    }
}

/// `validatePodResizeContainerOrdering`.
fn order(report: &mut Report, place: &Place<'_>, list: &str, [old, new]: [&[Value]; 2]) {
    if old.len() != new.len() {
        return report.forbidden(place, format!("{list} may not be added or removed on resize"));
    }
    for (index, (old, new)) in old.iter().zip(new).enumerate() {
        if text(old, "name") != text(new, "name") {
            let detail = format!("{list} may not be renamed or reordered on resize");
            report.forbidden(&place.index(index).field("name"), detail);
        }
    }
}

/// Only the processor and the memory of a container change, and none of both is removed.
fn resources(report: &mut Report, spec: &Place<'_>, place: &Place<'_>, [old, new]: [&Value; 2]) {
    let place = place.field("resources");
    for part in ["requests", "limits"] {
        let names = |resources: &Value| -> Vec<String> {
            resources[part].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
        };
        let (before, after) = (names(old), names(new));
        if before.iter().any(|name| !after.contains(name)) {
            report.forbidden(&place.field(part), format!("resource {part} cannot be removed"));
        }
        let is_other = |name: &&String| !matches!(name.as_str(), "cpu" | "memory");
        if after.iter().filter(is_other).any(|name| old[part][name] != new[part][name]) {
            report.forbidden(spec, "only cpu and memory resources are mutable");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::validation::report::texts;

    #[test]
    fn ephemeral_containers_are_only_added() {
        let pod = |containers: Value| json!({ "spec": { "ephemeralContainers": containers } });
        let errors = |old: Value, new: Value| texts(|report| ephemeral_containers(report, &pod(old), &pod(new)));
        let one = json!({ "name": "a", "image": "x" });
        assert!(errors(json!([one]), json!([{ "name": "b" }, one])).is_empty());
        let removed = "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"a\" may not be removed\n";
        assert_eq!(errors(json!([one]), json!([])), [removed]);
        let changed = errors(json!([one]), json!([{ "name": "a", "image": "y" }]));
        assert!(changed[0].contains("\"a\" may not be changed"));
        let static_pod = json!({ "metadata": { "annotations": { MIRROR: "x" } } });
        assert_eq!(texts(|report| ephemeral_containers(report, &static_pod, &pod(json!([])))).len(), 1);
    }

    #[test]
    fn a_resize_keeps_the_quality_of_service_and_other_resources() {
        let pod = |resources: Value| json!({ "spec": { "containers": [{ "name": "a", "resources": resources }] } });
        let errors = |old: Value, new: Value| texts(|report| resize(report, &pod(old), &pod(new)));
        let requests = |requests: Value| json!({ "requests": requests });
        let old = requests(json!({ "cpu": "1", "a.b/c": "1" }));
        assert!(errors(old.clone(), requests(json!({ "cpu": "2", "a.b/c": "1" }))).is_empty());
        assert_eq!(
            errors(old.clone(), requests(json!({ "cpu": "1", "a.b/c": "2" }))),
            ["spec: Forbidden: only cpu and memory resources are mutable"]
        );
        assert_eq!(
            errors(old.clone(), requests(json!({ "cpu": "1" }))),
            ["spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"]
        );
        assert_eq!(errors(old, json!({})).len(), 2);
        let renamed = json!({ "spec": { "containers": [{ "name": "b" }] } });
        let expected = "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize";
        assert_eq!(texts(|report| resize(report, &pod(json!({})), &renamed)), [expected]);
    }
}
