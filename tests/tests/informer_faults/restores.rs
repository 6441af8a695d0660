//! Restores of an older state of the storage, after which versions are used again for other states.

mod storms;

use std::{sync::Arc, time::Duration};

use crdkit::informer::{Informer, Informers};
use crdkit_tests::{
    RestoreOrder,
    apiserver::{ApiServer, Settings, Snapshot, Streaming},
    faults::Faults,
};
use tokio::time::{Instant, sleep};

use crate::{
    follower::{Follower, converge, differences},
    run::Transport,
    single_faults::content,
    transports::Memory,
    widget::Widget,
};

/// The limit for an informer to converge after a response of the restored server.
const LIMIT: Duration = Duration::from_secs(120);
/// The limit for an informer to replace an idle connection.
const RECONNECTION: Duration = Duration::from_secs(120);

struct Fixture {
    server: Arc<ApiServer>,
    informer: Informer<Widget>,
    follower: Follower,
    backup: Snapshot,
}

impl Fixture {
    /// An informer that has received changes that the restore will discard.
    async fn new(streaming: Streaming) -> Self {
        let settings = Settings { streaming, ..Settings::default() };
        let server = ApiServer::new(settings, Faults::none());
        let storage = server.storage();
        for name in ["same", "changed", "twin", "deleted"] {
            storage.create("prod", name, content(1));
        }
        storage.delete("prod", "twin");
        let backup = storage.snapshot();
        let informers = Informers::new(Memory.client(&server).await);
        let informer = informers.of().start();
        let follower = Follower::of(&informer);
        informer.synced().await.unwrap();
        storage.update("prod", "changed", |changed| *changed = content(100));
        storage.create("prod", "twin", content(100));
        storage.delete("prod", "deleted");
        storage.create("prod", "lost", content(100));
        // Long enough to receive bookmarks.
        sleep(Duration::from_secs(150)).await;
        Self { server, informer, follower, backup }
    }

    fn restore(&self, order: RestoreOrder) {
        if order.cut {
            self.server.stop_serving();
        } else {
            self.server.stall_connections();
        }
        self.server.storage().restore(&self.backup);
    }

    /// Waits until the restored server receives a request.
    async fn reconnect(&self, requests: usize) {
        self.server.resume_serving();
        let began = Instant::now();
        while self.server.journal().exchanges().len() == requests {
            assert!(began.elapsed() < RECONNECTION, "there is no request");
            sleep(Duration::from_millis(100)).await;
        }
        sleep(Duration::from_secs(1)).await;
    }

    /// Uses the discarded versions again: for the same object with other content, and for another object.
    fn write(&self, past: bool) {
        let storage = self.server.storage();
        storage.update("prod", "changed", |changed| *changed = content(200));
        storage.create("prod", "twin", content(200));
        if past {
            storage.advance_version();
            storage.update("prod", "deleted", |deleted| *deleted = content(200));
            for size in 201..204 {
                storage.update("prod", "deleted", |deleted| *deleted = content(size));
                storage.update("prod", "changed", |changed| *changed = content(size));
                storage.update("prod", "twin", |twin| *twin = content(size));
            }
        }
    }

    async fn run_case(self, order: RestoreOrder) -> Result<Duration, String> {
        let requests = self.server.journal().exchanges().len();
        self.restore(order);
        if order.writes_first {
            self.write(order.past);
            // The informer cannot connect meanwhile.
            sleep(Duration::from_secs(20)).await;
            self.reconnect(requests).await;
        } else {
            self.reconnect(requests).await;
            self.write(order.past);
        }
        let time = converge(&self.server, &self.informer, &self.follower, LIMIT).await?;
        sleep(3 * LIMIT).await;
        let different = differences(&self.server, &self.informer, &self.follower);
        let health = self.informer.health();
        if different.is_empty() && health.is_good() && health.watches[0].lists < 4 {
            Ok(time)
        } else {
            Err(format!("it does not stay equal: {different:?}, {health:?}"))
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_informer_converges_soon_after_a_restore_in_every_order() {
    let mut wrong = Vec::new();
    for streaming in [Streaming::Served, Streaming::Refused] {
        for order in RestoreOrder::all() {
            let outcome = Fixture::new(streaming).await.run_case(order).await;
            match outcome {
                Ok(time) => println!("{streaming:?}, {order:?}: equal after {time:?}"),
                Err(error) => wrong.push(format!("{streaming:?}, {order:?}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {}", wrong.len(), wrong.join("\n\n"));
}

/// Only the content differs, not even the version of the list.
#[tokio::test(start_paused = true)]
async fn a_list_is_compared_by_the_contents_of_objects() {
    for streaming in [Streaming::Served, Streaming::Refused] {
        let fixture = Fixture::new(streaming).await;
        fixture.server.stop_serving();
        let storage = fixture.server.storage();
        storage.restore(&fixture.backup);
        storage.update("prod", "changed", |changed| *changed = content(7));
        storage.create("prod", "twin", content(100));
        storage.delete("prod", "deleted");
        storage.create("prod", "lost", content(8));
        // After the compaction all objects are listed, and each version is one that the store has.
        storage.advance_version();
        storage.compact();
        fixture.server.resume_serving();
        let time = converge(&fixture.server, &fixture.informer, &fixture.follower, LIMIT).await;
        time.unwrap_or_else(|error| panic!("{streaming:?}: {error}"));
    }
}
