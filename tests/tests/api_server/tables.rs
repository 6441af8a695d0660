//! Tables and lists of metadata.

use crdkit_tests::ControlPlane;
use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    example::{MERGE, TABLE, both, compare, get, hide_times, machine},
};

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
        steps.push(get(format!("{path}/none")).accepting(accept));
    }
    steps.push(get(format!("{path}/a")).accepting("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"));
    let watch = format!("{path}?watch=true");
    steps.push(get(watch.clone()).accepting(TABLE));
    steps.push(get(watch).accepting("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"));
    let ats = "/apis/cnat.programming-kubernetes.info/v1alpha1/namespaces/tables/ats";
    let at = json!({
        "apiVersion": "cnat.programming-kubernetes.info/v1alpha1", "kind": "At", "metadata": { "name": "a" },
        "spec": { "schedule": "2030-01-31T12:00:00Z", "command": "echo" },
    });
    steps.push(Step::new("POST", ats, at));
    steps.push(get(ats).accepting(TABLE));
    compare(&mut both, steps, hide_times).await;
    // The objects that are there from the start; the events have no limit of time, which a slow machine might miss.
    let difference = both.compare_events("b").await;
    assert!(difference.is_none(), "{}", difference.unwrap());
}

#[tokio::test]
async fn the_first_event_of_a_table_has_columns() {
    let Some(mut both) = both("vanished").await else { return };
    let path = "/api/v1/namespaces/vanished/configmaps";
    let map = |name: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "labels": { "watched": "yes" } } });
    compare(&mut both, [Step::new("POST", path, map("a"))], |_| {}).await;
    let watch = get(format!("{path}?watch=true&labelSelector=watched%3Dyes&resourceVersion=$resourceVersion"));
    // It begins with the removal of an object that no longer matches.
    let unlabeled = json!({ "metadata": { "labels": null } });
    let steps = [
        watch.accepting(TABLE),
        Step::new("PATCH", format!("{path}/a"), unlabeled).of_type(MERGE),
        Step::new("POST", path, map("last")),
    ];
    compare(&mut both, steps, |_| {}).await;
    let difference = both.compare_events("last").await;
    assert!(difference.is_none(), "{}", difference.unwrap());
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
            "batch/v1",
            "CronJob",
            "cronjobs",
            json!({ "spec": { "schedule": "* * * * *", "timeZone": "Etc/UTC", "jobTemplate": { "spec": {
                "template": job["template"],
            } } } }),
        ),
        (
            "v1",
            "PersistentVolumeClaim",
            "persistentvolumeclaims",
            json!({ "spec": {
                "accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeName": "v",
                "resources": { "requests": { "storage": "1Gi" } },
            } }),
        ),
        (
            "networking.k8s.io/v1",
            "Ingress",
            "ingresses",
            json!({ "spec": {
                "ingressClassName": "nginx", "tls": [{ "hosts": ["a.com"] }],
                "defaultBackend": { "service": { "name": "a", "port": { "number": 80 } } },
                "rules": [{ "host": "a.com" }, { "host": "b.com" }, {}, { "host": "c.com" }],
            } }),
        ),
        ("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", json!({ "spec": { "podSelector": selector } })),
        (
            "policy/v1",
            "PodDisruptionBudget",
            "poddisruptionbudgets",
            json!({ "spec": {
            "maxUnavailable": "10%", "selector": selector,
        } }),
        ),
        (
            "rbac.authorization.k8s.io/v1",
            "RoleBinding",
            "rolebindings",
            json!({
                "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r" },
                "subjects": [
                    { "kind": "User", "name": "u", "apiGroup": "rbac.authorization.k8s.io" },
                    { "kind": "ServiceAccount", "name": "s", "namespace": "n" },
                ],
            }),
        ),
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
        hide_times(responses);
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
        hide_times(responses);
        responses.iter_mut().for_each(|response| drop(response["body"]["metadata"].take()));
    })
    .await;
}

/// Returns a definition with a column for each type and path.
fn definition_with_columns(columns: &[(&str, &str)]) -> Value {
    let columns = columns
        .iter()
        .enumerate()
        .map(|(at, (type_, path))| json!({ "name": format!("C{at}"), "type": type_, "jsonPath": path }));
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
