//! Generated names, and the grace period of Pods.

use std::collections::BTreeSet;

use crdkit_tests::Request;
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use serde_json::{Value, json};

use crate::{
    admission_policies::merged,
    both::{Both, Step},
    example::{MERGE, compare},
};

/// The difference between the clocks of the test and of a server, and the time of a request.
const TOLERANCE: i64 = 5;

fn config(metadata: Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata })
}

/// Returns what a generated name consists of: its length, its prefix, and whether its suffix has the characters of names.
async fn generated(client: Client, namespace: &str, prefix: &str) -> (u16, usize, bool, String) {
    const ALPHABET: &str = "bcdfghjklmnpqrstvwxz2456789";
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    let created = Request::post(path, config(json!({ "generateName": prefix }))).send(client).await.unwrap();
    let name = created.body["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let (start, suffix) = name.split_at(name.len().saturating_sub(5));
    (created.status, name.len(), suffix.chars().all(|c| ALPHABET.contains(c)), start.to_owned())
}

#[tokio::test]
async fn names_are_generated() {
    let namespace = "generated";
    let Some(both) = Both::with_namespace(namespace).await else { return };
    let long = "a".repeat(58);
    let longer = format!("{}.b", "a".repeat(57));
    let longest = "a".repeat(200);
    for prefix in ["web-", "a", "web.a-", &long, &longer, &longest] {
        let [embedded, real] = both.clients();
        let embedded = generated(embedded, namespace, prefix).await;
        assert_eq!(embedded, generated(real, namespace, prefix).await, "{prefix}");
        assert_eq!((embedded.0, embedded.2), (201, true), "{prefix}: {embedded:?}");
        assert!(prefix.starts_with(&embedded.3), "{prefix}: {embedded:?}");
    }
    let [embedded, _] = both.clients();
    let mut names = BTreeSet::new();
    for _ in 0..100 {
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        let object = config(json!({ "generateName": "b" }));
        let created = Request::post(path, object).send(embedded.clone()).await.unwrap();
        names.insert(created.body["metadata"]["name"].to_string());
    }
    assert_eq!(names.len(), 100);
}

#[tokio::test]
async fn names_that_are_used_are_not_generated() {
    let namespace = "used-names";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    let create = |query: &str| {
        let object = config(json!({ "name": "used", "generateName": "u", "finalizers": ["example.com/wait"] }));
        Step::new("POST", format!("{path}{query}"), object)
    };
    let delete = Step::new("DELETE", format!("{path}/used"), Value::Null);
    let steps = [create(""), create(""), create("?dryRun=All"), delete, create("")];
    compare(&mut both, steps, |_| {}).await;
}

/// A Pod on a node, if there is one.
fn pod(name: &str, node: &str, finalizers: &[&str]) -> Value {
    let mut spec = json!({ "containers": [{ "name": "main", "image": "web" }] });
    if !node.is_empty() {
        spec["nodeName"] = node.into();
    }
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "finalizers": finalizers }, "spec": spec })
}

#[tokio::test]
async fn pods_are_deleted_gracefully() {
    let namespace = "graceful";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    let pods = format!("/api/v1/namespaces/{namespace}/pods");
    let watch = Step::new("GET", format!("{pods}?watch=true"), Value::Null);
    let create = |name: &str, node: &str, finalizers: &[&str]| Step::new("POST", &pods, pod(name, node, finalizers));
    let options = |rest: Value| merged(json!({ "apiVersion": "v1", "kind": "DeleteOptions" }), &rest);
    let delete = |name: &str, body: Value| Step::new("DELETE", format!("{pods}/{name}"), options(body));
    let grace = |seconds: i64| json!({ "gracePeriodSeconds": seconds });
    let get = |name: &str| Step::new("GET", format!("{pods}/{name}"), Value::Null);
    let patch =
        |name: &str, rest: &str, patch: Value| Step::new("PATCH", format!("{pods}/{name}{rest}"), patch).of_type(MERGE);
    let finalizer = ["example.com/kept"];
    let mut steps = vec![create("unbound", "", &[]), delete("unbound", json!({})), get("unbound")];
    // A node, with the default, with later ones that are longer and shorter, and with none.
    steps.extend([create("bound", "node", &[]), delete("bound", json!({})), get("bound")]);
    steps.extend([delete("bound", grace(60)), delete("bound", json!({})), delete("bound", grace(20)), get("bound")]);
    steps.extend([delete("bound", grace(0)), get("bound")]);
    for seconds in [0, 1, 7, -3] {
        let name = format!("after{}", seconds.to_string().replace('-', "minus"));
        steps.extend([create(&name, "node", &[]), delete(&name, grace(seconds)), get(&name)]);
    }
    // Finalizers.
    for (name, node) in [("kept", ""), ("kept-on-node", "node")] {
        steps.extend([create(name, node, &finalizer), delete(name, json!({})), delete(name, grace(0)), get(name)]);
        steps.extend([patch(name, "", json!({ "metadata": { "finalizers": null } })), get(name)]);
    }
    // The policy of the second deletion has no effect.
    steps.extend([create("policy", "node", &[]), delete("policy", json!({}))]);
    steps.extend([delete("policy", json!({ "propagationPolicy": "Foreground" })), get("policy")]);
    // One that has ended.
    steps.extend([create("ended", "node", &[]), patch("ended", "/status", json!({ "status": { "phase": "Failed" } }))]);
    steps.extend([delete("ended", json!({})), get("ended")]);
    steps.extend([
        create("dry", "node", &[]),
        Step { path: format!("{pods}/dry?dryRun=All"), ..delete("dry", json!({})) },
    ]);
    steps.extend([get("dry"), create("last", "", &[])]);
    both.send(&watch).await;
    compare(&mut both, steps, |_| {}).await;
    let difference = both.compare_events("last").await;
    assert!(difference.is_none(), "{}", difference.unwrap());
}

#[tokio::test]
async fn the_time_of_a_deletion_includes_the_grace_period() {
    let namespace = "deletion-times";
    let Some(both) = Both::with_namespace(namespace).await else { return };
    let pods = format!("/api/v1/namespaces/{namespace}/pods");
    for client in both.clients() {
        let created = Request::post(&pods, pod("a", "node", &[])).send(client.clone()).await.unwrap();
        assert!(created.is_success(), "{}", created.body);
        for seconds in [1_000, 100] {
            let options = json!({ "apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": seconds });
            let deleted = Request::delete_with(format!("{pods}/a"), options).send(client.clone()).await.unwrap().body;
            let time: Timestamp = deleted["metadata"]["deletionTimestamp"].as_str().unwrap().parse().unwrap();
            let wait = time.as_second() - Timestamp::now().as_second();
            assert!((wait - seconds).abs() <= TOLERANCE, "{wait} for {seconds}: {deleted}");
        }
    }
}
