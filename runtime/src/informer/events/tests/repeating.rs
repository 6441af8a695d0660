use std::{sync::Mutex, time::Duration};

use super::*;

const MINUTE: Duration = Duration::from_secs(60);

fn stored(objects: &BTreeMap<String, Config>) -> Vec<Arc<Stored>> {
    objects.values().map(|object| object.clone() as Arc<Stored>).collect()
}

/// A store with one writer.
#[derive(Clone, Default)]
struct Store(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    objects: BTreeMap<String, Config>,
    fanout: Fanout,
    version: u64,
}

impl Store {
    fn write(&self, name: &str) {
        let mut inner = self.0.lock().unwrap();
        inner.version += 1;
        let new = config(name, inner.version);
        let event = match inner.objects.insert(name.to_owned(), new.clone()) {
            Some(old) => Event::Updated { old, new },
            None => Event::Added(new),
        };
        inner.fanout.push([event]);
    }

    fn subscribe(&self) -> Subscription<ConfigMap> {
        let mut inner = self.0.lock().unwrap();
        let objects: Vec<_> = stored(&inner.objects);
        let store = Arc::downgrade(&self.0);
        let snapshots = Arc::new(move || {
            let inner = store.upgrade();
            let objects: Vec<_> = match &inner {
                Some(inner) => stored(&inner.lock().unwrap().objects),
                None => Vec::new(),
            };
            Box::new(objects.into_iter()) as Objects
        });
        Subscription::new(inner.fanout.subscribe(objects.into_iter(), true).with_snapshots(snapshots))
    }
}

#[tokio::test(start_paused = true)]
async fn resyncs_bypass_the_filter() {
    let store = Store::default();
    store.write("a");
    store.write("b");
    let mut subscription = store.subscribe().filter(Filter::generation()).resync(MINUTE);
    let started = tokio::time::Instant::now();
    let mut texts = Vec::new();
    for _ in 0..7 {
        texts.push(text(&subscription.next().await.unwrap()));
    }
    let expected = ["+a1", "+b2", "synced", "a1>a1", "b2>b2", "a1>a1", "b2>b2"];
    assert_eq!(texts, expected);
    assert_eq!(started.elapsed().as_secs(), 120);
    drop(store);
    assert!(subscription.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn resyncs_follow_buffered_changes() {
    let store = Store::default();
    store.write("a");
    let mut subscription = store.subscribe().resync(MINUTE);
    assert_eq!(ready(&mut subscription), ["+a1", "synced"]);
    store.write("a");
    tokio::time::advance(2 * MINUTE).await;
    store.write("a");
    assert_eq!(ready(&mut subscription), ["a1>a2", "a2>a3", "a3>a3"]);
    assert_eq!(ready(&mut subscription), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_duration_of_zero_disables_the_resync() {
    let store = Store::default();
    store.write("a");
    let mut subscription = store.subscribe().resync(MINUTE).resync(Duration::ZERO);
    assert_eq!(ready(&mut subscription), ["+a1", "synced"]);
    tokio::time::advance(2 * MINUTE).await;
    assert_eq!(ready(&mut subscription), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn any_duration_is_accepted() {
    for long in [Duration::MAX, Duration::MAX - MINUTE, Duration::from_secs(i64::MAX as u64)] {
        let store = Store::default();
        store.write("a");
        let mut subscription = store.subscribe().resync(long);
        assert_eq!(ready(&mut subscription), ["+a1", "synced"]);
        tokio::time::advance(MINUTE).await;
        store.write("a");
        assert_eq!(ready(&mut subscription), ["a1>a2"]);
    }
}

/// A repeated object must be the last delivered state, for any interleaving of the snapshot and the writer.
#[test]
fn a_resync_repeats_the_last_delivered_state() {
    let store = Store::default();
    for name in 0..10 {
        store.write(&name.to_string());
    }
    let mut subscription = store.subscribe().resync(Duration::from_micros(50));
    let writer = std::thread::spawn(move || {
        for version in 0..20_000 {
            store.write(&(version % 10).to_string());
            if version % 50 == 0 {
                std::thread::sleep(Duration::from_micros(100));
            }
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_time().build().unwrap();
    let repeated = runtime.block_on(async {
        let (mut known, mut repeated) = (SubscriberState::default(), 0);
        while let Some(event) = subscription.next().await {
            match &event {
                Event::Updated { old, new } if Arc::ptr_eq(old, new) => {
                    repeated += 1;
                    assert!(Arc::ptr_eq(&known.objects[new.name()], new));
                }
                event => known.apply(event),
            }
        }
        repeated
    });
    writer.join().unwrap();
    assert!(repeated > 0);
}
