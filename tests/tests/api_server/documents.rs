//! Discovery, OpenAPI, tables and selectors of both servers.

use std::{fs, path::Path, time::Duration};

use crdkit_tests::{
    ControlPlane,
    server_data::{openapi, resources},
};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::both::{Both, Step};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
const MERGE: &str = "application/merge-patch+json";

/// The definitions of the example.
fn definitions() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/crds/crds");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| serde_saphyr::from_str(&fs::read_to_string(file).unwrap()).unwrap()).collect()
}

/// Returns both servers with the definitions of the example.
async fn both(namespace: &str) -> Option<Both> {
    static INSTALLED: OnceCell<()> = OnceCell::const_new();
    let mut both = Both::with_namespace(namespace).await?;
    let plane = ControlPlane::shared()?;
    let install = async {
        for definition in definitions() {
            let verdict = plane.install(&definition).await;
            assert!(verdict.accepted, "{verdict}");
        }
    };
    INSTALLED.get_or_init(|| install).await;
    for definition in definitions() {
        both.define(definition).await;
    }
    Some(both)
}

fn get(path: impl Into<String>) -> Step {
    Step::new("GET", path, Value::Null)
}

/// Compares the responses after a change of both.
async fn compare(both: &mut Both, steps: impl IntoIterator<Item = Step>, change: impl Fn(&mut [Value; 2])) {
    let mut differences = Vec::new();
    for step in steps {
        let mut responses = both.respond(&step).await;
        change(&mut responses);
        let [ours, theirs] = responses;
        differences.extend(Both::difference(&step, ours, theirs).map(|it| it.to_string()));
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

/// Drops what only the real server lists.
fn retain_known(theirs: &mut Value, ours: &Value) {
    match (theirs, ours) {
        (Value::Array(theirs), Value::Null) if theirs.iter().all(|item| item["subresource"].is_string()) => {
            theirs.clear()
        }
        (Value::Array(theirs), Value::Array(ours)) => {
            theirs.retain(|item| ours.iter().any(|other| id(other) == id(item)));
            for item in theirs {
                let same = ours.iter().find(|other| id(other) == id(item));
                retain_known(item, same.unwrap_or(&Value::Null));
            }
        }
        (Value::Object(theirs), ours) => {
            theirs.remove("storageVersionHash");
            for (name, value) in theirs.iter_mut() {
                retain_known(value, &ours[name]);
            }
            // A kind may have no subresources but those that only the real server has.
            theirs.retain(|name, value| name != "subresources" || *value != json!([]));
        }
        _ => {}
    }
}

/// Returns what identifies an item of a list.
fn id(item: &Value) -> Value {
    let names = ["resource", "subresource", "groupVersion", "name", "version"];
    let found = names.iter().map(|name| &item[*name]).find(|value| value.is_string());
    found.unwrap_or_else(|| if item.is_string() { item } else { &item["metadata"]["name"] }).clone()
}

#[tokio::test]
async fn discovery() {
    let Some(mut both) = both("discovery").await else { return };
    let change = |responses: &mut [Value; 2]| {
        let [ours, theirs] = responses;
        retain_known(theirs, ours);
        for response in [ours, theirs] {
            if let Some(address) = response.pointer_mut("/body/serverAddressByClientCIDRs/0/serverAddress") {
                *address = "".into();
            }
        }
    };
    let paths = [
        "/api",
        "/api/v1",
        "/apis",
        "/apis/autoscaling",
        "/apis/apps/v1",
        "/apis/autoscaling/v1",
        "/apis/rbac.authorization.k8s.io/v1",
        "/apis/infra.example.com",
        "/apis/infra.example.com/v1",
        "/apis/infra.example.com/v1alpha1",
        "/apis/cnat.programming-kubernetes.info/v1alpha1",
        "/apis/none",
        "/apis/infra.example.com/v9",
        "/none",
    ];
    let aggregated = ["/api", "/apis"].map(|path| get(path).accepting(AGGREGATED));
    let old = get("/apis").accepting("application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList");
    compare(&mut both, paths.into_iter().map(get).chain(aggregated).chain([old]), change).await;
    let [ours, theirs] = both.respond(&get("/version")).await;
    for field in ["major", "minor", "gitVersion"] {
        assert_eq!(ours["body"][field], theirs["body"][field]);
    }
}

#[tokio::test]
async fn open_api() {
    let Some(mut both) = both("openapi").await else { return };
    for version in ["infra.example.com/v1", "infra.example.com/v1alpha1", "cnat.programming-kubernetes.info/v1alpha1"] {
        let step = get(format!("/openapi/v3/apis/{version}"));
        // The real server builds its documents in the background.
        while both.respond(&step).await[1]["code"] != 200 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        compare(&mut both, [step], |_| {}).await;
    }
    let [ours, theirs] = both.respond(&get("/openapi/v3")).await;
    for path in ours["body"]["paths"].as_object().unwrap().keys() {
        assert!(theirs["body"]["paths"][path].is_object(), "{path}");
    }
}

fn machine(name: &str) -> Value {
    json!({
        "apiVersion": "infra.example.com/v1", "kind": "VirtualMachine",
        "metadata": { "name": name, "labels": { "app": name, "tier": "web" } },
        "spec": {
            "cpu": 1, "memory": "1Gi", "image": "alpine", "replicas": 3,
            "disks": [{ "name": "root", "size": "1Gi", "boot": true }],
        },
    })
}

/// Replaces times and ages, which depend on when a request is processed.
fn hide_ages(responses: &mut [Value; 2]) {
    fn hide(value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(hide),
            Value::Object(members) => members.values_mut().for_each(hide),
            Value::String(text) => {
                let number = text.strip_suffix('s').filter(|number| !number.is_empty());
                let is_time = text.len() == "2024-01-01T00:00:00Z".len() && text.ends_with('Z');
                if is_time || number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
                    *value = "<time>".into();
                }
            }
            _ => {}
        }
    }
    responses.iter_mut().for_each(hide);
}

