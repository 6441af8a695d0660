//! Discovery, while definitions are added and removed.

use std::{sync::Arc, time::Duration};

use crdkit::{
    Client,
    client::discovery::{ApiResources, Discovery, DiscoveryError, GroupVersionResource, ServedResource},
    definition::Scope,
    kube::core::GroupVersionKind,
};
use crdkit_tests::{ControlPlane, Request, unique_group};
use http::{HeaderValue, header::ACCEPT};
use serde_json::json;

use crate::{
    install::definition,
    served::{client, client_of},
    server::{Server, server},
};

/// Discovery that repeats requests for missing resources at once.
fn eager(client: &Client) -> Discovery {
    client.discovery().interval(Duration::ZERO)
}

fn with_names(group: &str, short_name: &str) -> serde_json::Value {
    let crd = definition(group, |crd| {
        crd["spec"]["names"]["shortNames"] = json!([short_name]);
        crd["spec"]["names"]["categories"] = json!(["all", "infra"]);
        let version = &mut crd["spec"]["versions"][0];
        version["subresources"] = json!({ "status": {} });
    });
    serde_json::to_value(crd).unwrap()
}

#[tokio::test]
async fn a_definition_is_found_once_it_exists() {
    let Some(client) = client().await else { return };
    let server = server().unwrap();
    let group = unique_group();
    let discovery = eager(&client);
    let word = format!("vms.{group}");
    let error = discovery.find(word.as_str()).await.unwrap_err();
    assert!(error.is_unknown(), "{error}");

    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let crd = with_names(&group, &format!("s{}", &group[1..9]));
    assert!(server.raw(Request::post(path, crd)).await.is_success());
    let found = until_found(&discovery, &word).await;
    assert_eq!(found.gvr(), GroupVersionResource::new(&group, "v1", "vms"));
    assert_eq!(found.scope, Scope::Namespaced);
    assert!(found.supports("deletecollection"));
    assert!(found.subresource("status").is_some() && found.subresource("scale").is_none());

    let gone = server.raw(Request::delete(format!("{path}/{word}"))).await;
    assert!(gone.is_success());
    while discovery.refresh().await.unwrap().find(word.as_str()).is_ok() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(discovery.find(word.as_str()).await.unwrap_err().is_unknown());
}

