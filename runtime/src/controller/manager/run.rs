//! A manager from its start to the end of its controllers, in the order in which its parts stop.

use std::future::pending;

use futures_util::{StreamExt, future::FutureExt, stream::FuturesUnordered};
use tokio::sync::watch;

use super::{Manager, ManagerError, Phase, Shared, servers::Servers};
use crate::controller::{
    leader_election::{Elector, unique_identity},
    shards::Membership,
    signals::ShutdownSignals,
    wiring,
};

impl Manager {
    /// Runs the controllers until SIGTERM or SIGINT, and until their running reconciliations are complete.
    ///
    /// After the signal, no reconciliation starts. Running ones that do not complete within the [drain
    /// timeout](crate::controller::ControllerBuilder::drain_timeout) are cut at their next await. Then events are sent, and the lease is
    /// released. A second signal ends the process at once.
    ///
    /// # Errors
    ///
    /// - [`ManagerError::Wiring`] if the cluster does not have what the controllers [require](Self#wiring).
    /// - [`ManagerError::Serve`] if a port of the [served](Self::serve) health checks and metrics cannot be opened.
    /// - `ManagerError::Webhooks` if the port of the webhooks cannot be opened.
    /// - [`ManagerError::Controller`]: the first error of a controller. The others are stopped.
    /// - [`ManagerError::LeaseLost`] if this process was the leader, and could not renew its lease.
    pub async fn run(mut self) -> Result<(), ManagerError> {
        let monitor = self.monitor.clone();
        let servers = Servers::start(&mut self);
        // Those who wait for addresses that were not opened get none.
        monitor.set_addresses(servers.as_ref().map(Servers::addresses).unwrap_or_default());
        let servers = servers?;
        let ended = self.run_controllers(servers.has_webhooks()).await;
        servers.stop().await;
        ended
    }

    async fn run_controllers(self, has_webhooks: bool) -> Result<(), ManagerError> {
        // Before anything runs that a signal must not interrupt.
        let rbac = self.rbac();
        let mut shutdown = match self.shutdown {
            Some(shutdown) => shutdown.map(|()| None).boxed(),
            None => {
                let mut signals = ShutdownSignals::install();
                async move {
                    signals.first().await;
                    Some(signals)
                }
                .boxed()
            }
        };
        if self.checks_wiring {
            tokio::select! {
                biased;
                _ = &mut shutdown => return Ok(()),
                checked = wiring::check(&self.client, &rbac) => checked.map_err(|error| ManagerError::Wiring(Box::new(error)))?,
            }
        }
        let first = if self.election.is_some() { Phase::Standby } else { Phase::Active };
        let (phase, phases) = watch::channel(first);
        let coordination = self.election.as_ref().or(self.shards.as_ref().map(|(settings, _)| settings));
        let identity = coordination.map_or_else(unique_identity, |settings| settings.identity.clone());
        let mut elector = self.election.map(|settings| Elector::new(settings, &self.client, self.fence.clone()));
        let mut membership =
            self.shards.clone().map(|(settings, table)| Membership::new(settings, &self.client, table, phases.clone()));
        let shared = Shared {
            client: self.client,
            fence: self.fence.clone(),
            identity,
            shards: self.shards.map(|(_, table)| table),
            phase: phases,
            monitor: self.monitor,
        };
        let mut running: FuturesUnordered<_> = self
            .controllers
            .into_iter()
            .map(|controller| {
                let (name, running) = (controller.name, (controller.start)(&shared));
                async { running.await.map_err(|source| ManagerError::Controller { name, source }) }
            })
            .collect();
        // It is not ready before its informers are known.
        shared.monitor.start(shared.phase.clone());
        let stop = async {
            // Further signals end the process until this is dropped.
            let _signals = shutdown.await;
            phase.send_replace(Phase::Stopped);
            pending::<()>().await;
        };
        let mut lost = None;
        let lead = async {
            if let Some(elector) = &mut elector {
                elector.acquire().await;
                phase.send_if_modified(|phase| {
                    let is_standby = *phase == Phase::Standby;
                    if is_standby {
                        *phase = Phase::Active;
                    }
                    is_standby
                });
                elector.renew().await;
                lost = Some(ManagerError::LeaseLost { lease: elector.lease().to_owned() });
                phase.send_replace(Phase::Stopped);
            }
            if let Some(membership) = &mut membership {
                membership.run().await;
            }
            pending::<()>().await;
        };
        let stopped = shared.stopped();
        let complete = async {
            if running.is_empty() && has_webhooks {
                stopped.await;
            }
            let mut ended = Ok(());
            while let Some(controller) = running.next().await {
                ended = ended.and(controller);
                phase.send_replace(Phase::Stopped);
            }
            ended
        };
        let ended = tokio::select! {
            ended = complete => ended,
            () = stop => Ok(()),
            () = lead => Ok(()),
        };
        if let Some(elector) = &mut elector {
            elector.release().await;
        }
        if let Some(membership) = &mut membership {
            membership.leave(ended.is_ok()).await;
        }
        lost.map_or(ended, Err)
    }
}
