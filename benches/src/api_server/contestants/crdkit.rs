//! crdkit's API server, in this process.

use std::time::Instant;

use anyhow::Result;
use crdkit_api_server::{ApiServer, ServerHandle};
use crdkit_benches::{Figures, Samples, objects::VirtualMachine};
use kube::{Client, Config};

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

/// As [`run`], with a client that sends its requests to a port, as programs in other languages do.
pub(crate) async fn run_on_port(work: &Work) -> Result<Figures> {
    /// The client and the server take turns on the thread.
    const CONCURRENCY: usize = 16;
    let mut figures = Figures::default();
    let mut starts = Samples::default();
    figures.add("first_start", start_on_port().await?);
    for _ in 0..STARTS {
        starts.push(start_on_port().await?);
    }
    figures.add("start", starts.median());
    let (_port, client) = serve().await?;
    Scenario { client, work, concurrency: CONCURRENCY, figures }.run().await
}

/// The milliseconds from nothing to the first two responses: of a namespace, and of the kind.
async fn start() -> Result<f64> {
    let start = Instant::now();
    respond(&ApiServer::new().with::<VirtualMachine>().kube_client()).await?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

/// As [`start`], of a server with a port.
async fn start_on_port() -> Result<f64> {
    let start = Instant::now();
    let (_port, client) = serve().await?;
    respond(&client).await?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

/// Returns a server with a port, and a client of it.
async fn serve() -> Result<(ServerHandle, Client)> {
    let port = ApiServer::new().with::<VirtualMachine>().serve(([127, 0, 0, 1], 0)).await?;
    let client = Client::try_from(Config::new(port.url().parse()?))?;
    Ok((port, client))
}

async fn respond(client: &Client) -> Result<()> {
    client.request_text(Requests::first()?).await?;
    client.request_text(Requests::probe()?).await?;
    Ok(())
}
