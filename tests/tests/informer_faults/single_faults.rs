//! Single faults, and what an informer reports.

use std::{sync::Arc, time::Duration};

use crdkit::informer::{Informer, Informers, Problem, SyncError, WatchError, WatchState};
use crdkit_tests::{
    apiserver::{ApiServer, Content, Settings},
    faults::{Fault, Faults},
};
use futures_util::FutureExt;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::{
    run::Transport,
    transports::Memory,
    widget::{Widget, version},
};

pub(crate) fn content(size: impl Into<Value>) -> Content {
    Content { spec: json!({ "size": size.into(), "note": "" }), ..Content::default() }
}

fn healthy_server() -> Arc<ApiServer> {
    ApiServer::new(Settings::default(), Faults::none())
}

async fn start(server: &Arc<ApiServer>, namespaces: &[&str]) -> Informer<Widget> {
    let informers = Informers::new(Memory.client(server).await);
    informers.of().namespaces(namespaces.iter().copied()).start()
}

/// Waits until the store has the expected version of an object. Returns how long it took.
async fn wait_until_shown(informer: &Informer<Widget>, namespace: &str, name: &str, expected: Option<u64>) -> Duration {
    let began = Instant::now();
    let shown = || informer.lister().find(namespace, name).as_deref().map(version);
    while shown() != expected {
        sleep(Duration::from_millis(10)).await;
        assert!(began.elapsed() < Duration::from_secs(300), "{name} is {:?}", shown());
    }
    began.elapsed()
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_namespace_is_reported_and_affects_no_other() {
    let server = healthy_server();
    let storage = server.storage();
    let [a, b] = ["prod", "staging"].map(|namespace| storage.create(namespace, "a", content(1)));
    server.forbid("staging", true);
    let informer = start(&server, &["prod", "staging"]).await;

    let SyncError::Refused(refused) = informer.synced().await.unwrap_err() else {
        panic!("the informer is not stopped");
    };
    let namespaces: Vec<_> = refused.iter().map(|watch| watch.namespace.as_deref()).collect();
    assert_eq!(namespaces, [Some("staging")]);
    wait_until_shown(&informer, "prod", "a", a).await;

    for size in 2..50 {
        let newer = storage.update("prod", "a", |a| *a = content(size));
        let delay = wait_until_shown(&informer, "prod", "a", newer).await;
        assert!(delay < Duration::from_millis(100), "delayed by {delay:?}");
        sleep(Duration::from_secs(7)).await;
    }
    let health = informer.health();
    assert!(!health.is_good());
    assert!(matches!(health.watches[0].state, WatchState::Watching { .. }), "{health:?}");
    assert!(matches!(health.watches[1].state, WatchState::Disconnected { error: Some(_), .. }), "{health:?}");

    server.forbid("staging", false);
    let delay = wait_until_shown(&informer, "staging", "a", b).await;
    assert!(delay <= Duration::from_secs(30), "requested again only after {delay:?}");
    informer.synced().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_undecodable_object_keeps_its_last_decodable_state() {
    let server = healthy_server();
    let storage = server.storage();
    let good = storage.create("prod", "a", content(1));
    storage.create("prod", "odd", content("large"));
    let informer = start(&server, &["prod"]).await;
    let mut problems = informer.problems();
    informer.synced().await.unwrap();
    assert_eq!(informer.lister().len(), 1);

    storage.update("prod", "a", |a| *a = content("larger"));
    let after = storage.create("prod", "b", content(2));
    wait_until_shown(&informer, "prod", "b", after).await;
    wait_until_shown(&informer, "prod", "a", good).await;
    assert_eq!(informer.health().undecodable_states, 2);
    for name in ["odd", "a"] {
        let Problem::Undecodable(problem) = problems.next().await.unwrap() else {
            panic!("{name} is the only problem");
        };
        assert_eq!((problem.name.as_deref(), problem.path.as_deref()), (Some(name), Some("spec.size")));
    }

    let undecodable = |informer: &Informer<Widget>| {
        let objects =
            informer.undecodable_objects().into_iter().map(|object| (object.name, object.shows_earlier_state));
        objects.collect::<Vec<_>>()
    };
    let both = [("a".to_owned(), true), ("odd".to_owned(), false)];
    assert_eq!(undecodable(&informer), both);
    // Late subscribers receive each problem once, however often the objects were read.
    sleep(Duration::from_secs(3_600)).await;
    let mut late = informer.problems();
    for name in ["a", "odd"] {
        let Some(Problem::Undecodable(problem)) = late.next().await else {
            panic!("{name} is still a problem");
        };
        assert_eq!(problem.name.as_deref(), Some(name));
    }
    assert_eq!(informer.health().undecodable_states, 2);

    let better = storage.update("prod", "a", |a| *a = content(3));
    wait_until_shown(&informer, "prod", "a", better).await;
    assert_eq!(undecodable(&informer), both[1..]);
    storage.delete("prod", "odd");
    storage.delete("prod", "a");
    wait_until_shown(&informer, "prod", "a", None).await;
    assert_eq!(informer.health().undecodable_objects, 0);
    assert_eq!(informer.health().watches[0].lists, 1);
}

#[tokio::test(start_paused = true)]
async fn late_subscribers_receive_the_problem_of_a_refused_watch() {
    let server = healthy_server();
    server.forbid("staging", true);
    let informer = start(&server, &["prod", "staging"]).await;
    informer.synced().await.unwrap_err();
    sleep(Duration::from_secs(60)).await;
    let mut problems = informer.problems();
    let Some(Problem::Watch { namespace, error, .. }) = problems.next().await else {
        panic!("a watch is refused");
    };
    assert_eq!(namespace.as_deref(), Some("staging"));
    assert!(error.is_refusal(), "{error}");
    server.forbid("staging", false);
    informer.synced().await.unwrap_err();
    sleep(Duration::from_secs(60)).await;
    informer.synced().await.unwrap();
    assert!(informer.problems().next().now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn an_idle_watch_times_out_before_load_balancers_would() {
    let stall = Faults::scripted([Fault::Stall { at: 2_000 }]);
    let server = ApiServer::new(Settings::default(), stall);
    let storage = server.storage();
    storage.create("prod", "a", content(1));
    let informer = start(&server, &["prod"]).await;
    informer.synced().await.unwrap();
    let mut problems = informer.problems();
    let mut newest = None;
    for size in 2..5 {
        newest = storage.update("prod", "a", |a| *a = content(size));
    }
    let delay = wait_until_shown(&informer, "prod", "a", newest).await;
    assert!(delay < Duration::from_secs(240), "noticed only after {delay:?}");
    let Problem::Watch { error, .. } = problems.next().await.unwrap() else {
        panic!("the idle timeout is the only problem");
    };
    assert!(matches!(*error, WatchError::IdleTimeout(_)), "{error}");
    assert_eq!(informer.health().watches[0].lists, 1, "no list is needed");
}
