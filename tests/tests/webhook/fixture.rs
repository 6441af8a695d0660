//! One server of webhooks and one API server for all tests of the program.

use std::{sync::LazyLock, thread, time::Duration};

use crdkit::webhook::{Configurations, WebhookClient, WebhookServer, Webhooks};
use crdkit_tests::{
    Answer, Request,
    server::{Server, server},
    tls::{Certificate, resolver},
};
use serde_json::{Value, json};
use tokio::{
    runtime::{Builder, Runtime},
    sync::OnceCell,
};

use crate::{
    admission, failures,
    machine::{GROUP, definition},
};

const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1";

/// How long the API server may take until it uses a configuration.
const LIMIT: Duration = Duration::from_secs(30);

#[derive(Clone, Copy)]
pub(crate) struct Cluster {
    pub(crate) server: Server,
}

/// Returns the servers, with all webhooks; `None` without an API server.
pub(crate) async fn cluster() -> Option<Cluster> {
    static CLUSTER: OnceCell<Option<Cluster>> = OnceCell::const_new();
    *CLUSTER.get_or_init(Cluster::start).await
}

/// Runs a future in a runtime that lasts until the end of the program, as what it returns does: tests have runtimes of their own.
pub(crate) fn run<T: Send>(future: impl Future<Output = T> + Send) -> &'static T {
    static RUNTIME: LazyLock<Runtime> =
        LazyLock::new(|| Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap());
    let result = thread::scope(|scope| scope.spawn(|| RUNTIME.block_on(future)).join().unwrap());
    Box::leak(Box::new(result))
}

/// Serves webhooks until the end of the program, at the URL that is returned.
pub(crate) fn serve(webhooks: Webhooks) -> String {
    let server = WebhookServer::new(&webhooks, resolver(Certificate::First)).address("127.0.0.1:0");
    let handle = run(async { server.start().unwrap() });
    format!("https://{}", handle.address())
}

/// Where the API server finds the webhooks of a URL.
pub(crate) fn client(url: &str) -> WebhookClient {
    WebhookClient::url(url).ca_bundle(crdkit_tests::Webhook::authority())
}

impl Cluster {
    async fn start() -> Option<Self> {
        let cluster = Self { server: server()? };
        cluster.server.install(&definition()).await.expect_accepted();
        let url = serve(admission::webhooks());
        cluster.register(admission::webhooks().configurations(&client(&url)).unwrap()).await;
        failures::register(cluster).await;
        cluster.wait().await;
        Some(cluster)
    }

    /// Creates the configurations.
    pub(crate) async fn register(self, configurations: Configurations) {
        let Configurations { mutating, validating, .. } = configurations;
        let objects = [
            ("mutatingwebhookconfigurations", serde_json::to_value(mutating).unwrap()),
            ("validatingwebhookconfigurations", serde_json::to_value(validating).unwrap()),
        ];
        for (plural, object) in objects.into_iter().filter(|(_, object)| !object.is_null()) {
            let created = self.server.raw(Request::post(format!("{CONFIGURATIONS}/{plural}"), object)).await;
            assert_eq!(created.status, 201, "{}", created.body);
        }
    }

    /// Waits until the webhooks are in effect.
    async fn wait(self) {
        for policy in ["none", "fail"] {
            let mut probe = machine("panic", policy, json!({ "image": "0" }));
            probe["metadata"]["labels"]["kind"] = "garbage".into();
            self.until_denied(|| async { self.create_in("default", &probe, "?dryRun=All").await }).await;
        }
    }

    /// Repeats a request until it is denied: an API server uses new configurations after some time.
    pub(crate) async fn until_denied<R: Future<Output = Answer>>(self, send: impl Fn() -> R) -> Answer {
        let denied = async {
            loop {
                let answer = send().await;
                if !answer.is_success() {
                    return answer;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(LIMIT, denied).await.expect("the API server denies nothing")
    }

    pub(crate) async fn create(self, object: &Value) -> Answer {
        self.create_in("default", object, "").await
    }

    pub(crate) async fn create_in(self, namespace: &str, object: &Value, query: &str) -> Answer {
        let path = format!("/apis/{GROUP}/v1/namespaces/{namespace}/machines{query}");
        self.server.raw(Request::post(path, object.clone())).await
    }

    pub(crate) async fn patch(self, name: &str, patch: Value) -> Answer {
        let path = format!("{}{name}", path());
        self.server.raw(Request::patch(path, "application/merge-patch+json", patch)).await
    }

    pub(crate) async fn delete(self, name: &str) -> Answer {
        self.server.raw(Request::delete(format!("{}{name}", path()))).await
    }
}

fn path() -> String {
    format!("/apis/{GROUP}/v1/namespaces/default/machines/")
}

/// Returns a machine for the webhooks with this failure policy.
pub(crate) fn machine(name: &str, policy: &str, spec: Value) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "Machine",
        "metadata": { "name": name, "labels": { "policy": policy } },
        "spec": spec,
    })
}
