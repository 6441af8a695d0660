//! Responses that are not the requested documents.

use super::*;
use crate::client::mock::unexpected::{assert_unexpected, in_place_of_anything};

/// Returns unexpected documents that may arrive with the status 200.
fn in_place_of(document: &Value) -> Vec<Value> {
    let mut old = document.clone();
    old["apiVersion"] = json!("other/v7");
    let (kind, version) = (&document["kind"], &document["apiVersion"]);
    let mut all = in_place_of_anything();
    all.extend([
        json!({ "kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [] }),
        json!({ "kind": kind, "apiVersion": version }),
        old,
    ]);
    all
}

async fn assert_refused(replies: [&Value; 2]) {
    let mock = Mock::new(replies.map(|reply| Reply::exactly(200, reply)));
    let api_resources = mock.client().discovery().api_resources().await;
    let Err(DiscoveryError::Request(error)) = api_resources else {
        panic!("{replies:?}: {api_resources:?}");
    };
    assert_unexpected(&error);
}

#[tokio::test]
async fn unexpected_documents_are_rejected_in_aggregated_discovery() {
    let list = |items: &[Value]| json!({ "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": items });
    let core = list(&[group("", &[("v1", vec![])])]);
    let groups = list(&[infra()]);
    for odd in in_place_of(&core).iter().chain([&groups]) {
        assert_refused([odd, &groups]).await;
    }
    for odd in in_place_of(&groups).iter().chain([&core]) {
        assert_refused([&core, odd]).await;
    }
    let mock = Mock::new([&core, &groups].map(|document| Reply::exactly(200, document)));
    let api_resources = mock.client().discovery().api_resources().await.unwrap();
    assert!(api_resources.has("infra.example.com", "v1", "vms"));
}

#[tokio::test]
async fn unexpected_documents_are_rejected_in_legacy_discovery() {
    let versions = json!({ "kind": "APIVersions", "apiVersion": "v1", "versions": ["v1"] });
    let groups = json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": null });
    let resources = json!({ "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "v1", "resources": [] });
    for odd in in_place_of(&versions).iter().chain([&groups]) {
        assert_refused([odd, &groups]).await;
    }
    for odd in in_place_of(&groups).iter().chain([&versions]) {
        assert_refused([&versions, odd]).await;
    }
    let api_resources = async |resources: &Value| {
        let replies = [&versions, &groups, resources].map(|reply| Reply::exactly(200, reply));
        let mock = Mock::new(replies);
        mock.client().discovery().api_resources().await.unwrap()
    };
    assert!(api_resources(&resources).await.unavailable.is_empty());
    let mut other = resources.clone();
    other["groupVersion"] = json!("apps/v1");
    for odd in in_place_of(&resources).iter().chain([&other]) {
        let api_resources = api_resources(odd).await;
        let [unavailable] = &api_resources.unavailable[..] else {
            panic!("{odd}");
        };
        assert!(unavailable.reason.contains("but the response is"), "{unavailable:?}");
    }
}

#[tokio::test]
async fn core_group_is_alone_and_others_have_names() {
    let list = |items: &[Value]| json!({ "kind": "APIGroupDiscoveryList", "items": items });
    let core = group("", &[("v1", vec![])]);
    assert_refused([&list(&[core.clone(), core.clone()]), &list(&[infra()])]).await;
    assert_refused([&list(std::slice::from_ref(&core)), &list(&[infra(), json!({})])]).await;
    let large = group("a.b", &[("v1", vec![json!({}); 10_001])]);
    assert_refused([&list(&[core]), &list(&[large])]).await;
}
