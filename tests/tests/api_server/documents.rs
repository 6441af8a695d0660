//! Discovery, OpenAPI and the data that is copied from the real server.

use std::{fs, time::Duration};

use crdkit_tests::{
    ControlPlane,
    server_data::{kinds, new_cluster, openapi, resources},
};
use serde_json::{Value, json};

use crate::example::{both, compare, get};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Drops what only the real server lists.
fn retain_known(theirs: &mut Value, ours: &Value) {
    match (theirs, ours) {
        (Value::Array(theirs), Value::Null) if theirs.iter().all(|item| item["subresource"].is_string()) => {
            theirs.clear();
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

/// The document of version 2, of what both servers have. The real one has other operations for Kubernetes' own kinds.
#[tokio::test]
async fn open_api_2() {
    const MODEL: &str = "com.example.infra.v1.VirtualMachine";
    let Some(mut both) = both("openapi-2").await else { return };
    let step = get("/openapi/v2");
    // The real server builds its document in the background.
    let [ours, theirs] = loop {
        let responses = both.respond(&step).await;
        if responses[1]["body"]["definitions"][MODEL].is_object() {
            break responses;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let mut differences = Vec::new();
    let mut check = |place: String, ours: &Value, theirs: &Value| {
        if ours != theirs {
            differences.push(format!("{place}\nours: {ours}\nreal: {theirs}"));
        }
    };
    for (name, ours) in ours["body"]["definitions"].as_object().unwrap() {
        // It has the groups of the server.
        if name.ends_with(".DeleteOptions") {
            continue;
        }
        check(name.clone(), ours, &theirs["body"]["definitions"][name]);
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
    for accept in ["application/com.github.proto-openapi.spec.v2@v1.0+protobuf", "text/html"] {
        let [ours, theirs] = both.respond(&get("/openapi/v2").accepting(accept)).await;
        assert_eq!(ours["code"], theirs["code"], "{accept}");
    }
}

#[tokio::test]
async fn data_is_up_to_date() {
    let Some(plane) = ControlPlane::shared() else { return };
    let read = |path| fs::read_to_string(path).unwrap();
    assert!(resources::lines(plane).await.unwrap() == read(resources::path()), "run the program `server_data`");
    assert!(kinds::lines(plane).await.unwrap() == read(kinds::path()), "run the program `server_data`");
    assert!(new_cluster::lines(plane).await.unwrap() == read(new_cluster::path()), "run the program `server_data`");
    assert!(openapi::template(plane).await.unwrap() == read(openapi::path()), "run the program `server_data`");
}
