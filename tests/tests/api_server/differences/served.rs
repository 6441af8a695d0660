//! What only a cluster serves, or serves in another way.

use std::{collections::BTreeSet, time::Duration};

use crdkit_api_server::ApiServer;
use crdkit_tests::{ControlPlane, Request};
use kube::Client;
use serde_json::{Value, json};

use super::{NAMESPACE, post};
use crate::{
    both::Step,
    example::{TABLE, get},
};

/// Returns the resources of Kubernetes' own groups that a server lists, and their subresources.
async fn listed(client: Client) -> BTreeSet<String> {
    const ACCEPT: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let mut found = BTreeSet::new();
    for path in ["/api", "/apis"] {
        let document = Request::get(path).accept(ACCEPT).send(client.clone()).await.unwrap().body;
        for group in document["items"].as_array().into_iter().flatten() {
            let name = group["metadata"]["name"].as_str().unwrap_or_default();
            if name.is_empty() || name.ends_with(".k8s.io") || !name.contains('.') {
                let versions = group["versions"].as_array().into_iter().flatten();
                let resources = versions.flat_map(|version| version["resources"].as_array().into_iter().flatten());
                found.extend(resources.flat_map(names));
            }
        }
    }
    found
}

fn names(resource: &Value) -> Vec<String> {
    let name = resource["resource"].as_str().unwrap();
    let subresources = resource["subresources"].as_array().into_iter().flatten();
    let subresources = subresources.map(|it| format!("{name}/{}", it["subresource"].as_str().unwrap()));
    [name.to_owned()].into_iter().chain(subresources).collect()
}

#[tokio::test]
async fn all_resources_are_served() {
    let Some(plane) = ControlPlane::shared() else { return };
    let (ours, theirs) = (listed(ApiServer::new().kube_client()).await, listed(plane.client()).await);
    let missing: BTreeSet<_> = theirs.difference(&ours).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// An autoscaler of the first version, read in the second one.
pub(super) fn versions() -> Vec<Step> {
    let target = json!({ "kind": "Deployment", "name": "web", "apiVersion": "apps/v1" });
    let spec =
        json!({ "maxReplicas": 3, "minReplicas": 1, "scaleTargetRef": target, "targetCPUUtilizationPercentage": 80 });
    let object = json!({
        "apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": { "name": "versions" }, "spec": spec,
    });
    let path = |version: &str| format!("/apis/autoscaling/{version}/namespaces/{NAMESPACE}/horizontalpodautoscalers");
    vec![Step::new("POST", path("v1"), object), get(format!("{}/versions", path("v2")))]
}

async fn status(client: Client, path: &str) -> u16 {
    Request::get(path).open(client).await.unwrap().status().as_u16()
}

pub(super) async fn documents(plane: &'static ControlPlane) -> bool {
    let ours = status(ApiServer::new().kube_client(), "/metrics").await;
    (ours, status(plane.client(), "/metrics").await) == (404, 200)
}

pub(super) async fn hashes(plane: &'static ControlPlane) -> bool {
    let mut have = Vec::new();
    for client in [ApiServer::new().kube_client(), plane.client()] {
        let list = Request::get("/api/v1").send(client).await.unwrap().body;
        let resources = list["resources"].as_array().unwrap();
        have.push(resources.iter().any(|resource| resource["storageVersionHash"].is_string()));
    }
    have == [false, true]
}

/// Returns whether an APIService is stored, and its group is not served.
pub(super) async fn services_have_no_requests() -> bool {
    let client = ApiServer::new().kube_client();
    let service = json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": { "name": "v1.forwarded.example.com" },
        "spec": {
            "group": "forwarded.example.com", "version": "v1", "groupPriorityMinimum": 1, "versionPriority": 1,
            "service": { "name": "none", "namespace": "default", "port": 443 },
        },
    });
    let services = "/apis/apiregistration.k8s.io/v1/apiservices";
    let created = Request::post(services, service).send(client.clone()).await.unwrap();
    created.is_success() && status(client, "/apis/forwarded.example.com/v1/things").await == 404
}

pub(super) async fn connections(plane: &'static ControlPlane) -> bool {
    let handle = ApiServer::new().serve(([127, 0, 0, 1], 0)).await.unwrap();
    handle.url().starts_with("http://") && plane.config().cluster_url.scheme_str() == Some("https")
}

pub(super) fn table_of_a_review() -> Vec<Step> {
    let spec = json!({ "spec": { "resourceAttributes": { "verb": "get", "resource": "pods" } } });
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let steps = post(path, "authorization.k8s.io/v1", "SelfSubjectAccessReview", spec).into_iter();
    let without_name = steps.map(|mut step| {
        if let Some(document) = step.body.document() {
            document["metadata"] = json!({});
        }
        step.accepting(TABLE)
    });
    without_name.collect()
}

/// Returns whether a node with an address refuses connections.
pub(super) async fn nodes_do_not_answer() -> bool {
    let server = ApiServer::new().with_objects(
        "{ apiVersion: v1, kind: Node, metadata: { name: one }, status: { addresses: [{ type: InternalIP, address: 10.0.0.1 }] } }\n---\n\
         { apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { nodeName: one, containers: [{ name: a, image: b }] } }",
    );
    let log = Request::get("/api/v1/namespaces/default/pods/web/log").send(server.kube_client()).await.unwrap();
    log.status == 500 && log.body["message"].to_string().contains("10.0.0.1:10250: connect: connection refused")
}

/// Returns whether an event is there after a day.
pub(super) async fn events_stay() -> bool {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let server = ApiServer::new();
    let event = json!({
        "apiVersion": "v1", "kind": "Event", "metadata": { "name": "a" }, "involvedObject": { "namespace": "default" },
    });
    let events = "/api/v1/namespaces/default/events";
    let created = Request::post(events, event).send(server.kube_client()).await.unwrap();
    assert!(created.is_success(), "{}", created.body);
    server.advance(DAY);
    status(server.kube_client(), &format!("{events}/a")).await == 200
}

/// Returns whether only the real server refuses an object of two megabytes.
pub(super) async fn large_objects(plane: &'static ControlPlane) -> bool {
    let names: Vec<_> = (0..20).map(|at| format!("{at}{}", "a".repeat(100_000))).collect();
    let rule = json!({ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"], "resourceNames": names });
    let object = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": { "name": "large" }, "rules": [rule],
    });
    let mut accepted = Vec::new();
    for client in [ApiServer::new().kube_client(), plane.client()] {
        let path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
        let response = Request::post(path, object.clone()).send(client).await.unwrap();
        accepted.push(Value::from(response.is_success()));
    }
    accepted == [true, false]
}
