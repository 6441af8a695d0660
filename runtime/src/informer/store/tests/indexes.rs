//! Indexes whose user code panics.

use std::{
    borrow::Borrow,
    hash::{Hash, Hasher},
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{super::AnyIndex, *};
use crate::informer::CacheObject;

fn state(name: u8, values: &[u8]) -> State {
    State { namespace: 0, name, uid: 0, labels: Vec::new(), owners: Vec::new(), values: values.to_vec() }
}

#[test]
fn an_object_has_no_values_if_the_closure_panics() {
    let fails = Index::new("fails", |config: &ConfigMap| {
        assert_ne!(config.metadata.name.as_deref(), Some("name-1"), "name-1 is odd");
        Some(config.metadata.name.clone())
    });
    let works = by_value();
    let store = Store::new(vec![(&fails).into(), (&works).into()]);
    for name in 0..3 {
        let mut prepared = store.prepare(state(name, &[7]).object(0));
        let taken = prepared.take_panics();
        let panics: Vec<_> = taken.iter().map(|panic| (&*panic.closure, panic.message.unredacted())).collect();
        match name {
            1 => assert!(matches!(panics[..], [("the index `fails`", message)] if message.contains("name-1 is odd"))),
            _ => assert!(panics.is_empty()),
        }
        store.write().apply(prepared);
    }
    let lister = store.lister::<ConfigMap>();
    for name in 0..3 {
        let found = lister.by(&fails, &Some(format!("name-{name}")));
        assert_eq!(found.len(), usize::from(name != 1));
    }
    assert_eq!(lister.by(&works, "7").len(), 3);
    assert_eq!(lister.len(), 3);
}

#[test]
fn an_object_loses_its_values_when_the_closure_starts_to_panic() {
    let index = Index::new("value", |config: &ConfigMap| {
        let value = config.data.clone().unwrap().into_keys().next().unwrap();
        assert_ne!(value, "9");
        [value]
    });
    let store = Store::new(vec![(&index).into()]);
    let found = |value: &str| store.lister().by(&index, value).len();
    apply(&store, state(0, &[1]).object(0));
    assert_eq!((found("1"), found("9")), (1, 0));
    apply(&store, state(0, &[9]).object(1));
    assert_eq!((found("1"), found("9")), (0, 0));
    apply(&store, state(0, &[1]).object(2));
    assert_eq!((found("1"), found("9")), (1, 0));
}

/// Panics if `9` is compared with itself.
#[derive(Clone, Debug)]
struct Odd(String);

impl PartialEq for Odd {
    fn eq(&self, other: &Self) -> bool {
        assert!(self.0 != "9" || other.0 != "9", "9 is odd");
        self.0 == other.0
    }
}

impl Eq for Odd {}

impl Hash for Odd {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Borrow<str> for Odd {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[test]
fn an_index_is_disabled_if_comparing_values_panics() {
    let index = Index::new("odd", |config: &ConfigMap| {
        let values = config.data.clone().unwrap_or_default().into_keys();
        values.map(Odd).collect::<Vec<_>>()
    });
    let store = Store::new(vec![(&index).into()]);
    let before = store.lister::<ConfigMap>().snapshot();
    for (name, value) in [(0, 1), (1, 9), (2, 9), (3, 1)] {
        apply(&store, state(name, &[value]).object(0));
    }
    let lister = store.lister::<ConfigMap>();
    assert_eq!(lister.len(), 4);
    assert_eq!(lister.by(&index, "1").len(), 2);
    assert_eq!(lister.by(&index, "9").len(), 2);
    assert_eq!(before.by(&index, "1").len(), 0);
    apply(&store, state(3, &[9]).object(1));
    assert_eq!(lister.by(&index, "9").len(), 3);
}

#[test]
fn the_closure_is_called_once_for_a_state() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let index = Index::new("counted", |_: &ConfigMap| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        [1, 1, 2]
    });
    let store = Store::new(vec![(&index).into()]);
    for version in 0..3 {
        apply(&store, state(0, &[]).object(version));
    }
    assert_eq!(store.lister().by(&index, &1).len(), 1);
    let mut writer = store.write();
    let (slot, _) = writer.find(Some("ns-0"), "name-0").unwrap();
    writer.remove(slot);
    drop(writer);
    assert_eq!(store.lister().by(&index, &1).len(), 0);
    assert_eq!(CALLS.load(Ordering::Relaxed), 3);
}

#[test]
fn a_late_index_contains_existing_objects() {
    let index = by_value();
    let store = Store::new(Vec::new());
    for name in 0..3 {
        apply(&store, state(name, &[name]).object(0));
    }
    let (before, early) = (store.lister::<ConfigMap>().snapshot(), store.prepare(state(1, &[2]).object(1)));
    let any = AnyIndex::from(&index);
    for _ in 0..2 {
        store.register(&any);
    }
    let found = |value: &str| store.lister().by(&index, value).len();
    assert_eq!([found("0"), found("1"), found("2")], [1, 1, 1], "searched");
    for _ in 0..2 {
        assert!(store.fill(&any).is_empty());
    }
    assert_ne!(early.indexes(), store.indexes());
    let late = store.prepare(state(1, &[2]).object(1));
    assert_eq!(late.indexes(), store.indexes());
    assert_eq!([found("0"), found("1"), found("2")], [1, 1, 1]);
    store.write().apply(late);
    assert_eq!([found("0"), found("1"), found("2")], [1, 0, 2]);
    assert_eq!(before.by(&index, "1").len(), 1);
}

#[test]
fn an_index_filled_during_changes_is_correct() {
    let store = Arc::new(Store::new(Vec::new()));
    for name in 0..100 {
        apply(&store, state(name, &[1]).object(0));
    }
    let changes = store.clone();
    let calls = AtomicUsize::new(0);
    // When the closure runs, one object is updated, one is removed and one is added.
    let index = Index::new("value", move |config: &ConfigMap| {
        if calls.fetch_add(1, Ordering::Relaxed) == 0 {
            apply(&changes, state(0, &[2]).object(1));
            let mut writer = changes.write();
            let (slot, _) = writer.find(Some("ns-0"), "name-1").unwrap();
            writer.remove(slot);
            drop(writer);
            apply(&changes, state(200, &[2]).object(1));
        }
        config.data.clone().unwrap().into_keys().collect::<Vec<_>>()
    });
    let any = AnyIndex::from(&index);
    store.register(&any);
    store.fill(&any);
    let mut found = store.lister().by(&index, "2");
    found.sort_by_key(|object| object.metadata.name.clone());
    let found: Vec<_> = found.iter().map(|object| CacheObject::name(&**object)).collect();
    assert_eq!(found, ["name-0", "name-200"]);
    assert_eq!(store.lister().by(&index, "1").len(), 98);
}

#[test]
fn a_closure_may_read_its_own_index() {
    let store = Arc::new(Store::new(Vec::new()));
    apply(&store, state(0, &[1]).object(0));
    let known = Arc::new(std::sync::OnceLock::<AnyIndex>::new());
    let index = {
        let (store, known) = (store.clone(), known.clone());
        Index::new("value", move |_: &ConfigMap| {
            let index = known.get().unwrap();
            store.register(index);
            assert!(store.fill(index).is_empty());
            [1]
        })
    };
    let any = known.get_or_init(|| (&index).into());
    store.register(any);
    assert!(store.fill(any).is_empty());
    assert_eq!(store.lister().by(&index, &1).len(), 1);
}
