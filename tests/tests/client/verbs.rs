//! Every verb on objects in namespaces and on objects of the cluster.

use std::time::Duration;

use crdkit::client::{
    DeleteError, Deleted, Error, Event, FieldValidation, Outcome, Patch, Propagation, Resources,
    place::{Collection, OneObject},
};
use futures_util::TryStreamExt;
use serde_json::json;

use crate::served::{Machine, Sample, Site, client, namespace};

const LIMIT: Duration = Duration::from_secs(20);

/// Tests of each verb, for a place of each scope.
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
    refused_by_the_schema,
    replaced,
    patched,
    updated,
    created_or_updated,
    applied,
    listed,
    watched,
    deleted,
    deleted_and_waited_for,
    deleted_together,
    read_by_metadata,
    finalized,
    only_tried,
}

async fn created_and_read<K: Sample, P: OneObject<K>>(all: Resources<K, P>, name: &str) {
    let created = all.create(&K::named(name, 1)).await.unwrap();
    assert!(created.meta().uid.is_some());
    let read = all.get(name).await.unwrap();
    assert_eq!(read.size(), 1);
    let managed = read.meta().managed_fields.as_ref().unwrap();
    assert_eq!(managed[0].manager.as_deref(), Some("tests"));
    assert!(all.get_opt(name).await.unwrap().is_some());
    assert!(all.get_opt("none").await.unwrap().is_none());
    let error = all.get("none").await.unwrap_err();
    assert!(error.is_not_found(), "{error}");
}

async fn created_once<K: Sample, P: OneObject<K>>(all: Resources<K, P>, name: &str) {
    all.create(&K::named(name, 1)).await.unwrap();
    let error = all.create(&K::named(name, 1)).await.unwrap_err();
    assert!(error.is_already_exists(), "{error}");
}

async fn refused_by_the_schema<K: Sample, P: OneObject<K>>(all: Resources<K, P>, name: &str) {
    let error = all.create(&K::named(name, -1)).await.unwrap_err();
    let Error::Invalid(refusal) = &error else {
        panic!("{error}");
    };
    let mut paths = refusal.causes().map(|cause| cause.path);
    assert!(paths.any(|path| path == "spec.size"), "{error}");
    assert!(error.to_string().contains("\n  spec.size: "), "{error}");
}

async fn replaced<K: Sample, P: OneObject<K>>(all: Resources<K, P>, name: &str) {
    let mut object = all.create(&K::named(name, 1)).await.unwrap();
    object.resize(2);
    let replaced = all.replace(&object).await.unwrap();
    assert_eq!(replaced.size(), 2);
    let error = all.replace(&object).await.unwrap_err();
    assert!(error.is_conflict(), "{error}");
}

async fn patched<K: Sample, P: OneObject<K>>(all: Resources<K, P>, name: &str) {
    all.create(&K::named(name, 1)).await.unwrap();
    let merge = Patch::merge(&json!({ "spec": { "size": 2 } })).unwrap();
    assert_eq!(all.patch(name, &merge).await.unwrap().size(), 2);
    let operations = json!([
        { "op": "test", "path": "/spec/size", "value": 2 },
        { "op": "replace", "path": "/spec/size", "value": 3 },
    ]);
    let json = Patch::json(&operations).unwrap();
    assert_eq!(all.patch(name, &json).await.unwrap().size(), 3);
    let error = all.patch(name, &json).await.unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    let unknown = Patch::merge(&json!({ "spec": { "sise": 2 } })).unwrap();
    let strict = all.field_validation(FieldValidation::Strict);
    let error = strict.patch(name, &unknown).await.unwrap_err();
    assert!(
        error.to_string().contains("unknown field \"spec.sise\""),
        "{error}"
    );
}

async fn updated<K: Sample, P: OneObject<K>>(all: Resources<K, P>, name: &str) {
    let created = all.create(&K::named(name, 1)).await.unwrap();
    let updated = all.update(name, |object| object.resize(2)).await.unwrap();
    assert_eq!(updated.size(), 2);
    let again = all.update(name, |object| object.resize(2)).await.unwrap();
    assert_eq!(
        again.meta().resource_version,
        updated.meta().resource_version
    );
    assert_ne!(
        created.meta().resource_version,
        updated.meta().resource_version
    );
}

async fn created_or_updated<K: Sample, P: OneObject<K>>(all: Resources<K, P>, name: &str) {
    let object = K::named(name, 1);
    for (size, expected) in [
        (2, Outcome::Created),
        (2, Outcome::Unchanged),
        (3, Outcome::Updated),
    ] {
        let edit = |object: &mut K| object.resize(size);
        let (object, outcome) = all.create_or_update(&object, edit).await.unwrap();
        assert_eq!((object.size(), outcome), (size, expected));
    }
}

