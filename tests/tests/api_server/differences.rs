//! The table of differences from a cluster: each row has requests to which the servers respond differently.

use std::{collections::BTreeSet, pin::Pin, time::Duration};

use crdkit_api_server::ApiServer;
use crdkit_tests::{ControlPlane, Request, YAML};
use serde_json::{Value, json};
use tokio::time::timeout;
use tower::ServiceExt;

use crate::{
    both::{Both, Step},
    definition::{GROUP, definition, widgets},
    example::get,
    step::Body,
};

mod served;

const TABLE: &str = include_str!("../../../api-server/src/differences.md");
const NAMESPACE: &str = "differences";
/// The time of one case.
const LIMIT: Duration = Duration::from_secs(30);
const APPLY: &str = "application/apply-patch+yaml";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

enum Case {
    /// Requests, of which one has different responses.
    Steps(fn() -> Vec<Step>),
    /// Returns whether the servers differ.
    Own(fn(&'static ControlPlane) -> Pin<Box<dyn Future<Output = bool>>>),
    /// The difference is one from programs that the control plane of the tests lacks. Returns whether the server in the process
    /// does what the table describes.
    OtherPrograms(fn() -> Pin<Box<dyn Future<Output = bool>>>),
}

fn post(path: &str, api_version: &str, kind: &str, mut object: Value) -> Vec<Step> {
    object["apiVersion"] = api_version.into();
    object["kind"] = kind.into();
    object["metadata"] = json!({ "name": "one" });
    vec![Step::new("POST", path.replace("NS", NAMESPACE), object)]
}

fn widget(group: &str, metadata: Value) -> Value {
    json!({ "apiVersion": format!("{group}/v1"), "kind": "Widget", "metadata": metadata, "spec": { "zone": "a" } })
}

/// The definition of widgets in another group.
fn definition_in(group: &str) -> Value {
    let mut definition = definition();
    definition["spec"]["group"] = group.into();
    definition["metadata"]["name"] = format!("widgets.{group}").into();
    definition
}

fn cases() -> Vec<(&'static str, Case)> {
    vec![
        (
            "Kubernetes' own kinds",
            Case::Steps(|| {
                let path = "/apis/storage.k8s.io/v1/volumeattachments";
                post(path, "storage.k8s.io/v1", "VolumeAttachment", json!({ "spec": {} }))
            }),
        ),
        (
            "defaults of Kubernetes' own kinds",
            Case::Steps(|| {
                let containers = json!([{ "name": "a", "image": "b" }]);
                let spec = json!({ "resources": { "limits": { "cpu": "1" } }, "containers": containers });
                post("/api/v1/namespaces/NS/pods?dryRun=All", "v1", "Pod", json!({ "spec": spec }))
            }),
        ),
        (
            "empty lists of Kubernetes' own kinds",
            Case::Steps(|| {
                let path = "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles?dryRun=All";
                post(path, "rbac.authorization.k8s.io/v1", "Role", json!({ "rules": [] }))
            }),
        ),
        (
            "messages about changes of Kubernetes' own kinds",
            Case::Steps(|| {
                let path = "/api/v1/namespaces/NS/persistentvolumeclaims";
                let resources = json!({ "requests": { "storage": "1Gi" } });
                let spec = json!({ "accessModes": ["ReadWriteOnce"], "resources": resources });
                let mut steps = post(path, "v1", "PersistentVolumeClaim", json!({ "spec": spec }));
                let change = json!({ "spec": { "accessModes": ["ReadOnlyMany"] } });
                let path = format!("{}/one", path.replace("NS", NAMESPACE));
                steps.push(Step::new("PATCH", path, change).of_type("application/merge-patch+json"));
                steps
            }),
        ),
        ("controllers", Case::OtherPrograms(|| Box::pin(namespaces_stay()))),
        (
            "admission",
            Case::Steps(|| {
                let containers = json!([{ "name": "a", "image": "b" }]);
                let spec = json!({ "spec": { "runtimeClassName": "none", "containers": containers } });
                post("/api/v1/namespaces/NS/pods", "v1", "Pod", spec)
            }),
        ),
        ("authentication", Case::Own(|plane| Box::pin(without_credentials(plane)))),
        ("authorization", Case::Own(|plane| Box::pin(without_rights(plane)))),
        ("default roles", Case::Steps(|| vec![get("/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node")])),
        (
            "`metadata` of reviews of permissions",
            Case::Steps(|| {
                let spec = json!({ "spec": { "resourceAttributes": { "verb": "get", "resource": "pods" } } });
                let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
                post(path, "authorization.k8s.io/v1", "SelfSubjectAccessReview", spec)
            }),
        ),
        ("new definitions", Case::Steps(|| vec![Step::new("POST", DEFINITIONS, definition_in("served.example.com"))])),
        ("media types", Case::Own(|plane| Box::pin(text_in_yaml(plane)))),
        ("compression of responses", Case::Own(|plane| Box::pin(compressed_watches(plane)))),
        ("versions of Kubernetes' own kinds", Case::Steps(served::versions)),
        ("other documents", Case::Own(|plane| Box::pin(served::documents(plane)))),
        ("`storageVersionHash` in discovery", Case::Own(|plane| Box::pin(served::hashes(plane)))),
        ("APIServices", Case::OtherPrograms(|| Box::pin(served::services_have_no_requests()))),
        ("connections of `serve`", Case::Own(|plane| Box::pin(served::connections(plane)))),
        ("tables of reviews of permissions", Case::Steps(served::table_of_a_review)),
        ("Events", Case::OtherPrograms(|| Box::pin(served::events_stay()))),
        ("size of objects", Case::Own(|plane| Box::pin(served::large_objects(plane)))),
        ("logs of Pods, and connections to them", Case::OtherPrograms(|| Box::pin(served::nodes_do_not_answer()))),
        ("empty labels and annotations in an applied configuration", Case::Own(|plane| Box::pin(empty_labels(plane)))),
        (
            "history for watches and lists of earlier versions",
            Case::Steps(|| vec![get(format!("{}?watch=1&resourceVersion=1&timeoutSeconds=1", widgets(NAMESPACE)))]),
        ),
        ("errors of one object", Case::Own(|plane| Box::pin(order_of_errors(plane)))),
        ("UIDs and generated names", Case::Own(|plane| Box::pin(uids(plane)))),
        (
            "errors of malformed YAML",
            Case::Steps(|| {
                let path = format!("{}/a?fieldManager=m", widgets(NAMESPACE));
                vec![Step::new("PATCH", path, Value::Null).of_type(APPLY).with_body(Body::Raw("{".to_owned()))]
            }),
        ),
    ]
}

/// A text with a colon, such as the message of an error, is quoted differently.
async fn text_in_yaml(plane: &'static ControlPlane) -> bool {
    let line = async |client: kube::Client| {
        let object =
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": { "g": "\u{85}é" } });
        let request = Request::post("/api/v1/namespaces/default/configmaps?dryRun=All", object).accept(YAML);
        let bytes = request.open(client).await.unwrap().into_body().collect_bytes().await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        text.lines().find(|line| line.starts_with("  g:")).unwrap().to_owned()
    };
    line(ApiServer::new().kube_client()).await != line(plane.client()).await
}

/// Returns whether only the real server compresses a watch with initial events.
async fn compressed_watches(plane: &'static ControlPlane) -> bool {
    let parameters = "watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
    let mut is_compressed = Vec::new();
    for client in [ApiServer::new().kube_client(), plane.client()] {
        let watch = Request::get(format!("/api/v1/namespaces?{parameters}&timeoutSeconds=1"));
        let response = watch.header("Accept-Encoding", "gzip").open(client).await.unwrap();
        is_compressed.push(response.headers().contains_key("Content-Encoding"));
    }
    is_compressed == [false, true]
}

async fn without_credentials(plane: &'static ControlPlane) -> bool {
    let mut config = plane.config();
    config.auth_info = kube::config::AuthInfo::default();
    let real = kube::Client::try_from(config).unwrap();
    let path = "/api/v1/namespaces";
    let real = Request::get(path).send(real).await.unwrap();
    let embedded = Request::get(path).send(ApiServer::new().kube_client()).await.unwrap();
    real.status >= 400 && embedded.status == 200
}

/// A user without roles.
async fn without_rights(plane: &'static ControlPlane) -> bool {
    let mut config = plane.config();
    config.headers.push(("impersonate-user".parse().unwrap(), "no-roles".parse().unwrap()));
    let real = kube::Client::try_from(config).unwrap();
    let path = "/api/v1/namespaces";
    let real = Request::get(path).send(real).await.unwrap();
    let embedded = ApiServer::new().service().map_request(|mut request: http::Request<kube::client::Body>| {
        request.headers_mut().insert("impersonate-user", http::HeaderValue::from_static("no-roles"));
        request
    });
    let embedded = Request::get(path).send(kube::Client::new(embedded, "default")).await.unwrap();
    real.status == 403 && embedded.status == 200
}

/// Returns whether a deleted namespace is only removed, with the response, if the controller of namespaces is on.
async fn namespaces_stay() -> bool {
    let mut remain = Vec::new();
    for server in [ApiServer::new(), ApiServer::new().with_namespace_deletion()] {
        let send = |request: Request| request.send(server.kube_client());
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "one" } });
        assert!(send(Request::post("/api/v1/namespaces", namespace)).await.unwrap().is_success());
        assert!(send(Request::delete("/api/v1/namespaces/one")).await.unwrap().is_success());
        let found = send(Request::get("/api/v1/namespaces/one")).await.unwrap();
        remain.push(found.is_success() && found.body["status"]["phase"] == "Terminating");
    }
    remain == [true, false]
}

