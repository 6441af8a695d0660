//! Conversion by webhooks that are stopped, slow, broken, or answer garbage.

use std::time::{Duration, Instant};

use crdkit::{
    CustomResource, KubeSchema,
    convert::{Convert, Hub},
    webhook::WebhookClient,
};
use crdkit_tests::{Answer, Request, Webhook, WebhookAnswer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::cluster::{Cluster, serve};
use crate::fixture;

const GROUP: &str = "broken.example.com";

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "broken.example.com", version = "v1", kind = "Machine", namespaced)]
pub(crate) struct MachineSpec {
    memory: String,
}

mod v1alpha1 {
    use super::{Convert, CustomResource, Deserialize, KubeSchema, Serialize};

    #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
    #[crd(
        group = "broken.example.com",
        version = "v1alpha1",
        kind = "Machine",
        namespaced,
        storage = false,
        test = false
    )]
    #[convert(hub = super::Machine)]
    pub(crate) struct MachineSpec {
        #[convert(to = "memory", with = ram)]
        ram: String,
    }

    mod ram {
        pub(crate) fn to_hub(ram: String) -> String {
            assert_ne!(ram, "panic", "a bug of the conversion");
            ram
        }

        pub(crate) fn from_hub(memory: String) -> String {
            memory
        }
    }
}

fn versions() -> Hub<Machine> {
    Hub::new().spoke::<v1alpha1::Machine>()
}

fn path(version: &str, rest: &str) -> String {
    format!("/apis/{GROUP}/{version}/namespaces/default/machines{rest}")
}

fn old(name: &str, ram: &str) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1alpha1"), "kind": "Machine", "metadata": { "name": name },
        "spec": { "ram": ram },
    })
}

struct Test(Cluster);

impl Test {
    /// From now on, the API server calls this webhook.
    async fn call(&self, client: &WebhookClient) {
        self.0.client.install([versions().versions(client.conversion()).merge().unwrap().crd]).await.unwrap();
    }

    /// Reads the object in the old version until the answer is of the webhook that is called since a moment ago.
    async fn old_until(&self, is_it: impl Fn(&Answer) -> bool) -> Answer {
        let answered = async {
            loop {
                let answer = self.0.send(Request::get(path("v1alpha1", "/web"))).await;
                if is_it(&answer) {
                    return answer;
                }
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(Duration::from_secs(30), answered).await.unwrap()
    }

    /// The answers in the stored version need no webhook.
    async fn assert_stored_is_read(&self) {
        let read = self.0.expect(Request::get(path("v1", "/web"))).await;
        assert_eq!(read["spec"], json!({ "memory": "1Gi" }));
    }
}

fn fails_with(text: &'static str) -> impl Fn(&Answer) -> bool {
    move |answer| answer.status == 500 && answer.body["message"].as_str().unwrap_or_default().contains(text)
}

async fn check(cluster: Cluster) {
    let test = Test(cluster);
    let (server, client) = serve([versions().converter()]);
    test.call(&client).await;
    let created = async {
        while !test.0.send(Request::post(path("v1alpha1", ""), old("web", "1Gi"))).await.is_success() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(30), created).await.unwrap();

    let panicked = test.0.send(Request::post(path("v1alpha1", ""), old("panic", "panic"))).await;
    assert!(fails_with("the webhook panicked")(&panicked), "{}", panicked.body);
    let metrics = server.service().openmetrics();
    assert!(!metrics.contains("controller_runtime_conversion_webhook_panics_total 0"), "{metrics}");
    assert!(metrics.contains("controller_runtime_webhook_panics_total 0"), "{metrics}");
    assert_eq!(test.old_until(Answer::is_success).await.body["spec"], json!({ "ram": "1Gi" }));

    server.stop().await;
    test.old_until(fails_with("connection refused")).await;
    test.assert_stored_is_read().await;

    let garbage = WebhookAnswer { body: "{\"kind\":".to_owned(), ..WebhookAnswer::from(json!({})) };
    let garbage = Webhook::start(move |_, _| garbage.clone()).await;
    test.call(&fixture::client(&garbage.url(""))).await;
    test.old_until(|answer| answer.status == 500 && !fails_with("connection refused")(answer)).await;
    test.assert_stored_is_read().await;

    let converter = versions().converter();
    let delay = Duration::from_millis(700);
    let answer =
        move |_: &str, review| WebhookAnswer { delay, ..WebhookAnswer::from(converter.review(review).unwrap()) };
    let slow = Webhook::start(answer).await;
    test.call(&fixture::client(&slow.url(""))).await;
    test.old_until(Answer::is_success).await;
    let start = Instant::now();
    test.old_until(Answer::is_success).await;
    assert!(start.elapsed() >= delay);
}

#[tokio::test]
async fn a_conversion_that_fails_in_the_process() {
    check(Cluster::in_process()).await;
}

#[tokio::test]
async fn a_conversion_that_fails_on_the_control_plane() {
    let Some(cluster) = Cluster::real("broken") else { return };
    check(cluster).await;
}
