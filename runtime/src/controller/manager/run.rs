//! A manager from its start to the end of its controllers, in the order in which its parts stop.

use std::{future::pending, sync::Arc};

use futures_util::future::{BoxFuture, FutureExt};
use tokio::sync::watch;

use super::{
    Manager, ManagerContext, ManagerError, Phase, labelled_namespaces::LabelledNamespaces, parts::Parts,
    servers::Servers,
};
use crate::{
    Client,
    controller::{
        Rbac,
        leader_election::{Elector, unique_identity},
        preflight,
        shards::Membership,
        signals::ShutdownSignals,
    },
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
    /// - [`ManagerError::Settings`] if a name or a setting cannot work.
    /// - [`ManagerError::Preflight`] if the cluster does not have what the controllers [require](Self#preflight).
    /// - [`ManagerError::Serve`] if a port of the [served](Self::serve) health checks and metrics cannot be opened.
    /// - `ManagerError::Webhooks` if the port of the webhooks cannot be opened.
    /// - [`ManagerError::Controller`]: the first error of a controller. The others are stopped.
    /// - [`ManagerError::LeaseLost`] if this process was the leader, and could not renew its lease.
    pub fn run(self) -> impl Future<Output = Result<(), ManagerError>> + Send + 'static {
        let clock = self.client.options.clock.clone();
        // A future is compiled where it is polled: boxed, this crate compiles it, and not each program again.
        clock.drive(self.serve_and_run().boxed())
    }

    async fn serve_and_run(mut self) -> Result<(), ManagerError> {
        let monitor = self.monitor.clone();
        let servers = self.check_settings().map_err(ManagerError::from).and_then(|()| Servers::start(&mut self));
        // Those who wait for addresses that were not opened get none.
        monitor.set_addresses(servers.as_ref().map(Servers::addresses).unwrap_or_default());
        let mut servers = servers?;
        let ended = self.run_with(&mut servers).await;
        servers.stop().await;
        ended
    }

    async fn run_with(mut self, servers: &mut Servers) -> Result<(), ManagerError> {
        // Before anything runs that a signal must not interrupt.
        let mut shutdown = self.shutdown.take().map_or_else(first_signal, |shutdown| shutdown.map(|()| None).boxed());
        let namespaces = tokio::select! {
            biased;
            _ = &mut shutdown => return Ok(()),
            begun = self.begin() => begun?,
        };
        // Without its permissions, it would log each of its failures before the error.
        servers.keep_certificates(&mut self);
        let follow = async {
            match namespaces {
                Some(namespaces) => namespaces.follow().await,
                None => pending().await,
            }
        };
        tokio::select! {
            ended = self.run_controllers(shutdown, servers.has_webhooks()) => ended,
            () = follow => unreachable!("it runs until it is dropped"),
        }
    }

    /// Checks what the cluster has, and selects the namespaces with the labels to which the manager is limited.
    fn begin(&self) -> impl Future<Output = Result<Option<LabelledNamespaces>, ManagerError>> + Send + use<> {
        let (client, rbac) = (self.client.clone(), self.rbac_of_selected_namespaces());
        let (informers, monitor, runs_preflight) = (self.informers.clone(), self.monitor.clone(), self.runs_preflight);
        async move {
            if runs_preflight {
                // If labels select the namespaces, only what needs none.
                check(&client, &rbac).await?;
            }
            let Some(mut namespaces) = LabelledNamespaces::watch(&informers, &monitor) else {
                return Ok(None);
            };
            namespaces.listed().await.map_err(ManagerError::Namespaces)?;
            if runs_preflight {
                check(&client, &rbac.watching(informers.namespaces().selected())).await?;
            }
            Ok(Some(namespaces))
        }
    }

    async fn run_controllers(self, shutdown: Shutdown, has_webhooks: bool) -> Result<(), ManagerError> {
        let fenced = self.client();
        let first = if self.election.is_some() { Phase::Standby } else { Phase::Active };
        let (phase, phases) = watch::channel(first);
        let coordination = self.election.as_ref().or(self.shards.as_ref().map(|(settings, _)| settings));
        let identity = coordination.map_or_else(unique_identity, |settings| settings.identity.clone());
        let mut leases = HeldLeases {
            elector: self.election.map(|settings| Elector::new(settings, &self.client, self.fence.clone())),
            membership: self
                .shards
                .clone()
                .map(|(settings, table)| Membership::new(settings, &self.client, table, phases.clone())),
            lost: None,
        };
        let shared = Arc::new(ManagerContext {
            client: self.client,
            fence: self.fence.clone(),
            identity,
            shards: self.shards.map(|(_, table)| table),
            phase: phases,
            monitor: self.monitor,
            removal: None,
            added: None,
            planning: None,
        });
        let mut parts = Parts::new(shared.clone(), self.informers, self.runs_preflight);
        self.controllers.into_iter().for_each(|controller| parts.start(controller));
        // After the controllers, whose caches they wait for.
        self.tasks.into_iter().for_each(|task| parts.start_task(task, fenced.clone()));
        // It is not ready before its informers are known.
        shared.monitor.start(shared.phase.clone());
        let (own, commands) = self.commands;
        drop(own);
        let has_handles = commands.sender_strong_count() > 0;
        let waits = parts.is_empty() && (has_webhooks || has_handles);
        let complete = parts.all_complete(waits, commands, &phase);
        let stop = async {
            // Further signals end the process until this is dropped.
            let _signals = shutdown.await;
            phase.send_replace(Phase::Stopped);
            pending::<()>().await;
        };
        let ended = tokio::select! {
            ended = complete => ended,
            () = stop => Ok(()),
            () = leases.hold(&phase) => Ok(()),
        };
        match leases.release(ended.is_ok()).await {
            Some(lease) => Err(ManagerError::LeaseLost { lease }),
            None => ended,
        }
    }
}

async fn check(client: &Client, rbac: &Rbac) -> Result<(), ManagerError> {
    preflight::check(client, rbac).await.map_err(|error| ManagerError::Preflight(Box::new(error)))
}

/// Completes when the manager must stop, with the signals that follow the first one.
type Shutdown = BoxFuture<'static, Option<ShutdownSignals>>;

/// Completes at the first signal.
fn first_signal() -> Shutdown {
    let mut signals = ShutdownSignals::install();
    async move {
        signals.first().await;
        Some(signals)
    }
    .boxed()
}

/// The Leases of a replica: as the leader, or as the one that has some of the shards.
struct HeldLeases {
    elector: Option<Elector>,
    membership: Option<Membership>,
    /// The Lease of the leader that could not be renewed.
    lost: Option<String>,
}

impl HeldLeases {
    /// Acquires and renews them. Never completes: what runs is stopped by the phase if the leader's Lease is lost.
    async fn hold(&mut self, phase: &watch::Sender<Phase>) {
        if let Some(elector) = &mut self.elector {
            elector.acquire().await;
            phase.send_if_modified(|phase| {
                let is_standby = *phase == Phase::Standby;
                if is_standby {
                    *phase = Phase::Active;
                }
                is_standby
            });
            elector.renew().await;
            self.lost = Some(elector.lease().to_owned());
            phase.send_replace(Phase::Stopped);
        }
        if let Some(membership) = &mut self.membership {
            membership.run().await;
        }
        pending::<()>().await;
    }

    /// Releases what is held, and returns the name of the Lease that was lost.
    async fn release(mut self, is_drained: bool) -> Option<String> {
        if let Some(elector) = &mut self.elector {
            elector.release().await;
        }
        if let Some(membership) = &mut self.membership {
            membership.leave(is_drained).await;
        }
        self.lost
    }
}