#[tokio::test]
async fn tables_of_custom_resources() {
    let Some(mut both) = both("tables").await else { return };
    let path = "/apis/infra.example.com/v1/namespaces/tables/virtualmachines";
    let mut steps = vec![
        Step::new("POST", path, machine("a")),
        Step::new("POST", path, machine("b")),
        Step::new(
            "PATCH",
            format!("{path}/a/status"),
            json!({ "status": { "replicas": 2, "phase": "Running", "conditions": [
                { "type": "Ready", "status": "True", "reason": "Ready", "message": "", "lastTransitionTime": "2024-01-01T00:00:00Z" },
            ] } }),
        )
        .of_type(MERGE),
    ];
    for query in ["", "?includeObject=None", "?includeObject=Object", "?includeObject=X"] {
        steps.push(get(format!("{path}{query}")).accepting(TABLE));
        steps.push(get(format!("{path}/a{query}")).accepting(TABLE));
    }
    steps.push(get(path.replace("/v1/", "/v1alpha1/")).accepting(TABLE));
    for accept in [
        "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
        "application/json;as=Table;v=v2;g=meta.k8s.io,application/json",
        "application/json;as=Table",
        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        "application/json;as=Foo;v=v1;g=meta.k8s.io",
        "application/vnd.kubernetes.protobuf,application/json",
        "text/html",
    ] {
        steps.push(get(path).accepting(accept));
        // The real server writes failures as protobuf.
        if !accept.contains("protobuf") {
            steps.push(get(format!("{path}/none")).accepting(accept));
        }
    }
    steps.push(get(format!("{path}/a")).accepting("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"));
    let watch = format!("{path}?watch=1&timeoutSeconds=1");
    steps.push(get(watch.clone()).accepting(TABLE));
    steps.push(get(watch).accepting("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"));
    let ats = "/apis/cnat.programming-kubernetes.info/v1alpha1/namespaces/tables/ats";
    let at = json!({
        "apiVersion": "cnat.programming-kubernetes.info/v1alpha1", "kind": "At", "metadata": { "name": "a" },
        "spec": { "schedule": "2030-01-31T12:00:00Z", "command": "echo" },
    });
    steps.push(Step::new("POST", ats, at));
    steps.push(get(ats).accepting(TABLE));
    compare(&mut both, steps, hide_ages).await;
}

