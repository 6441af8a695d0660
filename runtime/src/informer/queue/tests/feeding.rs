use k8s_openapi::{
    api::{
        apps::v1::{Deployment, ReplicaSet},
        core::v1::{ConfigMap, Namespace, Pod},
    },
    apimachinery::pkg::apis::meta::v1::OwnerReference,
};

use super::*;
use crate::informer::{Event, Subscription, stored_object::Stored};

fn reference(api_version: &str, kind: &str, name: &str, controller: Option<bool>) -> OwnerReference {
    OwnerReference {
        api_version: api_version.into(),
        kind: kind.into(),
        name: name.into(),
        controller,
        ..OwnerReference::default()
    }
}

fn pod(owners: impl IntoIterator<Item = OwnerReference>) -> Arc<Pod> {
    let mut pod = Pod::default();
    pod.metadata.name = Some("web-1".into());
    pod.metadata.namespace = Some("prod".into());
    pod.metadata.owner_references = Some(owners.into_iter().collect());
    Arc::new(pod)
}

fn texts(keys: impl IntoIterator<Item = ObjectKey>) -> Vec<String> {
    keys.into_iter().map(|key| key.to_string()).collect()
}

#[test]
fn events_map_to_their_objects() {
    assert_eq!(texts(ObjectKey::of_object(&Event::Added(pod([])))), ["prod/web-1"]);
    assert_eq!(texts(ObjectKey::of_object(&Event::<Pod>::Synced)), [""; 0]);
}

#[test]
fn events_of_owned_objects_map_to_their_owners() {
    let event = Event::Deleted(pod([
        reference("apps/v1beta2", "ReplicaSet", "web", Some(true)),
        reference("apps/v1", "ReplicaSet", "other", None),
        reference("other.io/v1", "ReplicaSet", "foreign", Some(true)),
        reference("v1", "ReplicaSet", "core", Some(true)),
        reference("v1", "ConfigMap", "config", Some(true)),
        reference("v1", "Namespace", "space", Some(false)),
    ]));
    let controllers = ObjectKey::of_controller::<ReplicaSet, _>(&event);
    assert_eq!(texts(controllers), ["prod/web"]);
    let owners = ObjectKey::of_owners::<ReplicaSet, _>(&event);
    assert_eq!(texts(owners), ["prod/web", "prod/other"]);
    assert_eq!(texts(ObjectKey::of_controller::<ConfigMap, _>(&event)), ["prod/config"]);
    assert_eq!(texts(ObjectKey::of_owners::<Namespace, _>(&event)), ["space"]);
    assert_eq!(texts(ObjectKey::of_owners::<Deployment, _>(&event)), [""; 0]);
}

#[test]
fn a_change_of_owners_maps_to_both() {
    let owned_by = |name| pod([reference("apps/v1", "ReplicaSet", name, Some(true))]);
    let [old, new] = ["old", "new"].map(owned_by);
    let same = Event::Updated { old: old.clone(), new: old.clone() };
    let keys = ObjectKey::of_controller::<ReplicaSet, _>(&same);
    assert_eq!(texts(keys), ["prod/old"]);
    let keys = ObjectKey::of_controller::<ReplicaSet, _>(&Event::Updated { old, new });
    assert_eq!(texts(keys), ["prod/new", "prod/old"]);
}

#[tokio::test]
async fn a_mapping_that_panics_affects_only_its_event() {
    let queue = Queue::new();
    let events = Subscription::from_iter([Event::Synced, Event::Added(pod([]))]);
    let mapping = |event: &Event<Pod>| [ObjectKey::of(&**event.object().expect("an object"))];
    queue.feed(events, mapping).await;
    assert_eq!(queue.get().await.unwrap().to_string(), "prod/web-1");
}

#[tokio::test(start_paused = true)]
async fn feeding_ends_at_shutdown() {
    let queue = Queue::<ObjectKey>::new();
    let mut fanout = crate::informer::events::Fanout::default();
    let events = Subscription::<Pod>::new(fanout.subscribe([pod([]) as Arc<Stored>].into_iter(), true));
    let stop = async {
        assert_eq!(queue.get().await.unwrap().name(), "web-1");
        queue.shut_down();
    };
    tokio::join!(queue.feed(events, ObjectKey::of_object), stop);
    let events = Subscription::<Pod>::new(fanout.subscribe(std::iter::empty(), true));
    queue.feed(events, ObjectKey::of_object).await;
}
