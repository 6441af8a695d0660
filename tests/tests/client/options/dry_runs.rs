//! Dry runs.

use std::time::Duration;

use crdkit::{
    client::{Deleted, OperationResult, Patch, Resources},
    conditions::NewCondition,
};
use serde_json::json;

use super::{Scaled, Scope, merge};

const LIMIT: Duration = Duration::from_secs(20);

pub(super) async fn a_dry_run_of_any_verb_stores_nothing<K: Scaled>(all: Resources<K, impl Scope<K>>, name: &str) {
    let dry_run = all.dry_run();
    no_creation_is_stored(&dry_run, name).await;
    assert!(all.get_opt(name).await.unwrap().is_none());

    all.create(&K::named(name, 1)).await.unwrap();
    all.status().update(name, |status| status.size = 1).await.unwrap();
    all.finalizers().add(name, "client.example.com/a").await.unwrap();
    let before = serde_json::to_value(all.get(name).await.unwrap()).unwrap();
    no_change_is_stored(&dry_run, name).await;
    no_change_of_the_status_is_stored(&dry_run, name).await;
    no_change_of_the_scale_is_stored(&dry_run, name).await;
    no_deletion_is_stored(&dry_run, name).await;
    let after = serde_json::to_value(all.get(name).await.unwrap()).unwrap();
    assert_eq!(after, before);
}

async fn no_creation_is_stored<K: Scaled>(dry_run: &Resources<K, impl Scope<K>>, name: &str) {
    let object = K::named(name, 1);
    let created = dry_run.create(&object).await.unwrap();
    assert!(created.meta().uid.is_some());
    let (updated, outcome) = dry_run.create_or_update(&object, |object| object.resize(2)).await.unwrap();
    assert_eq!((updated.size(), outcome), (2, OperationResult::Created));
    let fields = json!({ "spec": { "size": 3 } });
    let applied = dry_run.apply(name, &fields).await.unwrap();
    assert_eq!(applied.size(), 3);
    let (applied, outcome) = dry_run.create_or_apply(name, &fields).await.unwrap();
    assert_eq!((applied.size(), outcome), (3, OperationResult::Created));
}

async fn no_change_is_stored<K: Scaled>(dry_run: &Resources<K, impl Scope<K>>, name: &str) {
    let mut object = dry_run.get(name).await.unwrap();
    object.resize(2);
    assert_eq!(dry_run.replace(&object).await.unwrap().size(), 2);
    let updated = dry_run.update(name, |object| object.resize(3)).await;
    assert_eq!(updated.unwrap().size(), 3);
    let updated = dry_run.create_or_update(&object, |object| object.resize(4));
    assert_eq!(updated.await.unwrap().1, OperationResult::Updated);
    let patch = merge(json!({ "spec": { "size": 5 } }));
    assert_eq!(dry_run.patch(name, &patch).await.unwrap().size(), 5);
    let operations = json!([{ "op": "replace", "path": "/spec/size", "value": 6 }]);
    let operations = Patch::json(operations);
    assert_eq!(dry_run.patch(name, &operations).await.unwrap().size(), 6);
    let (fields, forced) = (json!({ "spec": { "size": 7 } }), dry_run.force());
    assert_eq!(forced.apply(name, &fields).await.unwrap().size(), 7);
    let (applied, outcome) = forced.create_or_apply(name, &fields).await.unwrap();
    assert_eq!((applied.size(), outcome), (7, OperationResult::Updated));
    let finalizers = dry_run.finalizers();
    let added = finalizers.add(name, "client.example.com/b").await;
    assert_eq!(added.unwrap(), OperationResult::Updated);
    let removed = finalizers.remove(name, "client.example.com/a").await;
    assert_eq!(removed.unwrap(), OperationResult::Updated);
}

async fn no_change_of_the_status_is_stored<K: Scaled>(dry_run: &Resources<K, impl Scope<K>>, name: &str) {
    let status = dry_run.status();
    let size_of = |object: K| object.status().unwrap().size;
    let mut object = dry_run.get(name).await.unwrap();
    object.status_mut().as_mut().unwrap().size = 2;
    assert_eq!(size_of(status.replace(&object).await.unwrap()), 2);
    let updated = status.update(name, |status| status.size = 3).await;
    assert_eq!(size_of(updated.unwrap()), 3);
    let patch = merge(json!({ "status": { "size": 4 } }));
    assert_eq!(size_of(status.patch(name, &patch).await.unwrap()), 4);
    let (fields, forced) = (json!({ "status": { "size": 5 } }), dry_run.force());
    let applied = forced.status().apply(name, &fields).await.unwrap();
    assert_eq!(size_of(applied), 5);
    let ready = NewCondition::is_true("Ready", "Here");
    let ready = status.set_condition(name, ready).await.unwrap();
    assert_eq!(ready.status().unwrap().conditions.len(), 1);
}

async fn no_change_of_the_scale_is_stored<K: Scaled>(dry_run: &Resources<K, impl Scope<K>>, name: &str) {
    let set = dry_run.scale().set(name, 2).await.unwrap();
    assert_eq!(set.spec.unwrap().replicas, Some(2));
    let patch = merge(json!({ "spec": { "replicas": 3 } }));
    let patched = dry_run.scale().patch(name, &patch).await.unwrap();
    assert_eq!(patched.spec.unwrap().replicas, Some(3));
}

async fn no_deletion_is_stored<K: Scaled>(dry_run: &Resources<K, impl Scope<K>>, name: &str) {
    let deleted = dry_run.delete(name).await.unwrap();
    assert!(matches!(deleted, Deleted::Terminating(_)), "{deleted:?}");
    dry_run.delete(name).and_wait(LIMIT).await.unwrap();
    let field = format!("metadata.name={name}");
    let deleted = dry_run.delete_collection().fields(&field).await.unwrap();
    assert_eq!(deleted.len(), 1);
}