#[tokio::test]
async fn tables_of_builtin_kinds() {
    let Some(mut both) = both("kinds").await else { return };
    let template = json!({
        "metadata": { "labels": { "a": "b" } },
        "spec": { "containers": [{ "name": "x", "image": "i" }, { "name": "y", "image": "j" }] },
    });
    let selector = json!({ "matchLabels": { "a": "b" } });
    let workload = json!({ "selector": selector, "template": template });
    let mut job = json!({ "completions": 3, "template": template, "selector": selector, "manualSelector": true });
    job["template"]["spec"]["restartPolicy"] = "Never".into();
    let mut stateful_set = workload.clone();
    stateful_set["serviceName"] = "s".into();
    let mut steps = Vec::new();
    for (api, kind, plural, body) in [
        ("v1", "ConfigMap", "configmaps", json!({ "data": { "a": "b" }, "binaryData": { "c": "AAAA" } })),
        ("v1", "Secret", "secrets", json!({ "type": "Opaque", "data": { "a": "AAAA" } })),
        ("v1", "ServiceAccount", "serviceaccounts", json!({})),
        ("v1", "LimitRange", "limitranges", json!({ "spec": { "limits": [] } })),
        (
            "v1",
            "Service",
            "services",
            json!({ "spec": {
                "type": "ClusterIP", "clusterIP": "None", "clusterIPs": ["None"], "selector": { "a": "b" },
                "ports": [{ "port": 80, "protocol": "TCP", "targetPort": 80 }],
            } }),
        ),
        ("coordination.k8s.io/v1", "Lease", "leases", json!({ "spec": { "holderIdentity": "me" } })),
        ("rbac.authorization.k8s.io/v1", "Role", "roles", json!({ "rules": [] })),
        ("apps/v1", "Deployment", "deployments", json!({ "spec": workload })),
        ("apps/v1", "ReplicaSet", "replicasets", json!({ "spec": workload })),
        ("apps/v1", "DaemonSet", "daemonsets", json!({ "spec": workload })),
        ("apps/v1", "StatefulSet", "statefulsets", json!({ "spec": stateful_set })),
        ("batch/v1", "Job", "jobs", json!({ "spec": job })),
        (
            "v1",
            "Event",
            "events",
            json!({
                "involvedObject": { "kind": "Pod", "name": "p", "namespace": "kinds", "fieldPath": "spec" }, "type": "Normal",
                "reason": "R", "message": " m ", "source": { "component": "c", "host": "h" }, "count": 2,
                "firstTimestamp": "2024-01-01T00:00:00Z", "lastTimestamp": "2025-01-01T00:00:00Z",
            }),
        ),
    ] {
        let root = if api.contains('/') { format!("/apis/{api}") } else { format!("/api/{api}") };
        let path = format!("{root}/namespaces/kinds/{plural}");
        let mut object = body;
        object["apiVersion"] = api.into();
        object["kind"] = kind.into();
        object["metadata"] = json!({ "name": "one" });
        let [ours, theirs] = both.respond(&Step::new("POST", path.clone(), object)).await;
        assert_eq!((&ours["code"], &theirs["code"]), (&json!(201), &json!(201)), "{kind}: {ours} {theirs}");
        steps.push(get(format!("{path}/one?includeObject=None")).accepting(TABLE));
    }
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    for path in ["/api/v1/namespaces/kinds".to_owned(), format!("{definitions}/virtualmachines.infra.example.com")] {
        steps.push(get(format!("{path}?includeObject=None")).accepting(TABLE));
    }
    compare(&mut both, steps, |responses| {
        hide_ages(responses);
        for response in responses {
            // The objects differ in their versions.
            response["body"]["metadata"].take();
        }
    })
    .await;
}

