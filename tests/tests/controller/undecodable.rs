//! Objects that cannot be decoded for some time.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    CustomResource, KubeSchema,
    client::Patch,
    controller::{Action, Context, Controller},
    informer::CacheObject,
};
use crdkit_api_server::Requests;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::cluster::{Cluster, Fleet, settle};

/// A fleet without ships, which cannot be decoded as a [`Fleet`].
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "sea.example.com", version = "v1", kind = "Fleet", root = "BareFleet", namespaced)]
struct BareFleetSpec {}

type Names = Arc<Mutex<Vec<String>>>;

const SPEC: &str = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";

async fn redefine(cluster: &Cluster, change: Value) {
    let definitions = cluster.client.resources::<CustomResourceDefinition>();
    definitions.patch("fleets.sea.example.com", &Patch::json(change)).await.unwrap();
}

/// The watch does not send objects that do not change.
#[tokio::test(start_paused = true)]
async fn objects_are_reconciled_once_the_same_version_can_be_decoded() {
    let cluster = Cluster::new();
    redefine(&cluster, json!([{ "op": "remove", "path": format!("{SPEC}/required") }])).await;
    let bare = cluster.client.resources::<BareFleet>().namespace("default");
    for number in 0..25 {
        bare.create(&BareFleet::new(&format!("bare-{number:02}"), BareFleetSpec {})).await.unwrap();
    }
    cluster.launch("north", &[]).await;
    let names = Names::default();
    let controller = Controller::of::<Fleet>().state(names.clone());
    let running = cluster.start(controller.reconcile(async |fleet: Arc<Fleet>, cx: Context<Fleet, Names>| {
        cx.state().lock().unwrap().push(fleet.name().to_owned());
        Ok::<_, Infallible>(Action::Done)
    }));
    settle().await;
    assert_eq!(*names.lock().unwrap(), ["north"]);

    // Rounds of ten requests, after at most 30 s, 60 s, 120 s, 240 s and 300 s.
    let requests = || cluster.server.journal().only(Requests::get().of::<Fleet>()).len();
    let before = requests();
    sleep(Duration::from_secs(1_800)).await;
    let sent = requests() - before;
    assert!((50..=120).contains(&sent), "{sent}");

    let version = bare.get("bare-00").await.unwrap().metadata.resource_version;
    let default = json!([{ "op": "add", "path": format!("{SPEC}/properties/ships/default"), "value": [] }]);
    redefine(&cluster, default).await;
    assert_eq!(cluster.fleets.get("bare-00").await.unwrap().metadata.resource_version, version);
    sleep(Duration::from_secs(400)).await;
    let mut reconciled = std::mem::take(&mut *names.lock().unwrap());
    reconciled.sort();
    reconciled.dedup();
    assert_eq!(reconciled.len(), 26, "{reconciled:?}");

    // Nothing is left to be requested.
    let before = requests();
    sleep(Duration::from_secs(1_800)).await;
    assert_eq!(requests(), before);
    running.stop().await;
}
