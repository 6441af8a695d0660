//! Webhooks that are stopped, slow, broken, or answer garbage, against both failure policies.

use std::{future::pending, sync::Arc};

use crdkit::{
    kube::ResourceExt,
    webhook::{AdmissionContext, Error, FailurePolicy, Webhook, WebhookClient, WebhookName, Webhooks, failed},
};
use crdkit_tests::WebhookAnswer;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use serde_json::json;

use crate::{
    fixture::{Cluster, client, cluster, machine, run, serve},
    machine::Machine,
};

/// Fails as the name of the object demands.
async fn misbehave(machine: Arc<Machine>, _: AdmissionContext<Machine>) -> Result<(), Error> {
    match machine.name_any().as_str() {
        "slow" => pending().await,
        "panic" => panic!("a bug of the validator"),
        "failed" => Err(failed("no connection to the inventory").into()),
        _ => Ok(()),
    }
}

/// Returns webhooks with both policies, for objects that have these labels.
fn webhooks(kind: &str) -> Webhooks {
    let names = |policy: &str| match policy {
        "fail" => const { WebhookName::new("fail.failures.example.com") },
        _ => const { WebhookName::new("ignore.failures.example.com") },
    };
    let webhook = |label: &str, policy| {
        let selector = LabelSelector {
            match_labels: Some([("policy".to_owned(), label.to_owned()), ("kind".to_owned(), kind.to_owned())].into()),
            ..LabelSelector::default()
        };
        Webhook::of::<Machine>()
            .validate(misbehave)
            .name(names(label))
            .failure_policy(policy)
            .timeout_seconds::<3>()
            .object_selector(selector)
    };
    Webhooks::new(kind).add(webhook("fail", FailurePolicy::Fail)).add(webhook("ignore", FailurePolicy::Ignore))
}

/// Registers the webhooks of all kinds of failures.
pub(crate) async fn register(cluster: Cluster) {
    let garbage = run(crdkit_tests::Webhook::start(|_, _| WebhookAnswer {
        body: "{\"kind\":".to_owned(),
        ..WebhookAnswer::from(json!({}))
    }));
    let clients: [(&str, WebhookClient); 3] = [
        ("code", client(&serve(webhooks("code")))),
        ("stopped", client("https://127.0.0.1:1")),
        ("garbage", client(&garbage.url(""))),
    ];
    for (kind, client) in clients {
        cluster.register(webhooks(kind).configurations(&client).unwrap()).await;
    }
}

/// Creates a machine with each policy, and returns the message of the refusal.
async fn refusal(cluster: Cluster, kind: &str, name: &str) -> String {
    let object = |policy: &str| {
        let mut object = machine(name, policy, json!({ "image": "a" }));
        object["metadata"]["labels"]["kind"] = kind.into();
        object
    };
    let ignored = cluster.create_in("default", &object("ignore"), "?dryRun=All").await;
    assert_eq!(ignored.status, 201, "{}", ignored.body);
    let failed = cluster.create_in("default", &object("fail"), "?dryRun=All").await;
    assert_eq!(failed.status, 500, "{}", failed.body);
    let message = failed.body["message"].as_str().unwrap_or_default().to_owned();
    let start =
        "Internal error occurred: failed calling webhook \"fail.failures.example.com\": failed to call webhook: ";
    message.strip_prefix(start).unwrap_or_else(|| panic!("{message}")).to_owned()
}

#[tokio::test]
async fn a_failure_follows_the_policy() {
    let Some(cluster) = cluster().await else { return };
    let failure = refusal(cluster, "code", "failed").await;
    assert_eq!(
        failure,
        "an error on the server (\"no connection to the inventory\") has prevented the request from succeeding"
    );
}

#[tokio::test]
async fn a_panic_follows_the_policy() {
    let Some(cluster) = cluster().await else { return };
    let failure = refusal(cluster, "code", "panic").await;
    assert_eq!(failure, "an error on the server (\"the webhook panicked\") has prevented the request from succeeding");
}

#[tokio::test]
async fn a_slow_webhook_follows_the_policy() {
    let Some(cluster) = cluster().await else { return };
    let failure = refusal(cluster, "code", "slow").await;
    // Whichever of both gives up first.
    assert!(failure.contains("context deadline exceeded") || failure.contains("no result within 3s"), "{failure}");
}

#[tokio::test]
async fn a_stopped_webhook_follows_the_policy() {
    let Some(cluster) = cluster().await else { return };
    let failure = refusal(cluster, "stopped", "any").await;
    assert!(failure.contains("connection refused"), "{failure}");
}

#[tokio::test]
async fn garbage_follows_the_policy() {
    let Some(cluster) = cluster().await else { return };
    let failure = refusal(cluster, "garbage", "any").await;
    assert!(!failure.is_empty());
}
