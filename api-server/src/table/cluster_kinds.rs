//! The cells of built-in kinds that the cluster and its administrators use.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    age, autoscaler,
    builtin::{CellsOf, containers, containers_of, count, join, label_map, list, or, str, text},
    name,
    other_kinds::{access_mode, storage_class_of},
};
use crate::time;

/// The number of endpoints and ports that are listed.
const SHOWN: usize = 3;
const NONE: &str = "<none>";
const UNSET: &str = "<unset>";

/// Returns the cells of a kind, if they are computed.
pub(super) fn cells(group: &str, kind: &str) -> Option<CellsOf> {
    Some(match (group, kind) {
        ("", "ComponentStatus") => component_status,
        ("", "Endpoints") => |object, now| vec![name(object), endpoints(object).into(), age(object, now)],
        ("", "Node") => node,
        ("", "PersistentVolume") => volume,
        ("", "PodTemplate") => pod_template,
        ("", "ReplicationController") => replication_controller,
        ("", "ResourceQuota") => quota,
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding" | "ValidatingAdmissionPolicyBinding") => {
            binding
        }
        ("apiregistration.k8s.io", "APIService") => api_service,
        ("apps", "ControllerRevision") => revision,
        ("autoscaling", "HorizontalPodAutoscaler") => autoscaler::cells,
        ("certificates.k8s.io", "CertificateSigningRequest") => signing_request,
        ("certificates.k8s.io", "PodCertificateRequest") => pod_certificate,
        ("discovery.k8s.io", "EndpointSlice") => endpoint_slice,
        ("flowcontrol.apiserver.k8s.io", "FlowSchema") => flow_schema,
        ("networking.k8s.io", "IPAddress") => ip_address,
        ("networking.k8s.io", "IngressClass") => ingress_class,
        ("resource.k8s.io", "ResourceClaim") => resource_claim,
        ("storage.k8s.io", "CSIDriver") => driver,
        ("storagemigration.k8s.io", "StorageVersionMigration") => migration,
        _ => return None,
    })
}

fn condition<'o>(object: &'o Value, kind: &str) -> Option<&'o Value> {
    list(&object["status"]["conditions"]).find(|condition| condition["type"] == kind)
}

fn component_status(object: &Value, _: i64) -> Vec<Value> {
    let healthy = list(&object["conditions"]).find(|condition| condition["type"] == "Healthy");
    let condition = healthy.unwrap_or(&Value::Null);
    let status = match str(&condition["status"]) {
        _ if healthy.is_none() => "Unknown",
        "True" => "Healthy",
        _ => "Unhealthy",
    };
    vec![name(object), status.into(), text(&condition["message"]), text(&condition["error"])]
}

/// Returns the first texts, and how many others there are.
fn shown(mut texts: Vec<String>, default: &str) -> String {
    let more = texts.len().saturating_sub(SHOWN);
    texts.truncate(SHOWN);
    match more {
        0 => or(&texts.join(","), default).to_owned(),
        more => format!("{} + {more} more...", texts.join(",")),
    }
}

fn endpoints(object: &Value) -> String {
    let mut subsets = list(&object["subsets"]).peekable();
    if subsets.peek().is_none() {
        return NONE.to_owned();
    }
    let mut found = Vec::new();
    for subset in subsets {
        let addresses = || list(&subset["addresses"]).map(|address| str(&address["ip"]).to_owned());
        let ports: Vec<_> = list(&subset["ports"]).map(|port| count(&port["port"])).collect();
        if ports.is_empty() {
            found.extend(addresses());
        } else {
            found.extend(ports.into_iter().flat_map(|port| addresses().map(move |ip| host_port(&ip, port))));
        }
    }
    shown(found, "")
}

fn host_port(ip: &str, port: i64) -> String {
    if ip.contains(':') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") }
}

