//! Compares the store with a map that is searched linearly.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{collection::vec, prelude::*, sample::subsequence};

use super::{
    super::{LabelQuery, Slots, Snapshot},
    *,
};
use crate::informer::stored_object::{Stored, typed};

type Key = (String, String);
type Model = BTreeMap<Key, Arc<ConfigMap>>;

#[derive(Clone, Debug)]
enum Step {
    Apply(State),
    Remove(u8, u8),
    /// Lists these names in a namespace, or in all.
    Relist(Option<u8>, Vec<u8>),
    Snapshot,
    /// Moves what lookups read, while a snapshot shares it.
    Pack,
}

fn state() -> impl Strategy<Value = State> {
    let labels = [("app", "web"), ("app", "db"), ("tier", "front"), ("shard", "3"), ("shard", "x")];
    (0..4u8, 0..12u8, 0..2u8, subsequence(labels.to_vec(), 0..=3), vec(0..4u8, 0..3), vec(0..6u8, 0..4)).prop_map(
        |(namespace, name, uid, labels, owners, values)| State { namespace, name, uid, labels, owners, values },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => state().prop_map(Step::Apply),
        4 => (0..4u8, 0..12u8).prop_map(|(namespace, name)| Step::Remove(namespace, name)),
        1 => (prop::option::of(0..4u8), vec(0..12u8, 0..12)).prop_map(|(namespace, names)| Step::Relist(namespace, names)),
        1 => Just(Step::Snapshot),
        1 => Just(Step::Pack),
    ]
}

fn key(object: &ConfigMap) -> Key {
    let meta = object.metadata.clone();
    (meta.namespace.unwrap(), meta.name.unwrap())
}

fn is_same(stored: Arc<Stored>, object: &Arc<ConfigMap>) -> bool {
    Arc::ptr_eq(&typed(stored), object)
}

fn do_apply(store: &Store, model: &mut Model, object: Arc<ConfigMap>) {
    let known = model.insert(key(&object), object.clone());
    match (apply(store, object.clone()), known) {
        (StoreChange::Added, None) => {}
        (StoreChange::Updated { old }, Some(known)) => {
            assert!(is_same(old.clone(), &known) && old.uid() == object.metadata.uid.as_deref());
        }
        (StoreChange::Replaced { old }, Some(known)) => {
            assert!(is_same(old.clone(), &known) && old.uid() != object.metadata.uid.as_deref());
        }
        (change, known) => panic!("{change:?} of {known:?}"),
    }
}

fn remove(store: &Store, model: &mut Model, key: &Key) {
    let mut writer = store.write();
    let slot = writer.find(Some(&key.0), &key.1).map(|(slot, _)| slot);
    let known = model.remove(key);
    assert_eq!(slot.is_some(), known.is_some());
    if let (Some(slot), Some(known)) = (slot, known) {
        assert!(is_same(writer.remove(slot), &known));
    }
}

fn relist(store: &Store, model: &mut Model, namespace: Option<&str>, names: &[u8]) {
    let mut writer = store.write();
    let is_listed = |(of, name): &Key| {
        let stays = names.iter().any(|other| *name == format!("name-{other}"));
        stays || namespace.is_some_and(|namespace| of != namespace)
    };
    let mut seen = Slots::default();
    for (namespace, name) in model.keys().filter(|key| is_listed(key)) {
        seen.insert(writer.find(Some(namespace), name).unwrap().0);
    }
    let gone: BTreeSet<Key> =
        writer.slots(namespace).minus(&seen).iter().map(|slot| key(&typed::<ConfigMap>(writer.remove(slot)))).collect();
    let left: BTreeSet<Key> = model.keys().filter(|key| !is_listed(key)).cloned().collect();
    assert_eq!(gone, left);
    model.retain(|key, _| is_listed(key));
}

type Found = BTreeMap<Key, String>;

fn version(object: &ConfigMap) -> String {
    object.metadata.resource_version.clone().unwrap()
}

fn found(objects: impl IntoIterator<Item = Arc<ConfigMap>>) -> Found {
    let objects = objects.into_iter();
    let all: Vec<_> = objects.map(|object| (key(&object), version(&object))).collect();
    let found: Found = all.iter().cloned().collect();
    assert_eq!(all.len(), found.len(), "an object was returned twice");
    found
}

fn expected(model: &Model, is_meant: impl Fn(&ConfigMap) -> bool) -> Found {
    found(model.values().filter(|object| is_meant(object)).cloned())
}

const SELECTORS: [&str; 10] = [
    "",
    "app",
    "!app",
    "app=web",
    "app!=web",
    "app in (web, db), tier",
    "app notin (web, db)",
    "shard>2",
    "shard<9,!tier",
    "tier=front,app!=db,shard",
];

