//! The status is written once for each reconciliation.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    Client, CustomResource, KubeSchema,
    conditions::NewCondition,
    controller::{Action, Context, Controller, Error, Manager},
};
use crdkit_api_server::ApiServer;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{sync::oneshot, time::sleep};

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

/// A kind whose status has free-form values.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "sea.example.com", version = "v1", kind = "Chart", namespaced, status = "ChartStatus")]
struct ChartSpec {}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
struct ChartStatus {
    values: BTreeMap<String, Value>,
    #[crd(preserve_unknown_fields, nullable)]
    any: Value,
    /// Serialized as null.
    note: Option<String>,
    rows: Vec<Option<bool>>,
}

/// A merge patch cannot say null: each of these statuses follows the one before, and the first one an absent status.
#[tokio::test(start_paused = true)]
async fn nulls_of_a_status_are_stored() {
    let status = |values: Value, any: Value, rows: &[Option<bool>]| {
        let values = serde_json::from_value(values).unwrap();
        ChartStatus { values, any, note: None, rows: rows.to_vec() }
    };
    let statuses = [
        status(json!({ "a": null, "b": { "c": null, "d": 1 } }), json!({ "e": [null, { "f": null }] }), &[None]),
        status(json!({ "a": 1, "b": { "c": 2, "d": null } }), json!({ "e": [null, { "f": 1 }] }), &[Some(true), None]),
        status(json!({ "a": null, "b": null, "g": null }), Value::Null, &[None, None]),
        status(json!({ "g": null, "h": { "i": { "j": null } } }), json!([null]), &[]),
    ];
    let server = ApiServer::new().with::<Chart>();
    let charts = server.client().resources::<Chart>().namespace("default");
    charts.create(&Chart::new("north", ChartSpec {})).await.unwrap();
    for wanted in statuses {
        let reconcile = async |chart: Arc<Chart>, cx: Context<Chart, ChartStatus>| -> Result<Action, Error> {
            cx.status(&chart).update(|status| *status = cx.state().clone());
            Ok(Action::Done)
        };
        let (stop, stopped) = oneshot::channel();
        let controller = Controller::of::<Chart>().state(wanted.clone()).reconcile(reconcile);
        let manager = Manager::new(server.client().field_manager("charts")).add(controller).until(stopped);
        let running = tokio::spawn(manager.run());
        settle().await;
        assert_eq!(charts.get("north").await.unwrap().status, Some(wanted));
        stop.send(()).unwrap();
        running.await.unwrap().unwrap();
    }
}

/// The definition may lose its subresource while the program runs: then the API server responds as if the object were deleted.
#[tokio::test(start_paused = true)]
async fn a_status_without_its_subresource_is_an_error() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let errors = Arc::<Mutex<Vec<String>>>::default();
    let controller = Controller::of::<Fleet>().state(errors.clone()).reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet, Arc<Mutex<Vec<String>>>>| -> Result<Action, Error> {
            let written = cx.status(&fleet).update(|status| status.afloat += 1).await;
            if let Err(error) = &written {
                cx.state().lock().unwrap().push(error.to_string());
            }
            written?;
            Ok(Action::Done)
        },
    );
    let running = cluster.start(controller);
    settle().await;
    assert!(errors.lock().unwrap().is_empty());
    let definitions = cluster.client.resources::<CustomResourceDefinition>();
    let without = |definition: &mut CustomResourceDefinition| {
        definition.spec.versions.iter_mut().for_each(|version| version.subresources = None);
    };
    definitions.update("fleets.sea.example.com", without).await.unwrap();
    cluster.fleets.update("north", |fleet| fleet.spec.ships.push("b".to_owned())).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    let failures = running.handle.metrics("fleet").unwrap().failures;
    let first = errors.lock().unwrap().first().cloned();
    assert!(first.as_ref().is_some_and(|error| error.contains("subresource `status`")) && failures > 0, "{first:?}");
    running.stop().await;
}

/// An object that is deleted meanwhile is no failure.
#[tokio::test(start_paused = true)]
async fn the_status_of_a_deleted_object_is_not_written() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let fleets = cluster.fleets.clone();
    let running = cluster.start(Controller::of::<Fleet>().reconcile(move |fleet: Arc<Fleet>, cx: Context<Fleet>| {
        let fleets = fleets.clone();
        async move {
            fleets.delete("north").await?;
            cx.status(&fleet).update(|status| status.afloat += 1).await?;
            Ok::<_, Error>(Action::Done)
        }
    }));
    settle().await;
    let metrics = running.handle.metrics("fleet").unwrap();
    assert_eq!((metrics.successes > 0, metrics.failures), (true, 0));
    running.stop().await;
}