fn endpoint_slice(object: &Value, now: i64) -> Vec<Value> {
    let port = |port: &Value| match (port["port"].as_i64(), port["name"].as_str()) {
        (Some(number), _) => number.to_string(),
        (None, Some(name)) => name.to_owned(),
        (None, None) => "*".to_owned(),
    };
    let ports = shown(list(&object["ports"]).map(port).collect(), UNSET);
    let addresses = list(&object["endpoints"]).flat_map(|endpoint| list(&endpoint["addresses"]));
    let addresses = shown(addresses.map(|address| str(address).to_owned()).collect(), UNSET);
    vec![name(object), text(&object["addressType"]), ports.into(), addresses.into(), age(object, now)]
}

fn node(object: &Value, now: i64) -> Vec<Value> {
    const UNKNOWN: &str = "<unknown>";
    let info = &object["status"]["nodeInfo"];
    let mut status = match condition(object, "Ready") {
        Some(ready) if ready["status"] == "True" => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if object["spec"]["unschedulable"] == true {
        status += ",SchedulingDisabled";
    }
    let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
    let roles: BTreeSet<_> = labels
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role),
            None => Some(str(value)).filter(|_| key == "kubernetes.io/role"),
        })
        .filter(|role| !role.is_empty())
        .collect();
    let address = |kind: &str| {
        let found = list(&object["status"]["addresses"]).find(|address| address["type"] == kind);
        Value::from(found.map_or(NONE, |address| str(&address["address"])))
    };
    let mut kernel = or(str(&info["kernelVersion"]), UNKNOWN).to_owned();
    match str(&info["architecture"]) {
        "" => {}
        architecture => kernel += &format!(" ({architecture})"),
    }
    vec![
        name(object),
        status.into(),
        or(&join(roles.into_iter()), NONE).into(),
        age(object, now),
        text(&info["kubeletVersion"]),
        address("InternalIP"),
        address("ExternalIP"),
        or(str(&info["osImage"]), UNKNOWN).into(),
        kernel.into(),
        or(str(&info["containerRuntimeVersion"]), UNKNOWN).into(),
    ]
}

fn volume(object: &Value, now: i64) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let is_deleted = !object["metadata"]["deletionTimestamp"].is_null();
    let claim = match &spec["claimRef"] {
        Value::Null => String::new(),
        claim => format!("{}/{}", str(&claim["namespace"]), str(&claim["name"])),
    };
    vec![
        name(object),
        or(str(&spec["capacity"]["storage"]), "0").into(),
        join(list(&spec["accessModes"]).map(access_mode)).into(),
        text(&spec["persistentVolumeReclaimPolicy"]),
        if is_deleted { "Terminating".into() } else { text(&status["phase"]) },
        claim.into(),
        storage_class_of(object),
        or(str(&spec["volumeAttributesClassName"]), UNSET).into(),
        text(&status["reason"]),
        age(object, now),
        or(str(&spec["volumeMode"]), UNSET).into(),
    ]
}

fn pod_template(object: &Value, _: i64) -> Vec<Value> {
    let [names, images] = containers_of(&object["template"]["spec"]);
    vec![name(object), names, images, label_map(&object["template"]["metadata"]["labels"]).into()]
}

fn replication_controller(object: &Value, now: i64) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let [desired, current, ready] =
        [&spec["replicas"], &status["replicas"], &status["readyReplicas"]].map(|it| count(it).into());
    let [names, images] = containers(object);
    vec![name(object), desired, current, ready, age(object, now), names, images, label_map(&spec["selector"]).into()]
}

fn quota(object: &Value, now: i64) -> Vec<Value> {
    let status = &object["status"];
    let hard = || status["hard"].as_object().into_iter().flatten();
    let of = |are_limits: bool| {
        let found = hard().filter(|(resource, _)| resource.starts_with("limits.") == are_limits);
        let texts = found.map(|(resource, hard)| {
            let used = or(str(&status["used"][resource]), "0");
            format!("{resource}: {used}/{}", str(hard))
        });
        Value::from(texts.collect::<Vec<_>>().join(", "))
    };
    vec![name(object), of(false), of(true), age(object, now)]
}

