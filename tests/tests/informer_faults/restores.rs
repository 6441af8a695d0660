//! Time that goes back: an older state of the storage is put back, and versions come again for other states.

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
    aimed::content,
    follower::{Follower, converge, differences},
    run::Way,
    ways::Memory,
    widget::Widget,
};

/// In which an informer is right after it has been answered by the restored server.
const LIMIT: Duration = Duration::from_secs(120);
/// Until an informer has given up a silent connection and made another.
const RECONNECTION: Duration = Duration::from_secs(120);

struct Scene {
    server: Arc<ApiServer>,
    informer: Informer<Widget>,
    follower: Follower,
    backup: Snapshot,
}

impl Scene {
    /// An informer that has seen a future which is lost in a moment.
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
        // Long enough to hear bookmarks.
        sleep(Duration::from_secs(150)).await;
        Self { server, informer, follower, backup }
    }

    fn restore(&self, order: RestoreOrder) {
        match order.cut {
            true => self.server.go_down(),
            false => self.server.fall_silent(),
        }
        self.server.storage().restore(&self.backup);
    }

    /// Until the restored server is asked something.
    async fn reconnect(&self, asked: usize) {
        self.server.come_up();
        let began = Instant::now();
        while self.server.journal().exchanges().len() == asked {
            assert!(began.elapsed() < RECONNECTION, "nothing is asked");
            sleep(Duration::from_millis(100)).await;
        }
        sleep(Duration::from_secs(1)).await;
    }

    /// Makes the versions of the lost future again: of the same object with other content, and of another object.
    fn write(&self, past: bool) {
        let storage = self.server.storage();
        storage.update("prod", "changed", |changed| *changed = content(200));
        storage.create("prod", "twin", content(200));
        if past {
            storage.pass();
            storage.update("prod", "deleted", |deleted| *deleted = content(200));
            for size in 201..204 {
                storage.update("prod", "deleted", |deleted| *deleted = content(size));
                storage.update("prod", "changed", |changed| *changed = content(size));
                storage.update("prod", "twin", |twin| *twin = content(size));
            }
        }
    }

    async fn play(self, order: RestoreOrder) -> Result<Duration, String> {
        let asked = self.server.journal().exchanges().len();
        self.restore(order);
        if order.writes_first {
            self.write(order.past);
            // The informer tries in vain.
            sleep(Duration::from_secs(20)).await;
            self.reconnect(asked).await;
        } else {
            self.reconnect(asked).await;
            self.write(order.past);
        }
        let time = converge(&self.server, &self.informer, &self.follower, LIMIT).await?;
        sleep(3 * LIMIT).await;
        let different = differences(&self.server, &self.informer, &self.follower);
        let health = self.informer.health();
        match different.is_empty() && health.is_good() && health.watches[0].lists < 4 {
            true => Ok(time),
            false => Err(format!("it does not stay right: {different:?}, {health:?}")),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_informer_is_right_soon_after_a_restore_in_every_order() {
    let mut wrong = Vec::new();
    for streaming in [Streaming::Served, Streaming::Refused] {
        for order in RestoreOrder::all() {
            let played = Scene::new(streaming).await.play(order).await;
            match played {
                Ok(time) => println!("{streaming:?}, {order:?}: right after {time:?}"),
                Err(error) => wrong.push(format!("{streaming:?}, {order:?}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {}", wrong.len(), wrong.join("\n\n"));
}

/// Nothing tells the past from the future but the content: not even the version of the list.
#[tokio::test(start_paused = true)]
async fn a_list_is_compared_by_what_objects_are() {
    for streaming in [Streaming::Served, Streaming::Refused] {
        let scene = Scene::new(streaming).await;
        scene.server.go_down();
        let storage = scene.server.storage();
        storage.restore(&scene.backup);
        storage.update("prod", "changed", |changed| *changed = content(7));
        storage.create("prod", "twin", content(100));
        storage.delete("prod", "deleted");
        storage.create("prod", "lost", content(8));
        // Forgotten: everything is read again, and each version is one that the store has.
        storage.pass();
        storage.compact();
        scene.server.come_up();
        let time = converge(&scene.server, &scene.informer, &scene.follower, LIMIT).await;
        time.unwrap_or_else(|error| panic!("{streaming:?}: {error}"));
    }
}
