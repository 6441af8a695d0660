//! Requests with several selectors, all of which apply.

use crdkit::{
    client::{List, Resources, WatchEvent},
    selector,
};
use futures_util::TryStreamExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{Scaled, Scope, both_scopes, create_some};
use crate::served::Machine;

fn sizes<K: Scaled>(list: &List<K>) -> Vec<i32> {
    list.into_iter().map(K::size).collect()
}

pub(super) async fn all_selectors_of_a_list_hold<K: Scaled>(all: Resources<K, impl Scope<K>>, name: &str) {
    create_some(&all, name, 5).await;
    let ours = format!("test={name}");
    let list = all.list().labels(&ours).labels("odd=false");
    assert_eq!(sizes(&list.await.unwrap()), [0, 2, 4]);
    let list = all.list().fields("spec.size!=0").labels(&ours).fields("spec.size!=3").labels("odd");
    assert_eq!(sizes(&list.await.unwrap()), [1, 2, 4]);
    let list = all.metadata().list().labels(&ours).labels("odd=true");
    assert_eq!(list.fields("spec.size!=1").await.unwrap().items.len(), 1);
}

pub(super) async fn all_selectors_of_a_watch_hold<K: Scaled>(all: Resources<K, impl Scope<K>>, name: &str) {
    create_some(&all, name, 5).await;
    let watch = all
        .watch()
        .labels(format!("test={name}"))
        .labels("odd=false")
        .fields("spec.size!=0")
        .fields("spec.size!=4")
        .with_initial_events();
    let mut events = watch.await.unwrap();
    let mut sizes = Vec::new();
    while let WatchEvent::Added(object) = events.try_next().await.unwrap().unwrap() {
        sizes.push(object.size());
    }
    assert_eq!(sizes, [2]);
}

pub(super) async fn all_selectors_of_a_deletion_hold<K: Scaled>(all: Resources<K, impl Scope<K>>, name: &str) {
    create_some(&all, name, 6).await;
    let ours = format!("test={name}");
    let chosen = |all: &Resources<K, _>| {
        let chosen = all.delete_collection().labels(&ours).fields("spec.size!=1");
        chosen.labels("odd=true").fields("spec.size!=5")
    };
    let three = [format!("{name}-3")];
    let dry_run = chosen(&all.dry_run()).await.unwrap();
    assert_eq!(names(dry_run), three);
    assert_eq!(all.list().labels(&ours).await.unwrap().items.len(), 6);
    assert_eq!(names(chosen(&all).await.unwrap()), three);
    let left = all.list().labels(&ours).await.unwrap();
    assert_eq!(sizes(&left), [0, 1, 2, 4, 5]);
}

fn names(deleted: Vec<ObjectMeta>) -> Vec<String> {
    deleted.into_iter().filter_map(|it| it.name).collect()
}

#[tokio::test]
async fn checked_selectors_hold_beside_others() {
    let Some((machines, _)) = both_scopes("options-checked").await else {
        return;
    };
    create_some(&machines, "m", 5).await;
    let not_two = || selector!(Machine, spec.size != 2);
    let list = machines.list().matching(selector!(Machine, spec.size != 0)).matching(not_two()).fields("spec.size!=4");
    assert_eq!(sizes(&list.await.unwrap()), [1, 3]);
    let deletion = machines.delete_collection().fields("spec.size!=0");
    let deleted = deletion.matching(not_two()).labels("odd=false").await;
    assert_eq!(names(deleted.unwrap()), ["m-4"]);
}
