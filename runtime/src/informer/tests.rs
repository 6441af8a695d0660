//! Properties of all public types.

use k8s_openapi::api::core::v1::ConfigMap;

use super::*;

const fn is_shared<T: Send + Sync>() {}

const _: () = {
    type K = ConfigMap;
    is_shared::<(Informers, InformerBuilder<K>, Informer<K>, Timeouts)>();
    is_shared::<(Lister<K>, Snapshot<K>, NamespaceLister<'_, K>, Query<K>)>();
    is_shared::<(Index<K, String>, Index<K, *const u8>, LabelQuery, InvalidLabelQuery)>();
    is_shared::<(Subscription<K>, Lossless<K>, Overflow, Filter<K>, Event<K>)>();
    is_shared::<(Reconciler<K>, RunError, UnsyncedWatch)>();
    is_shared::<(Queue<ObjectKey>, WorkItem<ObjectKey>, DrainTimedOut<ObjectKey>)>();
    is_shared::<(Action, Backoff, DurationStats, QueueMetrics, ObjectKey)>();
    is_shared::<(Health, WatchHealth, WatchState, Executor)>();
    is_shared::<(Problem, Problems, PanicMessage, WatchError)>();
    is_shared::<(SyncError, WaitError, RefusedWatch)>();
    is_shared::<(Compact<K>, UndecodablePart)>();
};

/// A reader that is borrowed across an await.
///
struct Table {
    events: Subscription<ConfigMap>,
    rows: usize,
}

impl Table {
    async fn yield_now(&self) -> usize {
        tokio::task::yield_now().await;
        self.rows
    }

    async fn read(&mut self) -> usize {
        while self.events.next().await.is_some() {
            self.rows += 1;
            self.yield_now().await;
        }
        self.rows
    }
}

#[tokio::test]
async fn a_subscription_can_be_borrowed_across_an_await() {
    let config = || Event::Added(ConfigMap::default().into());
    let events = Subscription::from_iter([config(), config(), Event::Synced]);
    let mut table = Table { events, rows: 0 };
    let read = tokio::spawn(async move { table.read().await });
    assert_eq!(read.await.unwrap(), 3);
}
