//! Outages between the requests of an operation.

use std::{collections::BTreeMap, thread, time::Duration};

use crdkit::client::{Deleted, Error, OperationResult, UpdateError, Watch, WatchEvent};
use futures_util::{StreamExt, TryStreamExt};
use http::Request;
use kube::client::Body;
use tokio::task::block_in_place;

use super::{Machines, Moment, Plane, machines, sizes};
use crate::{
    install::definition,
    served::{Machine, Sample},
};

const FINALIZER: &str = "client.example.com/test";
const LIMIT: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn pages_continue_after_an_outage() {
    let Some((plane, _alone)) = Plane::alone().await else {
        return;
    };
    let machines = machines(&plane.client(), "outage-pages", 25).await;
    let mut stream = Box::pin(machines.list().page_size(10).pages());
    let mut pages = vec![stream.try_next().await.unwrap().unwrap()];
    plane.fail().await;
    machines.create(&Machine::named("new", 99)).await.unwrap();
    while let Some(page) = stream.try_next().await.unwrap() {
        assert_eq!(page.metadata.resource_version, pages[0].metadata.resource_version);
        pages.push(page);
    }
    let items: Vec<_> = pages.into_iter().flatten().collect();
    assert_eq!(sizes(&items), (0..25).collect::<Vec<_>>());

    let goes_on = |request: &Request<Body>| {
        let query = request.uri().query().unwrap_or_default();
        query.contains("continue=")
    };
    let machines = plane.failing(Moment::BeforeRequest, goes_on).resources::<Machine>().namespace("outage-pages");
    let list = machines.list().page_size(10).await.unwrap();
    assert_eq!(list.items.len(), 26);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_watch_is_restarted_and_misses_nothing() {
    let Some((plane, _alone)) = Plane::alone().await else {
        return;
    };
    let client = plane.client();
    let machines = machines(&client, "outage-watch", 3).await;
    let change = async |name: &str, size| {
        let resize = |machine: &mut Machine| machine.resize(size);
        machines.update(name, resize).await.unwrap();
    };
    let mut copy = Copy::of(&machines).await;
    let mut events = machines.watch().after(&copy.version).await.unwrap();
    change("m00", 10).await;
    copy.apply(events.try_next().await.unwrap().unwrap());
    assert_eq!(copy.sizes["m00"], 10);
    plane.fail().await;
    let end = copy.apply_all(&mut events).await;
    assert!(matches!(end, Ok(()) | Err(Error::Transport { .. })), "{end:?}");
    assert!(events.next().await.is_none());

    change("m01", 11).await;
    machines.delete("m02").await.unwrap();
    machines.create(&Machine::named("end", 0)).await.unwrap();
    while !copy.sizes.contains_key("end") {
        copy.follow(&machines).await;
    }
    let expected = [("end", 0), ("m00", 10), ("m01", 11)].map(|(name, size)| (name.to_owned(), size));
    assert_eq!(copy.sizes, expected.into());
}

/// A copy of machines that is updated as the documentation of `watch` describes.
struct Copy {
    sizes: BTreeMap<String, i32>,
    version: String,
}

impl Copy {
    async fn of(machines: &Machines) -> Self {
        let list = machines.list().await.unwrap();
        let version = list.metadata.resource_version.clone().unwrap();
        let sizes = (&list).into_iter().map(|it| (name_of(it), it.size())).collect();
        Self { sizes, version }
    }

    /// Restarts the watch, for some seconds.
    async fn follow(&mut self, machines: &Machines) {
        let watch = machines.watch().after(&self.version);
        let followed = match watch.timeout(Duration::from_secs(5)).await {
            Ok(mut events) => self.apply_all(&mut events).await,
            Err(error) => Err(error),
        };
        match followed {
            Ok(()) => {}
            Err(error) if error.is_expired() => *self = Self::of(machines).await,
            Err(error) => panic!("{error}"),
        }
    }

    async fn apply_all(&mut self, events: &mut Watch<Machine>) -> Result<(), Error> {
        while let Some(event) = events.try_next().await? {
            self.apply(event);
        }
        Ok(())
    }

    fn apply(&mut self, event: WatchEvent<Machine>) {
        self.version = event.resource_version().unwrap().to_owned();
        match event {
            WatchEvent::Added(it) | WatchEvent::Modified(it) => {
                self.sizes.insert(name_of(&it), it.size());
            }
            WatchEvent::Deleted(it) => {
                self.sizes.remove(&name_of(&it));
            }
            WatchEvent::Bookmark { .. } => {}
        }
    }
}

fn name_of(machine: &Machine) -> String {
    machine.metadata.name.clone().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_is_waited_for_through_an_outage() {
    let Some((plane, _alone)) = Plane::alone().await else {
        return;
    };
    let machines = machines(&plane.client(), "outage-wait", 1).await;
    machines.finalizers().add("m00", FINALIZER).await.unwrap();
    let waiting = machines.clone();
    let waiting = tokio::spawn(async move { waiting.delete("m00").and_wait(LIMIT).await });
    while machines.get("m00").await.unwrap().metadata.deletion_timestamp.is_none() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Until the watch has started.
    tokio::time::sleep(Duration::from_millis(300)).await;
    plane.fail().await;
    assert!(!waiting.is_finished());
    let removed = machines.finalizers().remove("m00", FINALIZER).await;
    assert_eq!(removed.unwrap(), OperationResult::Updated);
    assert!(matches!(waiting.await.unwrap().unwrap(), Deleted::Gone));
    assert!(machines.get_opt("m00").await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_outlasts_an_outage_between_reading_and_writing() {
    let Some((plane, _alone)) = Plane::alone().await else {
        return;
    };
    let machines = machines(&plane.client(), "outage-update", 1).await;
    let mut edits = 0;
    let patient = machines.max_retries(1000);
    let update = patient.update("m00", |machine| {
        edits += 1;
        block_in_place(|| plane.halt());
        let plane = plane.clone();
        thread::spawn(move || plane.resume());
        machine.spec.size += 1;
    });
    assert_eq!(update.await.unwrap().spec.size, 1);
    assert_eq!(edits, 1);

    let impatient = machines.max_retries(0);
    let update = impatient.update("m00", |machine| {
        block_in_place(|| plane.halt());
        machine.spec.size += 1;
    });
    let error = update.await.unwrap_err();
    let expected = matches!(error, UpdateError::Request(Error::Transport { .. }));
    assert!(expected, "{error}");
    block_in_place(|| plane.resume());
    assert_eq!(machines.get("m00").await.unwrap().spec.size, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_is_waited_for_through_an_outage() {
    let Some((plane, _alone)) = Plane::alone().await else {
        return;
    };
    let is_discovery = |request: &Request<Body>| matches!(request.uri().path(), "/api" | "/apis");
    let client = plane.failing(Moment::BeforeRequest, is_discovery);
    let crd = || definition("outages.example.com", |_| ());
    let installed = client.install([crd()]).await.unwrap();
    assert_eq!(installed[0].outcome, OperationResult::Created);
    let again = plane.client().install([crd()]).await.unwrap();
    assert_eq!(again[0].outcome, OperationResult::Unchanged);
    let found = client.discovery().find("vms.outages.example.com").await;
    assert_eq!(found.unwrap().kind, "Vm");
}
