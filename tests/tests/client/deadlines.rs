//! Requests end in time on any network.

use std::time::Duration;

use crdkit::{
    Client,
    client::{Error, Resources, scope::InNamespace},
};
use crdkit_tests::{ControlPlane, Forwarder};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Config;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::{Instant, sleep},
};

use crate::served::{client_of_control_plane, namespace};

const TIMEOUT: Duration = Duration::from_secs(2);
const STALL_TIMEOUT: Duration = Duration::from_secs(1);
/// The delay after the deadline on a busy machine.
const MARGIN: Duration = Duration::from_secs(3);

type Configs = Resources<ConfigMap, InNamespace>;

fn config(name: &str) -> ConfigMap {
    let mut config = ConfigMap::default();
    config.metadata.name = Some(name.to_owned());
    config
}

/// Checks that a request exceeds its deadline, in time. Returns whether its outcome is unknown.
async fn exceeds<T>(what: &str, request: impl Future<Output = Result<T, Error>>) -> bool {
    let began = Instant::now();
    let ended = tokio::time::timeout(TIMEOUT + MARGIN, request).await;
    let Ok(Err(error)) = ended else {
        panic!("{what} did not fail in {:?}", began.elapsed());
    };
    assert!(matches!(error, Error::DeadlineExceeded { .. }), "{what}: {error}");
    error.is_outcome_unknown()
}

/// Sends requests of every verb through a connection that is stalled or very slow, and again when it works.
async fn requests_end_in_time(test: &str, disturb: fn(&Forwarder)) {
    let Some(admin) = client_of_control_plane("it breaks connections").await else { return };
    let namespace = namespace(&admin, test).await;
    let server = ControlPlane::shared().unwrap().config();
    let forwarder = Forwarder::to(&server).await;
    let client = Client::try_from(forwarder.config(server)).unwrap().timeout(TIMEOUT).stall_timeout(STALL_TIMEOUT);
    let configs: Configs = client.resources().namespace(&namespace);
    configs.create(&config("a")).await.unwrap();

    disturb(&forwarder);
    assert!(!exceeds("get", async { configs.get("a").await }).await);
    assert!(!exceeds("list", async { configs.list().await }).await);
    let update = async {
        let change = |config: &mut ConfigMap| config.immutable = Some(false);
        configs.update("a", change).await.map_err(Error::from)
    };
    assert!(!exceeds("update", update).await, "it did not come to write");
    let create = async { configs.create(&config("b")).await };
    assert!(exceeds("create", create).await);

    forwarder.open();
    let began = Instant::now();
    let mut failures = 0;
    while let Err(error) = configs.get("a").await {
        failures += 1;
        assert!(failures < 3, "{error}");
    }
    println!("well again after {:?}, {failures} failures", began.elapsed());
    configs.get("a").await.unwrap();
}

#[tokio::test]
async fn requests_that_stall_end_in_time() {
    requests_end_in_time("deadline-swallowed", Forwarder::swallow).await;
}

#[tokio::test]
async fn requests_whose_responses_trickle_end_in_time() {
    requests_end_in_time("deadline-trickled", Forwarder::trickle).await;
}

/// How a server sends the body of each response: in parts of a size, with a pause between them.
#[derive(Clone, Copy)]
struct Flow {
    bytes: usize,
    pause: Duration,
    /// The number of bytes after which nothing more is sent.
    until: usize,
}

/// Starts a server that responds to every request with the same object. Returns a client for it.
async fn serve(body: String, flow: Flow) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, body.clone(), flow));
        }
    });
    let client = Client::try_from(Config::new(uri.parse().unwrap())).unwrap();
    client.timeout(TIMEOUT).stall_timeout(STALL_TIMEOUT).max_retries(0)
}

async fn answer(mut stream: TcpStream, body: String, flow: Flow) {
    // The requests have no bodies.
    let _ = stream.read(&mut [0; 8192]).await;
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
    let mut sent = stream.write_all(head.as_bytes()).await;
    for bytes in body.as_bytes()[..flow.until.min(length)].chunks(flow.bytes) {
        if sent.is_err() {
            return;
        }
        sent = stream.write_all(bytes).await;
        sleep(flow.pause).await;
    }
    // The connection stays open.
    std::future::pending::<()>().await;
}

fn large() -> String {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "a", "namespace": "default", "resourceVersion": "1", "uid": "u" },
        "data": { "text": "x".repeat(16 * 1024) },
    })
    .to_string()
}

#[tokio::test]
async fn a_body_that_stalls_or_trickles_times_out() {
    let still = Flow { bytes: 4096, pause: Duration::ZERO, until: 8192 };
    let trickle = Flow { bytes: 1, pause: Duration::from_millis(50), until: usize::MAX };
    for flow in [still, trickle] {
        let client = serve(large(), flow).await;
        let configs: Configs = client.resources().namespace("default");
        assert!(!exceeds("get", async { configs.get("a").await }).await);
        // The creation succeeded, and only the response is lost.
        let replaced = async { configs.create(&config("a")).await };
        assert!(exceeds("create", replaced).await);
    }
}

#[tokio::test]
async fn a_slow_body_that_makes_progress_arrives() {
    let flow = Flow { bytes: 2048, pause: Duration::from_millis(400), until: usize::MAX };
    let client = serve(large(), flow).await;
    let configs: Configs = client.resources().namespace("default");
    let began = Instant::now();
    let read = configs.get("a").await.unwrap();
    assert_eq!(read.data.unwrap()["text"].len(), 16 * 1024);
    assert!(began.elapsed() > TIMEOUT);
}
