//! The status is written once for each reconciliation.

use std::sync::Arc;

use crdkit::{
    Client,
    conditions::NewCondition,
    controller::{Action, Context, Controller, Error},
};

use crate::cluster::{Cluster, Fleet, settle};

const STATUS: &str = "PATCH /apis/sea.example.com/v1/namespaces/default/fleets/north/status";

#[tokio::test(start_paused = true)]
async fn all_changes_are_one_write() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a", "b"]).await;
    let running = cluster.start(Controller::of::<Fleet>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            cx.status(&fleet).update(|status| status.afloat = fleet.spec.ships.len());
            let ready = NewCondition::is_true("Ready", "Afloat").message(&format!("{} ships", fleet.spec.ships.len()));
            cx.status(&fleet).set_condition(ready);
            Ok(Action::Done)
        },
    ));
    settle().await;
    assert_eq!(cluster.take_writes(), [STATUS]);
    let first = cluster.fleets.get("north").await.unwrap().status.unwrap();
    assert_eq!((first.afloat, first.observed_generation), (2, Some(1)));
    assert_eq!(first.conditions[0].observed_generation, Some(1));

    // Only the generation changes.
    cluster.fleets.update("north", |fleet| fleet.spec.ships.reverse()).await.unwrap();
    settle().await;
    assert_eq!(cluster.take_writes(), [STATUS]);
    let second = cluster.fleets.get("north").await.unwrap().status.unwrap();
    assert_eq!((second.afloat, second.observed_generation), (2, Some(2)));
    assert_eq!(second.conditions[0].last_transition_time, first.conditions[0].last_transition_time);
    assert_eq!(second.conditions[0].observed_generation, Some(2));
    running.stop().await;

    // A new process finds nothing to write.
    let running = cluster.start(Controller::of::<Fleet>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            cx.status(&fleet).update(|status| status.afloat = fleet.spec.ships.len());
            Ok(Action::Done)
        },
    ));
    settle().await;
    assert!(cluster.take_writes().is_empty());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_status_is_written_although_the_reconciliation_fails() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let running = cluster.start(Controller::of::<Fleet>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            cx.status(&fleet).set_condition(NewCondition::is_false("Ready", "NoWind"));
            Err("no wind".into())
        },
    ));
    settle().await;
    assert_eq!(cluster.take_writes(), [STATUS]);
    assert_eq!(cluster.fleets.get("north").await.unwrap().status.unwrap().conditions[0].reason, "NoWind");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn fields_of_others_are_kept() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let running = cluster.start(Controller::of::<Fleet>().state(cluster.client.clone()).reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet, Client>| -> Result<Action, Error> {
            let fleets = cx.state().resources::<Fleet>().namespace("default");
            fleets.status().set_condition("north", NewCondition::is_true("Insured", "Paid")).await?;
            cx.status(&fleet).update(|status| status.afloat = 1).await?;
            cx.status(&fleet).update(|status| status.afloat = 2).await?;
            Ok(Action::Done)
        },
    ));
    settle().await;
    let status = cluster.fleets.get("north").await.unwrap().status.unwrap();
    assert_eq!((status.afloat, &*status.conditions[0].type_), (2, "Insured"));
    running.stop().await;
}