fn binding(object: &Value, now: i64) -> Vec<Value> {
    let reference = &object["spec"]["paramRef"];
    let parameter = match (str(&reference["name"]), str(&reference["namespace"]), &reference["selector"]) {
        ("", _, Value::Null) => UNSET.to_owned(),
        ("", _, selector) => go_selector(selector),
        // The reference does not show whether the kind has namespaces.
        (name, "", _) => format!("*/{name}"),
        (name, namespace, _) => format!("{namespace}/{name}"),
    };
    vec![name(object), text(&object["spec"]["policyName"]), parameter.into(), age(object, now)]
}

/// Formats a label selector as Go does.
fn go_selector(selector: &Value) -> String {
    let labels: String = selector["matchLabels"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}: {},", str(value)))
        .collect();
    let expressions: String = list(&selector["matchExpressions"])
        .map(|expression| {
            let values: Vec<_> = list(&expression["values"]).map(str).collect();
            let [key, operator] = ["key", "operator"].map(|name| str(&expression[name]));
            format!("LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{}],}},", values.join(" "))
        })
        .collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
}

fn api_service(object: &Value, now: i64) -> Vec<Value> {
    let service = match &object["spec"]["service"] {
        Value::Null => "Local".to_owned(),
        service => format!("{}/{}", str(&service["namespace"]), str(&service["name"])),
    };
    let status = match condition(object, "Available").map(|it| (str(&it["status"]), str(&it["reason"]))) {
        None => "Unknown".to_owned(),
        Some((status @ "True", _) | (status, "")) => status.to_owned(),
        Some((status, reason)) => format!("{status} ({reason})"),
    };
    vec![name(object), service.into(), status.into(), age(object, now)]
}

fn revision(object: &Value, now: i64) -> Vec<Value> {
    let reference = list(&object["metadata"]["ownerReferences"]).find(|owner| owner["controller"] == true);
    let owner = reference.map_or_else(
        || NONE.to_owned(),
        |owner| {
            let kind = match str(&owner["apiVersion"]).split_once('/') {
                Some((group, _)) => format!("{}.{group}", str(&owner["kind"])),
                None => str(&owner["kind"]).to_owned(),
            };
            format!("{}/{}", kind.to_lowercase(), str(&owner["name"]))
        },
    );
    vec![name(object), owner.into(), count(&object["revision"]).into(), age(object, now)]
}

fn signing_request(object: &Value, now: i64) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let has = |kind: &str| condition(object, kind).is_some();
    let mut state = match () {
        () if has("Denied") => "Denied",
        () if has("Approved") => "Approved",
        () => "Pending",
    }
    .to_owned();
    if has("Failed") {
        state += ",Failed";
    }
    if !str(&status["certificate"]).is_empty() {
        state += ",Issued";
    }
    let duration = spec["expirationSeconds"].as_i64().map_or_else(|| NONE.to_owned(), time::human_duration);
    let signer = or(str(&spec["signerName"]), NONE).into();
    vec![name(object), age(object, now), signer, text(&spec["username"]), duration.into(), state.into()]
}

fn pod_certificate(object: &Value, _: i64) -> Vec<Value> {
    let spec = &object["spec"];
    let states = list(&object["status"]["conditions"]).map(|condition| str(&condition["type"]));
    let state = states.filter(|state| ["Issued", "Denied", "Failed"].contains(state)).last().unwrap_or("Pending");
    vec![
        name(object),
        text(&spec["podName"]),
        text(&spec["serviceAccountName"]),
        text(&spec["nodeName"]),
        text(&spec["signerName"]),
        state.into(),
        label_map(&spec["unverifiedUserAnnotations"]).into(),
    ]
}

