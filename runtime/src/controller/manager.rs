use std::{
    future::{Future, pending},
    sync::Arc,
};

use futures_util::{
    StreamExt,
    future::{BoxFuture, FutureExt},
    stream::FuturesUnordered,
};
use tokio::sync::watch;

use super::{
    Controller, ControllerMetrics, LeaderElection,
    fence::Fence,
    leader_election::{Elector, unique_identity},
    metrics::Counters,
};
use crate::{
    Client,
    informer::{Informers, RunError, shutdown_signal},
};

/// Runs controllers, which share informers.
#[must_use = "nothing runs until `run` is called"]
pub struct Manager {
    client: Client,
    controllers: Vec<Controller>,
    shutdown: Option<BoxFuture<'static, ()>>,
    election: Option<LeaderElection>,
    fence: Arc<Fence>,
}

/// Why a manager stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// A controller cannot run, or did not stop in time.
    #[error("the controller `{name}`: {source}")]
    Controller {
        /// The name of the controller.
        name: String,
        /// The error.
        source: RunError,
    },
    /// The lease could not be renewed in time. Another process may be the leader: exit, so that this one starts again.
    #[error("the lease `{lease}` could not be renewed in time")]
    LeaseLost {
        /// The name of the lease.
        lease: String,
    },
}

/// What a manager shares with its controllers.
pub(super) struct Shared {
    pub(super) client: Client,
    pub(super) informers: Informers,
    pub(super) fence: Arc<Fence>,
    /// The identity of this process in events.
    pub(super) identity: String,
    pub(super) phase: watch::Receiver<Phase>,
}

/// The phases of a manager, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Standby,
    Active,
    Stopped,
}

impl Shared {
    /// Completes when the controllers may begin.
    pub(super) fn elected(&self) -> impl Future<Output = ()> + Send + 'static {
        reached(self.phase.clone(), Phase::Active)
    }

    /// Completes when the controllers must stop.
    pub(super) fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        reached(self.phase.clone(), Phase::Stopped)
    }
}

async fn reached(mut phase: watch::Receiver<Phase>, wanted: Phase) {
    // An error means that the manager is gone.
    let _ = phase.wait_for(|phase| *phase >= wanted).await;
}

impl Manager {
    /// Creates a manager for the cluster of a client.
    ///
    /// Set a [field manager](Client::field_manager): server-side apply requires one.
    pub fn new(client: impl Into<Client>) -> Self {
        Self {
            client: client.into(),
            controllers: Vec::new(),
            shutdown: None,
            election: None,
            fence: Arc::new(Fence::open()),
        }
    }

    /// Adds a controller.
    #[expect(clippy::should_implement_trait, reason = "it adds a part, as controller-runtime's `Add`")]
    pub fn add(mut self, controller: Controller) -> Self {
        self.controllers.push(controller);
        self
    }

    /// Runs the controllers only while this process is the leader, by a lease with this name or these
    /// [settings](LeaderElection).
    ///
    /// When the lease cannot be renewed in time, the clients of all [contexts](super::Context::client) refuse to write with
    /// [`Error::NotLeader`](crate::client::Error::NotLeader), whatever the reconcile functions do, and
    /// [`run`](Self::run) fails. On shutdown, the lease is released after the last reconciliation.
    pub fn leader_election(mut self, election: impl Into<LeaderElection>) -> Self {
        self.election = Some(election.into());
        self.fence = Arc::new(Fence::closed());
        self
    }

    /// Stops when a future completes, instead of on [SIGTERM or SIGINT](shutdown_signal).
    pub fn until<O: 'static>(mut self, shutdown: impl Future<Output = O> + Send + 'static) -> Self {
        self.shutdown = Some(shutdown.map(drop).boxed());
        self
    }

    /// Returns a handle that reads the state of the manager while it runs.
    pub fn handle(&self) -> ManagerHandle {
        let controllers = self.controllers.iter();
        let counters = controllers.map(|controller| (controller.name.clone(), controller.counters.clone()));
        ManagerHandle { counters: counters.collect(), fence: self.fence.clone() }
    }

    /// Runs the controllers until SIGTERM or SIGINT, and until their running reconciliations are complete.
    ///
    /// # Errors
    ///
    /// - [`ManagerError::Controller`]: the first error of a controller. The others are stopped.
    /// - [`ManagerError::LeaseLost`] if this process was the leader, and could not renew its lease.
    pub async fn run(self) -> Result<(), ManagerError> {
        let first = if self.election.is_some() { Phase::Standby } else { Phase::Active };
        let (phase, phases) = watch::channel(first);
        let identity = self.election.as_ref().map_or_else(unique_identity, |election| election.identity.clone());
        let mut elector = self.election.map(|settings| Elector::new(settings, &self.client, self.fence.clone()));
        let shared = Shared {
            informers: Informers::new(self.client.clone()),
            client: self.client,
            fence: self.fence.clone(),
            identity,
            phase: phases,
        };
        let mut running: FuturesUnordered<_> = self
            .controllers
            .into_iter()
            .map(|controller| {
                let (name, running) = (controller.name, (controller.start)(&shared));
                async { running.await.map_err(|source| ManagerError::Controller { name, source }) }
            })
            .collect();
        let shutdown = self.shutdown.unwrap_or_else(|| shutdown_signal().boxed());
        let stop = async {
            shutdown.await;
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
            pending::<()>().await;
        };
        let complete = async {
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
        lost.map_or(ended, Err)
    }
}

/// Reads the state of a [`Manager`] while it runs.
#[derive(Clone)]
pub struct ManagerHandle {
    counters: Vec<(String, Arc<Counters>)>,
    fence: Arc<Fence>,
}

impl ManagerHandle {
    /// Whether this process is the leader: always true without [leader election](Manager::leader_election).
    pub fn is_leader(&self) -> bool {
        self.fence.is_open()
    }

    /// Returns the counters of the controller with this name.
    pub fn metrics(&self, controller: &str) -> Option<ControllerMetrics> {
        let mut counters = self.counters.iter();
        let (_, counters) = counters.find(|(name, _)| name == controller)?;
        Some(counters.read())
    }
}
