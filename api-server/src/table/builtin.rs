//! The cells of the built-in kinds that tests of operators use most.

use serde_json::{Value, json};

use super::{age, name, pod};
use crate::time;

/// Computes the cells of an object at a Unix time.
pub(super) type CellsOf = fn(&Value, i64) -> Vec<Value>;

/// Returns the cells of a kind, if they are computed.
pub(super) fn cells(group: &str, kind: &str) -> Option<CellsOf> {
    Some(match (group, kind) {
        ("", "ConfigMap") => config_map,
        ("" | "events.k8s.io", "Event") => event,
        ("", "Namespace") => |object, now| vec![name(object), text(&object["status"]["phase"]), age(object, now)],
        ("", "Pod") => pod::cells,
        ("", "Secret") => secret,
        ("", "Service") => service,
        ("", "ServiceAccount") => |object, now| vec![name(object), age(object, now)],
        ("apiextensions.k8s.io", "CustomResourceDefinition") => definition,
        ("apps", "DaemonSet") => daemon_set,
        ("apps", "Deployment") => deployment,
        ("apps", "ReplicaSet") => replica_set,
        ("apps", "StatefulSet") => stateful_set,
        ("batch", "Job") => job,
        ("coordination.k8s.io", "Lease") => {
            |object, now| vec![name(object), text(&object["spec"]["holderIdentity"]), age(object, now)]
        }
        ("rbac.authorization.k8s.io", "ClusterRole" | "Role") | ("", "LimitRange") => {
            |object, _| vec![name(object), object["metadata"]["creationTimestamp"].clone()]
        }
        _ => return None,
    })
}

