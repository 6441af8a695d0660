//! Concurrent readers and one writer.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use super::{
    super::{Lister, Snapshot},
    *,
};

const NAMES: u8 = 40;

/// An object of a round. All objects of a namespace have the same round.
fn state(namespace: u8, name: u8, round: usize) -> State {
    let app = if (round + usize::from(name)).is_multiple_of(2) { "web" } else { "db" };
    State {
        namespace,
        name,
        uid: 0,
        labels: vec![("app", app)],
        owners: vec![(round % 3) as u8],
        values: vec![(round % 5) as u8, name],
    }
}

fn write(store: &Store, rounds: usize) {
    for round in 0..rounds {
        let namespace = (round % 4) as u8;
        let objects: Vec<_> =
            (0..NAMES).map(|name| store.prepare(state(namespace, name, round).object(round))).collect();
        let mut writer = store.write();
        if round % 7 == 3 {
            let gone: Vec<_> = writer.slots(Some(&format!("ns-{namespace}"))).iter().collect();
            gone.into_iter().for_each(|slot| drop(writer.remove(slot)));
        }
        for object in objects {
            writer.apply(object);
        }
    }
}

fn read(lister: &Lister<ConfigMap>, index: &Index<ConfigMap, String>, namespace: u8) {
    let namespace = format!("ns-{namespace}");
    let versions = |snapshot: &Snapshot<ConfigMap>| {
        let objects = snapshot.namespace(&*namespace).list();
        let versions = objects.iter().map(|object| object.metadata.resource_version.clone());
        versions.collect::<Vec<_>>()
    };
    let snapshot = lister.snapshot();
    let all = versions(&snapshot);
    assert!(all.is_empty() || all.len() == usize::from(NAMES));
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "all objects are of one round");
    let web = |object: &&ConfigMap| object.metadata.labels.as_ref().unwrap()["app"] == "web";
    assert_eq!(snapshot.query().labels("app=web").unwrap().len(), snapshot.iter().filter(web).count());
    for value in ["0", "39"] {
        let has_value = |object: &&ConfigMap| object.data.as_ref().unwrap().contains_key(value);
        assert_eq!(snapshot.by(index, value).len(), snapshot.iter().filter(has_value).count());
    }
    assert_eq!(
        (0..3).map(|owner| snapshot.owned_by_uid(&format!("owner-{owner}")).len()).sum::<usize>(),
        snapshot.len()
    );
    if let Some(object) = lister.find(&*namespace, "name-3") {
        assert_eq!(object.metadata.name.as_deref(), Some("name-3"));
    }
    assert_eq!(versions(&snapshot), all);
}

#[test]
fn snapshots_are_consistent() {
    let index = by_value();
    let store = Store::new(vec![(&index).into()]);
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        for reader in 0..4 {
            let (lister, index, is_done) = (store.lister(), &index, &is_done);
            scope.spawn(move || {
                while !is_done.load(Ordering::Relaxed) {
                    read(&lister, index, reader);
                }
            });
        }
        write(&store, 150);
        is_done.store(true, Ordering::Relaxed);
    });
    assert_eq!(store.len(), 4 * usize::from(NAMES));
}
