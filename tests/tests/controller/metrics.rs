//! Metrics have the names and labels of controller-runtime, and are valid.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    future::pending,
    sync::Arc,
    time::Duration,
};

use crdkit::{
    controller::{Action, Context, Controller, Error, Manager, terminal},
    informer::CacheObject,
};
use crdkit_tests::go_module;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::{sync::oneshot, time::sleep};

use crate::{
    cluster::{Cluster, Fleet},
    exposition::Exposition,
};

/// Types, names and labels of the metrics of controller-runtime's controllers, work queues, leader election and client.
const CONTROLLER_RUNTIME: &str = include_str!("controller_runtime.txt");
const MODULE: &str = "sigs.k8s.io/controller-runtime@v0.25.";
/// The files of controller-runtime that define them.
const SOURCES: [&str; 4] = [
    "pkg/internal/controller/metrics/metrics.go",
    "pkg/internal/metrics/workqueue.go",
    "pkg/metrics/client_go_adapter.go",
    "pkg/metrics/leaderelection.go",
];
/// It counts renewals that read the lease first, as each of crdkit's does.
const MISSING: [&str; 1] = ["leader_election_slowpath_total"];

/// Runs a manager in which each result of a reconciliation occurs, and returns its metrics.
async fn metrics() -> String {
    let cluster = Cluster::new();
    for name in ["done", "fails", "hangs", "panics", "repeats", "surrenders"] {
        cluster.launch(name, &["a"]).await;
    }
    let reconcile = async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
        match fleet.name() {
            "fails" => Err("no wind".into()),
            "hangs" => pending().await,
            "panics" => panic!("a storm"),
            "repeats" => Ok(Action::requeue(Duration::from_secs(600))),
            "surrenders" => Err(terminal("sunk").into()),
            _ => {
                cx.apply_owned(&fleet, crate::cluster::ships(&fleet)).await?;
                Ok(Action::Done)
            }
        }
    };
    let controller = Controller::of::<Fleet>()
        .owns::<ConfigMap>()
        .concurrency(3)
        .timeout(Duration::from_secs(7))
        .reconcile(reconcile);
    // Two controllers share the informer of fleets.
    let idle = Controller::of::<Fleet>()
        .name("idle")
        .reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Error>(Action::Done));
    let (stop, stopped) = oneshot::channel();
    let manager = Manager::new(cluster.operator()).leader_election("fleets").add(controller).add(idle).until(stopped);
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    sleep(Duration::from_secs(20)).await;
    let text = handle.openmetrics() + "# EOF\n";
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    text
}

#[tokio::test(start_paused = true)]
async fn names_and_labels_are_those_of_controller_runtime() {
    let exposition = Exposition::parse(&metrics().await);
    let ours = exposition.descriptions();
    let theirs = CONTROLLER_RUNTIME.lines().filter(|line| !MISSING.iter().any(|missing| line.contains(missing)));
    let missing: Vec<_> = theirs.filter(|line| !ours.contains(*line)).collect();
    assert!(missing.is_empty(), "missing: {missing:#?}\nof {ours:#?}");
    let foreign = |line: &&String| !CONTROLLER_RUNTIME.lines().any(|known| known == **line);
    let others: Vec<_> = ours.iter().filter(foreign).collect();
    assert!(others.iter().all(|line| line.contains(" crdkit_")), "{others:#?}");
}

#[test]
fn the_list_is_that_of_the_sources() {
    let Some(module) = go_module(MODULE) else {
        return;
    };
    let constants: BTreeMap<_, _> = fs::read_to_string(module.join("pkg/metrics/workqueue.go"))
        .unwrap()
        .lines()
        .filter_map(|line| line.trim().split_once(" = "))
        .map(|(name, value)| (name.trim().to_owned(), value.trim_matches('"').to_owned()))
        .collect();
    let mut found = BTreeSet::new();
    for source in SOURCES {
        let source = fs::read_to_string(module.join(source)).unwrap();
        found.extend(definitions(&source, &constants));
    }
    // The other metrics of the client are registered on request only.
    found.retain(|line| !line.contains(" rest_client_") || line.contains("rest_client_requests_total"));
    let listed: BTreeSet<_> = CONTROLLER_RUNTIME.lines().map(str::to_owned).collect();
    assert_eq!(found, listed);
}