pub(super) fn str(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(super) fn text(value: &Value) -> Value {
    str(value).into()
}

pub(super) fn count(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

pub(super) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub(super) fn len(value: &Value) -> usize {
    value.as_object().map_or(0, serde_json::Map::len)
}

pub(super) fn or<'t>(text: &'t str, default: &'t str) -> &'t str {
    if text.is_empty() { default } else { text }
}

pub(super) fn join(texts: impl Iterator<Item = impl AsRef<str>>) -> String {
    let texts: Vec<_> = texts.map(|text| text.as_ref().to_owned()).collect();
    texts.join(",")
}

fn definition(object: &Value, _: i64) -> Vec<Value> {
    let (spec, names) = (&object["spec"], &object["spec"]["names"]);
    let mut versions: Vec<_> = list(&spec["versions"])
        .filter(|version| version["served"] == true)
        .map(|version| {
            let storage = if version["storage"] == true { "(storage)" } else { "" };
            format!("{}{storage}", str(&version["name"]))
        })
        .collect();
    versions.sort_unstable();
    let established = list(&object["status"]["conditions"]).find(|condition| condition["type"] == "Established");
    vec![
        name(object),
        text(&spec["scope"]),
        join(versions.into_iter()).into(),
        object["metadata"]["creationTimestamp"].clone(),
        text(&spec["group"]),
        text(&names["kind"]),
        join(list(&names["shortNames"]).map(str)).into(),
        established.is_some_and(|condition| condition["status"] == "True").into(),
    ]
}

fn config_map(object: &Value, now: i64) -> Vec<Value> {
    vec![name(object), json!(len(&object["data"]) + len(&object["binaryData"])), age(object, now)]
}

fn secret(object: &Value, now: i64) -> Vec<Value> {
    vec![name(object), text(&object["type"]), json!(len(&object["data"])), age(object, now)]
}

fn event(object: &Value, now: i64) -> Vec<Value> {
    // Fields have other names in `events.k8s.io`.
    let either = |core: &str, other: &str| match &object[core] {
        Value::Null => object[other].clone(),
        value => value.clone(),
    };
    let since = |time: &Value| time::age(str(time), now);
    let first_time = either("firstTimestamp", "deprecatedFirstTimestamp");
    let first = since(if first_time.is_null() { &object["eventTime"] } else { &first_time });
    let last_time = either("lastTimestamp", "deprecatedLastTimestamp");
    let mut last = if last_time.is_null() { first.clone() } else { since(&last_time) };
    let mut times = count(&either("count", "deprecatedCount")).max(1);
    if let series @ Value::Object(_) = &object["series"] {
        last = since(&series["lastObservedTime"]);
        times = count(&series["count"]);
    }
    let target = either("involvedObject", "regarding");
    let kind = str(&target["kind"]).to_lowercase();
    let subject = match str(&target["name"]) {
        "" => kind,
        name => format!("{kind}/{name}"),
    };
    let source = either("source", "deprecatedSource");
    let reporter = either("reportingComponent", "reportingController");
    let component = or(str(&source["component"]), str(&reporter)).to_owned();
    let source = match or(str(&source["host"]), str(&object["reportingInstance"])) {
        "" => component,
        instance => format!("{component}, {instance}"),
    };
    let message = either("message", "note");
    vec![
        last.into(),
        text(&object["type"]),
        text(&object["reason"]),
        subject.into(),
        text(&target["fieldPath"]),
        source.into(),
        str(&message).trim().into(),
        first.into(),
        times.into(),
        name(object),
    ]
}

fn service(object: &Value, now: i64) -> Vec<Value> {
    let spec = &object["spec"];
    let ports = join(list(&spec["ports"]).map(|port| {
        let (number, protocol) = (count(&port["port"]), str(&port["protocol"]));
        match count(&port["nodePort"]) {
            0 => format!("{number}/{protocol}"),
            node_port => format!("{number}:{node_port}/{protocol}"),
        }
    }));
    vec![
        name(object),
        text(&spec["type"]),
        or(str(&spec["clusterIPs"][0]), "<none>").into(),
        external_address(object).into(),
        or(&ports, "<none>").into(),
        age(object, now),
        label_map(&spec["selector"]).into(),
    ]
}

fn external_address(service: &Value) -> String {
    let spec = &service["spec"];
    let external = || list(&spec["externalIPs"]).map(str);
    match str(&spec["type"]) {
        "ClusterIP" | "NodePort" => or(&join(external()), "<none>").to_owned(),
        "LoadBalancer" => {
            let ingress = list(&service["status"]["loadBalancer"]["ingress"]);
            let mut addresses: Vec<_> = ingress.map(|it| or(str(&it["ip"]), str(&it["hostname"]))).collect();
            addresses.retain(|address| !address.is_empty());
            addresses.sort_unstable();
            addresses.dedup();
            or(&join(addresses.into_iter().chain(external())), "<pending>").to_owned()
        }
        "ExternalName" => str(&spec["externalName"]).to_owned(),
        _ => "<unknown>".to_owned(),
    }
}

/// Formats a map of labels, such as `a=b,c=d`.
pub(super) fn label_map(labels: &Value) -> String {
    let pairs = labels.as_object().into_iter().flatten().map(|(key, value)| format!("{key}={}", str(value)));
    or(&join(pairs), "<none>").to_owned()
}

/// Formats a label selector.
pub(super) fn selector(selector: &Value) -> String {
    or(&requirements(selector), "<none>").to_owned()
}

/// Formats the requirements of a label selector, which may have none.
pub(crate) fn requirements(selector: &Value) -> String {
    let labels = selector["matchLabels"].as_object().into_iter().flatten();
    let mut requirements: Vec<_> = labels.map(|(key, value)| (key.as_str(), format!("{key}={}", str(value)))).collect();
    for expression in list(&selector["matchExpressions"]) {
        let key = str(&expression["key"]);
        let mut values: Vec<_> = list(&expression["values"]).map(str).collect();
        values.sort_unstable();
        let values = values.join(",");
        requirements.push((
            key,
            match str(&expression["operator"]) {
                "In" => format!("{key} in ({values})"),
                "NotIn" => format!("{key} notin ({values})"),
                "Exists" => key.to_owned(),
                _ => format!("!{key}"),
            },
        ));
    }
    requirements.sort_by_key(|(key, _)| *key);
    join(requirements.into_iter().map(|(_, text)| text))
}

/// Returns the names and images of the containers of a template.
pub(super) fn containers(object: &Value) -> [Value; 2] {
    containers_of(&object["spec"]["template"]["spec"])
}

/// Returns the names and images of the containers of a Pod.
pub(super) fn containers_of(pod: &Value) -> [Value; 2] {
    let containers = || list(&pod["containers"]);
    ["name", "image"].map(|field| join(containers().map(|container| str(&container[field]))).into())
}

/// Returns the last cells of workloads.
fn template(object: &Value) -> [Value; 3] {
    let [names, images] = containers(object);
    [names, images, selector(&object["spec"]["selector"]).into()]
}

fn replicas(object: &Value) -> i64 {
    // The default is 1.
    object["spec"]["replicas"].as_i64().unwrap_or(1)
}

fn ready(object: &Value) -> Value {
    format!("{}/{}", count(&object["status"]["readyReplicas"]), replicas(object)).into()
}

fn deployment(object: &Value, now: i64) -> Vec<Value> {
    let status = |field: &str| count(&object["status"][field]).into();
    let [names, images] = containers(object);
    vec![
        name(object),
        ready(object),
        status("updatedReplicas"),
        status("availableReplicas"),
        age(object, now),
        names,
        images,
        requirements(&object["spec"]["selector"]).into(),
    ]
}

fn replica_set(object: &Value, now: i64) -> Vec<Value> {
    let status = |field: &str| count(&object["status"][field]).into();
    let cells = [name(object), replicas(object).into(), status("replicas"), status("readyReplicas"), age(object, now)];
    cells.into_iter().chain(template(object)).collect()
}

fn stateful_set(object: &Value, now: i64) -> Vec<Value> {
    let cells = [name(object), ready(object), age(object, now)];
    cells.into_iter().chain(containers(object)).collect()
}

fn daemon_set(object: &Value, now: i64) -> Vec<Value> {
    let status = [
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    ]
    .map(|field| count(&object["status"][field]).into());
    let node_selector = label_map(&object["spec"]["template"]["spec"]["nodeSelector"]).into();
    let cells = [name(object)].into_iter().chain(status).chain([node_selector, age(object, now)]);
    cells.chain(template(object)).collect()
}

fn job(object: &Value, now: i64) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let succeeded = count(&status["succeeded"]);
    let completions = match (spec["completions"].as_i64(), count(&spec["parallelism"])) {
        (Some(completions), _) => format!("{succeeded}/{completions}"),
        (None, parallelism @ 2..) => format!("{succeeded}/1 of {parallelism}"),
        (None, _) => format!("{succeeded}/1"),
    };
    let time = |field: &str| crdkit_core::literal::times::unix_time(str(&status[field]));
    let duration = time("startTime").map(|start| time::human_duration(time("completionTime").unwrap_or(now) - start));
    let cells = [
        name(object),
        job_status(object).into(),
        completions.into(),
        duration.unwrap_or_default().into(),
        age(object, now),
    ];
    cells.into_iter().chain(template(object)).collect()
}

fn job_status(job: &Value) -> &'static str {
    let has = |type_: &str| {
        let condition = list(&job["status"]["conditions"]).find(|condition| condition["type"] == type_);
        condition.is_some_and(|condition| condition["status"] == "True")
    };
    let found = |types: &[(&str, &'static str)]| types.iter().find(|(type_, _)| has(type_)).map(|(_, status)| *status);
    found(&[("Complete", "Complete"), ("Failed", "Failed")])
        .or_else(|| (!job["metadata"]["deletionTimestamp"].is_null()).then_some("Terminating"))
        .or_else(|| {
            found(&[
                ("Suspended", "Suspended"),
                ("FailureTarget", "FailureTarget"),
                ("SuccessCriteriaMet", "SuccessCriteriaMet"),
            ])
        })
        .unwrap_or("Running")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn served_versions_are_sorted() {
        let version =
            |name: &str, served: bool, storage: bool| json!({ "name": name, "served": served, "storage": storage });
        let specs = [("v2", true, false), ("v1alpha1", false, false), ("v1", true, true)];
        let versions = specs.map(|(name, served, storage)| version(name, served, storage));
        let cells = definition(&json!({ "spec": { "versions": versions } }), 0);
        assert_eq!(cells[2], "v1(storage),v2");
    }

    #[test]
    fn selectors() {
        let expression = |operator: &str| json!({ "key": "b", "operator": operator, "values": ["y", "x"] });
        for (labels, operator, expected) in [
            (json!({ "c": "1" }), "In", "b in (x,y),c=1"),
            (json!({ "a": "1" }), "NotIn", "a=1,b notin (x,y)"),
            (json!({}), "Exists", "b"),
            (json!({}), "DoesNotExist", "!b"),
        ] {
            let value = json!({ "matchLabels": labels, "matchExpressions": [expression(operator)] });
            assert_eq!(selector(&value), expected);
        }
    }
}
