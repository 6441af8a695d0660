//! `cargo run` in this folder: runs the commands of Ats, which are only logged, until ctrl-c or SIGTERM.
//!
//! Each reconciliation is a trace, with its requests as children. It is sent by OTLP, to `http://localhost:4318` or where
//! `OTEL_EXPORTER_OTLP_ENDPOINT` says: `docker run -p 16686:16686 -p 4318:4318 jaegertracing/jaeger` shows them at the port 16686.
//!
//! Profiles of the processor are beside the metrics, at the port 8443, for those whom the API server permits to `get`
//! `/debug/pprof/profile`: `go tool pprof` reads them.

mod profile;
mod traces;

#[cfg(test)]
mod tests;

use std::{error::Error as StdError, sync::Arc};

use crdkit::{
    Client,
    controller::{Action, Context, Controller, Error, ExitStatus, Manager, SecureMetrics, ServeOptions},
};
use example_resources::at::{At, AtPhase};

#[tokio::main]
async fn main() -> Result<ExitStatus, Box<dyn StdError + Send + Sync>> {
    let traces = traces::install()?;
    let client = Client::try_default().await?.field_manager("at-operator");
    let options = profile::serve(ServeOptions::from_env().secure_metrics(SecureMetrics::new()));
    let ended = manager(client).leader_election("at-operator").serve(options).run().await;
    // What is not sent yet would be lost.
    traces.shutdown()?;
    Ok(ended.into())
}

fn manager(client: Client) -> Manager {
    Manager::new(client).add(Controller::of::<At>().reconcile(reconcile))
}

async fn reconcile(at: Arc<At>, cx: Context<At>) -> Result<Action, Error> {
    if at.status.as_ref().is_some_and(|status| status.phase == AtPhase::Done) {
        return Ok(Action::Done);
    }
    run(&at.spec.command).await?;
    cx.status(&at).update(|status| status.phase = AtPhase::Done);
    Ok(Action::Done)
}

/// A span within that of the reconciliation. A real operator would create a Job.
#[tracing::instrument(err)]
async fn run(command: &str) -> Result<(), Error> {
    if command == "false" {
        return Err("the command failed".into());
    }
    tracing::info!("the command would run");
    Ok(())
}
