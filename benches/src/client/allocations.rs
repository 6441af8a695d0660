//! The allocations of one kind of call: `client-allocations <client> <case>`.
//!
//! A program of its own, so that counting costs no time where time is measured, and run once for each figure, because
//! a peak stays.

mod cases;
mod clients;
mod objects;
mod server;

use std::alloc::System;

use anyhow::{Result, bail};
use cap::Cap;
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Stats, StatsAlloc};

use crate::{
    cases::{Case, Meter},
    clients::{Calls, Client, Crdkit, Kube},
    server::{OBJECTS, Server},
};

#[global_allocator]
static ALLOCATOR: Cap<&StatsAlloc<System>> = Cap::new(&INSTRUMENTED_SYSTEM, usize::MAX);

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [client, case] = arguments.as_slice() else {
        bail!("usage: client-allocations kube|crdkit CASE");
    };
    let (client, case) = (client.parse()?, case.parse()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let server = Server::new(OBJECTS);
    let figures = runtime.block_on(async {
        match client {
            Client::Kube => measure(case, &Kube::new(server.client())?).await,
            Client::Crdkit => measure(case, &Crdkit::new(&server.client().into())?).await,
        }
    })?;
    println!("{figures}");
    Ok(())
}

async fn measure(case: Case, client: &impl Calls) -> Result<Value> {
    // One-time allocations of the first call.
    client.get().await?;
    let Figures { count, bytes, peak } = case.run::<Allocations>(client).await?;
    Ok(json!({ "count": count / case.calls(), "bytes": bytes / case.calls(), "peak": peak }))
}

/// Counts from its start.
struct Allocations {
    stats: Stats,
    now: usize,
    peak: usize,
}

struct Figures {
    count: usize,
    bytes: usize,
    /// Above the start. Nothing if getting ready needed more, which leaves no mark.
    peak: Option<usize>,
}

impl Meter for Allocations {
    type Figures = Figures;

    fn start() -> Result<Self> {
        Ok(Self { stats: INSTRUMENTED_SYSTEM.stats(), now: ALLOCATOR.allocated(), peak: ALLOCATOR.max_allocated() })
    }

    fn stop(self) -> Result<Figures> {
        let peak = ALLOCATOR.max_allocated();
        let stats = INSTRUMENTED_SYSTEM.stats() - self.stats;
        Ok(Figures {
            count: stats.allocations + stats.reallocations,
            bytes: stats.bytes_allocated,
            peak: (peak > self.peak).then(|| peak - self.now),
        })
    }
}
