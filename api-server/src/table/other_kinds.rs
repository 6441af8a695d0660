//! The cells of built-in kinds that Pods and their controllers refer to.

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::{
    age,
    builtin::{CellsOf, containers_of, count, list, or, selector, str, text},
    name,
};
use crate::time;

/// The maximum length of addresses, unless all columns are requested.
const ADDRESS_WIDTH: usize = 16;
/// The number of hosts that are listed.
const HOSTS: usize = 3;
const NONE: &str = "<none>";
const UNSET: &str = "<unset>";

/// Returns the cells of a kind, if they are computed.
pub(super) fn cells(group: &str, kind: &str) -> Option<CellsOf> {
    Some(match (group, kind) {
        ("", "PersistentVolumeClaim") => claim,
        ("batch", "CronJob") => cron_job,
        ("networking.k8s.io", "Ingress") => ingress,
        ("networking.k8s.io", "NetworkPolicy") => {
            |object, now| vec![name(object), selector(&object["spec"]["podSelector"]).into(), age(object, now)]
        }
        ("policy", "PodDisruptionBudget") => disruption_budget,
        ("rbac.authorization.k8s.io", "ClusterRoleBinding" | "RoleBinding") => role_binding,
        ("storage.k8s.io", "StorageClass") => storage_class,
        _ => return None,
    })
}

fn claim(object: &Value, now: i64) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let is_deleted = !object["metadata"]["deletionTimestamp"].is_null();
    let is_bound = !str(&spec["volumeName"]).is_empty();
    let if_bound = |text: String| if is_bound { text } else { String::new() };
    let modes = list(&status["accessModes"]).map(access_mode);
    vec![
        name(object),
        if is_deleted { "Terminating".into() } else { text(&status["phase"]) },
        text(&spec["volumeName"]),
        if_bound(or(str(&status["capacity"]["storage"]), "0").to_owned()).into(),
        if_bound(modes.collect::<Vec<_>>().join(",")).into(),
        storage_class_of(object),
        or(str(&spec["volumeAttributesClassName"]), UNSET).into(),
        age(object, now),
        or(str(&spec["volumeMode"]), UNSET).into(),
    ]
}

pub(super) fn access_mode(mode: &Value) -> &'static str {
    match str(mode) {
        "ReadWriteOnce" => "RWO",
        "ReadOnlyMany" => "ROX",
        "ReadWriteMany" => "RWX",
        _ => "RWOP",
    }
}

/// Returns the storage class of a volume or of a claim.
pub(super) fn storage_class_of(object: &Value) -> Value {
    let class = &object["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"];
    or(str(class), str(&object["spec"]["storageClassName"])).into()
}

fn cron_job(object: &Value, now: i64) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let last = status["lastScheduleTime"].as_str().map(|last| time::age(last, now));
    let suspended = match spec["suspend"].as_bool() {
        Some(true) => "True",
        Some(false) => "False",
        None => UNSET,
    };
    let job = &spec["jobTemplate"]["spec"];
    let [names, images] = containers_of(&job["template"]["spec"]);
    vec![
        name(object),
        text(&spec["schedule"]),
        or(str(&spec["timeZone"]), NONE).into(),
        suspended.into(),
        list(&status["active"]).count().into(),
        last.unwrap_or_else(|| NONE.to_owned()).into(),
        age(object, now),
        names,
        images,
        selector(&job["selector"]).into(),
    ]
}