fn same(snapshot: &Snapshot<ConfigMap>, model: &Model, indexed: &Index<ConfigMap, String>) {
    assert_eq!(snapshot.len(), model.len());
    assert_eq!(snapshot.is_empty(), model.is_empty());
    assert_eq!(found(snapshot.list()), expected(model, |_| true));
    assert_eq!(found(snapshot.iter().cloned().map(Arc::new)), expected(model, |_| true));
    assert_eq!(snapshot.clone().into_iter().len(), model.len());
    assert_eq!(found(snapshot.clone()), expected(model, |_| true));
    for (namespace, name) in (0..4).flat_map(|namespace| (0..12).map(move |name| (namespace, name))) {
        let key = (format!("ns-{namespace}"), format!("name-{name}"));
        let object = snapshot.namespace(&*key.0).get(&key.1);
        assert_eq!(object.map(|object| version(&object)), model.get(&key).map(|object| version(object)));
    }
    for owner in 0..4 {
        let uid = format!("owner-{owner}");
        let is_owned = |object: &ConfigMap| {
            let mut owners = object.metadata.owner_references.iter().flatten();
            owners.any(|owner| owner.uid == uid)
        };
        assert_eq!(found(snapshot.owned_by_uid(&uid)), expected(model, is_owned));
    }
    let scanned = by_value();
    for value in 0..6 {
        let value = value.to_string();
        let has_value = |object: &ConfigMap| object.data.iter().flatten().any(|(key, _)| *key == value);
        assert_eq!(found(snapshot.by(indexed, &*value)), expected(model, has_value));
        assert_eq!(found(snapshot.by(&scanned, &*value)), expected(model, has_value));
    }
    for (text, namespace) in SELECTORS.iter().flat_map(|text| (0..4).map(move |namespace| (text, namespace))) {
        let (query, namespace): (LabelQuery, _) = (text.parse().unwrap(), format!("ns-{namespace}"));
        let is_here = |object: &ConfigMap| object.metadata.namespace.as_ref() == Some(&namespace);
        assert_eq!(found(snapshot.labels(&query).unwrap()), expected(model, |object| query.matches(object)));
        let here = snapshot.namespace(&*namespace);
        assert_eq!(found(here.list()), expected(model, is_here));
        assert_eq!(here.len(), expected(model, is_here).len());
        let both = |object: &ConfigMap| is_here(object) && query.matches(object);
        assert_eq!(found(here.labels(*text).unwrap()), expected(model, both));
        let other_way_round = snapshot.query().labels(*text).unwrap().namespace(&namespace);
        assert_eq!(other_way_round.len(), expected(model, both).len());
        assert_eq!(other_way_round.any().is_none(), other_way_round.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn behaves_as_a_map_with_immutable_snapshots(steps in vec(step(), 0..120)) {
        let index = by_value();
        let store = Store::new(vec![(&index).into()]);
        let lister = store.lister::<ConfigMap>();
        let (mut model, mut snapshots) = (Model::new(), Vec::new());
        for (at, step) in steps.into_iter().enumerate() {
            match step {
                Step::Apply(state) => do_apply(&store, &mut model, state.object(at)),
                Step::Remove(namespace, name) => {
                    remove(&store, &mut model, &(format!("ns-{namespace}"), format!("name-{name}")));
                }
                Step::Relist(namespace, names) => {
                    let namespace = namespace.map(|namespace| format!("ns-{namespace}"));
                    relist(&store, &mut model, namespace.as_deref(), &names);
                }
                Step::Snapshot => snapshots.push((lister.snapshot(), model.clone())),
                Step::Pack => store.pack(),
            }
            prop_assert_eq!(lister.len(), model.len());
        }
        snapshots.push((lister.snapshot(), model));
        for (snapshot, model) in &snapshots {
            same(snapshot, model, &index);
        }
    }
}

#[test]
fn slots_are_reused() {
    let store = Store::new(Vec::new());
    let state = |name| State { namespace: 0, name, uid: 0, labels: Vec::new(), owners: Vec::new(), values: Vec::new() };
    for name in 0..50 {
        apply(&store, state(name).object(0));
    }
    let all = store.write().slots(None);
    for name in 10..20 {
        let mut writer = store.write();
        let (slot, _) = writer.find(Some("ns-0"), &format!("name-{name}")).unwrap();
        writer.remove(slot);
    }
    for name in 60..70 {
        apply(&store, state(name).object(0));
    }
    assert_eq!(store.write().slots(None), all);
    assert_eq!(store.write().slots(Some("ns-0")), all);
}

#[test]
fn packed_objects_are_found() {
    let store = Store::new(Vec::new());
    let state = |name| State { namespace: 0, name, uid: 0, labels: Vec::new(), owners: Vec::new(), values: Vec::new() };
    for name in 0..100 {
        apply(&store, state(name).object(0));
    }
    let (lister, before) = (store.lister::<ConfigMap>(), store.lister::<ConfigMap>().snapshot());
    assert!(store.shared.read().to_pack().is_some());
    store.pack();
    assert!(store.shared.read().to_pack().is_none(), "a second time is not worthwhile");
    for name in 0..100 {
        apply(&store, state(name).object(1));
        let versions = [lister.find("ns-0", &format!("name-{name}")), before.find("ns-0", &format!("name-{name}"))];
        assert_eq!(versions.map(|object| version(&object.unwrap())), ["1", "0"]);
    }
}
