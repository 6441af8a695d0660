//! Requests and responses in protobuf, which Kubernetes' own code encodes and decodes here.

use crdkit_api_server::ApiServer;
use crdkit_oracles::{Oracle, from_hex, to_hex};
use crdkit_tests::{ControlPlane, PROTOBUF, Request};
use http::{Method, Response, header::CONTENT_TYPE};
use kube::client::Body as HttpBody;
use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    definition::{GROUP, widgets},
    example::{compare, get},
    step::Body,
};

const JSON: &str = "application/json";
/// What Go's clients of Kubernetes' own kinds accept.
const PREFERRED: &str = "application/vnd.kubernetes.protobuf,application/json";
const METADATA: &str = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,\
                        application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const METADATA_LIST: &str = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

fn oracle() -> &'static Oracle {
    Oracle::shared().expect("a control plane that was built with Go")
}

pub(crate) fn content_type(response: &Response<HttpBody>) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

pub(crate) fn is_message(content_type: &str) -> bool {
    content_type.starts_with(PROTOBUF)
}

/// Returns the message of a document.
pub(crate) fn message(document: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(document).unwrap();
    from_hex(&oracle().ask(&["encode", text]).unwrap_or_else(|problem| panic!("{text}: {problem}")))
}

/// Returns the object of a message, of which a body has the digits.
pub(crate) fn read(body: &Value) -> Value {
    let text = oracle().ask(&["message", body.as_str().unwrap()]).unwrap_or_else(|problem| panic!("{body}: {problem}"));
    serde_json::from_str(&text).unwrap()
}

/// Returns the event in a frame.
pub(crate) fn event(frame: &[u8]) -> Value {
    let text = oracle().ask(&["event", &to_hex(frame)]).unwrap_or_else(|problem| panic!("{frame:?}: {problem}"));
    serde_json::from_str(&text).unwrap()
}

/// Sends a request as Go's clients do, if its body has a form in protobuf.
pub(crate) fn in_protobuf(step: Step) -> Step {
    let step = match step.accept {
        "application/json" => step.accepting(PREFERRED),
        accept if accept.contains("as=PartialObjectMetadata;") => step.accepting(METADATA),
        _ => step,
    };
    let Body::Json(body) = &step.body else { return step };
    let is_written = matches!(step.method, "POST" | "PUT") && body.is_object();
    let is_own = !step.path.contains(GROUP);
    if is_written && is_own && oracle().ask(&["encode", &body.to_string()]).is_ok() {
        step.of_type(PROTOBUF)
    } else {
        step
    }
}

fn hide_times(responses: &mut [Value; 2]) {
    for response in responses {
        for pointer in ["/body/eventTime", "/body/status/lastTransitionTime"] {
            if let Some(time) = response.pointer_mut(pointer) {
                time.take();
            }
        }
    }
}

fn object(api_version: &str, kind: &str, name: &str, mut members: Value) -> Value {
    members["apiVersion"] = api_version.into();
    members["kind"] = kind.into();
    members["metadata"] = json!({ "name": name, "labels": { "z": "1", "a": "2" }, "annotations": { "a": "<2>" } });
    members
}

fn containers() -> Value {
    json!({
        "metadata": { "labels": { "app": "web" } },
        "spec": { "containers": [{
            "name": "web", "image": "web:1", "ports": [{ "containerPort": 80, "name": "http" }],
            "readinessProbe": { "httpGet": { "port": "http", "path": "/" } },
            "resources": { "requests": { "memory": "1Gi" } }, "args": ["--a"],
        }] },
    })
}

