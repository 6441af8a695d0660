//! Every verb on namespaced and cluster-scoped objects.

mod deletes;
mod reads;

use std::time::Duration;

use crdkit::client::{
    Error, FieldValidation, OperationResult, Patch, Resources,
    scope::{Listable, SingleObject},
};
use serde_json::json;

use crate::served::{Machine, Sample, Site, client, namespace};
use deletes::{deleted, deleted_and_waited_for, deleted_together, finalized};
use reads::{created_and_read, listed, listed_at_a_version, read_by_metadata, watched};

const LIMIT: Duration = Duration::from_secs(20);

/// Tests of each verb, for a client of each scope.
macro_rules! for_both_scopes {
    ($($test:ident,)+) => {
        mod in_a_namespace {
            use super::*;
            $(
                #[tokio::test]
                async fn $test() {
                    let Some(client) = client().await else { return };
                    let name = concat!("verbs-", stringify!($test)).replace('_', "-");
                    let namespace = namespace(&client, &name).await;
                    let machines = client.resources::<Machine>().namespace(&namespace);
                    super::$test(machines, "a").await;
                }
            )+
        }

        mod of_the_cluster {
            use super::*;
            $(
                #[tokio::test]
                async fn $test() {
                    let Some(client) = client().await else { return };
                    let name = stringify!($test).replace('_', "-");
                    super::$test(client.resources::<Site>(), &name).await;
                }
            )+
        }
    };
}

for_both_scopes! {
    created_and_read,
    created_once,
    rejected_by_the_schema,
    replaced,
    patched,
    updated,
    created_or_updated,
    applied,
    listed,
    listed_at_a_version,
    watched,
    deleted,
    deleted_and_waited_for,
    deleted_together,
    read_by_metadata,
    finalized,
    dry_run,
}

async fn created_once<K: Sample, P: SingleObject<K>>(all: Resources<K, P>, name: &str) {
    all.create(&K::named(name, 1)).await.unwrap();
    let error = all.create(&K::named(name, 1)).await.unwrap_err();
    assert!(error.is_already_exists(), "{error}");
}

async fn rejected_by_the_schema<K: Sample, P: SingleObject<K>>(all: Resources<K, P>, name: &str) {
    let error = all.create(&K::named(name, -1)).await.unwrap_err();
    let Error::Invalid(refusal) = &error else {
        panic!("{error}");
    };
    let mut paths = refusal.causes().map(|cause| cause.path);
    assert!(paths.any(|path| path == "spec.size"), "{error}");
    assert!(error.to_string().contains("\n  spec.size: "), "{error}");
}

async fn replaced<K: Sample, P: SingleObject<K>>(all: Resources<K, P>, name: &str) {
    let mut object = all.create(&K::named(name, 1)).await.unwrap();
    object.resize(2);
    let replaced = all.replace(&object).await.unwrap();
    assert_eq!(replaced.size(), 2);
    let error = all.replace(&object).await.unwrap_err();
    assert!(error.is_conflict(), "{error}");
}

async fn patched<K: Sample, P: SingleObject<K>>(all: Resources<K, P>, name: &str) {
    all.create(&K::named(name, 1)).await.unwrap();
    let merge = Patch::merge(json!({ "spec": { "size": 2 } }));
    assert_eq!(all.patch(name, &merge).await.unwrap().size(), 2);
    let operations = json!([
        { "op": "test", "path": "/spec/size", "value": 2 },
        { "op": "replace", "path": "/spec/size", "value": 3 },
    ]);
    let json = Patch::json(operations);
    assert_eq!(all.patch(name, &json).await.unwrap().size(), 3);
    let error = all.patch(name, &json).await.unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    let unknown = Patch::merge(json!({ "spec": { "sise": 2 } }));
    let strict = all.field_validation(FieldValidation::Strict);
    let error = strict.patch(name, &unknown).await.unwrap_err();
    assert!(error.to_string().contains("unknown field \"spec.sise\""), "{error}");
}

async fn updated<K: Sample, P: SingleObject<K>>(all: Resources<K, P>, name: &str) {
    let created = all.create(&K::named(name, 1)).await.unwrap();
    let updated = all.update(name, |object| object.resize(2)).await.unwrap();
    assert_eq!(updated.size(), 2);
    let again = all.update(name, |object| object.resize(2)).await.unwrap();
    assert_eq!(again.meta().resource_version, updated.meta().resource_version);
    assert_ne!(created.meta().resource_version, updated.meta().resource_version);
}

async fn created_or_updated<K: Sample, P: SingleObject<K>>(all: Resources<K, P>, name: &str) {
    let object = K::named(name, 1);
    for (size, expected) in
        [(2, OperationResult::Created), (2, OperationResult::Unchanged), (3, OperationResult::Updated)]
    {
        let edit = |object: &mut K| object.resize(size);
        let (object, outcome) = all.create_or_update(&object, edit).await.unwrap();
        assert_eq!((object.size(), outcome), (size, expected));
    }
}

async fn applied<K: Sample, P: SingleObject<K>>(all: Resources<K, P>, name: &str) {
    for (size, expected) in [(1, OperationResult::Created), (2, OperationResult::Updated)] {
        let fields = json!({ "spec": { "size": size } });
        let (object, outcome) = all.create_or_apply(name, &fields).await.unwrap();
        assert_eq!((object.size(), outcome), (size, expected));
    }
}

async fn dry_run<K: Sample, P: SingleObject<K> + Listable<K>>(all: Resources<K, P>, name: &str) {
    let tried = all.dry_run();
    tried.create(&K::named(name, 1)).await.unwrap();
    assert!(all.get_opt(name).await.unwrap().is_none());
    all.create(&K::named(name, 1)).await.unwrap();
    let updated = tried.update(name, |object| object.resize(2)).await.unwrap();
    assert_eq!(updated.size(), 2);
    let fields = json!({ "spec": { "note": "tried" } });
    tried.force().apply(name, &fields).await.unwrap();
    tried.delete(name).and_wait(LIMIT).await.unwrap();
    tried.delete_collection().await.unwrap();
    assert_eq!(all.get(name).await.unwrap().size(), 1);
}
