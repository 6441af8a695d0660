//! Objects that are created once for their owner.

use std::sync::Arc;

use crdkit::controller::{Action, ApplyOwnedError, Context, Controller, Error};
use k8s_openapi::api::core::v1::ConfigMap;

use crate::cluster::{Cluster, Fleet, fleet, settle, ships};

/// Creates an object without a name for each ship, and applies none.
async fn reconcile(fleet: Arc<Fleet>, cx: Context<Fleet>) -> Result<Action, Error> {
    for mut ship in ships(&fleet) {
        let name = ship.metadata.name.take().unwrap_or_default();
        ship.data.get_or_insert_default().insert("ship".to_owned(), name);
        let created = cx.create_owned(&fleet, ship).await?;
        assert!(created.metadata.uid.is_some());
    }
    cx.apply_owned::<ConfigMap>(&fleet, [] as [ConfigMap; 0]).await?;
    Ok(Action::Done)
}

fn controllers() -> [Controller; 2] {
    // With a cache of the objects, and without.
    [
        Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(reconcile),
        Controller::of::<Fleet>().owns_metadata::<ConfigMap>().reconcile(reconcile),
    ]
}

#[tokio::test(start_paused = true)]
async fn an_object_is_created_once() {
    for controller in controllers() {
        let cluster = Cluster::new();
        cluster.launch("north", &["a", "b"]).await;
        let running = cluster.start(controller);
        settle().await;
        let names = cluster.ship_names().await;
        assert_eq!(names.len(), 2);
        assert!(names.iter().all(|name| name.starts_with("north-")), "{names:?}");

        // Another reconciliation, and another process.
        cluster.fleets.update("north", |fleet| fleet.spec.ships.push("c".to_owned())).await.unwrap();
        settle().await;
        assert_eq!(cluster.ship_names().await.len(), 3);
        running.stop().await;
        let restarted = cluster.start(Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(reconcile));
        settle().await;
        assert_eq!(cluster.ship_names().await.len(), 3);

        // What is no longer created is not pruned, and goes with the owner.
        cluster.fleets.update("north", |fleet| fleet.spec.ships.clear()).await.unwrap();
        settle().await;
        assert_eq!(cluster.ship_names().await.len(), 3);
        let ship = &cluster.ships.list().await.unwrap().items[0];
        let owner = ship.metadata.owner_references.as_ref().unwrap();
        assert_eq!((owner[0].kind.as_str(), owner[0].controller), ("Fleet", Some(true)));
        restarted.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_of_others_is_left_alone() {
    let cluster = Cluster::new();
    let north = cluster.launch("north", &["a"]).await;
    cluster.launch("west", &["a"]).await;
    let mut orphan = ships(&north).remove(0);
    orphan.metadata.name = Some("west".to_owned());
    cluster.ships.create(&orphan).await.unwrap();
    let running = cluster.start(Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            let mut ship = ships(&fleet).remove(0);
            // Both fleets want the name `north`, and one of them `west`, which no fleet owns.
            for name in ["north", "west"] {
                ship.metadata.name = Some(name.to_owned());
                let created = cx.create_owned(&fleet, ship.clone()).await;
                match (fleet.metadata.name.as_deref(), name) {
                    (Some("north"), "north") => drop(created?),
                    (_, "west") => assert!(matches!(created, Err(ApplyOwnedError::Orphan { .. })), "{created:?}"),
                    _ => {
                        let error = created.unwrap_err().to_string();
                        assert_eq!(
                            error,
                            "the ConfigMap `default/north` belongs to the Fleet `north`, which is its controller"
                        );
                        cx.status(&fleet).update(|status| status.afloat = 7);
                    }
                }
            }
            Ok(Action::Done)
        },
    ));
    settle().await;
    assert_eq!(cluster.ship_names().await, ["north", "west"]);
    assert_eq!(cluster.fleets.get("west").await.unwrap().status.unwrap().afloat, 7);
    running.stop().await;
}

#[tokio::test]
async fn objects_beside_an_owner_need_its_namespace() {
    let cluster = Cluster::new();
    let north = cluster.launch("north", &["a"]).await;
    let ships_beside = |owner: &Fleet| cluster.client.resources::<ConfigMap>().beside(owner);
    ships_beside(&north).create(&ships(&north)[0]).await.unwrap();
    assert!(cluster.ship_names().await.contains(&"north-a".to_owned()));
    // It was not read from the API server.
    let error = ships_beside(&fleet("west", &[])).list().await.unwrap_err().to_string();
    assert!(error.contains("the namespace is empty: objects of this kind have one"), "{error}");
}