#[tokio::test(start_paused = true)]
async fn buckets_are_those_of_the_sources() {
    let Some(module) = go_module(MODULE) else {
        return;
    };
    let exposition = Exposition::parse(&metrics().await);
    let source = fs::read_to_string(module.join(SOURCES[0])).unwrap();
    let (_, buckets) = source.split_once("Buckets: []float64{").unwrap();
    let buckets = buckets.split('}').next().unwrap().split(',').map(|bound| bound.trim().parse::<f64>().unwrap());
    assert_eq!(exposition.bounds("controller_runtime_reconcile_time_seconds"), buckets.collect::<Vec<_>>());
    let source = fs::read_to_string(module.join(SOURCES[1])).unwrap();
    assert_eq!(source.matches("prometheus.ExponentialBuckets(10e-9, 10, 12)").count(), 2);
    for histogram in ["workqueue_queue_duration_seconds", "workqueue_work_duration_seconds"] {
        let bounds = exposition.bounds(histogram);
        let expected = (0..12).map(|power| 10e-9 * 10_f64.powi(power));
        assert!(bounds.len() == 12 && bounds.iter().zip(expected).all(|(one, other)| (one / other - 1.0).abs() < 1e-9));
    }
}

/// Returns types, names and labels of the metrics that a Go file defines.
fn definitions(source: &str, constants: &BTreeMap<String, String>) -> Vec<String> {
    let all = source.split("prometheus.New").skip(1).filter_map(|definition| {
        let (type_, rest) = definition.split_once("Vec(")?;
        let field = |name: &str| {
            let (_, value) = rest.split_once(&format!("{name}:"))?;
            let value = value.trim_start().split([',', '\n']).next()?;
            let constant = value.rsplit('.').next().unwrap_or(value);
            let literal = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
            literal.map(str::to_owned).or_else(|| constants.get(constant).cloned())
        };
        let name = field("Name")?;
        let (_, labels) = rest.split_once("[]string{")?;
        let (options, _) = rest.split_once("[]string{")?;
        let subsystem = Some(()).filter(|()| options.contains("Subsystem:")).and_then(|()| field("Subsystem"));
        let name = subsystem.map_or(name.clone(), |subsystem| format!("{subsystem}_{name}"));
        let sorted: BTreeSet<_> = labels
            .split('}')
            .next()?
            .split(", ")
            .map(|label| if label == "hostLabel" { "host" } else { label.trim_matches('"') })
            .collect();
        let labels = sorted.into_iter().collect::<Vec<_>>().join(",");
        Some(format!("{} {name} {labels}", type_.to_lowercase()))
    });
    all.collect()
}

#[tokio::test(start_paused = true)]
async fn results_are_counted() {
    let exposition = Exposition::parse(&metrics().await);
    let total = |result: &str| {
        exposition.value(&format!("controller_runtime_reconcile_total{{controller=\"fleet\",result=\"{result}\"}}"))
    };
    // The first reconciliation of `done`, and those that its own writes cause.
    assert!((1.0..=2.0).contains(&total("success")), "{}", total("success"));
    assert_eq!((total("requeue"), total("requeue_after")), (0.0, 1.0));
    let of = |name: &str| exposition.value(&format!("controller_runtime_{name}{{controller=\"fleet\"}}"));
    assert_eq!((of("terminal_reconcile_errors_total"), of("reconcile_timeouts_total")), (1.0, 2.0));
    assert!(of("reconcile_panics_total") > 1.0);
    assert_eq!(of("reconcile_errors_total"), total("error"));
    assert_eq!(of("max_concurrent_reconciles"), 3.0);
    // `hangs`
    assert_eq!(of("active_workers"), 1.0);
    let all = ["success", "error", "requeue", "requeue_after"].map(total).iter().sum::<f64>();
    assert_eq!(of("reconcile_time_seconds_count"), all);
    let queue = |name: &str| exposition.value(&format!("workqueue_{name}{{name=\"fleet\",controller=\"fleet\"}}"));
    let running = queue("longest_running_processor_seconds");
    assert!((0.1..7.0).contains(&running) && queue("unfinished_work_seconds") == running, "{running}");
    assert!(queue("retries_total") > 5.0);
    assert_eq!(exposition.value("leader_election_master_status{name=\"fleets\"}"), 1.0);
    assert_eq!(exposition.value("crdkit_informer_objects{resource=\"fleets.sea.example.com\"}"), 6.0);
    // The creation of the ship.
    assert_eq!(exposition.value("rest_client_requests_total{code=\"201\",method=\"PATCH\",host=\"\"}"), 1.0);
}