async fn until_found(discovery: &Discovery, word: &str) -> Arc<ServedResource> {
    for _ in 0..400 {
        match discovery.find(word).await {
            Ok(found) => return found,
            Err(error) => assert!(error.is_unknown(), "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("`{word}` does not appear");
}

#[tokio::test]
async fn all_names_lead_to_the_same_resource() {
    let Some(client) = client().await else { return };
    let server = server().unwrap();
    let group = unique_group();
    let short_name = format!("s{}", &group[1..9]);
    server.install(&with_names(&group, &short_name)).await.expect_accepted();
    let discovery = eager(&client);
    let kind = GroupVersionKind::gvk(&group, "v1", "Vm");
    let expected = discovery.find(&kind).await.unwrap();
    for word in [short_name, format!("vm.{group}"), format!("Vm.v1.{group}"), format!("vms.v1.{group}")] {
        assert_eq!(discovery.find(word.as_str()).await.unwrap(), expected, "{word}");
    }
    for category in ["all", "infra"] {
        let resources = discovery.category(category).await.unwrap();
        assert!(resources.contains(&expected), "{category}");
    }
    let all = discovery.category("all").await.unwrap();
    assert!(all.iter().any(|resource| resource.qualified_name() == "deployments.apps"));

    let other = GroupVersionKind::gvk(&group, "v2", "Vm");
    let error = discovery.find(&other).await.unwrap_err();
    assert!(matches!(&error, DiscoveryError::NotServed { versions, .. } if *versions == ["v1"]));
}

#[tokio::test]
async fn two_groups_with_one_name_are_ambiguous() {
    let Some(client) = client().await else { return };
    let server = server().unwrap();
    let (first, second) = (unique_group(), unique_group());
    let short_name = format!("s{}", &first[1..9]);
    for group in [&first, &second] {
        server.install(&with_names(group, &short_name)).await.expect_accepted();
    }
    let error = eager(&client).find(short_name.as_str()).await.unwrap_err();
    let DiscoveryError::Ambiguous { candidates, .. } = &error else {
        panic!("{error}");
    };
    let mut candidates = candidates.clone();
    candidates.sort();
    let mut expected = [format!("vms.{first}"), format!("vms.{second}")];
    expected.sort();
    assert_eq!(candidates, expected);
}

#[tokio::test]
async fn kinds_of_kubernetes_are_found() {
    let Some(client) = client().await else { return };
    let discovery = client.discovery();
    for (word, plural, group, scope) in [
        ("po", "pods", "", Scope::Namespaced),
        ("ns", "namespaces", "", Scope::Cluster),
        ("deploy", "deployments", "apps", Scope::Namespaced),
        ("events", "events", "", Scope::Namespaced),
        ("Event.events.k8s.io", "events", "events.k8s.io", Scope::Namespaced),
        ("crd", "customresourcedefinitions", "apiextensions.k8s.io", Scope::Cluster),
    ] {
        let found = discovery.find(word).await.unwrap();
        assert_eq!((found.plural.as_str(), found.group.as_str()), (plural, group));
        assert_eq!(found.scope, scope, "{word}");
    }
    let deployments = discovery.find("deployments").await.unwrap();
    assert_eq!(deployments.subresource("scale").unwrap().gvk.group, "autoscaling");
}

/// A client for which the API server has no aggregated discovery, as in older versions.
fn old_client(server: Server) -> Client {
    server.changing_requests(|request| {
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(ACCEPT, json);
    })
}

/// The built-in resources in a fixed order, since other tests add resources.
fn sorted(api_resources: &ApiResources) -> Vec<ServedResource> {
    let mut resources: Vec<_> = api_resources
        .resources()
        .map(|resource| ServedResource::clone(resource))
        .filter(|resource| !resource.group.ends_with("example.com"))
        .collect();
    for resource in &mut resources {
        resource.subresources.sort_by(|a, b| a.name.cmp(&b.name));
    }
    resources.sort_by_key(|resource| (resource.qualified_name(), resource.version.clone()));
    resources
}

#[tokio::test]
async fn both_forms_of_discovery_have_the_same_resources() {
    let Some(client) = client().await else { return };
    let old = old_client(server().unwrap()).discovery().api_resources().await.unwrap();
    assert!(old.unavailable.is_empty(), "{:?}", old.unavailable);
    let new = client.discovery().api_resources().await.unwrap();
    assert!(new.find("deployments.apps").is_ok());
    assert_eq!(sorted(&old), sorted(&new));
}

/// An API service without a backend, on a control plane that no other test uses.
#[tokio::test(flavor = "multi_thread")]
async fn an_unavailable_service_hides_no_other() {
    let Some(plane) = ControlPlane::start() else {
        return;
    };
    let service = json!({
        "metadata": { "name": "v1.down.example.com" },
        "spec": {
            "group": "down.example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 10,
            "insecureSkipTLSVerify": true, "service": { "namespace": "default", "name": "missing" },
        },
    });
    let path = "/apis/apiregistration.k8s.io/v1/apiservices";
    assert!(plane.raw(Request::post(path, service)).await.is_success());
    let discovery = eager(&client_of(&plane));
    for _ in 0..400 {
        let api_resources = discovery.refresh().await.unwrap();
        api_resources.find("deployments").unwrap();
        if let [down] = &api_resources.unavailable[..] {
            assert_eq!((down.group.as_str(), down.version.as_str()), ("down.example.com", "v1"));
            let error = api_resources.find("things.down.example.com").unwrap_err();
            assert!(error.to_string().contains("down.example.com/v1 may contain it"), "{error}");
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the service is not reported as unavailable");
}
