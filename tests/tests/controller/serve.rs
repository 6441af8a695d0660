//! The endpoints of health checks and metrics.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

use crdkit::controller::{Action, Context, Controller, Manager, ManagerError, ServeAddresses, ServeOptions};
use tokio::sync::oneshot;

use crate::{
    cluster::{Cluster, Fleet},
    exposition::Exposition,
};

/// Returns the status code, the content type and the body.
fn get(address: SocketAddr, path: &str, accept: &str) -> (u16, String, String) {
    request(address, "GET", path, accept)
}

fn request(address: SocketAddr, method: &str, path: &str, accept: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: crdkit\r\nAccept: {accept}\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let content_type = head.lines().find_map(|line| line.strip_prefix("content-type: ")).unwrap_or_default();
    (head[9..12].parse().unwrap(), content_type.to_owned(), body.to_owned())
}

fn on_loopback() -> ServeOptions {
    ServeOptions::new().health_address("127.0.0.1:0").metrics_address("127.0.0.1:0")
}

fn idle() -> Controller {
    Controller::of::<Fleet>().reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Infallible>(Action::Done))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn health_checks_respond_as_those_of_controller_runtime() {
    let cluster = Cluster::new();
    let is_connected = Arc::new(AtomicBool::new(true));
    let connected = is_connected.clone();
    let database = move || connected.load(Ordering::SeqCst).then_some(()).ok_or_else(|| "no connection".into());
    let (stop, stopped) = oneshot::channel::<()>();
    let manager = Manager::new(cluster.operator())
        .add(idle())
        .until(stopped)
        .serve(on_loopback().healthz_check("database", database));
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    let addresses = handle.addresses().await;
    let (health, metrics) = (addresses.health.unwrap(), addresses.metrics.unwrap());
    while !handle.readyz().is_healthy() {
        tokio::task::yield_now().await;
    }
    let probe = |path: &str| {
        let (code, content_type, body) = get(health, path, "*/*");
        assert_eq!(content_type, "text/plain; charset=utf-8");
        (code, body)
    };
    assert_eq!(
        [probe("/healthz"), probe("/readyz/"), probe("/healthz/ping")],
        [(); 3].map(|()| (200, "ok".to_owned()))
    );
    let all = "[+]database ok\n[+]ping ok\n[+]reconciles ok\n[+]watches ok\nhealthz check passed\n";
    assert_eq!(probe("/healthz?verbose"), (200, all.to_owned()));

    is_connected.store(false, Ordering::SeqCst);
    let failed =
        "[-]database failed: reason withheld\n[+]ping ok\n[+]reconciles ok\n[+]watches ok\nhealthz check failed\n";
    assert_eq!(probe("/healthz"), (500, failed.to_owned()));
    assert_eq!(probe("/healthz/database"), (500, "internal server error: no connection\n".to_owned()));
    assert_eq!(probe("/healthz?exclude=database"), (200, "ok".to_owned()));
    let excluded = "[+]database excluded: ok\n[+]ping ok\n[+]reconciles ok\n[+]watches ok\n\
        warn: some health checks cannot be excluded: no matches for \"disk\"\nhealthz check passed\n";
    assert_eq!(probe("/healthz?verbose&exclude=database&exclude=disk"), (200, excluded.to_owned()));

    for path in ["/healthz/disk", "/metrics", "/", "/livez"] {
        assert_eq!(probe(path).0, 404, "{path}");
    }
    assert_eq!(get(metrics, "/healthz", "*/*").0, 404);
    assert_eq!(request(health, "POST", "/healthz", "*/*").0, 405);
    assert_eq!(request(health, "HEAD", "/healthz", "*/*"), (500, "text/plain; charset=utf-8".into(), String::new()));

    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    // The ports are closed.
    drop(TcpListener::bind(health).unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn metrics_are_served_in_two_formats() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let (stop, stopped) = oneshot::channel::<()>();
    let manager = Manager::new(cluster.operator()).leader_election("fleets").add(idle()).until(stopped);
    let fish = |text: &mut String| {
        text.push_str("# HELP fish Fish that were caught\n# TYPE fish counter\nfish_total 7\n");
        Ok(())
    };
    let broken = |text: &mut String| {
        text.push_str("# HELP fis");
        Err(std::fmt::Error)
    };
    let manager = manager.serve(on_loopback().extra_metrics(fish).extra_metrics(broken));
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    let address = handle.addresses().await.metrics.unwrap();
    while handle.metrics("fleet").unwrap().successes == 0 {
        tokio::task::yield_now().await;
    }

    let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1";
    let (code, content_type, openmetrics) = get(address, "/metrics", prometheus);
    assert_eq!((code, &*content_type), (200, "application/openmetrics-text; version=1.0.0; charset=utf-8"));
    let exposition = Exposition::parse(&openmetrics);
    assert_eq!(exposition.value("fish_total"), 7.0);

    let (code, content_type, text) = get(address, "/metrics", "*/*");
    assert_eq!((code, &*content_type), (200, "text/plain; version=0.0.4; charset=utf-8"));
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    // Prometheus' own parser, and promtool's rules.
    let Some(answers) = crdkit_oracles::responses(&[vec!["metrics".to_owned(), text]]) else {
        return;
    };
    let mut answer = answers[0].split('\t');
    assert_eq!(answer.next(), Some("ok"), "{answers:?}");
    let descriptions: BTreeSet<_> = answer.map(str::to_owned).collect();
    assert_eq!(descriptions, exposition.descriptions());
}

/// The address to probe, and where the status code and the body are sent.
type Probe = (Arc<OnceLock<SocketAddr>>, mpsc::Sender<(u16, String)>);

/// The only thread of the runtime waits for the response.
#[tokio::test]
async fn a_reconciliation_that_blocks_does_not_delay_responses() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let address = Arc::new(OnceLock::new());
    let (send, responses) = mpsc::channel();
    let state: Probe = (address.clone(), send);
    let reconcile = async |_: Arc<Fleet>, cx: Context<Fleet, Probe>| {
        let (address, responses) = cx.state();
        let (code, _, body) = get(*address.get().unwrap(), "/metrics", "*/*");
        responses.send((code, body)).unwrap();
        Ok::<_, Infallible>(Action::Done)
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let controller = Controller::of::<Fleet>().state(state).reconcile(reconcile);
    let manager = Manager::new(cluster.operator()).add(controller).until(stopped).serve(on_loopback());
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    address.set(handle.addresses().await.metrics.unwrap()).unwrap();
    let (code, body) = tokio::task::spawn_blocking(move || responses.recv().unwrap()).await.unwrap();
    assert_eq!(code, 200);
    assert!(body.contains("controller_runtime_active_workers{controller=\"fleet\"} 1.0\n"), "{body}");
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_address_that_is_taken_is_an_error() {
    let cluster = Cluster::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let options = ServeOptions::new().health_address("0").metrics_address(&taken.local_addr().unwrap().to_string());
    let manager = Manager::new(cluster.operator()).add(idle()).serve(options);
    let handle = manager.handle();
    let error = manager.run().await.unwrap_err();
    assert!(matches!(error, ManagerError::Serve(_)) && error.exit_code() == 10, "{error}");
    assert!(
        error.to_string().ends_with("set METRICS_BIND_ADDRESS to another address, or to `0` to disable it"),
        "{error}"
    );
    assert_eq!(handle.addresses().await, ServeAddresses::default());
}

/// Many connections, and some that send nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn idle_connections_do_not_delay_others() {
    let cluster = Cluster::new();
    let (stop, stopped) = oneshot::channel::<()>();
    let manager = Manager::new(cluster.operator()).add(idle()).until(stopped).serve(on_loopback());
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    let address = handle.addresses().await.health.unwrap();
    let idle: Vec<_> = (0..20).map(|_| TcpStream::connect(address).unwrap()).collect();
    let probes: Vec<_> =
        (0..8).map(|_| thread::spawn(move || (0..10).all(|_| get(address, "/healthz", "*/*").0 == 200))).collect();
    assert!(probes.into_iter().all(|probe| probe.join().unwrap()));
    drop(idle);
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}