fn flow_schema(object: &Value, now: i64) -> Vec<Value> {
    let spec = &object["spec"];
    vec![
        name(object),
        text(&spec["priorityLevelConfiguration"]["name"]),
        count(&spec["matchingPrecedence"]).into(),
        or(str(&spec["distinguisherMethod"]["type"]), NONE).into(),
        age(object, now),
        condition(object, "Dangling").map_or("?", |condition| str(&condition["status"])).into(),
    ]
}

/// Returns one cell more than there are columns, as the server does.
fn ip_address(object: &Value, now: i64) -> Vec<Value> {
    let parent = match &object["spec"]["parentRef"] {
        Value::Null => NONE.to_owned(),
        parent => {
            let resource = match str(&parent["group"]) {
                "" => str(&parent["resource"]).to_lowercase(),
                group => format!("{}.{group}", str(&parent["resource"])).to_lowercase(),
            };
            let segments = [&resource, str(&parent["namespace"]), str(&parent["name"])];
            segments.into_iter().filter(|segment| !segment.is_empty()).collect::<Vec<_>>().join("/")
        }
    };
    vec![name(object), parent.into(), age(object, now)]
}

fn ingress_class(object: &Value, now: i64) -> Vec<Value> {
    let spec = &object["spec"];
    let is_default = object["metadata"]["annotations"]["ingressclass.kubernetes.io/is-default-class"] == "true";
    let parameters = match &spec["parameters"] {
        Value::Null => NONE.to_owned(),
        parameters => {
            let group = parameters["apiGroup"].as_str().map(|group| format!(".{group}")).unwrap_or_default();
            format!("{}{group}/{}", str(&parameters["kind"]), str(&parameters["name"]))
        }
    };
    let suffix = if is_default { " (default)" } else { "" };
    let name = format!("{}{suffix}", str(&object["metadata"]["name"]));
    vec![name.into(), text(&spec["controller"]), parameters.into(), age(object, now)]
}

fn resource_claim(object: &Value, now: i64) -> Vec<Value> {
    let status = &object["status"];
    let is_deleted = !object["metadata"]["deletionTimestamp"].is_null();
    let is_allocated = !status["allocation"].is_null();
    let is_reserved = is_allocated && list(&status["reservedFor"]).next().is_some();
    let states = [
        (is_deleted, "deleted"),
        (!is_allocated && !is_deleted, "pending"),
        (is_allocated, "allocated"),
        (is_reserved, "reserved"),
    ];
    let states = join(states.into_iter().filter(|(is_so, _)| *is_so).map(|(_, state)| state));
    vec![name(object), states.into(), age(object, now)]
}

fn driver(object: &Value, now: i64) -> Vec<Value> {
    let spec = &object["spec"];
    let flag = |name: &str, default: bool| spec[name].as_bool().unwrap_or(default).into();
    let audiences =
        spec["tokenRequests"].as_array().map(|requests| join(requests.iter().map(|request| str(&request["audience"]))));
    vec![
        name(object),
        flag("attachRequired", true),
        flag("podInfoOnMount", false),
        flag("storageCapacity", false),
        audiences.unwrap_or_else(|| UNSET.to_owned()).into(),
        flag("requiresRepublish", false),
        or(&join(list(&spec["volumeLifecycleModes"]).map(str)), NONE).into(),
        age(object, now),
    ]
}

fn migration(object: &Value, _: i64) -> Vec<Value> {
    let resource = &object["spec"]["resource"];
    let resource = match str(&resource["group"]) {
        "" => str(&resource["resource"]).to_owned(),
        group => format!("{}.{group}", str(&resource["resource"])),
    };
    let states = ["Running", "Failed", "Succeeded"];
    let conditions = list(&object["status"]["conditions"]).filter(|condition| condition["status"] == "True");
    let state = conditions.map(|condition| str(&condition["type"])).filter(|kind| states.contains(kind)).last();
    vec![name(object), json!(resource), state.unwrap_or("Unknown").into()]
}
