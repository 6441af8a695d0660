//! Subresources of Pods, and requests of certificates.

use crdkit_api_server::ApiServer;
use k8s_openapi::ByteString;
use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    example::{MERGE, TABLE, compare, get, hide_times},
};

const STRATEGIC: &str = "application/strategic-merge-patch+json";
const REQUEST: &str = include_str!("../../../api-server/src/validation/builtin/certificates/request.pem");

fn pods(namespace: &str) -> String {
    format!("/api/v1/namespaces/{namespace}/pods")
}

fn pod(name: &str, spec: Value) -> Value {
    let mut pod = json!({
        "metadata": { "name": name, "labels": { "app": name } },
        "spec": { "containers": [{ "name": "main", "image": "image:1" }] },
    });
    pod["spec"].as_object_mut().unwrap().extend(spec.as_object().cloned().unwrap_or_default());
    pod
}

fn post(path: impl Into<String>, body: Value) -> Step {
    Step::new("POST", path, body)
}

fn merge(path: impl Into<String>, body: Value) -> Step {
    Step::new("PATCH", path, body).of_type(MERGE)
}

fn strategic(path: impl Into<String>, body: Value) -> Step {
    Step::new("PATCH", path, body).of_type(STRATEGIC)
}

/// Replaces the name of the real server's program.
fn hide_times_and_programs(responses: &mut [Value; 2]) {
    fn rename(value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(rename),
            Value::Object(members) => members.values_mut().for_each(rename),
            Value::String(text) if text == "control-plane" => *value = "kube-apiserver".into(),
            _ => {}
        }
    }
    responses.iter_mut().for_each(rename);
    hide_times(responses);
}

async fn both(namespace: &str) -> Option<Both> {
    Both::with_server(&ApiServer::new(), namespace, &[]).await
}

