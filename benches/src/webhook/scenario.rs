//! The scenario of all servers: reviews of each kind, and their cost.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use crdkit_benches::{Figures, ServerProcess};
use futures_util::future::try_join_all;

use crate::{
    certificate::Certificate,
    client::Client,
    options::Options,
    reviews::{self, Review},
};

/// How long reviews are sent before any is measured, as a share of the time that is measured.
const WARM_UP: f64 = 0.2;

/// Sends reviews of all kinds.
#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run(mut server: ServerProcess, certificate: &Certificate, options: &Options) -> Result<Figures> {
    let config = certificate.client_config()?;
    let connections = (0..options.connections).map(|_| Client::connect(server.port(), config.clone()));
    let mut clients = try_join_all(connections).await?;
    let mut figures = Figures::default();
    for (name, review) in reviews::measured(options.objects) {
        send(&mut clients, &review, options.seconds * WARM_UP).await?;
        let (before, start) = (cpu(&mut server)?, Instant::now());
        let mut latencies = send(&mut clients, &review, options.seconds).await?;
        let wall = start.elapsed().as_secs_f64();
        let count = latencies.len() as f64;
        figures.add(format!("{name}_rate"), count / wall);
        figures.add(format!("{name}_cpu"), (cpu(&mut server)? - before) * 1e6 / count);
        latencies.sort();
        for (percentile, share) in [("p50", 0.5), ("p99", 0.99)] {
            let at = ((count * share) as usize).min(latencies.len() - 1);
            figures.add(format!("{name}_{percentile}"), latencies[at].as_secs_f64() * 1e6);
        }
    }
    for (name, figure) in server.usage()?.0.into_iter().filter(|(name, _)| name != "cpu") {
        figures.add(name, figure);
    }
    Ok(figures)
}

/// Sends a review again and again on each connection. Returns how long each took.
async fn send(clients: &mut [Client], review: &Review, seconds: f64) -> Result<Vec<Duration>> {
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let latencies = RefCell::new(Vec::new());
    let connections = clients.iter_mut().map(|client| async {
        loop {
            let start = Instant::now();
            client.send(review).await?;
            latencies.borrow_mut().push(start.elapsed());
            if Instant::now() >= end {
                return anyhow::Ok(());
            }
        }
    });
    try_join_all(connections).await?;
    Ok(latencies.into_inner())
}

fn cpu(server: &mut ServerProcess) -> Result<f64> {
    server.usage()?.0.get("cpu").copied().context("the server does not report its processor time")
}
