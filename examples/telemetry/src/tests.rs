//! The operator on an API server in the process, and what a collector receives of it.

#[path = "../tests/collector/mod.rs"]
mod collector;

use std::{
    collections::BTreeSet,
    hint::black_box,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use crdkit::{controller::ManagerHandle, kube::Config};
use crdkit_api_server::{ApiServer, ServerHandle};
use example_resources::at::AtSpec;
use pprof::protos::{Message, Profile};
use tokio::{sync::oneshot, task::spawn_blocking, time::sleep};
use tracing_subscriber::layer::SubscriberExt;

use self::collector::{Collector, Span};
use super::*;

const LIMIT: Duration = Duration::from_secs(30);

fn at(name: &str, command: &str) -> At {
    At::new(name, AtSpec { schedule: "2030-01-31T12:00:00Z".into(), command: command.into() })
}

/// Returns an API server with a port, and a client that sends its requests there, as that of a cluster.
async fn server() -> (ServerHandle, Client) {
    let port = ApiServer::new().with::<At>().serve(([127, 0, 0, 1], 0)).await.unwrap();
    let client = Client::try_from(Config::new(port.url().parse().unwrap())).unwrap();
    (port, client.field_manager("at-operator"))
}

fn reconciliations(handle: &ManagerHandle) -> u64 {
    let counted = handle.metrics("at").unwrap();
    counted.successes + counted.failures + counted.postponed
}

fn of<'s>(spans: &'s [Span], name: &str) -> Vec<&'s Span> {
    spans.iter().filter(|span| span.name() == name).collect()
}

#[tokio::test]
async fn reconciliations_are_traces() {
    let collector = Collector::start();
    let provider = traces::provider(Some(&format!("{}/v1/traces", collector.url))).unwrap();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(traces::layer(&provider)));
    let (_port, client) = server().await;
    let (stop, stopped) = oneshot::channel::<()>();
    let manager = manager(client.clone()).until(stopped);
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    let ats = client.resources::<At>().namespace("default");
    ats.create(&at("greeting", "echo")).await.unwrap();
    ats.create(&at("broken", "false")).await.unwrap();
    ats.wait_until("greeting", |at: &At| at.status.is_some()).within(LIMIT).await.unwrap();
    while handle.metrics("at").unwrap().failures < 3 {
        sleep(Duration::from_millis(10)).await;
    }
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    // Sends what is left.
    spawn_blocking(move || provider.shutdown().unwrap()).await.unwrap();

    let spans = collector.take();
    let all = of(&spans, "reconcile");
    // One for each.
    assert_eq!(all.len() as u64, reconciliations(&handle), "{all:#?}");
    let ids: BTreeSet<_> = all.iter().map(|span| span.attribute("reconcile_id")).collect();
    assert_eq!(ids.len(), all.len());
    assert!(all.iter().all(|span| !span.has_parent() && span.service() == "at-operator"));
    let of_object = |name: &str| all.iter().copied().filter(|span| span.attribute("name") == name).collect::<Vec<_>>();

    let greeting = of_object("greeting")[0];
    let attributes = ["controller", "kind", "namespace", "attempt", "result"].map(|key| greeting.attribute(key));
    assert_eq!(attributes, ["at", "At", "default", "1", "success"]);
    assert!(!greeting.has_failed());
    let children: Vec<_> = spans.iter().filter(|span| span.is_child_of(greeting)).collect();
    let run = children.iter().find(|span| span.name() == "run").unwrap();
    assert_eq!((run.attribute("command"), run.has_failed()), ("echo".to_owned(), false));
    // The only request is that of the status.
    let requests: Vec<_> = children.iter().filter(|span| span.name() != "run").collect();
    let [request] = &requests[..] else { panic!("{requests:#?}") };
    assert_eq!(
        (request.attribute("http.method"), request.attribute("http.status_code")),
        ("PATCH".into(), "200".into())
    );
    let url = request.attribute("http.url");
    assert!(url.contains("/namespaces/default/ats/greeting/status"), "{url}");

    let broken = of_object("broken");
    let attempts: Vec<_> = broken.iter().map(|span| span.attribute("attempt")).collect();
    assert_eq!(attempts[..3], ["1", "2", "3"]);
    for span in broken {
        assert!(span.has_failed() && span.attribute("result") == "error", "{span:#?}");
        assert_eq!(span.event("reconciliation failed", "error"), "the command failed");
        assert!(of(&spans, "run").iter().any(|run| run.is_child_of(span) && run.has_failed()));
    }
    // The requests of the caches and of the test are no traces.
    assert!(spans.iter().all(|span| span.has_parent() || span.name() == "reconcile"), "{spans:#?}");
}

/// Returns the status and the body of a response.
fn get(address: SocketAddr, path: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).unwrap();
    let head_end = response.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(response[..head_end].to_vec()).unwrap();
    (head.lines().next().unwrap().to_owned(), response[head_end + 4..].to_vec())
}

/// A function with a name that a profile can have.
#[inline(never)]
fn keep_busy(until: &AtomicBool) {
    let mut sum = 0_u64;
    while !until.load(Ordering::Relaxed) {
        for number in 0..10_000 {
            sum = black_box(sum.wrapping_mul(31).wrapping_add(number));
        }
    }
}

#[tokio::test]
async fn a_profile_has_the_functions_that_run() {
    let (_port, client) = server().await;
    let options = ServeOptions::from_env().health_address("127.0.0.1:0").metrics_address("127.0.0.1:0");
    let manager = manager(client).serve(profile::serve(options));
    let handle = manager.handle();
    tokio::spawn(manager.run());
    let metrics = handle.addresses().await.metrics.unwrap();
    // The first profile takes longer, because the profiler reads the program.
    let is_measured = Arc::<AtomicBool>::default();
    let until = is_measured.clone();
    let busy = thread::spawn(move || keep_busy(&until));
    let profile = spawn_blocking(move || get(metrics, "/debug/pprof/profile?seconds=1"));
    let (status, profile) = profile.await.unwrap();
    is_measured.store(true, Ordering::Relaxed);
    busy.join().unwrap();
    assert_eq!(status, "HTTP/1.1 200 OK", "{}", String::from_utf8_lossy(&profile));
    let profile = Profile::decode(&*profile).unwrap();
    let has = |name: &str| profile.string_table.iter().any(|text| text.contains(name));
    assert!(!profile.sample.is_empty() && has("keep_busy"), "{:#?}", profile.string_table);

    for seconds in ["soon", "0", "601"] {
        let refused = spawn_blocking(move || get(metrics, &format!("/debug/pprof/profile?seconds={seconds}")));
        let (status, body) = refused.await.unwrap();
        let body = String::from_utf8(body).unwrap();
        assert_eq!(
            (status.as_str(), body.as_str()),
            ("HTTP/1.1 500 Internal Server Error", "`seconds` is a number from 1 to 600\n")
        );
    }
}
