//! A subscriber that keeps a copy of the objects from its events.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::informer::{Event, Informer, Subscription};
use crdkit_tests::apiserver::{ApiServer, Key};
use tokio::time::{Instant, sleep};

use crate::{
    history::difference,
    run::lines,
    widget::{Widget, brief, expected, key},
};

/// The interval of comparisons with the server.
const POLL: Duration = Duration::from_millis(100);

/// The copy of the objects, and errors in the events so far.
#[derive(Default)]
struct Received {
    objects: BTreeMap<Key, Arc<Widget>>,
    deleted: usize,
    mistakes: Vec<String>,
}

/// A subscriber that reads without delay.
#[derive(Clone)]
pub(crate) struct Follower(Arc<Mutex<Received>>);

impl Follower {
    pub(crate) fn of(informer: &Informer<Widget>) -> Self {
        let follower = Self(Arc::default());
        tokio::spawn(follow(informer.subscribe(), follower.0.clone()));
        follower
    }

    /// The number of received deletions.
    pub(crate) fn deleted(&self) -> usize {
        self.0.lock().unwrap().deleted
    }

    /// Events that contradict earlier ones.
    pub(crate) fn mistakes(&self) -> Vec<String> {
        self.0.lock().unwrap().mistakes.clone()
    }

    fn objects(&self) -> Vec<Arc<Widget>> {
        self.0.lock().unwrap().objects.values().cloned().collect()
    }
}

async fn follow(mut events: Subscription<Widget>, received: Arc<Mutex<Received>>) {
    while let Some(event) = events.next().await {
        let mut received = received.lock().unwrap();
        if let Err(mistake) = received.apply(&event) {
            received.mistakes.push(mistake);
        }
    }
}

impl Received {
    fn apply(&mut self, event: &Event<Widget>) -> Result<(), String> {
        match event {
            Event::Synced => Ok(()),
            Event::Added(new) => match self.objects.insert(key(new), new.clone()) {
                None => Ok(()),
                Some(old) => Err(format!("{} was added over {}", brief(new), brief(&old))),
            },
            Event::Updated { old, new } => {
                let known = self.objects.insert(key(new), new.clone());
                let is_known = known.is_some_and(|known| *known == **old);
                if is_known && old.metadata.uid == new.metadata.uid {
                    Ok(())
                } else {
                    Err(format!("{} was updated to {}", brief(old), brief(new)))
                }
            }
            Event::Deleted(last) => {
                self.deleted += 1;
                let known = self.objects.remove(&key(last));
                if known.is_some_and(|known| known.metadata.uid == last.metadata.uid) {
                    Ok(())
                } else {
                    Err(format!("{} was deleted", brief(last)))
                }
            }
        }
    }
}

/// Returns how the store and a subscriber differ from the server.
pub(crate) fn differences(server: &ApiServer, informer: &Informer<Widget>, follower: &Follower) -> Vec<String> {
    let objects = server.storage().objects();
    let expected_objects = objects.iter().map(|(key, object)| (key.clone(), expected(object))).collect();
    let store =
        difference(&expected_objects, informer.lister().list()).into_iter().map(|one| format!("in the store {one}"));
    let received = difference(&expected_objects, follower.objects())
        .into_iter()
        .map(|one| format!("in the received events {one}"));
    store.chain(received).chain(follower.mistakes()).collect()
}

/// Waits until the store, a subscriber and the server are equal, and the informer is healthy. Returns how long it took.
pub(crate) async fn converge(
    server: &ApiServer,
    informer: &Informer<Widget>,
    follower: &Follower,
    limit: Duration,
) -> Result<Duration, String> {
    let began = Instant::now();
    loop {
        let different = differences(server, informer, follower);
        if different.is_empty() && informer.health().is_good() {
            return Ok(began.elapsed());
        }
        if began.elapsed() > limit {
            let health = informer.health();
            let exchanges = server.journal().exchanges();
            let requests = lines(&exchanges[exchanges.len().saturating_sub(30)..]);
            return Err(format!(
                "not equal to the server after {limit:?}: {different:#?}\n{health:?}\nrequests:\n{requests}"
            ));
        }
        sleep(POLL).await;
    }
}
