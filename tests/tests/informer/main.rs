//! Informers, against an API server: the real one, or the one in the process.

mod auth;
mod connections;
mod installs;
mod namespaces;
mod objects;
mod outages;
mod restores;
#[allow(dead_code, reason = "the kinds are those of the client's tests, which need more of them")]
#[path = "../client/served.rs"]
mod served;
mod sharing;
mod streaming;

use std::time::Duration;

use crdkit::informer::{CacheObject, Event, Informer, Subscription};
use crdkit_tests::server;
use serde::de::DeserializeOwned;

/// The time limit of each wait.
const LIMIT: Duration = Duration::from_secs(60);

/// Waits for a future, with a time limit.
async fn within_limit<T>(future: impl Future<Output = T>) -> T {
    let result = tokio::time::timeout(LIMIT, future).await;
    result.expect("it takes too long")
}

/// Waits until a condition is true.
async fn until(is_so: impl Fn() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    within_limit(wait).await;
}

/// The next event in short form: `+web`, `web`, `-web`.
async fn next<T: CacheObject>(events: &mut Subscription<T>) -> String {
    match within_limit(events.next()).await {
        Some(Event::Added(new)) => format!("+{}", new.name()),
        Some(Event::Updated { old, new }) => {
            assert_eq!((old.name(), old.uid()), (new.name(), new.uid()));
            new.name().to_owned()
        }
        Some(Event::Deleted(old)) => format!("-{}", old.name()),
        Some(Event::Synced) => "synced".to_owned(),
        None => "end".to_owned(),
    }
}

async fn next_ones<T: CacheObject>(events: &mut Subscription<T>, count: usize) -> Vec<String> {
    let mut received = Vec::new();
    for _ in 0..count {
        received.push(next(events).await);
    }
    received
}

async fn synced<T: CacheObject + DeserializeOwned>(informer: &Informer<T>) {
    let synced =
        tokio::time::timeout(LIMIT, informer.synced()).await.unwrap_or_else(|_| panic!("{:?}", informer.health()));
    synced.unwrap();
}