#[tokio::test]
async fn pods_are_evicted() {
    let namespace = "evictions";
    let Some(mut both) = both(namespace).await else { return };
    let pods = pods(namespace);
    let web = format!("{pods}/web/eviction");
    let eviction = |options: Value| json!({ "metadata": { "name": "web" }, "deleteOptions": options });
    let steps = [
        post(&pods, pod("web", json!({}))),
        post(&web, json!({ "metadata": { "name": "other" } })),
        post(&web, json!({})),
        post(&web, json!({ "metadata": { "name": "web", "namespace": "other" } })),
        post(format!("{pods}/none/eviction"), json!({ "metadata": { "name": "none" } })),
        post("/api/v1/namespaces/none/pods/web/eviction", json!({ "metadata": { "name": "web" } })),
        post(&web, json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web" } })),
        post(&web, eviction(json!({ "gracePeriodSeconds": "x" }))),
        post(format!("{web}?fieldValidation=Strict"), eviction(json!({ "grace": 1 }))),
        post(&web, eviction(json!({ "preconditions": { "uid": "other" } }))),
        post(&web, eviction(json!({ "preconditions": { "resourceVersion": "1" } }))),
        post(&web, eviction(json!({ "ignoreStoreReadErrorWithClusterBreakingPotential": true }))),
        post(format!("{web}?dryRun=All"), eviction(json!({}))),
        post(&web, eviction(json!({ "dryRun": ["All"] }))),
        post(format!("{web}?dryRun=All"), eviction(json!({ "dryRun": ["All", "All"] }))),
        get(&web),
        Step::new("DELETE", &web, Value::Null),
        get(format!("{pods}/web")),
        post(&web, eviction(json!({}))),
        get(format!("{pods}/web")),
        // A Pod with a node waits.
        post(&pods, pod("web", json!({ "nodeName": "node" }))),
        post(&web, eviction(json!({ "gracePeriodSeconds": 5 }))),
        get(format!("{pods}/web")),
        post(&web, eviction(json!({ "gracePeriodSeconds": 0 }))),
        get(format!("{pods}/web")),
    ];
    compare(&mut both, steps, hide_times).await;
}

#[tokio::test]
async fn evictions_respect_budgets() {
    let namespace = "budgets";
    let Some(mut both) = both(namespace).await else { return };
    let pods = pods(namespace);
    let budgets = format!("/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets");
    let budget = |name: &str| json!({ "metadata": { "name": name }, "spec": { "minAvailable": 1, "selector": { "matchLabels": { "app": "web" } } } });
    let of_pod = |phase: &str, ready: &str| {
        let conditions = json!([{ "type": "Ready", "status": ready }]);
        merge(format!("{pods}/web/status"), json!({ "status": { "phase": phase, "conditions": conditions } }))
    };
    let of_budget = |status: Value| merge(format!("{budgets}/one/status"), json!({ "status": status }));
    let counts = |allowed: i64, healthy: i64, desired: i64| {
        of_budget(json!({
            "observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": healthy, "desiredHealthy": desired,
            "expectedPods": 2,
        }))
    };
    let condition = |reason: &str| {
        let condition = json!({
            "type": "DisruptionAllowed", "status": "False", "reason": reason, "message": "why",
            "lastTransitionTime": "2030-01-01T00:00:00Z",
        });
        of_budget(json!({ "conditions": [condition] }))
    };
    let evict = || post(format!("{pods}/web/eviction"), json!({ "metadata": { "name": "web" } }));
    let steps = [
        post(&pods, pod("web", json!({ "nodeName": "node" }))),
        post(&budgets, budget("one")),
        of_pod("Running", "True"),
        evict(),
        counts(0, 1, 1),
        evict(),
        condition("SyncFailed"),
        evict(),
        condition("InsufficientPods"),
        evict(),
        counts(0, 2, 1),
        evict(),
        of_budget(json!({ "conditions": null })),
        evict(),
        post(&budgets, budget("two")),
        evict(),
        Step::new("DELETE", format!("{budgets}/two"), Value::Null),
        counts(1, 2, 1),
        post(format!("{pods}/web/eviction?dryRun=All"), json!({ "metadata": { "name": "web" } })),
        get(format!("{budgets}/one")),
        evict(),
        get(format!("{budgets}/one")),
        get(format!("{pods}/web")),
        // What is deleted already, or does not run, disturbs nothing.
        evict(),
        Step::new("DELETE", format!("{pods}/web?gracePeriodSeconds=0"), Value::Null),
        post(&pods, pod("web", json!({}))),
        of_pod("Running", "False"),
        counts(0, 1, 2),
        evict(),
        counts(0, 2, 2),
        evict(),
        get(format!("{pods}/web")),
        get(format!("{budgets}/one")),
        post(&pods, pod("web", json!({}))),
        evict(),
        get(format!("{pods}/web")),
    ];
    compare(&mut both, steps, hide_times_and_programs).await;
}

#[tokio::test]
async fn pods_are_bound() {
    let namespace = "bindings";
    let Some(mut both) = both(namespace).await else { return };
    let pods = pods(namespace);
    let bindings = format!("/api/v1/namespaces/{namespace}/bindings");
    let web = format!("{pods}/web/binding");
    let binding = |metadata: Value, target: Value| {
        let mut binding = json!({ "metadata": metadata, "target": target });
        binding["metadata"]["name"] = "web".into();
        binding
    };
    let node = || json!({ "apiVersion": "v1", "kind": "Node", "name": "one" });
    let metadata = json!({ "annotations": { "a": "b" }, "labels": { "app": "bound", "zone": "x" } });
    let steps = [
        post(&pods, pod("web", json!({}))),
        post(&web, json!({ "metadata": { "name": "other" }, "target": node() })),
        post(&web, binding(json!({}), json!({}))),
        post(&web, binding(json!({}), json!({ "kind": "Pod", "name": "a" }))),
        post(&web, binding(json!({}), json!({ "name": "A_" }))),
        post(&web, binding(json!({ "uid": "other" }), node())),
        post(&web, binding(json!({ "resourceVersion": "1" }), node())),
        post(&bindings, binding(json!({ "resourceVersion": "1" }), node())),
        post(format!("{pods}/none/binding"), json!({ "metadata": { "name": "none" }, "target": node() })),
        post(format!("{web}?dryRun=All"), binding(json!({}), node())),
        get(format!("{pods}/web")),
        post(&web, binding(metadata, node())),
        get(format!("{pods}/web")),
        post(&web, binding(json!({}), node())),
        get(&web),
        Step::new("DELETE", format!("{pods}/web"), Value::Null),
        post(&web, binding(json!({}), node())),
        Step::new("DELETE", format!("{pods}/web?gracePeriodSeconds=0"), Value::Null),
        post(&pods, pod("web", json!({ "schedulingGates": [{ "name": "a" }] }))),
        post(&web, binding(json!({}), node())),
        merge(format!("{pods}/web"), json!({ "spec": { "schedulingGates": null } })),
        post(&bindings, binding(json!({ "uid": "other" }), node())),
        get(format!("{pods}/web")),
        get(&bindings),
        get("/api/v1/bindings"),
        get(format!("{bindings}/web")),
        post("/api/v1/bindings", binding(json!({}), node())),
    ];
    // The version of an object is in a message.
    let hide = |responses: &mut [Value; 2]| {
        for response in responses.iter_mut() {
            if let Some((start, _)) = response["body"]["message"].as_str().and_then(|it| it.split_once("object meta: "))
            {
                response["body"]["message"] = start.into();
            }
        }
        hide_times(responses);
    };
    compare(&mut both, steps, hide).await;
}

#[tokio::test]
async fn nodes_do_not_answer() {
    let namespace = "connections";
    let Some(mut both) = both(namespace).await else { return };
    let pods = pods(namespace);
    let two = json!({
        "initContainers": [{ "name": "init", "image": "i" }],
        "containers": [{ "name": "a", "image": "a" }, { "name": "b", "image": "b" }],
    });
    let node = |name: &str| json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name } });
    let service = json!({ "metadata": { "name": "web" }, "spec": { "clusterIP": "None", "selector": { "app": "web" }, "ports": [{ "port": 80 }] } });
    let mut steps = vec![
        post(&pods, pod("one", json!({}))),
        post(&pods, pod("two", two)),
        post(&pods, pod("lost", json!({ "nodeName": "connections-none" }))),
        post(&pods, pod("bound", json!({ "nodeName": "connections-node" }))),
        post("/api/v1/nodes", node("connections-node")),
        post(format!("/api/v1/namespaces/{namespace}/services"), service),
        post(format!("{pods}/one/log"), json!({})),
        get(format!("{pods}/one/log?tailLines=-1&limitBytes=0&sinceSeconds=0")),
        get(format!("{pods}/one/log?tailLines=x")),
        get(format!("{pods}/one/exec/other")),
        get(format!("{pods}/one/other")),
        get(format!("/api/v1/namespaces/{namespace}/services/none/proxy")),
        get(format!("/api/v1/namespaces/{namespace}/services/a:b:c:d/proxy")),
        get(format!("/api/v1/namespaces/{namespace}/services/web:80/proxy/a")),
        get("/api/v1/nodes/none/proxy/"),
        get("/api/v1/nodes/connections-node/proxy/"),
        get(format!("{pods}/a:b:c:d/proxy")),
        get(format!("{pods}/http:one:80/proxy/a/b")),
    ];
    for name in ["one", "two", "lost", "bound", "none"] {
        let paths =
            ["log", "log?container=init", "log?container=other", "exec?command=ls", "attach", "portforward", "proxy/"];
        steps.extend(paths.iter().map(|path| get(format!("{pods}/{name}/{path}"))));
        steps
            .extend(["exec?container=a", "portforward"].map(|path| post(format!("{pods}/{name}/{path}"), Value::Null)));
    }
    compare(&mut both, steps, hide_times).await;
}