/// The collections and objects of kinds that programs in Go write.
fn objects() -> Vec<(&'static str, Value)> {
    let selector = json!({ "matchLabels": { "app": "web" } });
    let time = "2030-01-01T00:00:00.000001Z";
    vec![
        (
            "/api/v1/namespaces/NS/configmaps",
            object("v1", "ConfigMap", "a", json!({ "data": { "b": "<&>", "a": "é" }, "binaryData": { "x": "AAEC" } })),
        ),
        (
            "/api/v1/namespaces/NS/secrets",
            object("v1", "Secret", "a", json!({ "type": "Opaque", "data": { "b": "", "a": "/w==" } })),
        ),
        (
            "/api/v1/namespaces/NS/services",
            object(
                "v1",
                "Service",
                "a",
                json!({ "spec": { "clusterIP": "None", "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "ports": [{ "name": "w", "port": 80, "targetPort": "http" }, { "name": "x", "port": 81, "targetPort": 8081 }] } }),
            ),
        ),
        (
            "/apis/apps/v1/namespaces/NS/deployments",
            object(
                "apps/v1",
                "Deployment",
                "a",
                json!({ "spec": { "replicas": 0, "selector": selector, "template": containers(), "strategy": { "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": 1 } } } }),
            ),
        ),
        (
            "/apis/coordination.k8s.io/v1/namespaces/NS/leases",
            object(
                "coordination.k8s.io/v1",
                "Lease",
                "a",
                json!({ "spec": { "holderIdentity": "me", "leaseDurationSeconds": 15, "acquireTime": time, "renewTime": time, "leaseTransitions": 0 } }),
            ),
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles",
            object(
                "rbac.authorization.k8s.io/v1",
                "Role",
                "a",
                json!({ "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }] }),
            ),
        ),
        (
            "/apis/policy/v1/namespaces/NS/poddisruptionbudgets",
            object(
                "policy/v1",
                "PodDisruptionBudget",
                "a",
                json!({ "spec": { "minAvailable": "50%", "selector": selector } }),
            ),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_are_written_and_read() {
    const NAMESPACE: &str = "messages";
    let Some(mut both) = Both::with_namespace(NAMESPACE).await else { return };
    let mut steps = Vec::new();
    for (collection, object) in objects() {
        let collection = collection.replace("NS", NAMESPACE);
        let one = format!("{collection}/a");
        let options = json!({ "apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background" });
        let dry_run = json!({ "apiVersion": "v1", "kind": "DeleteOptions", "dryRun": ["All"] });
        let foreign = json!({ "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": { "uid": "other" } });
        let send =
            |method, path: &str, body: Value| Step::new(method, path, body).of_type(PROTOBUF).accepting(PREFERRED);
        steps.extend([
            send("POST", &format!("{collection}?dryRun=All"), object.clone()),
            send("POST", &collection, object.clone()),
            send("POST", &collection, object.clone()),
            get(&one),
            get(&one).accepting(PROTOBUF),
            get(&one).accepting(METADATA),
            get(&collection).accepting(PREFERRED),
            get(&collection).accepting(METADATA_LIST),
            get(&one).accepting(METADATA_LIST),
            get(format!("{collection}?limit=1")).accepting(PROTOBUF),
            get(format!("{collection}/none")).accepting(PROTOBUF),
            get(format!("{collection}?limit=x")).accepting(PROTOBUF),
            get(&one).accepting("application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1"),
            Step::new("PUT", &one, Value::Null)
                .with_body(Body::Changed(json!({ "metadata": { "annotations": { "a": "b" } } })))
                .of_type(PROTOBUF)
                .accepting(PREFERRED),
            send(
                "PUT",
                &one,
                json!({ "apiVersion": object["apiVersion"], "kind": object["kind"], "metadata": { "name": "b" } }),
            ),
            Step::new("PATCH", &one, json!({ "metadata": { "labels": { "c": "d" } } }))
                .of_type("application/merge-patch+json")
                .accepting(PREFERRED),
            send("DELETE", &one, dry_run),
            send("DELETE", &one, foreign),
            send("DELETE", &one, options.clone()),
            send("DELETE", &one, options),
        ]);
    }
    compare(&mut both, steps, hide_times).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subresources_and_reviews_are_written_and_read() {
    const NAMESPACE: &str = "message-subresources";
    let Some(mut both) = Both::with_namespace(NAMESPACE).await else { return };
    let deployments = format!("/apis/apps/v1/namespaces/{NAMESPACE}/deployments");
    let spec = json!({ "spec": { "selector": { "matchLabels": { "app": "web" } }, "template": containers() } });
    let send = |method, path: &str, body: Value| Step::new(method, path, body).of_type(PROTOBUF).accepting(PREFERRED);
    let mut scale = object("autoscaling/v1", "Scale", "a", json!({ "spec": { "replicas": 3 } }));
    scale["metadata"] = json!({ "name": "a", "namespace": NAMESPACE });
    let widget = json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": "a" }, "spec": { "zone": "a" } });
    let attributes = json!({ "namespace": NAMESPACE, "verb": "get", "resource": "pods" });
    let review = json!({ "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": { "resourceAttributes": attributes } });
    let whoami = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview" });
    let steps = [
        send("POST", &deployments, object("apps/v1", "Deployment", "a", spec)),
        get(format!("{deployments}/a/scale")).accepting(PREFERRED),
        send("PUT", &format!("{deployments}/a/scale"), scale.clone()),
        Step::new("PUT", format!("{deployments}/a/status"), Value::Null)
            .with_body(Body::Changed(json!({ "status": { "replicas": 3, "conditions": [{ "type": "Available", "status": "True", "lastUpdateTime": "2030-01-01T00:00:00Z", "lastTransitionTime": "2030-01-01T00:00:00Z" }] } })))
            .of_type(PROTOBUF)
            .accepting(PREFERRED),
        send("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review),
        send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", whoami),
        Step::new("POST", widgets(NAMESPACE), widget).accepting(PREFERRED),
        get(widgets(NAMESPACE)).accepting(PREFERRED),
        get(widgets(NAMESPACE)).accepting(PROTOBUF),
        get(widgets(NAMESPACE)).accepting(METADATA_LIST),
        get(format!("{}/a", widgets(NAMESPACE))).accepting(PROTOBUF),
        get(format!("{}/a", widgets(NAMESPACE))).accepting(METADATA),
        get(format!("{}/none", widgets(NAMESPACE))).accepting(PREFERRED),
        get(format!("{}/a/scale", widgets(NAMESPACE))).accepting(PROTOBUF),
        send("PUT", &format!("{}/a/scale", widgets(NAMESPACE)), scale),
        send("DELETE", &format!("{}/a", widgets(NAMESPACE)), json!({ "apiVersion": "v1", "kind": "DeleteOptions" })),
        get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/none").accepting(PROTOBUF),
        get(format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.{GROUP}")).accepting(PROTOBUF),
        get("/apis/apps").accepting(PROTOBUF),
        get("/version").accepting(PROTOBUF),
    ];
    compare(&mut both, steps, |responses| {
        hide_times(responses);
        for response in responses {
            if response["body"]["kind"] == "CustomResourceDefinition" {
                response["body"]["metadata"].take();
                response["body"]["status"]["conditions"].take();
            }
            // The user of the tests differs.
            if response["body"]["kind"] == "SelfSubjectReview" {
                response["body"]["status"].take();
            }
            if response["body"]["kind"] == "SelfSubjectAccessReview" {
                response["body"]["status"]["reason"].take();
                response["body"]["metadata"].take();
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_messages_are_refused_as_by_the_real_server() {
    const NAMESPACE: &str = "malformed-messages";
    let Some(mut both) = Both::with_namespace(NAMESPACE).await else { return };
    let configs = format!("/api/v1/namespaces/{NAMESPACE}/configmaps");
    let messages = [
        "",
        "abc",
        "k8s\0",
        "k8s\0\x0a\x03",
        "k8s\0\x12\x05abcde",
        "k8s\0\x0a\x07\x0a\x02v1\x12\x01X",
        "k8s\0\x0a\x13\x0a\x07apps/v1\x12\x08Whatever",
        "k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x07\x0a\x05\x0a\x03aaa",
        "k8s\0\x12\x07\x0a\x05\x0a\x03bbb",
        "k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x03\x0a\x05\x0a",
    ];
    let steps = messages.map(|message| {
        let body = Body::Raw(message.to_owned());
        Step::new("POST", configs.as_str(), Value::Null).with_body(body).of_type(PROTOBUF)
    });
    compare(&mut both, steps, |_| {}).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watches_have_frames() {
    const NAMESPACE: &str = "message-watches";
    const END: &str = "the-end";
    let Some(mut both) = Both::with_namespace(NAMESPACE).await else { return };
    let configs = format!("/api/v1/namespaces/{NAMESPACE}/configmaps");
    let initial = "watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
    let config = |name: &str| object("v1", "ConfigMap", name, json!({ "data": { "a": "b" } }));
    let steps = [
        Step::new("POST", &configs, config("a")),
        get(format!("{configs}?watch=true")).accepting("application/vnd.kubernetes.protobuf;stream=watch"),
        get(format!("{configs}?{initial}")).accepting(PREFERRED),
        get(format!("{configs}?watch=true&labelSelector=z%3D1")).accepting(METADATA),
        get(format!("{}?watch=true", widgets(NAMESPACE))).accepting("application/vnd.kubernetes.protobuf;stream=watch"),
        get(format!("{configs}?watch=true&resourceVersion=abc")).accepting(METADATA_LIST),
        Step::new("PATCH", format!("{configs}/a"), json!({ "data": { "c": "d" } }))
            .of_type("application/merge-patch+json"),
        Step::new("PATCH", format!("{configs}/a"), json!({ "metadata": { "labels": null } }))
            .of_type("application/merge-patch+json"),
        Step::new("DELETE", format!("{configs}/a"), Value::Null),
        Step::new("POST", &configs, config(END)),
    ];
    for step in &steps {
        both.wait_for_cache(step).await;
        let difference = both.send(step).await;
        // A watch of a version that is none has another failure.
        if !step.path.contains("abc") {
            assert!(difference.is_none(), "{}", difference.unwrap());
        }
    }
    let difference = both.compare_events(END).await;
    assert!(difference.is_none(), "{}", difference.unwrap());
}

/// Typed clients of client-go, which print the same on both servers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_in_go_write_and_read() {
    let Some(plane) = ControlPlane::shared() else { return };
    let Some(program) = crdkit_oracles::program("typed") else { return };
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("kubeconfig");
    let handle = ApiServer::new().serve(([127, 0, 0, 1], 0)).await.unwrap();
    std::fs::write(&kubeconfig, handle.kubeconfig()).unwrap();
    let run = async |kubeconfig: &std::path::Path| {
        let output = tokio::process::Command::new(&program).arg(kubeconfig).arg("typed").output().await.unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    };
    let kubeconfigs = [kubeconfig, plane.kubeconfig()];
    let (ours, theirs) = tokio::join!(run(&kubeconfigs[0]), run(&kubeconfigs[1]));
    assert!(theirs.0.ends_with("messages: true true\n"), "{theirs:?}");
    assert_eq!(ours, theirs);
}

/// Returns the text of a response without what differs between servers.
fn masked(text: &str) -> String {
    let mut masked = text.to_owned();
    for name in ["uid", "resourceVersion", "creationTimestamp", "time"] {
        let start = format!("\"{name}\":\"");
        let mut parts = masked.split(&start);
        let mut result = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            result += &start;
            result += part.split_once('"').map_or(part, |(_, rest)| rest);
        }
        masked = result;
    }
    masked
}

/// The requests whose responses are compared as texts.
fn requests(namespace: &str) -> Vec<(Method, String, Value, &'static str)> {
    const PARTIAL: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    const PARTIAL_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    let widget = object(
        &format!("{GROUP}/v1"),
        "Widget",
        "a",
        json!({ "spec": { "zone": "a", "note": "a b" }, "status": { "selector": "<a>" } }),
    );
    let mut objects = objects();
    let widgets = widgets(namespace);
    objects.push((&widgets, widget));
    let mut requests = Vec::new();
    for (collection, object) in objects {
        let collection = collection.replace("NS", namespace);
        let one = format!("{collection}/a");
        let watch = format!("{collection}?watch=true&timeoutSeconds=1");
        requests.push((Method::POST, format!("{collection}?dryRun=All"), object.clone(), JSON));
        requests.push((Method::POST, collection.clone(), object.clone(), JSON));
        requests.push((Method::POST, collection.clone(), object, JSON));
        requests.extend(
            [
                (one.clone(), JSON),
                (one.clone(), PARTIAL),
                (collection.clone(), JSON),
                (collection.clone(), PARTIAL_LIST),
                (format!("{collection}?labelSelector=none"), JSON),
                (format!("{collection}/none"), JSON),
                (watch, JSON),
            ]
            .map(|(path, accept)| (Method::GET, path, Value::Null, accept)),
        );
    }
    requests.extend(
        [
            (format!("/apis/apps/v1/namespaces/{namespace}/deployments/a/scale"), JSON),
            (format!("{widgets}/a/scale"), JSON),
            ("/apis/apps".to_owned(), JSON),
            (format!("/apis/{GROUP}"), JSON),
        ]
        .map(|(path, accept)| (Method::GET, path, Value::Null, accept)),
    );
    requests
}

async fn text_of(client: kube::Client, (method, path, body, accept): &(Method, String, Value, &'static str)) -> String {
    let request = if body.is_null() {
        Request::without_body(method.clone(), path)
    } else {
        Request::with_json(method.clone(), path, JSON, body)
    };
    let response = request.accept(*accept).open(client).await.unwrap();
    let bytes = response.into_body().collect_bytes().await.unwrap();
    masked(std::str::from_utf8(&bytes).unwrap())
}

/// JSON is the same text, with the members in the same order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_are_those_of_the_real_server() {
    /// The bytes of a text that are shown from where it differs, and those before.
    const SHOWN: usize = 200;
    const BEFORE: usize = 40;
    const NAMESPACE: &str = "texts";
    let Some(both) = Both::with_namespace(NAMESPACE).await else { return };
    let [embedded, real] = both.clients();
    let mut differences = Vec::new();
    for request in requests(NAMESPACE) {
        let (ours, theirs) = tokio::join!(text_of(embedded.clone(), &request), text_of(real.clone(), &request));
        if ours != theirs {
            let equal = ours.bytes().zip(theirs.bytes()).take_while(|(ours, theirs)| ours == theirs).count();
            let [ours, theirs] = [&ours, &theirs].map(|text| {
                let rest = &text.as_bytes()[equal.saturating_sub(BEFORE)..];
                String::from_utf8_lossy(&rest[..rest.len().min(SHOWN)])
            });
            differences.push(format!("{} {} {}\n  {ours}\n  {theirs}", request.0, request.1, request.3));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
