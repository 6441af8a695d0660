//! A replica that holds one of several shards. The others hold the rest, and have no objects, so that all that the server sends is for
//! this one.

use std::{future::pending, sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use crdkit::{
    Client,
    controller::{Action, Context, Controller, Error, LeaderElection, Manager, ManagerHandle},
};
use crdkit_benches::{
    Figures, control,
    gauges::{Meter, memory, peak},
    objects::VirtualMachine,
};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::{sleep, timeout};

use crate::{client, contestants::crdkit::manager, observed::Observed, work::Work};

const GROUP: &str = "bench";

/// After this nothing moves any more.
const REST: Duration = Duration::from_millis(400);
/// Shards that do not move within this time never do.
const LIMIT: Duration = Duration::from_secs(60);

/// A group of as many shards as replicas, which move sooner than by default.
fn sharded(manager: Manager, shards: u16) -> Manager {
    let [lease, deadline, retry] = [5_000, 4_000, 500].map(Duration::from_millis);
    manager.shards(LeaderElection::new(GROUP).durations(lease, deadline, retry), shards)
}

/// Holds the shards of all replicas but one, until the process ends. The first line of its output is empty, once it holds all.
pub(crate) async fn hold(port: u16, shards: u16) -> Result<()> {
    let mut handles = Vec::new();
    for _ in 1..shards {
        let client: Client = client(port)?;
        let idle = async |_: Arc<ConfigMap>, _: Context<ConfigMap>| Ok::<_, Error>(Action::Done);
        let manager = sharded(Manager::new(client).add(Controller::of::<ConfigMap>().reconcile(idle)), shards);
        handles.push(run(manager.until(pending::<()>())));
    }
    wait_for(|| handles.iter().map(|handle| handle.shards().len()).sum::<usize>() == usize::from(shards)).await?;
    println!();
    pending().await
}

/// Measures a replica that gets one shard.
pub(crate) async fn contest(work: &Work) -> Result<Figures> {
    let mut figures = Figures::default();
    let observed = Arc::new(Observed::new(work.objects));
    observed.expect(usize::MAX / 2);
    let (sent, meter) = (sent(work)?, Meter::start()?);
    let manager = manager::<VirtualMachine>(work, observed.clone())?;
    let handle = run(sharded(manager, work.shards));
    wait_for(|| handle.shards().len() == 1).await?;
    let shard = handle.shards()[0];
    let share: usize = control(work.port, &format!("share?shard={shard}&of={}", work.shards))?.parse()?;
    observed.expect_in_all(share);
    observed.complete().await?;
    figures.add("share", share as f64);
    figures.add("start_cpu", meter.stop()?.cpu / share as f64 * 1e6);
    sleep(REST).await;
    figures.add("memory", memory()?);
    figures.add("peak", peak()?);
    figures.add("received", self::sent(work)? - sent);

    let sent = self::sent(work)?;
    observed.expect_in_all(2 * share);
    control(work.port, &format!("change?count={}&rate=0", work.burst))?;
    observed.complete().await?;
    figures.add("received_changes", self::sent(work)? - sent);
    Ok(figures)
}

fn run(manager: Manager) -> ManagerHandle {
    let handle = manager.handle();
    tokio::spawn(async move {
        if let Err(error) = manager.run().await {
            eprintln!("shards: {error}");
        }
    });
    handle
}

async fn wait_for(is_so: impl Fn() -> bool) -> Result<()> {
    let waits = async {
        while !is_so() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(LIMIT, waits).await.context("the shards do not move")
}

/// The megabytes that the server has sent.
fn sent(work: &Work) -> Result<f64> {
    Ok(control(work.port, "sent")?.parse::<f64>()? / 1e6)
}