/// The difference in Go's form is in no message here.
fn without_differences(responses: &mut [Value; 2]) {
    fn shorten(value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(shorten),
            Value::Object(members) => members.values_mut().for_each(shorten),
            Value::String(text) => {
                if let Some((start, _)) = text.split_once("may not be changed\n") {
                    *value = start.into();
                }
            }
            _ => {}
        }
    }
    responses.iter_mut().for_each(shorten);
    hide_times(responses);
}

#[tokio::test]
async fn ephemeral_containers_are_added() {
    let namespace = "ephemeral-containers";
    let Some(mut both) = both(namespace).await else { return };
    let pods = pods(namespace);
    let path = format!("{pods}/web/ephemeralcontainers");
    let add = |containers: Value| strategic(&path, json!({ "spec": { "ephemeralContainers": containers } }));
    let set = |containers: Value| merge(&path, json!({ "spec": { "ephemeralContainers": containers } }));
    let one = json!({ "name": "one", "image": "tools", "targetContainerName": "main", "stdin": true });
    let refused = json!({
        "name": "x", "image": "tools", "ports": [{ "containerPort": 1 }], "resources": { "limits": { "cpu": "1" } },
        "livenessProbe": { "httpGet": { "port": 1 } }, "lifecycle": { "preStop": { "exec": { "command": ["a"] } } },
    });
    let steps = [
        post(&pods, pod("web", json!({}))),
        get(&path),
        merge(&path, json!({ "metadata": { "labels": { "x": "y" } }, "spec": { "hostname": "other" } })),
        add(json!([one])),
        add(json!([{ "name": "two", "image": "tools" }])),
        get(format!("{pods}/web")),
        set(json!([])),
        set(json!([{ "name": "two", "image": "tools" }])),
        add(json!([{ "name": "one", "image": "other" }])),
        add(json!([{ "name": "main", "image": "tools" }])),
        add(json!([{ "name": "three", "image": "tools", "targetContainerName": "none" }])),
        add(json!([{ "name": "Three" }])),
        add(json!([refused])),
        merge(format!("{pods}/none/ephemeralcontainers"), json!({})),
        post(&path, json!({})),
        post(&pods, pod("other", json!({ "ephemeralContainers": [{ "name": "one", "image": "tools" }] }))),
    ];
    compare(&mut both, steps, without_differences).await;
}

