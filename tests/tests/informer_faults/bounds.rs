//! The limits of an informer, and the freshness that it reports.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use crdkit::{
    client::Limits,
    informer::{Informer, Informers, Problem, Timeouts, WatchError, WatchState},
    kube::{self, client::Body},
};
use crdkit_tests::{
    apiserver::{ApiServer, Settings, kind},
    faults::Faults,
};
use http::{Request, Response};
use serde_json::{Value, json};
use tokio::time::sleep;
use tower::{BoxError, service_fn};

use crate::{run::Transport, single_faults::content, transports::Memory, widget::Widget};

const MINUTE: Duration = Duration::from_secs(60);
/// The staleness that a probe may accept.
const FRESH: Duration = Duration::from_secs(180);

fn server() -> Arc<ApiServer> {
    let server = ApiServer::new(Settings::default(), Faults::none());
    server.storage().create("prod", "a", content(1));
    server
}

async fn start(server: &Arc<ApiServer>, timeouts: Timeouts) -> Informer<Widget> {
    let informers = Informers::new(Memory.client(server).await);
    let informer = informers.of().timeouts(timeouts).start();
    informer.synced().await.unwrap();
    informer
}

#[tokio::test(start_paused = true)]
async fn a_working_watch_is_fresh_and_an_idle_one_is_not() {
    let server = server();
    // No watch times out meanwhile.
    let timeouts = Timeouts::default().watch(Duration::from_secs(36_000));
    let informer = start(&server, timeouts).await;
    for round in 0..120 {
        sleep(MINUTE / 4).await;
        // In the second half there are no changes.
        if round < 60 {
            server.storage().update("prod", "a", |a| *a = content(round));
        }
        let health = informer.health();
        assert!(health.is_fresh(FRESH), "{round}: {health:?}");
    }
    server.stall_connections();
    let newest = server.storage().update("prod", "a", |a| *a = content(7));
    assert!(newest.is_some());
    sleep(Duration::from_secs(30)).await;
    let health = informer.health();
    assert!(health.is_good(), "the idle timeout has not passed");
    assert!(health.staleness().unwrap() >= Duration::from_secs(30));
    assert!(!health.is_fresh(Duration::from_secs(29)));
    sleep(3 * MINUTE).await;
    let health = informer.health();
    assert!(health.is_fresh(FRESH), "it has reconnected: {health:?}");
    server.stop_serving();
    sleep(FRESH + MINUTE).await;
    assert!(!informer.health().is_fresh(FRESH));
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_too_large_is_read_in_a_list() {
    let server = server();
    let client = Memory.client(&server).await.limits(Limits::default().watch_event(2_000));
    let informer: Informer<Widget> = Informers::new(client).of().start();
    informer.synced().await.unwrap();
    let mut large = content(2);
    large.spec["note"] = "x".repeat(10_000).into();
    server.storage().update("prod", "a", |a| *a = large.clone());
    let after = server.storage().create("prod", "b", content(3)).unwrap();
    sleep(MINUTE).await;
    let shown = informer.lister().find("prod", "b").unwrap();
    assert_eq!(shown.metadata.resource_version.as_deref(), Some(&*after.to_string()));
    assert_eq!(informer.lister().find("prod", "a").unwrap().spec.note.len(), 10_000);
    assert!(informer.health().watches[0].lists >= 2);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_nested_too_deep_blocks_no_other() {
    let server = server();
    let deep = |size: i64| {
        let mut deep = content(size);
        deep.spec["unknown"] = (0..20).fold(json!(null), |inner, _| json!([inner]));
        deep
    };
    server.storage().create("prod", "listed", deep(1));
    let client = Memory.client(&server).await.limits(Limits::default().depth(15));
    let informer: Informer<Widget> = Informers::new(client).of().start();
    informer.synced().await.unwrap();
    server.storage().update("prod", "a", |a| *a = deep(2));
    server.storage().create("prod", "b", content(3));
    sleep(MINUTE).await;
    let lister = informer.lister();
    assert_eq!(lister.find("prod", "a").unwrap().spec.size, 1, "its last readable state");
    assert_eq!(lister.find("prod", "b").unwrap().spec.size, 3);
    let mut undecodable: Vec<_> =
        informer.undecodable_objects().into_iter().map(|object| (object.name, object.problem)).collect();
    undecodable.sort_by(|(one, _), (other, _)| one.cmp(other));
    assert_eq!(undecodable.len(), 2);
    for ((name, problem), expected) in undecodable.into_iter().zip(["a", "listed"]) {
        assert_eq!(name, expected);
        let Problem::Undecodable(undecodable) = problem else {
            panic!("{problem:?}");
        };
        let message = undecodable.to_string();
        assert!(message.contains("an object is nested more than 15 deep"), "{message}");
    }
    assert_eq!(informer.health().watches[0].failures, 0);
    server.storage().update("prod", "a", |a| *a = content(4));
    sleep(MINUTE).await;
    assert_eq!(lister.find("prod", "a").unwrap().spec.size, 4);
}

#[tokio::test(start_paused = true)]
async fn unlimited_timeouts_are_allowed() {
    let max = Duration::MAX;
    let timeouts =
        Timeouts::default().watch(max).idle(max).response(max).initial_list(max).check(max).backoff(max, max);
    let server = server();
    let informer = start(&server, timeouts).await;
    let newest = server.storage().update("prod", "a", |a| *a = content(2));
    sleep(MINUTE).await;
    let shown = informer.lister().find("prod", "a").unwrap();
    let version = shown.metadata.resource_version.clone();
    assert_eq!(version, newest.map(|newest| newest.to_string()));
}

/// A server without streaming lists, and with endless pages that have these tokens and first objects.
fn endless(
    page: impl Fn(usize) -> (String, Option<String>) + Clone + Send + 'static,
) -> (kube::Client, Arc<AtomicUsize>) {
    let lists = Arc::new(AtomicUsize::new(0));
    let counted = lists.clone();
    let answer = service_fn(move |request: Request<Body>| {
        let is_watch = request.uri().query().unwrap_or_default().contains("watch=true");
        let (code, body) = if is_watch {
            (422, json!({ "kind": "Status", "apiVersion": "v1", "code": 422, "reason": "Invalid" }))
        } else {
            let (token, first) = page(counted.fetch_add(1, Ordering::Relaxed));
            (200, list(&token, first.as_deref()))
        };
        let response = Response::builder().status(code);
        async move { Ok::<_, BoxError>(response.body(Body::from(body.to_string().into_bytes()))?) }
    });
    (kube::Client::new(answer, "default"), lists)
}

fn list(token: &str, first: Option<&str>) -> Value {
    let items = first.map(|name| {
        let metadata = json!({ "namespace": "prod", "name": name, "uid": name, "resourceVersion": "7" });
        json!({ "metadata": metadata, "spec": content(1).spec })
    });
    json!({
        "kind": format!("{}List", kind::KIND),
        "apiVersion": format!("{}/{}", kind::GROUP, kind::VERSION),
        "metadata": { "resourceVersion": "7", "continue": token },
        "items": Vec::from_iter(items),
    })
}

/// Returns the number of pages that an informer requests in ten minutes without completing a list.
async fn pages_of(page: impl Fn(usize) -> (String, Option<String>) + Clone + Send + 'static) -> usize {
    let (client, lists) = endless(page);
    let informer: Informer<Widget> = Informers::new(client).of().start();
    sleep(10 * MINUTE).await;
    let health = informer.health();
    let WatchState::Disconnected { error, .. } = &health.watches[0].state else {
        panic!("{health:?}");
    };
    assert!(matches!(error.as_deref(), Some(WatchError::Unexpected(_))), "{error:?}");
    lists.load(Ordering::Relaxed)
}

#[tokio::test(start_paused = true)]
async fn a_list_that_never_ends_is_an_error() {
    let requests = pages_of(|_| ("again".to_owned(), None)).await;
    assert!((2..200).contains(&requests), "{requests} pages in ten minutes");
    let alternating = |page: usize| ["x", "y"][page % 2].to_owned();
    let requests = pages_of(move |page| (alternating(page), Some(page.to_string()))).await;
    assert!((2..400).contains(&requests), "{requests} pages in ten minutes");
    let requests = pages_of(|page| (page.to_string(), Some("a".to_owned()))).await;
    assert!((2..200).contains(&requests), "{requests} pages in ten minutes");
}
