//! Tests that run all interleavings of the threads, with loom.
//!
//! `just loom` runs them.

use std::future::poll_fn;

use k8s_openapi::api::core::v1::ConfigMap;
use loom::{future::block_on, thread};

use super::{buffer::OverflowPolicy, *};
use crate::informer::{CacheObject, Event, sync::model};

fn config(version: u32) -> Arc<ConfigMap> {
    let mut config = ConfigMap::default();
    config.metadata.uid = Some("uid".to_owned());
    config.metadata.resource_version = Some(version.to_string());
    Arc::new(config)
}

fn subscribe(fanout: &mut Fanout, objects: [Arc<Stored>; 0], synced: bool) -> Subscription<ConfigMap> {
    Subscription::new(fanout.subscribe(objects.into_iter(), synced))
}

fn batch(version: u32) -> Arc<[Notification]> {
    let (old, new) = (config(version - 1), config(version));
    [Event::Updated { old, new }.into()].into()
}

fn version(object: &ConfigMap) -> u32 {
    object.resource_version().unwrap().parse().unwrap()
}

/// Reads the versions of all events until the end.
fn read(channel: &Channel) -> Vec<(u32, u32)> {
    let mut versions = Vec::new();
    while let Some(event) = block_on(poll_fn(|context| channel.poll(context))).map(Event::typed) {
        let Event::Updated { old, new } = event else {
            panic!("{event:?}");
        };
        versions.push((version(&old), version(&new)));
    }
    versions
}

/// Returns what a reader receives and the number of dropped events, while another thread pushes two changes and closes
/// the channel.
fn read_two_changes(policy: OverflowPolicy) -> (Vec<(u32, u32)>, u64) {
    let channel = Arc::new(Channel::new());
    channel.set_policy(policy);
    let writer = {
        let channel = channel.clone();
        thread::spawn(move || {
            channel.push(&batch(2), &mut DeferredDrops::default());
            channel.push(&batch(3), &mut DeferredDrops::default());
            channel.close();
        })
    };
    let versions = read(&channel);
    writer.join().unwrap();
    (versions, channel.dropped())
}

#[test]
#[ignore = "`just loom` runs it"]
fn each_change_wakes_the_reader() {
    model(|| {
        let changes = read_two_changes(OverflowPolicy::Coalesce(2));
        assert_eq!(changes, (vec![(1, 2), (2, 3)], 0));
    });
}

#[test]
#[ignore = "`just loom` runs it"]
fn merged_changes_wake_the_reader() {
    model(|| {
        let (versions, dropped) = read_two_changes(OverflowPolicy::Coalesce(0));
        assert!(versions == [(1, 2), (2, 3)] || versions == [(1, 3)]);
        assert_eq!(dropped, 0);
    });
}

#[test]
#[ignore = "`just loom` runs it"]
fn an_overflow_wakes_the_reader() {
    model(|| {
        let changes = read_two_changes(OverflowPolicy::Drop(1));
        let all = (vec![(1, 2), (2, 3)], 0);
        assert!(changes == all || changes == (vec![(1, 2)], 1));
    });
}

#[test]
#[ignore = "`just loom` runs it"]
fn becoming_lossless_delivers_all_or_reports_an_overflow() {
    model(|| {
        let channel = Arc::new(Channel::new());
        channel.set_policy(OverflowPolicy::Coalesce(0));
        let writer = {
            let channel = channel.clone();
            thread::spawn(move || {
                channel.push(&batch(2), &mut DeferredDrops::default());
                channel.push(&batch(3), &mut DeferredDrops::default());
                channel.close();
            })
        };
        channel.set_policy(OverflowPolicy::Drop(5));
        let versions = read(&channel);
        writer.join().unwrap();
        let all = versions == [(1, 2), (2, 3)] && channel.dropped() == 0;
        assert!(all || (versions.is_empty() && channel.dropped() == 2));
    });
}

#[test]
#[ignore = "`just loom` runs it"]
fn a_dropped_subscription_leaves_nothing() {
    model(|| {
        let mut fanout = Fanout::default();
        let gone = subscribe(&mut fanout, [], true);
        let mut stays = subscribe(&mut fanout, [], false);
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
