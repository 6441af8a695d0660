//! Tests that run all interleavings of a writer and its readers, with loom.

use k8s_openapi::api::core::v1::ConfigMap;
use loom::{future::block_on, thread};

use super::*;
use crate::informer::{CacheObject, Subscription, sync::model};

fn config(name: &str, version: u32) -> ConfigMap {
    let mut config = ConfigMap::default();
    config.metadata.name = Some(name.to_owned());
    config.metadata.uid = Some(name.to_owned());
    config.metadata.resource_version = Some(version.to_string());
    config
}

fn version(object: &ConfigMap) -> u32 {
    object.resource_version().unwrap().parse().unwrap()
}

/// Creates a cache to which a thread applies two states of each of these objects.
fn changing(names: &'static [&'static str]) -> (Arc<Cache>, thread::JoinHandle<()>) {
    let cache = Arc::new(Cache::new(Store::new(Vec::new())));
    let writer = cache.clone();
    let writer = thread::spawn(move || {
        for version in [1, 2] {
            let objects = names.iter().map(|name| Arc::new(config(name, version)));
            let deltas = objects.map(|object| Delta::Apply(writer.store.prepare(object)));
            writer.commit(&mut deltas.collect(), None);
        }
        writer.close();
    });
    (cache, writer)
}

#[test]
#[ignore = "`just loom` runs it"]
fn a_new_subscriber_misses_no_event_and_receives_none_twice() {
    model(|| {
        let (cache, writer) = changing(&["a"]);
        let mut events = Subscription::<ConfigMap>::new(cache.subscribe());
        let mut received = Vec::new();
        while let Some(event) = block_on(events.next()) {
            match event {
                Event::Added(new) => received.push(version(&new)),
                Event::Updated { old, new } => {
                    assert_eq!(received.last(), Some(&version(&old)));
                    received.push(version(&new));
                }
                event => panic!("{event:?}"),
            }
        }
        writer.join().unwrap();
        assert!(received == [1, 2] || received == [2], "{received:?}");
    });
}

#[test]
#[ignore = "`just loom` runs it"]
fn snapshots_are_consistent_and_monotonic() {
    model(|| {
        let (cache, writer) = changing(&["a", "b"]);
        let versions = || {
            let snapshot = cache.store.lister::<ConfigMap>().snapshot();
            let versions: Vec<_> = snapshot.iter().map(version).collect();
            assert!(matches!(versions[..], [] | [1, 1] | [2, 2]), "{versions:?}");
            versions.first().copied()
        };
        let (earlier, later) = (versions(), versions());
        assert!(earlier <= later);
        writer.join().unwrap();
        assert_eq!(versions(), Some(2));
    });
}