#[tokio::test]
async fn tables_of_pods() {
    let Some(mut both) = both("pods").await else { return };
    let path = "/api/v1/namespaces/pods/pods";
    let container = |name: &str, ready: bool, restarts: i32, state: Value| {
        json!({
            "name": name, "ready": ready, "restartCount": restarts, "image": "i", "imageID": "", "state": state,
            "lastState": { "terminated": { "exitCode": 1, "finishedAt": "2001-01-01T00:00:00Z" } },
        })
    };
    let running = json!({ "running": { "startedAt": "2001-01-01T00:00:00Z" } });
    let ended = |code: i32, reason: &str| json!({ "terminated": { "exitCode": code, "reason": reason } });
    let waiting = |reason: &str| json!({ "waiting": { "reason": reason } });
    let ready = json!([{ "type": "Ready", "status": "True" }, { "type": "Initialized", "status": "True" }]);
    let mut sidecar = container("side", true, 1, running.clone());
    sidecar["started"] = true.into();
    let statuses = [
        json!({ "phase": "Pending" }),
        json!({ "phase": "Running", "podIPs": [{ "ip": "10.0.0.7" }], "conditions": ready, "containerStatuses": [
            container("a", true, 0, running.clone()), container("b", true, 0, running.clone()),
        ] }),
        json!({ "phase": "Running", "containerStatuses": [
            container("a", true, 2, running.clone()), container("b", false, 1, waiting("CrashLoopBackOff")),
        ] }),
        json!({ "phase": "Running", "conditions": ready, "containerStatuses": [
            container("a", false, 0, ended(0, "Completed")), container("b", true, 0, running.clone()),
        ] }),
        json!({ "phase": "Running", "containerStatuses": [
            container("a", false, 0, ended(0, "Completed")), container("b", true, 0, running.clone()),
        ] }),
        json!({ "phase": "Succeeded", "containerStatuses": [container("a", false, 0, ended(0, "Completed"))] }),
        json!({ "phase": "Failed", "reason": "Evicted" }),
        json!({ "phase": "Failed", "containerStatuses": [container("a", false, 0, ended(3, ""))] }),
        json!({ "phase": "Pending", "initContainerStatuses": [container("init", false, 1, waiting("ErrImagePull"))] }),
        json!({ "phase": "Pending", "initContainerStatuses": [
            container("init", false, 0, ended(0, "Completed")), sidecar.clone(), container("last", false, 0, json!({})),
        ] }),
        json!({ "phase": "Pending", "initContainerStatuses": [container("init", false, 2, ended(2, ""))] }),
        json!({ "phase": "Pending", "conditions": [{ "type": "PodScheduled", "status": "False", "reason": "SchedulingGated" }] }),
        json!({ "phase": "Running", "conditions": ready, "initContainerStatuses": [sidecar], "containerStatuses": [
            container("a", true, 1, running.clone()),
        ] }),
    ];
    let mut steps = Vec::new();
    for (at, status) in statuses.into_iter().enumerate() {
        let name = format!("p{at}");
        let containers =
            |names: &[&str]| names.iter().map(|name| json!({ "name": name, "image": "i" })).collect::<Vec<_>>();
        let mut init = containers(&["init", "side", "last"]);
        init[1]["restartPolicy"] = "Always".into();
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name },
            "spec": {
                "containers": containers(&["a", "b"]), "initContainers": init, "nodeName": if at % 2 == 0 { "" } else { "node" },
                "readinessGates": if at == 1 { json!([{ "conditionType": "Ready" }, { "conditionType": "x" }]) } else { json!([]) },
            },
        });
        for step in [
            Step::new("POST", path, pod),
            Step::new("PATCH", format!("{path}/{name}/status"), json!({ "status": status })).of_type(MERGE),
        ] {
            let [ours, theirs] = both.respond(&step).await;
            assert_eq!(ours["code"], theirs["code"], "{ours} {theirs}");
        }
        steps.push(get(format!("{path}/{name}?includeObject=None")).accepting(TABLE));
    }
    compare(&mut both, steps, |responses| {
        hide_ages(responses);
        responses.iter_mut().for_each(|response| drop(response["body"]["metadata"].take()));
    })
    .await;
}

