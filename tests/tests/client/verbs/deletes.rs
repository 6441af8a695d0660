//! Deletions, with and without finalizers.

use std::time::Duration;

use crdkit::client::{
    DeleteError, Deleted, OperationResult, Propagation, Resources,
    scope::{Listable, SingleObject},
};

use crate::served::Sample;

use super::LIMIT;

pub(super) async fn deleted<K: Sample, P: SingleObject<K>>(all: Resources<K, P>, name: &str) {
    let first = all.create(&K::named(name, 1)).await.unwrap();
    let (uid, version) = (first.meta().uid.clone().unwrap(), first.meta().resource_version.clone().unwrap());
    all.update(name, |object| object.resize(2)).await.unwrap();
    for request in [all.delete(name).uid("another"), all.delete(name).resource_version(&version)] {
        let error = request.await.unwrap_err();
        assert_eq!(error.status().unwrap().code, 409, "{error}");
    }
    let request = all.delete(name).uid(&uid).propagation(Propagation::Background);
    assert_eq!(format!("{:?}", request.await.unwrap()), "Gone");
    let error = all.delete(name).await.unwrap_err();
    assert!(error.is_not_found(), "{error}");
}

pub(super) async fn deleted_and_waited_for<K: Sample, P: SingleObject<K>>(all: Resources<K, P>, name: &str) {
    const FINALIZER: &str = "client.example.com/test";
    all.create(&K::named(name, 1)).await.unwrap();
    all.finalizers().add(name, FINALIZER).await.unwrap();
    let going = all.delete(name).await.unwrap();
    assert!(matches!(going, Deleted::Terminating(_)), "{going:?}");

    let short = Duration::from_millis(300);
    let error = all.delete(name).and_wait(short).await.unwrap_err();
    assert!(matches!(error, DeleteError::StillExists { .. }), "{error}");
    assert!(error.to_string().ends_with(FINALIZER), "{error}");

    let remove = async {
        tokio::time::sleep(short).await;
        all.finalizers().remove(name, FINALIZER).await.unwrap()
    };
    let wait = all.delete(name).and_wait(LIMIT).into_future();
    let (waited, removed) = tokio::join!(wait, remove);
    assert!(matches!(waited.unwrap(), Deleted::Gone));
    assert_eq!(removed, OperationResult::Updated);
    assert!(all.get_opt(name).await.unwrap().is_none());
}

pub(super) async fn deleted_together<K: Sample, P: SingleObject<K> + Listable<K>>(all: Resources<K, P>, name: &str) {
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

pub(super) async fn finalized<K: Sample, P: SingleObject<K>>(all: Resources<K, P>, name: &str) {
    let finalizers = all.finalizers();
    all.create(&K::named(name, 1)).await.unwrap();
    for (finalizer, expected) in [
        ("client.example.com/a", OperationResult::Updated),
        ("client.example.com/a", OperationResult::Unchanged),
        ("client.example.com/b", OperationResult::Updated),
    ] {
        assert_eq!(finalizers.add(name, finalizer).await.unwrap(), expected);
    }
    let remove = async |finalizer| finalizers.remove(name, finalizer).await.unwrap();
    assert_eq!(remove("client.example.com/a").await, OperationResult::Updated);
    assert_eq!(remove("client.example.com/a").await, OperationResult::Unchanged);
    let left = all.get(name).await.unwrap().meta().finalizers.clone();
    assert_eq!(left.unwrap(), ["client.example.com/b"]);
    assert_eq!(remove("client.example.com/b").await, OperationResult::Updated);
}
