//! Preconditions of deletions, and dependents of deleted objects.

use std::time::Duration;

use crdkit::client::{DeleteError, Deleted, Error, Propagation, Resources};
use k8s_openapi::{api::core::v1::Pod, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use serde_json::json;

use super::{Scaled, Scope, create_some, version_of};
use crate::served::{client, namespace};

pub(super) async fn preconditions_hold<K: Scaled>(all: Resources<K, impl Scope<K>>, name: &str) {
    let old = version_of(&all.create(&K::named(name, 1)).await.unwrap());
    let object = all.update(name, |object| object.resize(2)).await.unwrap();
    let (uid, new) = (object.meta().uid.clone().unwrap(), version_of(&object));
    for wrong in [
        all.delete(name).uid("another"),
        all.delete(name).resource_version(&old),
        all.delete(name).uid(&uid).resource_version(&old),
        all.delete(name).uid("another").resource_version(&new),
    ] {
        let error = wrong.await.unwrap_err();
        let conflicts = matches!(error, DeleteError::Request(Error::Conflict(_)));
        assert!(conflicts, "{error}");
    }
    let right = all.delete(name).uid(&uid).resource_version(&new);
    assert_eq!(right.await.unwrap(), Deleted::Gone);

    let again = all.create(&K::named(name, 1)).await.unwrap();
    let right = all.delete(name).resource_version(&version_of(&again));
    assert_eq!(right.await.unwrap(), Deleted::Gone);
    let again = all.create(&K::named(name, 1)).await.unwrap();
    let of_before = all.delete(name).uid(&uid).await.unwrap_err();
    assert_eq!(of_before.status().unwrap().code, 409);
    let right = all.delete(name).uid(again.meta().uid.as_deref().unwrap());
    assert_eq!(right.await.unwrap(), Deleted::Gone);
}

/// The finalizer that the garbage collector would remove; none runs here.
const POLICIES: [(Propagation, &[&str]); 3] = [
    (Propagation::Foreground, &["foregroundDeletion"]),
    (Propagation::Orphan, &["orphan"]),
    (Propagation::Background, &[]),
];

pub(super) async fn propagation_policies_set_finalizers<K: Scaled>(all: Resources<K, impl Scope<K>>, name: &str) {
    for (number, (propagation, finalizers)) in POLICIES.into_iter().enumerate() {
        let one = format!("{name}-one-{number}");
        all.create(&K::named(&one, 1)).await.unwrap();
        let deleted = all.delete(&one).propagation(propagation).await.unwrap();
        assert_eq!(finalizers_of(deleted), finalizers, "{propagation:?}");

        let many = format!("{name}-many-{number}");
        create_some(&all, &many, 2).await;
        let labels = format!("test={many}");
        let together = all.delete_collection().labels(&labels);
        together.propagation(propagation).await.unwrap();
        let left = all.list().labels(&labels).await.unwrap();
        let expected = if finalizers.is_empty() { 0 } else { 2 };
        assert_eq!(left.items.len(), expected, "{propagation:?}");
        for object in &left {
            assert!(object.meta().deletion_timestamp.is_some());
            assert_eq!(object.meta().finalizers.as_deref().unwrap(), finalizers);
        }
    }
}

fn finalizers_of(deleted: Deleted) -> Vec<String> {
    match deleted {
        Deleted::Gone => Vec::new(),
        Deleted::Terminating(metadata) => metadata.finalizers.unwrap_or_default(),
    }
}

/// A pod with a node, whose kubelet would end it.
fn pod(name: &str) -> Pod {
    let pod = json!({
        "metadata": { "name": name },
        "spec": { "nodeName": "n1", "containers": [{ "name": "a", "image": "a" }] },
    });
    serde_json::from_value(pod).unwrap()
}

#[tokio::test]
async fn pods_get_the_requested_grace_period() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "options-grace").await;
    let pods = client.resources::<Pod>().namespace(&namespace);
    let grace = |metadata: &ObjectMeta| metadata.deletion_grace_period_seconds;
    pods.create(&pod("a")).await.unwrap();
    pods.create(&pod("b")).await.unwrap();

    let Deleted::Terminating(going) = pods.delete("a").await.unwrap() else {
        panic!("no kubelet ended it");
    };
    assert_eq!(grace(&going), Some(30));
    let shorter = pods.delete("a").grace_period(Duration::from_millis(7900));
    assert!(matches!(shorter.await.unwrap(), Deleted::Terminating(_)));
    assert_eq!(grace(&pods.get("a").await.unwrap().metadata), Some(7));

    let together = pods.delete_collection().fields("metadata.name=b");
    together.grace_period(Duration::from_secs(9)).await.unwrap();
    assert_eq!(grace(&pods.get("b").await.unwrap().metadata), Some(9));

    let at_once = pods.delete("a").grace_period(Duration::ZERO);
    assert_eq!(at_once.await.unwrap(), Deleted::Gone);
    let together = pods.delete_collection().grace_period(Duration::ZERO);
    together.await.unwrap();
    assert!(pods.list().await.unwrap().items.is_empty());
}