fn ingress(object: &Value, now: i64) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let rules = list(&spec["rules"]).count();
    let hosts = list(&spec["rules"]).map(|rule| str(&rule["host"])).enumerate().filter(|(_, host)| !host.is_empty());
    let (positions, mut hosts): (Vec<_>, Vec<_>) = hosts.unzip();
    hosts.truncate(HOSTS);
    let has_more = positions.get(HOSTS - 1).is_some_and(|last| last + 1 < rules);
    let hosts = match () {
        () if hosts.is_empty() => "*".to_owned(),
        () if has_more => format!("{} + {} more...", hosts.join(","), rules - HOSTS),
        () => hosts.join(","),
    };
    let addresses: std::collections::BTreeSet<_> = list(&status["loadBalancer"]["ingress"])
        .map(|it| or(str(&it["ip"]), str(&it["hostname"])))
        .filter(|address| !address.is_empty())
        .collect();
    let mut address = addresses.into_iter().collect::<Vec<_>>().join(",");
    if address.len() > ADDRESS_WIDTH {
        address.truncate(ADDRESS_WIDTH - 3);
        address += "...";
    }
    let has_tls = list(&spec["tls"]).next().is_some();
    vec![
        name(object),
        or(str(&spec["ingressClassName"]), NONE).into(),
        hosts.into(),
        address.into(),
        if has_tls { "80, 443" } else { "80" }.into(),
        age(object, now),
    ]
}

fn disruption_budget(object: &Value, now: i64) -> Vec<Value> {
    let bound = |name: &str| match &object["spec"][name] {
        Value::Null => json!("N/A"),
        Value::String(text) => json!(text),
        number => json!(number.to_string()),
    };
    let allowed = count(&object["status"]["disruptionsAllowed"]);
    vec![name(object), bound("minAvailable"), bound("maxUnavailable"), allowed.into(), age(object, now)]
}

fn role_binding(object: &Value, now: i64) -> Vec<Value> {
    let subjects = |kind: &str| {
        let subjects = list(&object["subjects"]).filter(|subject| subject["kind"] == kind);
        let names = subjects.map(|subject| match str(&subject["namespace"]) {
            "" => str(&subject["name"]).to_owned(),
            namespace => format!("{namespace}/{}", str(&subject["name"])),
        });
        Value::from(names.collect::<Vec<_>>().join(", "))
    };
    let role = &object["roleRef"];
    let role = format!("{}/{}", str(&role["kind"]), str(&role["name"]));
    let [users, groups, accounts] = ["User", "Group", "ServiceAccount"].map(subjects);
    vec![name(object), role.into(), age(object, now), users, groups, accounts]
}

/// Returns the class that claims without one get: the newest one with the annotation, of which the server marks the name in lists.
pub(super) fn default_storage_class<'o>(classes: impl Iterator<Item = &'o Value>) -> Option<&'o str> {
    const ANNOTATIONS: [&str; 2] =
        ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
    let is_default = |class: &&Value| {
        let annotations = &class["metadata"]["annotations"];
        ANNOTATIONS.iter().any(|annotation| annotations[annotation] == "true")
    };
    let order = |class: &&Value| {
        let metadata = &class["metadata"];
        (str(&metadata["creationTimestamp"]).to_owned(), Reverse(str(&metadata["name"]).to_owned()))
    };
    classes.filter(is_default).max_by_key(order).map(|class| str(&class["metadata"]["name"]))
}

fn storage_class(object: &Value, now: i64) -> Vec<Value> {
    vec![
        name(object),
        text(&object["provisioner"]),
        or(str(&object["reclaimPolicy"]), "Delete").into(),
        or(str(&object["volumeBindingMode"]), "Immediate").into(),
        (object["allowVolumeExpansion"] == true).into(),
        age(object, now),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server in tests cannot be asked: claims of other tests would get the class.
    #[test]
    fn the_newest_default_class_is_marked() {
        let class = |name: &str, time: &str, is_default: &str| {
            let annotations = json!({ "storageclass.kubernetes.io/is-default-class": is_default });
            json!({ "metadata": { "name": name, "creationTimestamp": time, "annotations": annotations } })
        };
        let [old, new] = ["2030-01-01T00:00:00Z", "2030-01-02T00:00:00Z"];
        let classes =
            [class("d", new, "false"), class("c", new, "true"), class("b", new, "true"), class("a", old, "true")];
        assert_eq!(default_storage_class(classes.iter()), Some("b"));
        assert_eq!(default_storage_class(classes[..1].iter()), None);
    }
}
