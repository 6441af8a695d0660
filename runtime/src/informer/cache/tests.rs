//! User code that uses the cache while it changes.

mod panics;

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use k8s_openapi::api::core::v1::ConfigMap;

use super::*;
use crate::informer::{CacheObject, Index, Owner, Subscription, panics::ClosurePanic};

/// An object that runs a closure when it is dropped.
struct RunOnDrop {
    config: ConfigMap,
    on_drop: Arc<dyn Fn() + Send + Sync>,
}

impl Drop for RunOnDrop {
    fn drop(&mut self) {
        (self.on_drop)();
    }
}

impl CacheObject for RunOnDrop {
    type Kind = ConfigMap;

    fn namespace(&self) -> Option<&str> {
        self.config.namespace()
    }

    fn name(&self) -> &str {
        CacheObject::name(&self.config)
    }

    fn uid(&self) -> Option<&str> {
        self.config.uid()
    }

    fn resource_version(&self) -> Option<&str> {
        self.config.resource_version()
    }

    fn generation(&self) -> Option<i64> {
        None
    }

    fn is_terminating(&self) -> bool {
        false
    }

    fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        std::iter::empty()
    }

    fn annotations(&self) -> impl Iterator<Item = (&str, &str)> {
        std::iter::empty()
    }

    fn finalizers(&self) -> impl Iterator<Item = &str> {
        std::iter::empty()
    }

    fn owners(&self) -> impl Iterator<Item = Owner<'_>> {
        std::iter::empty()
    }
}

fn config(name: &str, uid: &str, version: u32) -> ConfigMap {
    let mut config = ConfigMap::default();
    config.metadata.name = Some(name.to_owned());
    config.metadata.uid = Some(uid.to_owned());
    config.metadata.resource_version = Some(version.to_string());
    config
}

/// Runs a test with a timeout that detects deadlocks.
fn soon(test: impl FnOnce() + Send + 'static) {
    let (ended, end) = mpsc::channel();
    let test = thread::spawn(move || {
        test();
        let _ = ended.send(());
    });
    let end = end.recv_timeout(Duration::from_secs(20));
    assert!(end != Err(mpsc::RecvTimeoutError::Timeout), "a deadlock");
    test.join().unwrap();
}

fn apply(cache: &Cache, object: impl CacheObject) -> usize {
    let prepared = cache.store.prepare(Arc::new(object));
    cache.commit(&mut vec![Delta::Apply(prepared)], None).events
}

fn events<K: CacheObject>(cache: &Cache) -> Subscription<K> {
    Subscription::new(cache.subscribe())
}

/// Calls everything that user code may call.
fn use_all(cache: &Cache) -> usize {
    drop(cache.subscribe());
    cache.snapshot().count() + cache.store.len()
}

#[test]
fn objects_are_dropped_without_locks() {
    soon(|| {
        let cache = Arc::new(Cache::new(Store::new(Vec::new())));
        let drops = Arc::new(AtomicUsize::new(0));
        let on_drop: Arc<dyn Fn() + Send + Sync> = {
            let (cache, drops) = (Arc::downgrade(&cache), drops.clone());
            Arc::new(move || {
                drops.fetch_add(1, Ordering::Relaxed);
                cache.upgrade().as_deref().map(use_all);
            })
        };
        let object = |uid: &str, version| RunOnDrop { config: config("a", uid, version), on_drop: on_drop.clone() };
        let delete = |uid: &str, version: u32| Delta::Delete {
            key: ObjectKey::new(None, "a"),
            uid: Some(uid.into()),
            version: version.to_string().into(),
            last: Some(Arc::new(object(uid, version))),
        };
        let mut readers = [events::<RunOnDrop>(&cache), events(&cache).merge_beyond(0), events(&cache).merge_beyond(3)];
        let lossless = events::<RunOnDrop>(&cache).lossless(2);
        for round in 0..50 {
            let uid = (round / 7).to_string();
            match round % 5 {
                4 => drop(cache.commit(&mut vec![delete(&uid, round)], None)),
                3 => drop(apply(&cache, object(&uid, round - 1))),
                _ => drop(apply(&cache, object(&uid, round))),
            }
            if round % 8 == 0 {
                for reader in &mut readers {
                    while futures_util::FutureExt::now_or_never(reader.next()).is_some() {}
                }
            }
        }
        readers.into_iter().for_each(|reader| drop(reader.lossless(1)));
        drop(lossless);
        cache.sweep(None, &Seen::default());
        assert_eq!(drops.load(Ordering::Relaxed), 50);
    });
}

/// Creates a cache whose index reads it.
fn self_using(calls: &Arc<AtomicUsize>) -> (Arc<Cache>, Index<ConfigMap, usize>) {
    let known = Arc::new(OnceLock::<Arc<Cache>>::new());
    let index = {
        let (known, calls) = (known.clone(), calls.clone());
        Index::new("size", move |_: &ConfigMap| {
            calls.fetch_add(1, Ordering::Relaxed);
            use_all(known.get().unwrap());
            Some(7)
        })
    };
    let cache = Arc::new(Cache::new(Store::new(Vec::new())));
    let _ = known.set(cache.clone());
    (cache, index)
}

#[test]
fn an_index_may_use_the_cache_whenever_it_is_added() {
    soon(|| {
        let calls = Arc::default();
        let (cache, index) = self_using(&calls);
        apply(&cache, config("a", "a", 1));
        let early = cache.store.prepare(Arc::new(config("b", "b", 2)));
        assert!(cache.add_index(&(&index).into()).is_empty());
        assert_eq!(cache.commit(&mut vec![Delta::Apply(early)], None).events, 1);
        apply(&cache, config("c", "c", 3));
        assert_eq!(calls.load(Ordering::Relaxed), 3);
        assert_eq!(cache.store.lister().by(&index, &7).len(), 3);
    });
}

#[test]
fn an_index_is_filled_completely_while_events_continue() {
    soon(|| {
        const OBJECTS: usize = 200;
        let cache = Arc::new(Cache::new(Store::new(Vec::new())));
        for number in 0..OBJECTS {
            let name = number.to_string();
            apply(&cache, config(&name, &name, 1));
        }
        let index = Index::new("version", |config: &ConfigMap| {
            thread::sleep(Duration::from_micros(50));
            config.metadata.resource_version.clone()
        });
        let mut events = events::<ConfigMap>(&cache);
        thread::scope(|scope| {
            let add_index = || {
                cache.add_index(&(&index).into());
                let found = cache.store.lister().query().by(&index, "1").len();
                let all = cache.store.len();
                assert!(found <= all && found > 0);
                let odd = cache.store.lister().snapshot();
                for version in ["1", "2"] {
                    let eq = |object: &&ConfigMap| object.resource_version() == Some(version);
                    assert_eq!(odd.by(&index, version).len(), odd.iter().filter(eq).count());
                }
            };
            scope.spawn(add_index);
            scope.spawn(add_index);
            for number in (0..OBJECTS).step_by(3) {
                let name = number.to_string();
                assert_eq!(apply(&cache, config(&name, &name, 2)), 1);
            }
        });
        let changed = OBJECTS.div_ceil(3);
        let found = |version: &str| cache.store.lister().by(&index, version).len();
        assert_eq!((found("1"), found("2")), (OBJECTS - changed, changed));
        let mut received = 0;
        while futures_util::FutureExt::now_or_never(events.next()).flatten().is_some() {
            received += 1;
        }
        assert_eq!(received, OBJECTS + changed);
    });
}
