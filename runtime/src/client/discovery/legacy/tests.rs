use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    client::{
        Error,
        discovery::DiscoveryError,
        mock::{Mock, Reply},
    },
    resource::definition::Scope,
};

fn old_server() -> Vec<Reply> {
    let version = |version: &str| json!({ "groupVersion": format!("infra.example.com/{version}"), "version": version });
    let down = json!({ "groupVersion": "metrics.k8s.io/v1beta1", "version": "v1beta1" });
    let groups = json!({ "kind": "APIGroupList", "groups": [
        {
            "name": "infra.example.com", "versions": [version("v1beta1"), version("v1")],
            "preferredVersion": version("v1"),
        },
        { "name": "metrics.k8s.io", "versions": [down], "preferredVersion": down },
    ]});
    let resources = |version: &str, resources: Value| {
        Reply::json(200, json!({ "kind": "APIResourceList", "groupVersion": version, "resources": resources }))
    };
    let pods = json!({
        "name": "pods", "singularName": "", "kind": "Pod", "namespaced": true, "verbs": ["get"], "shortNames": ["po"],
    });
    let vms = json!({
        "name": "vms", "singularName": "vm", "kind": "Vm", "namespaced": false, "verbs": ["get"], "categories": ["all"],
    });
    let scale = json!({
        "name": "vms/scale", "singularName": "", "kind": "Scale", "namespaced": false, "verbs": ["get"],
        "group": "autoscaling", "version": "v1",
    });
    vec![
        Reply::json(200, json!({ "kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [] })),
        Reply::json(200, groups),
        resources("v1", json!([pods])),
        resources("infra.example.com/v1", json!([vms, scale])),
        resources("infra.example.com/v1beta1", json!([vms])),
        Reply::status(503, "ServiceUnavailable", ""),
    ]
}

#[tokio::test]
async fn old_servers_receive_a_request_per_version() {
    let mock = Mock::new(old_server());
    let api_resources = mock.client().discovery().api_resources().await.unwrap();
    let lines = [
        "GET /api",
        "GET /apis",
        "GET /api/v1",
        "GET /apis/infra.example.com/v1",
        "GET /apis/infra.example.com/v1beta1",
        "GET /apis/metrics.k8s.io/v1beta1",
    ];
    assert_eq!(mock.lines(), lines);
    let vm = api_resources.find("vm").unwrap();
    assert_eq!((vm.version.as_str(), vm.scope), ("v1", Scope::Cluster));
    assert_eq!(vm.subresources.len(), 1);
    assert_eq!(vm.subresource("scale").unwrap().gvk.group, "autoscaling");
    assert_eq!(api_resources.find("po").unwrap().singular, "pod");
    assert_eq!(api_resources.unavailable.len(), 1);
    assert_eq!(api_resources.unavailable[0].group, "metrics.k8s.io");
    assert!(api_resources.unavailable[0].reason.contains("ServiceUnavailable"));
}

#[tokio::test]
async fn unexpected_discovery_document_is_an_error() {
    for odd in [
        json!({}),
        json!({ "status": "ok" }),
        json!([]),
        json!({ "kind": "Status", "apiVersion": "v1", "code": 502 }),
        json!({ "kind": "ConfigMapList", "apiVersion": "v1", "items": [] }),
    ] {
        let mut replies = old_server();
        replies.truncate(1);
        replies.push(Reply::exactly(200, &odd));
        let mock = Mock::new(replies);
        let error = mock.client().discovery().api_resources().await.unwrap_err();
        let unexpected = matches!(error, DiscoveryError::Request(Error::Unexpected { .. }));
        assert!(unexpected, "{error}");
    }
    let mut replies = old_server();
    let other = json!({ "kind": "APIResourceList", "groupVersion": "v2", "resources": [] });
    replies[2] = Reply::exactly(200, &other);
    replies[3] = Reply::text(200, "ok");
    let api_resources = Mock::new(replies).client().discovery().api_resources().await.unwrap();
    let unavailable: Vec<_> = api_resources.unavailable.iter().map(|it| it.group.as_str()).collect();
    assert_eq!(unavailable, ["", "infra.example.com", "metrics.k8s.io"]);
}

/// A server with a number of groups, of which some send their documents too slowly to finish.
fn slow_server(groups: usize, slow: &[usize]) -> Vec<Reply> {
    let name = |group: usize| format!("g{group}.example.com");
    let list = (0..groups).map(|group| {
        let version = json!({ "groupVersion": format!("{}/v1", name(group)), "version": "v1" });
        json!({ "name": name(group), "versions": [version] })
    });
    let list = json!({ "kind": "APIGroupList", "groups": list.collect::<Vec<_>>() });
    let mut replies = old_server();
    replies.truncate(1);
    replies.push(Reply::json(200, list));
    let documents = (0..groups).map(|group| {
        if slow.contains(&group) {
            Reply::text(200, "").endless(2048, Duration::from_secs(10))
        } else {
            let version = format!("{}/v1", name(group));
            let list = json!({ "kind": "APIResourceList", "groupVersion": version, "resources": [] });
            Reply::json(200, list)
        }
    });
    let core = json!({ "kind": "APIResourceList", "groupVersion": "v1", "resources": [] });
    replies.push(Reply::json(200, core));
    replies.extend(documents);
    replies
}

#[tokio::test(start_paused = true)]
async fn groups_with_endless_documents_do_not_affect_others() {
    let slow = [0, 20, 39];
    let start = Instant::now();
    let mock = Mock::new(slow_server(40, &slow));
    let api_resources = mock.client().discovery().api_resources().await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 30, "no request waits for another");
    let unavailable: Vec<_> = api_resources.unavailable.iter().map(|it| &it.group).collect();
    let expected = slow.map(|group| format!("g{group}.example.com"));
    assert_eq!(unavailable, expected.each_ref());
    let known = api_resources.groups.iter().filter(|it| !it.versions.is_empty());
    assert_eq!(known.count(), 38);
}

#[tokio::test(start_paused = true)]
async fn slow_groups_leave_time_for_others() {
    let slow: Vec<_> = (0..48).collect();
    let start = Instant::now();
    let mock = Mock::new(slow_server(50, &slow));
    let api_resources = mock.client().discovery().api_resources().await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(60));
    let known = api_resources.groups.iter().filter(|it| !it.versions.is_empty());
    assert_eq!(known.count(), 3);
}

#[tokio::test]
async fn oversized_documents_are_rejected() {
    let refused = async |place: usize, document: &Value| {
        let mut replies = old_server();
        replies[place] = Reply::exactly(200, document);
        Mock::new(replies).client().discovery().api_resources().await
    };
    let versions = json!({ "kind": "APIVersions", "versions": vec!["v1"; 10_001] });
    let group = |versions: usize| json!({ "name": "a.b", "versions": vec![json!({ "groupVersion": "a.b/v1", "version": "v1" }); versions] });
    let groups = |groups: Vec<Value>| json!({ "kind": "APIGroupList", "groups": groups });
    for (place, document) in [
        (0, versions),
        (1, groups(vec![group(0); 10_001])),
        (1, groups(vec![group(5001); 2])),
        (1, groups(vec![json!({}); 200_000])),
    ] {
        let error = refused(place, &document).await.unwrap_err();
        let unexpected = matches!(error, DiscoveryError::Request(Error::Unexpected { .. }));
        assert!(unexpected && error.to_string().contains("at most "), "{error}");
    }
    let pod = json!({ "name": "pods", "singularName": "", "kind": "Pod", "namespaced": true, "verbs": [] });
    let resources = json!({ "kind": "APIResourceList", "groupVersion": "v1", "resources": vec![pod; 10_001] });
    let api_resources = refused(2, &resources).await.unwrap();
    let reason = &api_resources.unavailable[0].reason;
    assert!(reason.contains("at most 10000 resources"), "{reason}");
}
