//! Writes of one version.

use crdkit::client::{Error, Resources};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{Scaled, Scope, merge, version_of};

pub(super) async fn writes_of_an_old_version_conflict<K: Scaled>(all: Resources<K, impl Scope<K>>, name: &str) {
    let old = all.create(&K::named(name, 1)).await.unwrap();
    let new = all.update(name, |object| object.resize(2)).await.unwrap();
    check_writes(&all, &old, false).await;
    assert_eq!(version_of(&all.get(name).await.unwrap()), version_of(&new));
    check_writes(&all, &new, true).await;
}

/// Checks that each kind of write for the version of an object succeeds or conflicts.
async fn check_writes<K: Scaled>(all: &Resources<K, impl Scope<K>>, of: &K, succeeds: bool) {
    let name = of.meta().name.as_deref().unwrap();
    let mut newest = of.clone();
    let mut check = async |result: Result<(), Error>, way: &str| {
        match result {
            Ok(()) => assert!(succeeds, "{way}"),
            Err(error) => assert!(!succeeds && error.is_conflict(), "{way}: {error}"),
        }
        if succeeds {
            newest = all.get(name).await.unwrap();
        }
        newest.clone()
    };
    let mut object = of.clone();
    object.resize(3);
    object = check(all.replace(&object).await.map(drop), "replace").await;
    let patch = merge(for_version(&object, json!({ "spec": { "size": 4 } })));
    object = check(all.patch(name, &patch).await.map(drop), "patch").await;
    object.status_mut().get_or_insert_default().size = 5;
    let replaced = all.status().replace(&object).await;
    object = check(replaced.map(drop), "replace the status").await;
    let patch = merge(for_version(&object, json!({ "status": { "size": 6 } })));
    let patched = all.status().patch(name, &patch).await;
    object = check(patched.map(drop), "patch the status").await;
    let patch = merge(for_version(&object, json!({ "spec": { "replicas": 7 } })));
    let patched = all.scale().patch(name, &patch).await;
    check(patched.map(drop), "patch the scale").await;
}

fn for_version<K: Scaled>(object: &K, mut patch: Value) -> Value {
    patch["metadata"] = json!({ "resourceVersion": version_of(object) });
    patch
}

pub(super) async fn writers_with_the_default_of_attempts_lose_nothing<K: Scaled>(
    all: Resources<K, impl Scope<K> + Send + 'static>,
    name: &str,
) {
    const WRITERS: i32 = 32;
    all.create(&K::named(name, 0)).await.unwrap();
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let (all, name) = (all.clone(), name.to_owned());
        let add_one = |object: &mut K| object.resize(object.size() + 1);
        writers.spawn(async move { all.update(&name, add_one).await.map(drop) });
    }
    for written in writers.join_all().await {
        written.unwrap();
    }
    assert_eq!(all.get(name).await.unwrap().size(), WRITERS);
}
