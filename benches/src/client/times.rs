//! The duration of calls.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Result;
use crdkit_benches::Samples;

use crate::{
    cases::Case,
    clients::{Calls, Client, Crdkit, Kube},
    clock::{Clock, Lapse},
    loopback,
    server::Server,
};

/// Where the server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ServerLocation {
    /// Behind the client, in its thread: what counts is the client's own work.
    Process,
    /// On the loopback interface, in a thread of its own.
    Loopback,
}

impl ServerLocation {
    pub(crate) const ALL: [Self; 2] = [Self::Process, Self::Loopback];
}

/// The times of one kind of call, a call.
#[derive(Debug, Default)]
pub(crate) struct Series {
    pub(crate) wall: Samples,
    pub(crate) cpu: Samples,
}

/// All times, in seconds.
#[derive(Debug, Default)]
pub(crate) struct Times(BTreeMap<(ServerLocation, Case, Client), Series>);

impl Times {
    /// Both clients make every kind of call in every round.
    pub(crate) fn take(objects: usize, rounds: usize) -> Result<Self> {
        let server = Server::new(objects);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut times = Self::default();
            let pairs = [
                (ServerLocation::Process, Pair::in_process(&server)?),
                (ServerLocation::Loopback, Pair::on_loopback(&server)?),
            ];
            for round in 0..=rounds {
                eprintln!("round {round} of {rounds}");
                for (location, pair) in &pairs {
                    for case in Case::ALL {
                        let lapses = pair.round(case, round).await?;
                        // The first warms up.
                        if round > 0 {
                            times.add(*location, case, lapses);
                        }
                    }
                }
            }
            Ok(times)
        })
    }

    pub(crate) fn of(&self, location: ServerLocation, case: Case, client: Client) -> &Series {
        &self.0[&(location, case, client)]
    }

    fn add(&mut self, location: ServerLocation, case: Case, lapses: [(Client, Lapse); 2]) {
        for (client, lapse) in lapses {
            let series = self.0.entry((location, case, client)).or_default();
            let calls = case.calls() as f64;
            series.wall.push(lapse.wall.as_secs_f64() / calls);
            series.cpu.push(lapse.cpu.as_secs_f64() / calls);
        }
    }
}

struct Pair {
    kube: Kube,
    crdkit: Crdkit,
}

impl Pair {
    fn in_process(server: &Arc<Server>) -> Result<Self> {
        Ok(Self { kube: Kube::new(server.client())?, crdkit: Crdkit::new(&server.client().into())? })
    }

    fn on_loopback(server: &Arc<Server>) -> Result<Self> {
        let config = loopback::serve(server.clone())?;
        Ok(Self { kube: Kube::new(config.clone().try_into()?)?, crdkit: Crdkit::new(&config.try_into()?)? })
    }

    /// One after the other, in an order that changes from round to round.
    async fn round(&self, case: Case, round: usize) -> Result<[(Client, Lapse); 2]> {
        let kube = async || time(&self.kube, case).await;
        let crdkit = async || time(&self.crdkit, case).await;
        let (kube, crdkit) = if round.is_multiple_of(2) {
            let kube = kube().await?;
            (kube, crdkit().await?)
        } else {
            let crdkit = crdkit().await?;
            (kube().await?, crdkit)
        };
        Ok([(Client::Kube, kube), (Client::Crdkit, crdkit)])
    }
}

async fn time(client: &impl Calls, case: Case) -> Result<Lapse> {
    case.run::<Clock>(client).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_is_answered_and_measured() {
        let times = Times::take(3, 1).unwrap();
        for location in ServerLocation::ALL {
            for case in Case::ALL {
                for client in Client::ALL {
                    let series = times.of(location, case, client);
                    assert!(series.wall.median() > 0.0 && series.cpu.median() > 0.0);
                }
            }
        }
    }
}
