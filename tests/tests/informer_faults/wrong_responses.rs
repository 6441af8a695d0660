//! Successful responses that are not what was requested: informers ignore them.

use std::{fmt, sync::Arc, time::Duration};

use crdkit::informer::{Informer, Informers, Problem};
use crdkit_tests::{
    apiserver::{ApiServer, Settings, Streaming},
    faults::{Fault, Faults, WrongBody, WrongEvent},
};
use futures_util::FutureExt;
use tokio::time::sleep;

use crate::{
    follower::{Follower, converge},
    run::Transport,
    single_faults::content,
    transports::Memory,
    widget::Widget,
};

const OBJECTS: [&str; 5] = ["a", "b", "c", "d", "e"];
const LIMIT: Duration = Duration::from_secs(120);

struct Fixture {
    server: Arc<ApiServer>,
    informer: Informer<Widget>,
    follower: Follower,
}

impl Fixture {
    /// An informer that has all objects, of a server that still responds correctly.
    async fn new(settings: Settings) -> Self {
        let server = ApiServer::new(settings, Faults::none());
        for name in OBJECTS {
            server.storage().create("prod", name, content(1));
        }
        let informers = Informers::new(Memory.client(&server).await);
        let informer = informers.of().start();
        informer.synced().await.unwrap();
        let follower = Follower::of(&informer);
        let fixture = Self { server, informer, follower };
        fixture.expect_converged("before the wrong responses").await;
        fixture
    }

    async fn expect_converged(&self, when: &str) {
        let converged = converge(&self.server, &self.informer, &self.follower, LIMIT).await;
        converged.unwrap_or_else(|error| panic!("{when}: {error}"));
    }

    /// Makes the informer list again.
    fn force_relist(&self) {
        self.server.storage().advance_version();
        self.server.storage().compact();
        self.server.disconnect();
    }

    /// Checks the informer for some minutes. Returns how often it was healthy.
    async fn count_healthy(&self, wrong: impl fmt::Debug) -> usize {
        let mut healthy = 0;
        sleep(Duration::from_secs(10)).await;
        for _ in 0..30 {
            sleep(Duration::from_secs(7)).await;
            healthy += usize::from(self.informer.health().is_good());
            assert_eq!(self.informer.lister().len(), OBJECTS.len(), "{wrong:?}");
            assert_eq!(self.follower.deleted(), 0, "{wrong:?}");
        }
        healthy
    }

    /// Stops the wrong responses, and expects the informer to converge.
    async fn expect_recovery(self) {
        let storage = self.server.storage();
        storage.delete("prod", "b");
        storage.update("prod", "c", |c| *c = content(2));
        storage.create("prod", "new", content(3));
        self.server.faults().stop();
        self.expect_converged("after the wrong responses").await;
        assert_eq!(self.follower.deleted(), 1);
    }
}

/// Sends wrong responses to all requests of a verb while the informer lists again.
async fn check_wrong_lists(settings: Settings, verb: &'static str, body: WrongBody) {
    let fixture = Fixture::new(settings).await;
    let mut problems = fixture.informer.problems();
    fixture.server.faults().repeat(verb, Fault::WrongBody { body });
    fixture.force_relist();
    assert_eq!(fixture.count_healthy(body).await, 0, "{body:?}: {verb}");
    let health = fixture.informer.health();
    assert!(health.watches[0].failures > 0, "{body:?}: {health:#?}");
    let problem = problems.next().now_or_never();
    assert!(matches!(problem, Some(Some(Problem::Watch { .. }))));
    fixture.expect_recovery().await;
}

fn paged(page: usize) -> Settings {
    Settings { streaming: Streaming::Refused, page, ..Settings::default() }
}

#[tokio::test(start_paused = true)]
async fn a_first_page_that_is_not_a_list_deletes_nothing() {
    for body in WrongBody::ALL {
        check_wrong_lists(paged(500), "list", body).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_further_page_that_is_not_a_list_deletes_nothing() {
    for body in WrongBody::ALL {
        check_wrong_lists(paged(2), "continue", body).await;
    }
}

/// The response to a regular check does not change objects.
#[tokio::test(start_paused = true)]
async fn a_wrong_check_changes_nothing() {
    for body in WrongBody::ALL {
        let fixture = Fixture::new(Settings::default()).await;
        let fault = Fault::WrongBody { body };
        fixture.server.faults().repeat("check", fault);
        assert_eq!(fixture.count_healthy(body).await, 30, "{body:?}");
        assert_eq!(fixture.informer.health().watches[0].lists, 1, "{body:?}");
        fixture.expect_recovery().await;
    }
}

/// Both streaming lists and pages are wrong, so that the fallback to pages fails too.
#[tokio::test(start_paused = true)]
async fn a_wrong_streaming_list_deletes_nothing() {
    for body in WrongBody::ALL {
        let fixture = Fixture::new(Settings::default()).await;
        for verb in ["watch", "list"] {
            fixture.server.faults().repeat(verb, Fault::WrongBody { body });
        }
        fixture.force_relist();
        assert_eq!(fixture.count_healthy(body).await, 0, "{body:?}");
        let health = fixture.informer.health();
        assert!(health.watches[0].failures > 0, "{body:?}: {health:#?}");
        fixture.expect_recovery().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_wrong_watch_changes_nothing() {
    for body in WrongBody::ALL {
        let fixture = Fixture::new(Settings::default()).await;
        fixture.server.faults().repeat("watch", Fault::WrongBody { body });
        fixture.server.disconnect();
        // Between two attempts it may be connected for a moment.
        assert!(fixture.count_healthy(body).await < 30, "{body:?}");
        let health = fixture.informer.health();
        assert!(health.watches[0].failures > 0, "{body:?}: {health:#?}");
        fixture.expect_recovery().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_wrong_event_changes_nothing() {
    for event in WrongEvent::ALL {
        let fixture = Fixture::new(Settings::default()).await;
        let mut problems = fixture.informer.problems();
        let line = 0;
        let fault = Fault::WrongEvent { line, event };
        fixture.server.faults().repeat("watch", fault);
        fixture.server.disconnect();
        let change = |size| move |a: &mut _| *a = content(size);
        fixture.server.storage().update("prod", "a", change(2));
        let healthy = fixture.count_healthy(event).await;
        assert!(healthy < 30, "{event:?} does not change the health");
        let health = fixture.informer.health();
        assert!(health.watches[0].failures > 0, "{event:?}: {health:#?}");
        let problem = problems.next().now_or_never();
        assert!(matches!(problem, Some(Some(Problem::Watch { .. }))));
        fixture.expect_recovery().await;
    }
}

/// Wrong events among the initial events, and right after them.
#[tokio::test(start_paused = true)]
async fn a_wrong_event_in_a_streaming_list_deletes_nothing() {
    for event in WrongEvent::ALL {
        for line in [0, 3, OBJECTS.len()] {
            let fixture = Fixture::new(Settings::default()).await;
            let fault = Fault::WrongEvent { line, event };
            fixture.server.faults().repeat("watch", fault);
            fixture.force_relist();
            fixture.count_healthy((event, line)).await;
            fixture.expect_recovery().await;
        }
    }
}
