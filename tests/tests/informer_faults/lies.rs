//! Servers that answer well, but not what was requested: nothing of it is believed.

use std::{fmt, sync::Arc, time::Duration};

use crdkit::informer::{Informer, Informers, Problem};
use crdkit_tests::{
    apiserver::{ApiServer, Settings, Streaming},
    faults::{Fault, Faults, WrongBody, WrongEvent},
};
use futures_util::FutureExt;
use tokio::time::sleep;

use crate::{
    aimed::content,
    follower::{Follower, converge},
    run::Way,
    ways::Memory,
    widget::Widget,
};

const OBJECTS: [&str; 5] = ["a", "b", "c", "d", "e"];
const LIMIT: Duration = Duration::from_secs(120);

struct Scene {
    server: Arc<ApiServer>,
    informer: Informer<Widget>,
    follower: Follower,
}

impl Scene {
    /// An informer that shows all objects, before a server that tells the truth.
    async fn new(settings: Settings) -> Self {
        let server = ApiServer::new(settings, Faults::none());
        for name in OBJECTS {
            server.storage().create("prod", name, content(1));
        }
        let informers = Informers::new(Memory.client(&server).await);
        let informer = informers.of().start();
        informer.synced().await.unwrap();
        let follower = Follower::of(&informer);
        let scene = Self { server, informer, follower };
        scene.is_right("before the lies").await;
        scene
    }

    async fn is_right(&self, when: &str) {
        let converged = converge(&self.server, &self.informer, &self.follower, LIMIT).await;
        converged.unwrap_or_else(|error| panic!("{when}: {error}"));
    }

    /// Makes the informer read everything again.
    fn forget(&self) {
        self.server.storage().pass();
        self.server.storage().compact();
        self.server.disconnect();
    }

    /// Looks for some minutes how the informer takes it. Says how often it was well.
    async fn suffer(&self, lie: impl fmt::Debug) -> usize {
        let mut good = 0;
        sleep(Duration::from_secs(10)).await;
        for _ in 0..30 {
            sleep(Duration::from_secs(7)).await;
            good += usize::from(self.informer.health().is_good());
            assert_eq!(self.informer.lister().len(), OBJECTS.len(), "{lie:?}");
            assert_eq!(self.follower.deleted(), 0, "{lie:?}");
        }
        good
    }

    /// The lies end, and everything is as it should be soon.
    async fn recover(self) {
        let storage = self.server.storage();
        storage.delete("prod", "b");
        storage.update("prod", "c", |c| *c = content(2));
        storage.create("prod", "new", content(3));
        self.server.faults().stop();
        self.is_right("after the lies").await;
        assert_eq!(self.follower.deleted(), 1);
    }
}

/// Lies to every request of a verb, after everything has to be read again.
async fn lie_about_lists(settings: Settings, verb: &'static str, body: WrongBody) {
    let scene = Scene::new(settings).await;
    let mut problems = scene.informer.problems();
    scene.server.faults().repeat(verb, Fault::WrongBody { body });
    scene.forget();
    assert_eq!(scene.suffer(body).await, 0, "{body:?}: {verb}");
    let health = scene.informer.health();
    assert!(health.watches[0].failures > 0, "{body:?}: {health:#?}");
    let problem = problems.next().now_or_never();
    assert!(matches!(problem, Some(Some(Problem::Watch { .. }))));
    scene.recover().await;
}

fn paged(page: usize) -> Settings {
    Settings { streaming: Streaming::Refused, page, ..Settings::default() }
}

#[tokio::test(start_paused = true)]
async fn a_first_page_that_is_no_list_deletes_nothing() {
    for body in WrongBody::ALL {
        lie_about_lists(paged(500), "list", body).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_further_page_that_is_no_list_deletes_nothing() {
    for body in WrongBody::ALL {
        lie_about_lists(paged(2), "continue", body).await;
    }
}

/// What is asked for from time to time says nothing about any object.
#[tokio::test(start_paused = true)]
async fn a_check_that_is_none_changes_nothing() {
    for body in WrongBody::ALL {
        let scene = Scene::new(Settings::default()).await;
        let fault = Fault::WrongBody { body };
        scene.server.faults().repeat("check", fault);
        assert_eq!(scene.suffer(body).await, 30, "{body:?}");
        assert_eq!(scene.informer.health().watches[0].lists, 1, "{body:?}");
        scene.recover().await;
    }
}

/// Whether it is a page or a stream that lies: a fallback to pages is no way around it.
#[tokio::test(start_paused = true)]
async fn a_streaming_list_that_is_none_deletes_nothing() {
    for body in WrongBody::ALL {
        let scene = Scene::new(Settings::default()).await;
        for verb in ["watch", "list"] {
            scene.server.faults().repeat(verb, Fault::WrongBody { body });
        }
        scene.forget();
        assert_eq!(scene.suffer(body).await, 0, "{body:?}");
        let health = scene.informer.health();
        assert!(health.watches[0].failures > 0, "{body:?}: {health:#?}");
        scene.recover().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_none_changes_nothing() {
    for body in WrongBody::ALL {
        let scene = Scene::new(Settings::default()).await;
        scene.server.faults().repeat("watch", Fault::WrongBody { body });
        scene.server.disconnect();
        // Between two tries it may be connected for a moment.
        assert!(scene.suffer(body).await < 30, "{body:?}");
        let health = scene.informer.health();
        assert!(health.watches[0].failures > 0, "{body:?}: {health:#?}");
        scene.recover().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_about_something_else_changes_nothing() {
    for event in WrongEvent::ALL {
        let scene = Scene::new(Settings::default()).await;
        let mut problems = scene.informer.problems();
        let line = 0;
        let fault = Fault::WrongEvent { line, event };
        scene.server.faults().repeat("watch", fault);
        scene.server.disconnect();
        let change = |size| move |a: &mut _| *a = content(size);
        scene.server.storage().update("prod", "a", change(2));
        let good = scene.suffer(event).await;
        assert!(good < 30, "{event:?} is not seen in the health");
        let health = scene.informer.health();
        assert!(health.watches[0].failures > 0, "{event:?}: {health:#?}");
        let problem = problems.next().now_or_never();
        assert!(matches!(problem, Some(Some(Problem::Watch { .. }))));
        scene.recover().await;
    }
}

/// Events among those that list the objects, and right behind them.
#[tokio::test(start_paused = true)]
async fn an_event_about_something_else_in_a_streaming_list_deletes_nothing() {
    for event in WrongEvent::ALL {
        for line in [0, 3, OBJECTS.len()] {
            let scene = Scene::new(Settings::default()).await;
            let fault = Fault::WrongEvent { line, event };
            scene.server.faults().repeat("watch", fault);
            scene.forget();
            scene.suffer((event, line)).await;
            scene.recover().await;
        }
    }
}
