//! envtest's control plane: the real kube-apiserver and etcd.

use std::time::Instant;

use anyhow::Result;
use crdkit::{CustomResource, merge::Versions};
use crdkit_api_server::ControlPlane;
use crdkit_benches::{Figures, objects::VirtualMachine};
use serde_json::json;

use crate::{
    requests::Requests,
    scenario::{Scenario, until_served},
    work::Work,
};

/// Enough to keep all cores busy, so that the rate does not depend on the latency of one request.
const CONCURRENCY: usize = 16;

pub(crate) async fn run(work: &Work) -> Result<Figures> {
    let mut figures = Figures::default();
    let start = Instant::now();
    // It blocks the thread, on which nothing else runs.
    let control_plane = ControlPlane::start()?;
    let client = control_plane.kube_client();
    client.request_text(Requests::first()?).await?;
    client.request_text(Requests::install(&definition()?)?).await?;
    until_served(&client, Requests::probe).await?;
    figures.add("start", start.elapsed().as_secs_f64() * 1e3);
    Scenario { client, work, concurrency: CONCURRENCY, figures }.run().await
}

fn definition() -> Result<serde_json::Value> {
    let mut definition = json!(Versions::default().add::<VirtualMachine>().merge()?.crd);
    definition["apiVersion"] = "apiextensions.k8s.io/v1".into();
    definition["kind"] = "CustomResourceDefinition".into();
    debug_assert_eq!(VirtualMachine::DEFINITION.plural, "virtualmachines");
    Ok(definition)
}
