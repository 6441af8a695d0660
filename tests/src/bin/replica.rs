//! A replica of an operator, which writes all the time: `replica GROUP NAMESPACE IDENTITY SHARDS`.
//!
//! It reconciles the ConfigMaps with the label `role=object` in the namespace, and writes the Secret of the same name for each of them,
//! with its identity. With 0 shards it takes part in the election of a leader. The cluster is that of `KUBECONFIG`.

use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::{Context as _, Result};
use crdkit::{
    Client,
    client::Patch,
    controller::{Action, Context, Controller, Error, LeaderElection, Manager},
    informer::CacheObject,
};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::json;
use tokio::time::sleep;

/// The durations of the lease, of the attempts to renew it, and between them.
const DURATIONS: [Duration; 3] = [Duration::from_secs(3), Duration::from_secs(2), Duration::from_millis(300)];
const PAUSE: Duration = Duration::from_millis(150);

struct Writer {
    namespace: String,
    identity: String,
    /// Makes each write a change.
    writes: AtomicU64,
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let mut next = || arguments.next().context("usage: replica GROUP NAMESPACE IDENTITY SHARDS");
    let (group, namespace, identity, shards) = (next()?, next()?, next()?, next()?.parse()?);
    let [lease, deadline, retry] = DURATIONS;
    let election =
        LeaderElection::new(&group).namespace(&namespace).identity(&identity).durations(lease, deadline, retry);

    let writer = Writer { namespace: namespace.clone(), identity, writes: AtomicU64::new(0) };
    let controller = Controller::of::<ConfigMap>()
        .state(writer)
        .select(move |objects| objects.namespaces([namespace]).labels("role=object"))
        .concurrency(8)
        .drain_timeout(Duration::from_secs(2))
        .reconcile(reconcile);
    let manager = Manager::new(Client::try_default().await?).add(controller);
    let manager = match shards {
        0 => manager.leader_election(election),
        shards => manager.shards(election, shards),
    };
    Ok(manager.run().await?)
}

/// Writes twice, with a pause, and soon again.
async fn reconcile(object: Arc<ConfigMap>, cx: Context<ConfigMap, Writer>) -> Result<Action, Error> {
    let writer = cx.state();
    let secrets = cx.client().resources::<Secret>().namespace(&writer.namespace);
    for _ in 0..2 {
        let number = writer.writes.fetch_add(1, Ordering::Relaxed);
        let annotations = json!({ "writer": writer.identity, "number": number.to_string() });
        secrets.patch(object.name(), &Patch::merge(json!({ "metadata": { "annotations": annotations } }))).await?;
        sleep(PAUSE).await;
    }
    Ok(Action::requeue(PAUSE))
}
