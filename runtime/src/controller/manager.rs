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
    Controller, ControllerMetrics, HealthReport, LeaderElection, ServeAddresses, ServeError, ServeOptions, StaticKind,
    fence::{Fence, ManagerHook},
    leader_election::{Elector, unique_identity},
    metrics::Counters,
    monitor::Monitor,
    shards::{Membership, ShardTable},
    signals::ShutdownSignals,
};
use crate::{
    Client,
    informer::{InformerBuilder, Informers, RunError, ShardKey},
};

/// Runs controllers, which share informers.
#[must_use = "nothing runs until `run` is called"]
pub struct Manager {
    client: Client,
    controllers: Vec<Controller>,
    shutdown: Option<BoxFuture<'static, ()>>,
    election: Option<LeaderElection>,
    shards: Option<(LeaderElection, Arc<ShardTable>)>,
    fence: Arc<Fence>,
    serve: Option<ServeOptions>,
    monitor: Arc<Monitor>,
}

/// Why a manager stopped. Each reason has an [exit code](super::Exit).
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
    /// Health checks or metrics cannot be served. Nothing was started.
    #[error(transparent)]
    Serve(#[from] ServeError),
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
    /// The shards that this process holds; `None` if it reconciles all objects.
    pub(super) shards: Option<Arc<ShardTable>>,
    /// The identity of this process in events.
    pub(super) identity: String,
    pub(super) phase: watch::Receiver<Phase>,
    pub(super) monitor: Arc<Monitor>,
}

/// The phases of a manager, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Standby,
    Active,
    Stopped,
}

impl Shared {
    /// Returns an informer of the objects of a kind that this process reconciles.
    pub(super) fn in_shards<C: StaticKind>(&self) -> InformerBuilder<C> {
        self.sharded(|| ShardKey::Uid)
    }

    /// Returns an informer of the objects of a kind, without those whose owners another process reconciles.
    pub(super) fn owned_by<C: StaticKind, K: StaticKind>(&self) -> InformerBuilder<C> {
        self.sharded(|| ShardKey::Controller { group: K::group(&()).into_owned(), kind: K::kind(&()).into_owned() })
    }

    fn sharded<C: StaticKind>(&self, key: impl FnOnce() -> ShardKey) -> InformerBuilder<C> {
        match &self.shards {
            Some(shards) => self.informers.of().sharded(shards.sharding(key())),
            None => self.informers.of(),
        }
    }

    /// Completes when the controllers may begin.
    pub(super) fn elected(&self) -> impl Future<Output = ()> + Send + 'static {
        reached(self.phase.clone(), Phase::Active)
    }

    /// Completes when the controllers must stop.
    pub(super) fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        reached(self.phase.clone(), Phase::Stopped)
    }
}

/// The longest name of a group: those of its leases have a suffix, and a label has at most 63 characters.
const MAX_GROUP: usize = 50;