#[tokio::test]
async fn pods_are_resized() {
    let namespace = "resizes";
    let Some(mut both) = both(namespace).await else { return };
    let pods = pods(namespace);
    let path = format!("{pods}/web/resize");
    let containers = |resources: Value| json!([{ "name": "main", "image": "image:1", "resources": resources }]);
    let resize = |resources: Value| {
        strategic(&path, json!({ "spec": { "containers": [{ "name": "main", "resources": resources }] } }))
    };
    let steps = [
        post(
            &pods,
            pod("web", json!({ "containers": containers(json!({ "requests": { "cpu": "1", "memory": "1Gi" } })) })),
        ),
        get(&path),
        resize(json!({ "requests": { "cpu": "1500m" } })),
        resize(json!({ "limits": { "cpu": "2" } })),
        resize(json!({ "requests": { "cpu": "3" } })),
        resize(json!({ "requests": { "ephemeral-storage": "1Gi" } })),
        merge(&path, json!({ "spec": { "containers": containers(json!({ "requests": { "cpu": "1" } })) } })),
        merge(&path, json!({ "spec": { "containers": containers(json!({})) } })),
        merge(&path, json!({ "spec": { "containers": [{ "name": "other", "image": "image:1" }] } })),
        strategic(&path, json!({ "metadata": { "labels": { "x": "y" } }, "spec": { "hostname": "other" } })),
        get(format!("{pods}/web")),
        merge(format!("{pods}/none/resize"), json!({})),
    ];
    compare(&mut both, steps, hide_times).await;
}