async fn applied<K: Sample, P: OneObject<K>>(all: Resources<K, P>, name: &str) {
    for (size, expected) in [(1, Outcome::Created), (2, Outcome::Updated)] {
        let fields = json!({ "spec": { "size": size } });
        let (object, outcome) = all.create_or_apply(name, &fields).await.unwrap();
        assert_eq!((object.size(), outcome), (size, expected));
    }
}

async fn listed<K: Sample, P: OneObject<K> + Collection<K>>(all: Resources<K, P>, name: &str) {
    for size in 0..7 {
        let mut object = K::named(&format!("{name}-{size}"), size);
        let label = if size < 5 { "few" } else { "many" };
        object.meta_mut().labels = Some([(name.to_owned(), label.to_owned())].into());
        all.create(&object).await.unwrap();
    }
    let sizes = |objects: Vec<K>| objects.iter().map(K::size).collect::<Vec<_>>();

    let few = all.list().labels(&format!("{name}=few")).page_size(2);
    let list = few.clone().await.unwrap();
    let version = list.metadata.resource_version.clone().unwrap();
    assert!(
        list.items
            .iter()
            .all(|object| object.meta().managed_fields.is_none())
    );
    assert_eq!(sizes(list.items), [0, 1, 2, 3, 4]);
    let pages: Vec<_> = few.clone().pages().try_collect().await.unwrap();
    let lengths: Vec<_> = pages.iter().map(|page| page.items.len()).collect();
    assert_eq!(lengths, [2, 2, 1]);
    let streamed = few.clone().stream().try_collect().await.unwrap();
    assert_eq!(sizes(streamed), [0, 1, 2, 3, 4]);
    let some = few.clone().limit(3).keep_managed_fields().await.unwrap();
    assert!(
        some.items
            .iter()
            .all(|object| object.meta().managed_fields.is_some())
    );
    let rest = few.clone().continue_from(&some.metadata.continue_.unwrap());
    assert_eq!(sizes(some.items), [0, 1, 2]);
    assert_eq!(sizes(rest.await.unwrap().items), [3, 4]);

    all.delete(&format!("{name}-0")).await.unwrap();
    assert_eq!(
        sizes(few.clone().at(&version).await.unwrap().items),
        [0, 1, 2, 3, 4]
    );
    assert_eq!(
        sizes(few.not_older_than(&version).await.unwrap().items).len(),
        4
    );
    let labels = format!("{name}=many");
    let many = all.list().labels(&labels).fields("spec.size=6");
    assert_eq!(sizes(many.await.unwrap().items), [6]);
}

async fn watched<K: Sample, P: OneObject<K> + Collection<K>>(all: Resources<K, P>, name: &str) {
    let created = all.create(&K::named(name, 1)).await.unwrap();
    let field = format!("metadata.name={name}");
    let version = created.meta().resource_version.clone().unwrap();
    let watch = all.watch().fields(&field).after(&version).timeout(LIMIT);
    let mut changes = watch.await.unwrap();
    all.update(name, |object| object.resize(2)).await.unwrap();
    all.delete(name).await.unwrap();
    let mut sizes = Vec::new();
    while let Some(event) = changes.try_next().await.unwrap() {
        match event {
            Event::Modified(object) => sizes.push(object.size()),
            Event::Deleted(object) => {
                sizes.push(-object.size());
                break;
            }
            Event::Bookmark { .. } => {}
            Event::Added(_) => panic!("nothing was added"),
        }
    }
    assert_eq!(sizes, [2, -2]);

    all.create(&K::named(name, 3)).await.unwrap();
    let initial = all.watch().fields(&field).with_initial_events();
    let mut initial = initial.await.unwrap();
    let first = initial.try_next().await.unwrap().unwrap();
    assert_eq!(first.object().unwrap().size(), 3);
    let end = initial.try_next().await.unwrap().unwrap();
    assert!(matches!(
        end,
        Event::Bookmark {
            initial_events_end: true,
            ..
        }
    ));
}

async fn deleted<K: Sample, P: OneObject<K>>(all: Resources<K, P>, name: &str) {
    let first = all.create(&K::named(name, 1)).await.unwrap();
    let (uid, version) = (
        first.meta().uid.clone().unwrap(),
        first.meta().resource_version.clone().unwrap(),
    );
    all.update(name, |object| object.resize(2)).await.unwrap();
    for request in [
        all.delete(name).uid("another"),
        all.delete(name).resource_version(&version),
    ] {
        let error = request.await.unwrap_err();
        assert_eq!(error.status().unwrap().code, 409, "{error}");
    }
    let request = all
        .delete(name)
        .uid(&uid)
        .propagation(Propagation::Background);
    assert_eq!(format!("{:?}", request.await.unwrap()), "Gone");
    let error = all.delete(name).await.unwrap_err();
    assert!(error.is_not_found(), "{error}");
}