/// Whether a text is part of the names of leases, and the value of a label.
fn is_group_name(text: &str) -> bool {
    let is_alphanumeric = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit();
    let (first, last) = (text.chars().next(), text.chars().next_back());
    text.len() <= MAX_GROUP
        && text.chars().all(|it| is_alphanumeric(it) || it == '-')
        && first.is_some_and(is_alphanumeric)
        && last.is_some_and(is_alphanumeric)
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
        let client = client.into();
        Self {
            monitor: Arc::new(Monitor::new(client.request_counts())),
            client,
            controllers: Vec::new(),
            shutdown: None,
            election: None,
            shards: None,
            fence: Arc::default(),
            serve: None,
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
        let election = election.into();
        assert!(self.shards.is_none(), "a manager has a leader or shards, not both");
        self.fence.close();
        let _ = self.monitor.election.set((election.lease().to_owned(), self.fence.clone()));
        self.election = Some(election);
        self
    }

    /// Divides the objects of all controllers into shards, which the replicas with the same group share fairly.
    ///
    /// Use it instead of [`leader_election`](Self::leader_election) if one process cannot reconcile all objects. An object's shard
    /// is determined by the hash of its uid. Each replica lists, watches, caches and reconciles only the objects in its shards:
    /// [how shards work](super#shards). The number of shards, at least that of the replicas, must be the same in all of them:
    /// a replica with another number waits until the others have ended.
    ///
    /// The group is a name, such as `vm-operator`, or the settings of a [leader election](LeaderElection), whose namespace,
    /// identity and durations then apply to the leases of the group.
    ///
    /// # Panics
    ///
    /// Panics if there are no shards, if the name of the group is not a label value of at most 50 characters, or together with
    /// leader election.
    #[doc(alias("sharding", "ShardedListAndWatch", "partition", "scale out"))]
    pub fn shards(mut self, group: impl Into<LeaderElection>, count: u16) -> Self {
        let settings = group.into();
        assert!(self.election.is_none(), "a manager has a leader or shards, not both");
        let name = settings.lease().to_owned();
        assert!(
            is_group_name(&name),
            "`{name}` is not the name of a group: use at most {MAX_GROUP} letters, digits and `-`"
        );
        let table = Arc::new(ShardTable::new(count));
        let _ = self.monitor.shards.set((name, table.clone()));
        self.shards = Some((settings, table));
        self
    }

    /// Returns the client of the manager, which refuses to write while this process is not the
    /// [leader](Self::leader_election), or no replica of the [shards](Self::shards). Use it for tasks beside the controllers.
    ///
    /// A reconcile function has [its own](super::Context::client), which also refuses to write once the shard of the object is lost.
    pub fn client(&self) -> Client {
        self.client.with_write_hook(Arc::new(ManagerHook { fence: self.fence.clone(), monitor: self.monitor.clone() }))
    }

    /// Serves [health checks and metrics](ServeOptions) by HTTP, from the start of [`run`](Self::run) until its end.
    #[doc(alias("healthz", "readyz", "metrics", "Prometheus"))]
    pub fn serve(self, options: ServeOptions) -> Self {
        Self { serve: Some(options), ..self }
    }

    /// Stops when a future completes, instead of on SIGTERM or SIGINT.
    pub fn until<O: 'static>(mut self, shutdown: impl Future<Output = O> + Send + 'static) -> Self {
        self.shutdown = Some(shutdown.map(drop).boxed());
        self
    }

    /// Returns a handle that reads the state of the manager while it runs.
    pub fn handle(&self) -> ManagerHandle {
        let controllers = self.controllers.iter();
        let counters = controllers.map(|controller| (controller.name.clone(), controller.counters.clone()));
        ManagerHandle { counters: counters.collect(), monitor: self.monitor.clone() }
    }

    /// Runs the controllers until SIGTERM or SIGINT, and until their running reconciliations are complete.
    ///
    /// After the signal, no reconciliation starts. Running ones that do not complete within the [drain
    /// timeout](super::ControllerBuilder::drain_timeout) are cut at their next await. Then events are sent, and the lease is
    /// released. A second signal ends the process at once.
    ///
    /// # Errors
    ///
    /// - [`ManagerError::Serve`] if a port of the [served](Self::serve) health checks and metrics cannot be opened.
    /// - [`ManagerError::Controller`]: the first error of a controller. The others are stopped.
    /// - [`ManagerError::LeaseLost`] if this process was the leader, and could not renew its lease.
    pub async fn run(mut self) -> Result<(), ManagerError> {
        let server = self.serve.take().map(|options| options.start(&self.monitor)).transpose();
        // Those who wait for addresses that were not opened.
        self.monitor.set_addresses(ServeAddresses::default());
        let server = server?;
        let ended = self.run_controllers().await;
        if let Some(server) = server {
            server.stop().await;
        }
        ended
    }

    async fn run_controllers(self) -> Result<(), ManagerError> {
        // Before anything runs that a signal must not interrupt.
        let shutdown = match self.shutdown {
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
        let first = if self.election.is_some() { Phase::Standby } else { Phase::Active };
        let (phase, phases) = watch::channel(first);
        self.monitor.start(phases.clone());
        let coordination = self.election.as_ref().or(self.shards.as_ref().map(|(settings, _)| settings));
        let identity = coordination.map_or_else(unique_identity, |settings| settings.identity.clone());
        let mut elector = self.election.map(|settings| Elector::new(settings, &self.client, self.fence.clone()));
        let mut membership =
            self.shards.clone().map(|(settings, table)| Membership::new(settings, &self.client, table, phases.clone()));
        let shared = Shared {
            informers: Informers::new(self.client.clone()),
            client: self.client,
            fence: self.fence.clone(),
            identity,
            shards: self.shards.as_ref().map(|(_, table)| table.clone()),
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
        if let Some(membership) = &mut membership {
            membership.leave(ended.is_ok()).await;
        }
        lost.map_or(ended, Err)
    }
}

/// Reads the state of a [`Manager`] while it runs.
#[derive(Clone)]
pub struct ManagerHandle {
    counters: Vec<(String, Arc<Counters>)>,
    monitor: Arc<Monitor>,
}

impl ManagerHandle {
    /// Whether this process is the leader: always true without [leader election](Manager::leader_election).
    pub fn is_leader(&self) -> bool {
        self.monitor.is_leader()
    }

    /// Returns the [shards](Manager::shards) whose objects this process reconciles; none without shards.
    pub fn shards(&self) -> Vec<u16> {
        self.monitor.shards.get().map(|(_, table)| table.held()).unwrap_or_default()
    }

    /// Returns the counters of the controller with this name.
    pub fn metrics(&self, controller: &str) -> Option<ControllerMetrics> {
        let mut counters = self.counters.iter();
        let (_, counters) = counters.find(|(name, _)| name == controller)?;
        Some(counters.read())
    }

    /// Returns the results of the [health checks](ServeOptions), also if they are not served.
    pub fn healthz(&self) -> HealthReport {
        self.monitor.healthz()
    }

    /// Returns the results of the [readiness checks](ServeOptions), also if they are not served.
    pub fn readyz(&self) -> HealthReport {
        self.monitor.readyz()
    }

    /// Returns the [metrics](ServeOptions#metrics) in OpenMetrics, without the end marker, also if they are not served.
    pub fn openmetrics(&self) -> String {
        // Strings are written without errors.
        self.monitor.openmetrics().unwrap_or_default()
    }

    /// Waits until the manager listens, and returns the addresses, with the ports that were chosen.
    ///
    /// There are none if it serves nothing, or cannot listen.
    pub async fn addresses(&self) -> ServeAddresses {
        self.monitor.addresses().await
    }
}
