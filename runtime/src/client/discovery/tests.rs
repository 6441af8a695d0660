mod unexpected;

use serde_json::{Value, json};

use super::*;
use crate::{
    client::{
        Error,
        mock::{Mock, Reply},
    },
    resource::definition::Scope,
};

fn resource(plural: &str, kind: &str, extra: Value) -> Value {
    let mut resource = json!({
        "resource": plural, "responseKind": { "group": "", "version": "", "kind": kind },
        "singularResource": kind.to_lowercase(), "scope": "Namespaced", "verbs": ["get", "list"],
    });
    let extra = extra.as_object().unwrap().clone();
    resource.as_object_mut().unwrap().extend(extra);
    resource
}

fn group(name: &str, versions: &[(&str, Vec<Value>)]) -> Value {
    let versions = versions
        .iter()
        .map(|(version, resources)| json!({ "version": version, "resources": resources, "freshness": "Current" }));
    json!({ "metadata": { "name": name }, "versions": versions.collect::<Vec<_>>() })
}

fn list(items: &[Value]) -> Reply {
    Reply::json(200, json!({ "kind": "APIGroupDiscoveryList", "items": items }))
}

fn core() -> Reply {
    let pods = resource("pods", "Pod", json!({ "shortNames": ["po"], "categories": ["all"] }));
    let events = resource("events", "Event", json!({}));
    list(&[group("", &[("v1", vec![pods, events])])])
}

fn vms() -> Value {
    let status = json!({ "subresource": "status", "responseKind": { "kind": "Vm" }, "verbs": ["patch"] });
    let scale = json!({
        "subresource": "scale", "verbs": ["get"],
        "responseKind": { "group": "autoscaling", "version": "v1", "kind": "Scale" },
    });
    resource("vms", "Vm", json!({ "shortNames": ["v"], "categories": ["all"], "subresources": [status, scale] }))
}

fn infra() -> Value {
    let sites = resource("sites", "Site", json!({ "scope": "Cluster", "shortNames": ["s"] }));
    group("infra.example.com", &[("v1", vec![vms()]), ("v1beta1", vec![vms(), sites])])
}

fn served() -> [Reply; 2] {
    let events = resource("events", "Event", json!({}));
    let metrics = resource("pods", "PodMetrics", json!({}));
    let other = resource("machines", "Vm", json!({ "shortNames": ["s"] }));
    [
        core(),
        list(&[
            infra(),
            group("events.k8s.io", &[("v1", vec![events])]),
            group("metrics.k8s.io", &[("v1beta1", vec![metrics])]),
            group("other.example.com", &[("v1", vec![other])]),
        ]),
    ]
}

async fn api_resources() -> Arc<ApiResources> {
    let mock = Mock::new(served());
    let api_resources = mock.client().discovery().api_resources().await.unwrap();
    assert_eq!(mock.lines(), ["GET /api", "GET /apis"]);
    assert!(mock.sent()[0].accept.contains("as=APIGroupDiscoveryList"));
    api_resources
}

#[tokio::test]
async fn words_are_found_by_all_their_names() {
    let api_resources = api_resources().await;
    for (word, group, version, plural) in [
        ("vms", "infra.example.com", "v1", "vms"),
        ("VMS", "infra.example.com", "v1", "vms"),
        ("v", "infra.example.com", "v1", "vms"),
        ("Vm.infra.example.com", "infra.example.com", "v1", "vms"),
        ("vm.other.example.com", "other.example.com", "v1", "machines"),
        ("vms.v1beta1.infra.example.com", "infra.example.com", "v1beta1", "vms"),
        ("v.v1beta1", "infra.example.com", "v1beta1", "vms"),
        ("site", "infra.example.com", "v1beta1", "sites"),
        ("pods", "", "v1", "pods"),
        ("po", "", "v1", "pods"),
        ("pods.v1", "", "v1", "pods"),
        ("pods.v1.", "", "v1", "pods"),
        ("pods.metrics.k8s.io", "metrics.k8s.io", "v1beta1", "pods"),
        ("events", "", "v1", "events"),
        ("podmetrics", "metrics.k8s.io", "v1beta1", "pods"),
    ] {
        let found = api_resources.find(word).unwrap_or_else(|error| panic!("{word}: {error}"));
        assert_eq!(found.gvr(), GroupVersionResource::new(group, version, plural), "{word}");
    }
}