async fn deleted_and_waited_for<K: Sample, P: OneObject<K>>(all: Resources<K, P>, name: &str) {
    const FINALIZER: &str = "client.example.com/test";
    all.create(&K::named(name, 1)).await.unwrap();
    all.finalizers().add(name, FINALIZER).await.unwrap();
    let going = all.delete(name).await.unwrap();
    assert!(matches!(going, Deleted::Going(_)), "{going:?}");

    let short = Duration::from_millis(300);
    let error = all.delete(name).and_wait(short).await.unwrap_err();
    assert!(matches!(error, DeleteError::StillThere { .. }), "{error}");
    assert!(error.to_string().ends_with(FINALIZER), "{error}");

    let remove = async {
        tokio::time::sleep(short).await;
        all.finalizers().remove(name, FINALIZER).await.unwrap()
    };
    let wait = all.delete(name).and_wait(LIMIT).into_future();
    let (waited, removed) = tokio::join!(wait, remove);
    assert!(matches!(waited.unwrap(), Deleted::Gone));
    assert_eq!(removed, Outcome::Updated);
    assert!(all.get_opt(name).await.unwrap().is_none());
}

async fn deleted_together<K: Sample, P: OneObject<K> + Collection<K>>(
    all: Resources<K, P>,
    name: &str,
) {
    for size in 0..3 {
        let mut object = K::named(&format!("{name}-{size}"), size);
        let value = if size == 0 { "kept" } else { "deleted" };
        object.meta_mut().labels = Some([(name.to_owned(), value.to_owned())].into());
        all.create(&object).await.unwrap();
    }
    let labels = format!("{name}=deleted");
    let deleted = all.delete_collection().labels(&labels).await.unwrap();
    assert_eq!(deleted.len(), 2);
    let left = all.list().labels(name).await.unwrap();
    assert_eq!(left.items.iter().map(K::size).collect::<Vec<_>>(), [0]);
}

async fn read_by_metadata<K: Sample, P: OneObject<K> + Collection<K>>(
    all: Resources<K, P>,
    name: &str,
) {
    let mut object = K::named(name, 1);
    object.meta_mut().labels = Some([(name.to_owned(), "x".to_owned())].into());
    let created = all.create(&object).await.unwrap();
    let metadata = all.metadata();
    let read = metadata.get(name).await.unwrap();
    assert_eq!(read.metadata.uid, created.meta().uid);
    assert_eq!(read.types.unwrap().kind, "PartialObjectMetadata");
    assert!(metadata.get_opt("none").await.unwrap().is_none());
    let list = metadata.list().labels(name).await.unwrap();
    assert_eq!(list.items[0].metadata.uid, created.meta().uid);
    let mut changes = metadata.watch().labels(name).await.unwrap();
    let event = changes.try_next().await.unwrap().unwrap();
    assert_eq!(event.object().unwrap().metadata.uid, created.meta().uid);
}

async fn finalized<K: Sample, P: OneObject<K>>(all: Resources<K, P>, name: &str) {
    let finalizers = all.finalizers();
    all.create(&K::named(name, 1)).await.unwrap();
    for (finalizer, expected) in [
        ("client.example.com/a", Outcome::Updated),
        ("client.example.com/a", Outcome::Unchanged),
        ("client.example.com/b", Outcome::Updated),
    ] {
        assert_eq!(finalizers.add(name, finalizer).await.unwrap(), expected);
    }
    let remove = async |finalizer| finalizers.remove(name, finalizer).await.unwrap();
    assert_eq!(remove("client.example.com/a").await, Outcome::Updated);
    assert_eq!(remove("client.example.com/a").await, Outcome::Unchanged);
    let left = all.get(name).await.unwrap().meta().finalizers.clone();
    assert_eq!(left.unwrap(), ["client.example.com/b"]);
    assert_eq!(remove("client.example.com/b").await, Outcome::Updated);
}

async fn only_tried<K: Sample, P: OneObject<K> + Collection<K>>(all: Resources<K, P>, name: &str) {
    let tried = all.clone().dry_run();
    tried.create(&K::named(name, 1)).await.unwrap();
    assert!(all.get_opt(name).await.unwrap().is_none());
    all.create(&K::named(name, 1)).await.unwrap();
    let updated = tried.update(name, |object| object.resize(2)).await.unwrap();
    assert_eq!(updated.size(), 2);
    let fields = json!({ "spec": { "note": "tried" } });
    tried.clone().force().apply(name, &fields).await.unwrap();
    tried.delete(name).and_wait(LIMIT).await.unwrap();
    tried.delete_collection().await.unwrap();
    assert_eq!(all.get(name).await.unwrap().size(), 1);
}