#[tokio::test]
async fn selectors() {
    let Some(mut both) = both("selectors").await else { return };
    let path = "/apis/infra.example.com/v1/namespaces/selectors/virtualmachines";
    let mut steps = vec![Step::new("POST", path, machine("a")), Step::new("POST", path, machine("b"))];
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    for selector in [
        "app=a",
        "app!=a",
        "app",
        "!app",
        "!none",
        "app in (a,b)",
        "app notin (a)",
        "app in (a,b),tier=web",
        "app>1",
        "app=",
        "app in ()",
        "app notin ()",
        "a,,b",
        "a===b",
        "a in (x,-y,-z)",
        "a in x",
        "a in (x y)",
        "a in (x",
        "-a",
        "a/b/c=1",
        "A.b/-c=1",
        "a>x",
        "!a=1",
        "a b",
        "!",
        ",a",
        "a=1,",
        "a=(",
        "a&=1",
        "a=ä",
        "a in (=)",
        "a in (,",
        "in in (in)",
    ] {
        steps.push(get(format!("{path}?labelSelector={}", encode(selector))));
    }
    for selector in [
        "metadata.name=a",
        "metadata.name!=a",
        "metadata.namespace=selectors",
        "metadata.namespace==x",
        "spec.image=alpine",
        "spec.image=alpine,metadata.name=b",
        "status.phase=",
        "status.phase!=",
        "x=1",
        "spec.cpu=1",
        "metadata.name",
        r"metadata.name=\x",
        r"metadata.name=\",
        "metadata.name=a=b",
        ",",
        "=",
        "x=",
        "b=1,a=1",
        r"spec.image=a\,b",
    ] {
        steps.push(get(format!("{path}?fieldSelector={}", encode(selector))));
    }
    for (collection, selector) in [
        ("/api/v1/namespaces/selectors/pods", "x=1"),
        ("/api/v1/namespaces/selectors/pods", "spec.host=1,status.podIPs=,spec.hostNetwork=true"),
        ("/api/v1/namespaces/selectors/configmaps", "x=1"),
        ("/api/v1/namespaces", "x=1"),
        ("/api/v1/namespaces", "metadata.namespace=a"),
        ("/api/v1/namespaces", "status.phase=Active,metadata.name=selectors,metadata.name!=selectors"),
        ("/api/v1/namespaces/selectors/secrets", "type=a,x=1"),
        ("/api/v1/namespaces/selectors/events", "involvedObject.kind=a,regarding.kind=b"),
        ("/apis/events.k8s.io/v1/namespaces/selectors/events", "regarding.kind=a,involvedObject.kind=b"),
        ("/api/v1/namespaces/selectors/services", "spec.type=a,spec.x=1"),
        ("/api/v1/nodes", "metadata.namespace=x"),
        ("/apis/batch/v1/namespaces/selectors/jobs", "status.successful=1,x=1"),
        ("/apis/resource.k8s.io/v1/resourceslices", "spec.driver=a,x=1"),
        ("/apis/apps/v1/namespaces/selectors/replicasets", "status.replicas=1"),
        ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "x=1"),
        ("/apis/certificates.k8s.io/v1/certificatesigningrequests", "spec.signerName=a,metadata.namespace=b"),
    ] {
        steps.push(get(format!("{collection}?fieldSelector={}", encode(selector))));
    }
    compare(&mut both, steps, |_| {}).await;
}

#[tokio::test]
async fn names_and_metadata() {
    let Some(mut both) = both("metadata").await else { return };
    let mut steps = Vec::new();
    for (path, kind, names) in [
        ("/api/v1/namespaces", "Namespace", &["A.b", "a.b", "-"] as &[&str]),
        ("/api/v1/namespaces/metadata/configmaps", "ConfigMap", &["A_b", "-", "a.b-"]),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/metadata/roles", "Role", &["a:B%/", "..", "A b"]),
    ] {
        let version = if kind == "Role" { "rbac.authorization.k8s.io/v1" } else { "v1" };
        for name in names {
            let object =
                json!({ "apiVersion": version, "kind": kind, "metadata": { "name": name, "labels": { "-": "-" } } });
            steps.push(Step::new("POST", format!("{path}?dryRun=All"), object));
        }
    }
    let path = "/apis/infra.example.com/v1/namespaces/metadata/virtualmachines";
    steps.push(Step::new("POST", path, machine("a")));
    for metadata in [
        json!({ "labels": { "-a": "-b", "-c": "-b" }, "uid": null, "finalizers": ["-a"] }),
        json!({ "finalizers": ["a b", "orphan", "foregroundDeletion"] }),
        json!({ "ownerReferences": [{ "apiVersion": "v1", "kind": "Event", "name": "", "uid": "" }], "annotations": { "-x": "" } }),
        json!({ "deletionGracePeriodSeconds": 5, "generateName": "-%-" }),
        json!({ "annotations": { "large": "x".repeat(262_145) } }),
        json!({ "finalizers": ["plain", "a.b", "example.com/x"] }),
        json!({ "finalizers": ["plain", "other"] }),
    ] {
        let patch = json!({ "metadata": metadata });
        steps.push(Step::new("PATCH", format!("{path}/a?dryRun=All"), patch).of_type(MERGE));
    }
    compare(&mut both, steps, |_| {}).await;
}