#[tokio::test]
async fn certificates_are_requested_and_approved() {
    const PATH: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let Some(mut both) = both("approved-requests").await else { return };
    let bytes = |text: &str| json!(ByteString(text.as_bytes().to_vec()));
    let request = |name: &str, change: Value| {
        let mut spec =
            json!({ "signerName": "example.com/signer", "usages": ["client auth"], "request": bytes(REQUEST) });
        spec.as_object_mut().unwrap().extend(change.as_object().cloned().unwrap_or_default());
        post(PATH, json!({ "metadata": { "name": name }, "spec": spec }))
    };
    let one = format!("{PATH}/request-one");
    let condition = |kind: &str, status: &str| json!({ "type": kind, "status": status, "reason": "why" });
    let conditions = |conditions: Value| json!({ "status": { "conditions": conditions } });
    let approve = |list: Value| merge(format!("{one}/approval"), conditions(list));
    let set_status = |status: Value| merge(format!("{one}/status"), json!({ "status": status }));
    let approved = || condition("Approved", "True");
    let damaged = REQUEST.replacen("MIHM", "MIHN", 1);
    let certificate = bytes("-----BEGIN CERTIFICATE-----\nMAA=\n-----END OTHER-----\n");
    let steps = [
        request("invalid", json!({ "request": bytes("none"), "usages": [], "signerName": "" })),
        request("invalid", json!({ "request": bytes(&damaged) })),
        request("invalid", json!({ "request": bytes(&REQUEST.replace("CERTIFICATE REQUEST", "CERTIFICATE")) })),
        request("invalid", json!({ "request": null })),
        request("invalid", json!({ "request": "%%" })),
        request("invalid", json!({ "usages": ["any", "any", "other"], "expirationSeconds": 599 })),
        request("invalid", json!({ "signerName": "kubernetes.io/legacy-unknown" })),
        request("invalid", json!({ "signerName": "a" })),
        request("invalid", json!({ "signerName": "a/b" })),
        request("invalid", json!({ "signerName": "A.b/c" })),
        request("invalid", json!({ "signerName": "a.b/C" })),
        request("request-one", json!({ "username": "other", "groups": ["other"], "expirationSeconds": 600 })),
        get(&one),
        get(&one).accepting(TABLE),
        merge(&one, json!({ "metadata": { "labels": { "a": "b" } }, "spec": { "signerName": "example.com/other" } })),
        merge(&one, conditions(json!([approved()]))),
        set_status(json!({ "conditions": [approved()] })),
        set_status(json!({ "conditions": [condition("Other", "False")] })),
        approve(json!([condition("Approved", "False")])),
        approve(json!([approved(), condition("Denied", "True")])),
        approve(json!([approved(), approved()])),
        approve(json!([condition("", "True"), { "type": "x" }])),
        merge(
            format!("{one}/approval"),
            json!({ "status": { "certificate": bytes("x"), "conditions": [approved()] } }),
        ),
        get(&one).accepting(TABLE),
        approve(json!([])),
        approve(json!([approved(), condition("Other", "False")])),
        set_status(json!({ "certificate": bytes("x") })),
        set_status(json!({ "certificate": certificate })),
        set_status(json!({ "conditions": [approved(), condition("Failed", "False")] })),
        set_status(json!({ "conditions": [approved(), condition("Failed", "True")] })),
        Step::new("PUT", format!("{one}/approval"), json!({ "metadata": { "name": "other" } })),
        post(format!("{one}/approval"), json!({})),
        get(format!("{one}/approval")),
        get(format!("{PATH}?fieldSelector=spec.signerName%3Dexample.com/none")),
        merge(format!("{PATH}/none/approval"), json!({})),
        Step::new("DELETE", &one, Value::Null),
    ];
    compare(&mut both, steps, hide_times).await;
}

#[tokio::test]
async fn components_have_a_status() {
    const PATH: &str = "/api/v1/componentstatuses";
    let Some(mut both) = both("components").await else { return };
    // The real server lists them in random order.
    let sort = |responses: &mut [Value; 2]| {
        for response in responses {
            if let Some(items) = response.pointer_mut("/body/items").and_then(Value::as_array_mut) {
                items.sort_by_key(|item| item["metadata"]["name"].to_string());
            }
        }
    };
    let steps = [
        get(PATH),
        get(format!("{PATH}/scheduler")),
        get(format!("{PATH}/etcd-0")).accepting(TABLE),
        get(format!("{PATH}/none")),
        get(format!("{PATH}?fieldSelector=metadata.name%3Dscheduler")),
        post(PATH, json!({})),
        Step::new("DELETE", format!("{PATH}/scheduler"), Value::Null),
    ];
    compare(&mut both, steps, sort).await;
}
