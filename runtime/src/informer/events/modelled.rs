//! Tests that run all interleavings of the threads, with loom.
//!
//! `RUSTFLAGS="--cfg crdkit_loom" cargo test -p crdkit --features informer,latest --lib modelled`

use std::future::poll_fn;

use k8s_openapi::api::core::v1::ConfigMap;
use loom::{future::block_on, thread};

use super::{buffer::Limit, *};
use crate::informer::Event;

fn config(version: u32) -> Arc<ConfigMap> {
    let mut config = ConfigMap::default();
    config.metadata.uid = Some("uid".to_owned());
    config.metadata.resource_version = Some(version.to_string());
    Arc::new(config)
}

fn batch(version: u32) -> Arc<[Notification<ConfigMap>]> {
    let (old, new) = (config(version - 1), config(version));
    [Event::Updated { old, new }.into()].into()
}

fn version(object: &ConfigMap) -> u32 {
    object.resource_version().unwrap().parse().unwrap()
}

/// Reads the versions of all events until the end.
fn read(feed: &Channel<ConfigMap>) -> Vec<(u32, u32)> {
    let mut versions = Vec::new();
    while let Some(event) = block_on(poll_fn(|context| feed.poll(context))) {
        let Event::Updated { old, new } = event else {
            panic!("{event:?}");
        };
        versions.push((version(&old), version(&new)));
    }
    versions
}

/// Returns what a reader receives and the number of dropped events, while another thread pushes two changes and closes
/// the channel.
fn told(limit: Limit) -> (Vec<(u32, u32)>, u64) {
    let feed = Arc::new(Channel::new());
    feed.limit(limit);
    let writer = {
        let feed = feed.clone();
        thread::spawn(move || {
            feed.push(&batch(2), &mut Leftovers::default());
            feed.push(&batch(3), &mut Leftovers::default());
            feed.close();
        })
    };
    let versions = read(&feed);
    writer.join().unwrap();
    (versions, feed.missed())
}

#[test]
fn each_change_wakes_who_waits() {
    loom::model(|| {
        let changes = told(Limit::Coalesce(2));
        assert_eq!(changes, (vec![(1, 2), (2, 3)], 0));
    });
}

#[test]
fn merged_changes_wake_who_waits() {
    loom::model(|| {
        let (versions, missed) = told(Limit::Coalesce(0));
        assert!(versions == [(1, 2), (2, 3)] || versions == [(1, 3)]);
        assert_eq!(missed, 0);
    });
}

#[test]
fn an_overflow_wakes_who_waits() {
    loom::model(|| {
        let changes = told(Limit::Drop(1));
        let all = (vec![(1, 2), (2, 3)], 0);
        assert!(changes == all || changes == (vec![(1, 2)], 1));
    });
}

#[test]
fn who_becomes_lossless_is_told_all_or_that_it_missed_some() {
    loom::model(|| {
        let feed = Arc::new(Channel::new());
        feed.limit(Limit::Coalesce(0));
        let writer = {
            let feed = feed.clone();
            thread::spawn(move || {
                feed.push(&batch(2), &mut Leftovers::default());
                feed.push(&batch(3), &mut Leftovers::default());
                feed.close();
            })
        };
        feed.limit(Limit::Drop(5));
        let versions = read(&feed);
        writer.join().unwrap();
        let all = versions == [(1, 2), (2, 3)] && feed.missed() == 0;
        assert!(all || (versions.is_empty() && feed.missed() == 2));
    });
}

#[test]
fn who_goes_leaves_nothing() {
    loom::model(|| {
        let mut fanout = Fanout::default();
        let gone = fanout.subscribe(std::iter::empty(), true);
        let mut stays = fanout.subscribe(std::iter::empty(), false);
        let object = config(1);
        let reader = thread::spawn(move || drop(gone));
        fanout.push([Event::Added(object.clone())]);
        drop(fanout);
        reader.join().unwrap();
        assert!(matches!(block_on(stays.next()), Some(Event::Added(_))));
        assert!(block_on(stays.next()).is_none());
        assert_eq!(Arc::strong_count(&object), 1);
    });
}