#[tokio::test]
async fn data_is_up_to_date() {
    let Some(plane) = ControlPlane::shared() else { return };
    let read = |path| fs::read_to_string(path).unwrap();
    assert!(resources::lines(plane).await.unwrap() == read(resources::path()), "run the program `server_data`");
    assert!(openapi::template(plane).await.unwrap() == read(openapi::path()), "run the program `server_data`");
}

/// Returns a definition with a column for each type and path.
fn definition_with_columns(columns: &[(&str, &str)]) -> Value {
    let columns = columns.iter().enumerate();
    let columns =
        columns.map(|(at, (type_, path))| json!({ "name": format!("C{at}"), "type": type_, "jsonPath": path }));
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "columns.differential.example.com" },
        "spec": {
            "group": "differential.example.com",
            "names": { "kind": "Column", "plural": "columns" },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "properties": { "spec": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
                } },
                "additionalPrinterColumns": columns.collect::<Vec<_>>(),
            }],
        },
    })
}

#[tokio::test]
async fn cells() {
    const PATHS: [&str; 43] = [
        ".spec.text",
        ".spec.integer",
        ".spec.float",
        ".spec.large",
        ".spec.flag",
        ".spec.null",
        ".spec.object",
        ".spec.list",
        ".spec.time",
        ".spec.none",
        ".spec.text.none",
        ".spec.list[0].n",
        ".spec.list[-1].n",
        ".spec.list[5].n",
        ".spec.list[1:].n",
        ".spec.list[:2].n",
        ".spec.list[::2].n",
        ".spec.list[2:1].n",
        ".spec.list[1:1].n",
        ".spec.list[*].n",
        ".spec.list[].n",
        ".spec.list[2,0].n",
        ".spec.list.*.n",
        ".spec.object.*",
        ".spec.text[0]",
        ".spec.null.x",
        ".spec.null[0]",
        ".spec.list[?(@.n==2)].t",
        ".spec.list[?(@.n>1)].t",
        ".spec.list[?(@.n!=1)].t",
        ".spec.list[?(@.t=='b')].n",
        ".spec.list[?(@.t==1)].n",
        ".spec.list[?(@.x)].n",
        ".spec.list[?(@.y)].n",
        ".spec.object[?(@.a)]",
        "..deep",
        ".spec['a\\.b']",
        ".spec.a\\.b",
        ".spec.list[?(@.n<=1.5)].t",
        ".spec.text}{.spec.flag",
        ".spec.text}{.spec.list[9]",
        ".spec 'x'",
        ".spec.list[?(@.f==true)].n",
    ];
    let types = ["string", "integer", "number", "boolean", "date"];
    let columns: Vec<_> = PATHS.iter().flat_map(|path| types.map(|type_| (type_, *path))).collect();
    let Some(mut both) = Both::with_namespace("cells").await else { return };
    let Some(plane) = ControlPlane::shared() else { return };
    let definition = definition_with_columns(&columns);
    let verdict = plane.install(&definition).await;
    assert!(verdict.accepted, "{verdict}");
    both.define(definition).await;
    let path = "/apis/differential.example.com/v1/namespaces/cells/columns";
    let object = json!({
        "apiVersion": "differential.example.com/v1", "kind": "Column", "metadata": { "name": "a" },
        "spec": {
            "text": "abc", "integer": 3, "float": 2.5, "large": 12_345_678.0, "flag": true, "null": null, "object": { "a": "<" },
            "list": [{ "n": 1, "t": "a", "f": true }, { "n": 2, "t": "b", "x": {} }, { "n": 3, "t": "c" }],
            "time": "2000-01-01T00:00:00Z", "deep": { "deep": 7 }, "a.b": "dots",
        },
    });
    let created = both.respond(&Step::new("POST", path, object)).await;
    assert_eq!(created[0]["code"], 201, "{}", created[0]);
    let [ours, theirs] =
        both.respond(&get(path).accepting(TABLE)).await.map(|it| it["body"]["rows"][0]["cells"].clone());
    let mut differences = Vec::new();
    for (at, (type_, path)) in columns.iter().enumerate() {
        let (ours, theirs) = (&ours[at + 1], &theirs[at + 1]);
        if ours != theirs {
            differences.push(format!("{path} ({type_})\n  ours: {ours}\n  real: {theirs}"));
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}