#[tokio::test]
async fn kinds_and_resources_are_found_exactly() {
    let api_resources = api_resources().await;
    let kind = kube_core::GroupVersionKind::gvk("infra.example.com", "v1beta1", "Vm");
    let vm = api_resources.find(&kind).unwrap();
    assert_eq!(vm.gvk(), kind);
    assert_eq!(vm.api_resource().plural, "vms");
    assert!(vm.supports("list") && !vm.supports("watch") && vm.is_namespaced());
    assert_eq!(vm.subresource("scale").unwrap().gvk.kind, "Scale");
    assert_eq!(vm.subresource("status").unwrap().gvk, kind);
    let sites = GroupVersionResource::new("infra.example.com", "v1beta1", "sites");
    assert_eq!(api_resources.find(sites).unwrap().scope, Scope::Cluster);
}

#[tokio::test]
async fn lookup_errors_are_explained() {
    let api_resources = api_resources().await;
    let kind = |version, kind| kube_core::GroupVersionKind::gvk("infra.example.com", version, kind);
    for (resource, expected) in [
        (
            ResourceArg::from("vm"),
            "`vm` is ambiguous: specify one of `vms.infra.example.com`, `machines.other.example.com`",
        ),
        (
            ResourceArg::from("s"),
            "`s` is ambiguous: specify one of `sites.infra.example.com`, `machines.other.example.com`",
        ),
        (ResourceArg::from("podss"), "the API server does not serve `podss`: did you mean `pods`?"),
        (ResourceArg::from("deployments"), "the API server does not serve `deployments`"),
        (
            kind("v2", "Vm").into(),
            "the API server does not serve kind Vm of infra.example.com/v2 in this version, but in v1, v1beta1",
        ),
        (
            kind("v1", "Site").into(),
            "the API server does not serve kind Site of infra.example.com/v1 in this version, but in v1beta1",
        ),
    ] {
        assert_eq!(api_resources.find(resource).unwrap_err().to_string(), expected);
    }
}

