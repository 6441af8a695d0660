//! crdkit's API server, in this process.

use std::time::Instant;

use anyhow::Result;
use crdkit_api_server::ApiServer;
use crdkit_benches::{Figures, Samples, objects::VirtualMachine};

use crate::{requests::Requests, scenario::Scenario, work::Work};

/// How often a server is started.
const STARTS: usize = 201;

pub(crate) async fn run(work: &Work) -> Result<Figures> {
    let mut figures = Figures::default();
    let mut starts = Samples::default();
    // The first server of a process reads the tables that all of them share.
    figures.add("first_start", start().await?);
    for _ in 0..STARTS {
        starts.push(start().await?);
    }
    figures.add("start", starts.median());
    let server = ApiServer::new().with::<VirtualMachine>();
    Scenario { client: server.kube_client(), work, concurrency: 1, figures }.run().await
}

/// The milliseconds from nothing to the first two responses: of a namespace, and of the kind.
async fn start() -> Result<f64> {
    let start = Instant::now();
    let client = ApiServer::new().with::<VirtualMachine>().kube_client();
    client.request_text(Requests::first()?).await?;
    client.request_text(Requests::probe()?).await?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
