use std::collections::BTreeMap;

use futures_util::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;

use super::*;
use crate::informer::{CacheObject, Event};

mod filtering;
mod merging;
mod model;
mod repeating;
mod threads;

type Config = Arc<ConfigMap>;

fn subscribe(fanout: &mut Fanout, objects: impl IntoIterator<Item = Config>, synced: bool) -> Subscription<ConfigMap> {
    let objects: Vec<_> = objects.into_iter().map(|object| object as Arc<Stored>).collect();
    Subscription::new(fanout.subscribe(objects.into_iter(), synced))
}

fn config(name: &str, version: u64) -> Config {
    with_uid(name, name, version)
}

fn with_uid(name: &str, uid: &str, version: u64) -> Config {
    let mut config = ConfigMap::default();
    config.metadata.name = Some(name.to_owned());
    config.metadata.uid = Some(uid.to_owned());
    config.metadata.resource_version = Some(version.to_string());
    Arc::new(config)
}

fn update(name: &str, version: u64) -> Event<ConfigMap> {
    Event::Updated { old: config(name, version - 1), new: config(name, version) }
}

fn text(event: &Event<ConfigMap>) -> String {
    let of = |object: &Config| format!("{}{}", object.name(), version(object));
    match event {
        Event::Added(object) => format!("+{}", of(object)),
        Event::Updated { old, new } => format!("{}>{}", of(old), of(new)),
        Event::Deleted(object) => format!("-{}", of(object)),
        Event::Synced => "synced".to_owned(),
    }
}

fn version(object: &ConfigMap) -> u64 {
    object.resource_version().unwrap().parse().unwrap()
}

/// Returns all buffered events.
fn buffered(subscription: &mut Subscription<ConfigMap>) -> Vec<Event<ConfigMap>> {
    std::iter::from_fn(|| subscription.next().now_or_never()?).collect()
}

fn ready(subscription: &mut Subscription<ConfigMap>) -> Vec<String> {
    buffered(subscription).iter().map(text).collect()
}

/// The objects of a subscriber, which checks that events are consistent.
#[derive(Default)]
struct SubscriberState {
    objects: BTreeMap<String, Config>,
    newest: u64,
    synced: bool,
}

impl SubscriberState {
    fn apply(&mut self, event: &Event<ConfigMap>) {
        let Some(object) = event.object() else {
            assert!(!std::mem::replace(&mut self.synced, true));
            return;
        };
        let name = object.name().to_owned();
        match event {
            Event::Added(new) => {
                assert!(self.objects.insert(name, new.clone()).is_none(), "{}", text(event));
            }
            Event::Updated { old, new } => {
                let current = self.objects.insert(name, new.clone()).expect("known");
                assert!(Arc::ptr_eq(&current, old), "{} after {}", text(event), version(&current));
                assert!(version(old) < version(new) && old.uid() == new.uid());
            }
            Event::Deleted(last) => {
                let current = self.objects.remove(&name).expect("known");
                assert!(version(&current) <= version(last) && current.uid() == last.uid());
            }
            Event::Synced => {}
        }
        self.newest = self.newest.max(version(object));
    }
}

#[test]
fn a_snapshot_comes_first() {
    let mut fanout = Fanout::default();
    let mut early = subscribe(&mut fanout, [], false);
    fanout.push([Event::Added(config("a", 1)), Event::Synced]);
    let mut late = subscribe(&mut fanout, [config("a", 1)], true);
    fanout.push([update("a", 2), Event::Synced]);
    assert_eq!(ready(&mut early), ["+a1", "synced", "a1>a2"]);
    assert_eq!(ready(&mut late), ["+a1", "synced", "a1>a2"]);
}

#[test]
fn the_end_follows_buffered_events() {
    let mut fanout = Fanout::default();
    let mut subscription = subscribe(&mut fanout, [], true);
    fanout.push([Event::Added(config("a", 1))]);
    fanout.close();
    let mut late = subscribe(&mut fanout, [config("a", 1)], true);
    assert_eq!(ready(&mut subscription), ["synced", "+a1"]);
    assert!(matches!(subscription.next().now_or_never(), Some(None)));
    assert_eq!(ready(&mut late), ["+a1", "synced"]);
    assert!(matches!(late.next().now_or_never(), Some(None)));
}

#[test]
fn dropped_subscribers_are_removed() {
    let mut fanout = Fanout::default();
    drop(subscribe(&mut fanout, [], true));
    let object = config("a", 1);
    let retained = subscribe(&mut fanout, [], true);
    fanout.push([Event::Added(object.clone())]);
    assert_eq!((fanout.channels.len(), Arc::strong_count(&object)), (1, 2));
    drop(retained);
    assert_eq!(Arc::strong_count(&object), 1);
}

#[test]
fn an_overflow_follows_the_buffered_events() {
    let mut fanout = Fanout::default();
    let mut events = subscribe(&mut fanout, [], true).lossless(2);
    for version in 2..7 {
        fanout.push([update("a", version)]);
    }
    let events: Vec<_> = std::iter::from_fn(|| events.next().now_or_never()?).collect();
    let texts: Vec<_> = events.iter().flatten().map(text).collect();
    assert_eq!(texts, ["synced", "a1>a2", "a2>a3"]);
    let error = events.last().unwrap().as_ref().unwrap_err();
    assert_eq!(error.dropped, 3);
}

#[tokio::test]
async fn a_change_wakes_the_subscriber() {
    let mut fanout = Fanout::default();
    let mut subscription = subscribe(&mut fanout, [], true);
    assert_eq!(ready(&mut subscription), ["synced"]);
    let reader = tokio::spawn(async move {
        let events: Vec<_> = subscription.by_ref().collect().await;
        events.iter().map(text).collect::<Vec<_>>()
    });
    for version in 2..5 {
        tokio::task::yield_now().await;
        fanout.push([update("a", version)]);
    }
    tokio::task::yield_now().await;
    drop(fanout);
    assert_eq!(reader.await.unwrap(), ["a1>a2", "a2>a3", "a3>a4"]);
}