#[tokio::test]
async fn categories_have_each_resource_once() {
    let mock = Mock::new(served());
    let discovery = mock.client().discovery();
    let all = discovery.category("all").await.unwrap();
    let names: Vec<_> = all.iter().map(|resource| resource.qualified_name()).collect();
    assert_eq!(names, ["pods", "vms.infra.example.com"]);
    let error = discovery.category("none").await.unwrap_err();
    assert!(matches!(error, DiscoveryError::UnknownCategory { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn cache_miss_refreshes_at_a_limited_rate() {
    let mut replies = Vec::from([core(), list(&[])]);
    replies.extend(served());
    let mock = Mock::new(replies);
    let client = mock.client();
    let discovery = client.discovery();
    assert!(discovery.find("vms").await.unwrap_err().is_unknown());
    assert!(discovery.find("vms").await.unwrap_err().is_unknown());
    assert_eq!(mock.sent().len(), 2);
    tokio::time::advance(INTERVAL).await;
    discovery.find("pods").await.unwrap();
    assert_eq!(mock.sent().len(), 2);
    discovery.find("vms").await.unwrap();
    assert_eq!(mock.sent().len(), 4);
    // A client with other options shares the connections.
    client.field_manager("other").discovery().find("vms").await.unwrap();
    assert_eq!(mock.sent().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn cache_refresh_can_be_disabled() {
    let mut replies = Vec::from([core(), list(&[])]);
    replies.extend(served());
    let mock = Mock::new(replies);
    let discovery = mock.client().discovery();
    let never = discovery.clone().interval(Duration::MAX);
    assert!(never.find("vms").await.unwrap_err().is_unknown());
    tokio::time::advance(Duration::from_secs(40 * 365 * 86_400)).await;
    assert!(never.find("vms").await.unwrap_err().is_unknown());
    assert_eq!(mock.sent().len(), 2);
    discovery.find("vms").await.unwrap();
    assert_eq!(mock.sent().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn concurrent_misses_share_a_refresh() {
    let mut replies = Vec::from([core(), list(&[])]);
    replies.extend(served());
    let mock = Mock::new(replies);
    let discovery = mock.client().discovery();
    discovery.api_resources().await.unwrap();
    tokio::time::advance(INTERVAL).await;
    let finds = (0..8).map(|_| discovery.find("vms"));
    for found in futures_util::future::join_all(finds).await {
        found.unwrap();
    }
    assert_eq!(mock.sent().len(), 4);
}

#[tokio::test]
async fn unresponsive_service_does_not_affect_others() {
    let mut metrics = group("metrics.k8s.io", &[("v1beta1", vec![])]);
    metrics["versions"][0]["freshness"] = json!("Stale");
    let mock = Mock::new([core(), list(&[infra(), metrics])]);
    let discovery = mock.client().discovery();
    discovery.find("vms").await.unwrap();
    let error = discovery.find("nodemetrics").await.unwrap_err();
    assert!(!error.is_unknown());
    let message = error.to_string();
    let expected = "the API server does not serve `nodemetrics`\n  metrics.k8s.io/v1beta1 may contain it: its service does \
                    not respond: its resources may be outdated";
    assert_eq!(message, expected);
}

#[tokio::test]
async fn unresponsive_server_is_an_error() {
    let mock = Mock::new([core(), Reply::status(403, "Forbidden", "")]);
    let error = mock.client().discovery().find("vms").await.unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("cannot get the discovery document `/apis`: "), "{message}");
}

#[tokio::test(start_paused = true)]
async fn concurrent_callers_share_a_request() {
    let mock = Mock::new([core(), list(&[])]);
    let discovery = mock.client().discovery();
    let (a, b, c) = tokio::join!(discovery.api_resources(), discovery.api_resources(), discovery.find("po"));
    assert!(Arc::ptr_eq(&a.unwrap(), &b.unwrap()));
    assert_eq!(c.unwrap().kind, "Pod");
    assert_eq!(mock.sent().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn concurrent_callers_share_an_error() {
    let refused = || Reply::status(403, "Forbidden", "").slow(Duration::from_secs(1));
    let mock = Mock::new([refused(), refused()]);
    let discovery = mock.client().discovery();
    let (a, b) = tokio::join!(discovery.api_resources(), discovery.api_resources());
    for error in [a.unwrap_err(), b.unwrap_err()] {
        let DiscoveryError::Request(Error::Forbidden(_)) = error else {
            panic!("{error}");
        };
    }
    assert_eq!(mock.sent().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn dropped_caller_does_not_cancel_others() {
    let mock = Mock::new([core(), list(&[]).slow(Duration::from_secs(5))]);
    let discovery = mock.client().discovery();
    let first = tokio::time::timeout(Duration::from_secs(1), discovery.api_resources());
    let (first, second) = tokio::join!(first, discovery.api_resources());
    assert!(first.is_err());
    second.unwrap();
    assert_eq!(mock.sent().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn hanging_request_delays_callers_only_up_to_their_own_timeout() {
    let mock = Mock::new([core(), list(&[])].into_iter().chain((0..9).map(|_| Reply::silent())));
    let client = mock.client();
    let discovery = client.discovery().interval(Duration::ZERO);
    discovery.find("po").await.unwrap();
    let start = tokio::time::Instant::now();
    let hung = tokio::spawn({
        let discovery = discovery.clone();
        async move { discovery.refresh().await.map(drop) }
    });
    tokio::task::yield_now().await;
    discovery.find("po").await.unwrap();
    assert!(start.elapsed().is_zero(), "a cache hit does not wait");
    let hasty = client.timeout(Duration::from_secs(2)).discovery().interval(Duration::ZERO);
    let error = hasty.find("vm").await.unwrap_err();
    let DiscoveryError::Request(Error::DeadlineExceeded { limit, .. }) = error else {
        panic!("{error}");
    };
    assert_eq!((limit.as_secs(), start.elapsed().as_secs()), (2, 2));
    hung.await.unwrap().unwrap_err();
    assert_eq!(start.elapsed().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn hanging_groups_do_not_affect_others() {
    let versions = Reply::json(200, json!({ "kind": "APIVersions", "versions": ["v1"] }));
    let groups = json!({ "kind": "APIGroupList", "groups": [
        { "name": "hung.example.com", "versions": [{ "version": "v1", "groupVersion": "hung.example.com/v1" }] },
    ] });
    let pods = json!({ "kind": "APIResourceList", "groupVersion": "v1", "resources": [
        { "name": "pods", "singularName": "pod", "namespaced": true, "kind": "Pod", "verbs": ["get"] },
    ] });
    let mock = Mock::new([versions, Reply::json(200, groups), Reply::json(200, pods), Reply::silent()]);
    let api_resources = mock.client().discovery().api_resources().await.unwrap();
    assert!(api_resources.has("", "v1", "pods"));
    assert_eq!(api_resources.unavailable[0].group, "hung.example.com");
}

#[tokio::test(start_paused = true)]
async fn endless_documents_are_not_read() {
    let endless = || Reply::text(200, "").endless(1 << 20, Duration::ZERO);
    let mock = Mock::new([endless(), endless()]);
    let error = mock.client().discovery().api_resources().await.unwrap_err();
    let DiscoveryError::Request(Error::TooLarge { limit, allowed, .. }) = error else {
        panic!("{error}");
    };
    assert_eq!((limit, allowed), (crate::client::Limit::Discovery, 64 << 20));
}