/// Returns clients of both servers, which have the definition of widgets.
async fn clients(plane: &'static ControlPlane, namespace: &str) -> [kube::Client; 2] {
    // This installs the definition.
    Both::with_namespace(namespace).await.expect("there is a control plane");
    let embedded = ApiServer::new().kube_client();
    let created = Request::post(DEFINITIONS, definition()).send(embedded.clone()).await.unwrap();
    assert!(created.is_success(), "{}", created.body);
    [embedded, plane.client()]
}

/// Returns whether only the real server writes the next update of an object with empty labels, although it changes nothing.
async fn empty_labels(plane: &'static ControlPlane) -> bool {
    let path = format!("{}/empty-labels", widgets("default"));
    let version = |body: &Value| body["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let mut is_written = Vec::new();
    for client in clients(plane, "empty-labels").await {
        let configuration = widget(GROUP, json!({ "name": "empty-labels", "labels": {} }));
        let applied =
            Request::apply(format!("{path}?fieldManager=m"), configuration).send(client.clone()).await.unwrap().body;
        let again = Request::patch(&path, "application/merge-patch+json", json!({})).send(client).await.unwrap().body;
        is_written.push(version(&applied) != version(&again));
    }
    is_written == [false, true]
}

/// Returns whether only the real server reports the errors of an object in several orders.
async fn order_of_errors(plane: &'static ControlPlane) -> bool {
    const ATTEMPTS: usize = 100;
    let mut invalid = widget(GROUP, json!({ "name": "a" }));
    invalid["spec"] = json!({ "zone": "q", "replicas": -1, "note": "A", "size": true, "flag": "x" });
    let mut counts = Vec::new();
    for client in clients(plane, "errors").await {
        let mut messages = BTreeSet::new();
        for _ in 0..ATTEMPTS {
            let refused = Request::post(widgets("default"), invalid.clone()).send(client.clone()).await.unwrap();
            assert_eq!(refused.status, 422, "{}", refused.body);
            messages.insert(refused.body["message"].to_string());
            if messages.len() > 1 {
                break;
            }
        }
        counts.push(messages.len());
    }
    counts == [1, 2]
}

/// Returns whether two new servers have the same UIDs, and the real one others.
async fn uids(plane: &'static ControlPlane) -> bool {
    let mut uids = Vec::new();
    for client in [ApiServer::new().kube_client(), ApiServer::new().kube_client(), plane.client()] {
        let namespace = Request::get("/api/v1/namespaces/default").send(client).await.unwrap();
        uids.push(namespace.body["metadata"]["uid"].to_string());
    }
    uids[0] == uids[1] && uids[0] != uids[2]
}

/// Returns the subjects of the table.
fn subjects() -> BTreeSet<&'static str> {
    let rows = TABLE.lines().skip(2).filter_map(|line| line.split('|').nth(1));
    rows.map(str::trim).collect()
}

async fn differs(case: Case, plane: &'static ControlPlane, both: &mut Both) -> bool {
    match case {
        Case::Steps(steps) => {
            let mut differs = false;
            for step in steps() {
                differs |= both.send(&step).await.is_some();
            }
            differs
        }
        Case::Own(differs) => differs(plane).await,
        Case::OtherPrograms(is_true) => is_true().await,
    }
}

#[test]
fn each_row_has_a_case() {
    let cases: BTreeSet<_> = cases().into_iter().map(|(subject, _)| subject).collect();
    assert_eq!(subjects(), cases);
}

#[tokio::test]
async fn each_row_is_a_difference() {
    let Some(plane) = ControlPlane::shared() else { return };
    let Some(mut both) = Both::with_namespace(NAMESPACE).await else { return };
    let mut same = Vec::new();
    for (subject, case) in cases() {
        let differs = timeout(LIMIT, differs(case, plane, &mut both)).await;
        if !differs.unwrap_or_else(|_| panic!("no response: {subject}")) {
            same.push(subject);
        }
    }
    assert!(same.is_empty(), "no longer different: {same:?}");
}
