//! Objects are read, listed and watched.

use crdkit::client::{
    Resources, WatchEvent,
    scope::{Listable, SingleObject},
};
use futures_util::TryStreamExt;

use crate::served::Sample;

use super::LIMIT;

pub(super) async fn created_and_read<K: Sample, P: SingleObject<K>>(all: Resources<K, P>, name: &str) {
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

pub(super) async fn listed<K: Sample, P: SingleObject<K> + Listable<K>>(all: Resources<K, P>, name: &str) {
    create_seven(&all, name).await;
    let few = all.list().labels(format!("{name}=few")).page_size(2);

    let list = few.clone().await.unwrap();
    let managed = |object: &K| object.meta().managed_fields.is_some();
    assert!(!list.items.iter().any(managed));
    assert_eq!(sizes(&list.items), [0, 1, 2, 3, 4]);

    let pages: Vec<_> = few.clone().pages().try_collect().await.unwrap();
    let lengths: Vec<_> = pages.iter().map(|page| page.items.len()).collect();
    assert_eq!(lengths, [2, 2, 1]);
    let streamed: Vec<K> = few.clone().stream().try_collect().await.unwrap();
    assert_eq!(sizes(&streamed), [0, 1, 2, 3, 4]);

    let some = few.clone().limit(3).keep_managed_fields().await.unwrap();
    assert!(some.items.iter().all(managed));
    assert_eq!(sizes(&some.items), [0, 1, 2]);
    let rest = few.continue_from(&some.metadata.continue_.unwrap());
    assert_eq!(sizes(&rest.await.unwrap().items), [3, 4]);

    let many = all.list().labels(format!("{name}=many"));
    assert_eq!(sizes(&many.fields("spec.size=6").await.unwrap().items), [6]);
}

pub(super) async fn listed_at_a_version<K: Sample, P: SingleObject<K> + Listable<K>>(all: Resources<K, P>, name: &str) {
    create_seven(&all, name).await;
    let few = all.list().labels(format!("{name}=few"));
    let list = few.clone().await.unwrap();
    let version = list.metadata.resource_version.unwrap();
    all.delete(&format!("{name}-0")).await.unwrap();

    let then = few.clone().at(&version).await.unwrap();
    assert_eq!(sizes(&then.items), [0, 1, 2, 3, 4]);
    let now = few.clone().await.unwrap();
    assert_eq!(sizes(&now.items), [1, 2, 3, 4]);
    let newer = now.metadata.resource_version.unwrap();
    let later = few.not_older_than(&newer).await.unwrap();
    assert_eq!(sizes(&later.items), [1, 2, 3, 4]);
}

/// Five with the label `few` and two with `many`, of the sizes from 0 to 6.
async fn create_seven<K: Sample, P: SingleObject<K>>(all: &Resources<K, P>, name: &str) {
    for size in 0..7 {
        let mut object = K::named(&format!("{name}-{size}"), size);
        let label = if size < 5 { "few" } else { "many" };
        object.meta_mut().labels = Some([(name.to_owned(), label.to_owned())].into());
        all.create(&object).await.unwrap();
    }
}

fn sizes<K: Sample>(objects: &[K]) -> Vec<i32> {
    objects.iter().map(K::size).collect()
}

pub(super) async fn watched<K: Sample, P: SingleObject<K> + Listable<K>>(all: Resources<K, P>, name: &str) {
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
            WatchEvent::Modified(object) => sizes.push(object.size()),
            WatchEvent::Deleted(object) => {
                sizes.push(-object.size());
                break;
            }
            WatchEvent::Bookmark { .. } => {}
            WatchEvent::Added(_) => panic!("nothing was added"),
        }
    }
    assert_eq!(sizes, [2, -2]);

    all.create(&K::named(name, 3)).await.unwrap();
    let mut initial = all.watch().fields(&field).with_initial_events().await.unwrap();
    let first = initial.try_next().await.unwrap().unwrap();
    assert_eq!(first.object().unwrap().size(), 3);
    let end = initial.try_next().await.unwrap().unwrap();
    assert!(matches!(end, WatchEvent::Bookmark { initial_events_end: true, .. }));
}

pub(super) async fn read_by_metadata<K: Sample, P: SingleObject<K> + Listable<K>>(all: Resources<K, P>, name: &str) {
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
