//! A subscriber that believes what it is told, whatever history the server has.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::informer::{Event, Informer, Subscription};
use crdkit_tests::apiserver::{ApiServer, Key};
use tokio::time::{Instant, sleep};

use crate::{
    run::lines,
    truth::difference,
    widget::{Widget, brief, expected, key},
};

/// How often it is looked whether a store is equal to the server.
const POLL: Duration = Duration::from_millis(100);

/// What a subscriber was told so far.
#[derive(Default)]
struct Told {
    objects: BTreeMap<Key, Arc<Widget>>,
    deleted: usize,
    mistakes: Vec<String>,
}

/// A subscriber that reads as fast as it can.
#[derive(Clone)]
pub(crate) struct Follower(Arc<Mutex<Told>>);

impl Follower {
    pub(crate) fn of(informer: &Informer<Widget>) -> Self {
        let follower = Self(Arc::default());
        tokio::spawn(follow(informer.subscribe(), follower.0.clone()));
        follower
    }

    /// How many objects it was told to be gone.
    pub(crate) fn deleted(&self) -> usize {
        self.0.lock().unwrap().deleted
    }

    /// What in its story contradicts itself.
    pub(crate) fn mistakes(&self) -> Vec<String> {
        self.0.lock().unwrap().mistakes.clone()
    }

    fn objects(&self) -> Vec<Arc<Widget>> {
        self.0.lock().unwrap().objects.values().cloned().collect()
    }
}

async fn follow(mut events: Subscription<Widget>, told: Arc<Mutex<Told>>) {
    while let Some(event) = events.next().await {
        let mut told = told.lock().unwrap();
        if let Err(mistake) = told.apply(&event) {
            told.mistakes.push(mistake);
        }
    }
}

impl Told {
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
                match is_known && old.metadata.uid == new.metadata.uid {
                    true => Ok(()),
                    false => Err(format!("{} was updated to {}", brief(old), brief(new))),
                }
            }
            Event::Deleted(last) => {
                self.deleted += 1;
                let known = self.objects.remove(&key(last));
                match known.is_some_and(|known| known.metadata.uid == last.metadata.uid) {
                    true => Ok(()),
                    false => Err(format!("{} was deleted", brief(last))),
                }
            }
        }
    }
}

/// How the store and a subscriber differ from the server; empty if they do not.
pub(crate) fn differences(server: &ApiServer, informer: &Informer<Widget>, follower: &Follower) -> Vec<String> {
    let objects = server.storage().objects();
    let truth = objects.iter().map(|(key, object)| (key.clone(), expected(object))).collect();
    let store = difference(&truth, informer.lister().all());
    let store = store.into_iter().map(|one| format!("in the store {one}"));
    let told = difference(&truth, follower.objects());
    let told = told.into_iter().map(|one| format!("as it was told {one}"));
    store.chain(told).chain(follower.mistakes()).collect()
}

/// Waits until the store, a subscriber and the server are equal, and the informer is well. Says for how long.
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
            let asked = lines(&exchanges[exchanges.len().saturating_sub(30)..]);
            return Err(format!(
                "not equal to the server after {limit:?}: {different:#?}\n{health:?}\nasked was:\n{asked}"
            ));
        }
        sleep(POLL).await;
    }
}
