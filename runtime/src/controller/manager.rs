mod error;
mod handle;
mod labelled_namespaces;
mod namespaces;
mod parts;
mod plan;
mod run;
mod servers;
mod settings;
mod shared;

use std::{future::Future, sync::Arc};

use crdkit_core::literal::dns;
use futures_util::future::{BoxFuture, FutureExt};
use tokio::sync::mpsc;

use self::parts::Command;
use super::{
    Access, Controller, LeaderElection, Rbac, ServeOptions, Task,
    builder::ConnectedController,
    monitor::Monitor,
    permissions::PermissionScope,
    requirements::Requirements,
    shards::ShardTable,
    write_fence::{Fence, ManagerHook},
};
#[cfg(feature = "webhook")]
use crate::webhook::{
    WebhookServer,
    certificates::{CertificateRequest, CertificateSource},
};
use crate::{Client, informer::Informers};

pub use error::{AddControllerError, ManagerError};
pub use handle::ManagerHandle;
pub(super) use labelled_namespaces::NamespaceMetadata;
pub use plan::PlanRequest;
pub use settings::SettingsError;
pub(super) use shared::{ManagerContext, Phase};

/// The longest name of a group: those of its leases have a suffix, and a label has at most 63 characters.
const MAX_GROUP: usize = 50;

/// Runs controllers, which share informers.
///
/// # Preflight
///
/// Before the informers start, also in a standby, a manager checks whether the cluster has what its controllers require. All that is
/// missing is in one error, [`ManagerError::Preflight`]:
///
/// | check | by |
/// |---|---|
/// | kinds are served in the version, with the plural and the scope of their types, and with a status if it is written | discovery |
/// | the user of the client has the permissions of the [roles](Self::rbac); if not, the message has roles that grant what is missing, ready to apply | a SelfSubjectAccessReview for each verb of a resource |
///
/// If a controller selects [several namespaces](crate::informer::InformerBuilder::namespaces), and permissions are missing only in some of
/// them, because a namespace or its roles were deleted or do not exist yet, this is logged as a warning with those roles. The
/// manager continues with the other namespaces, and reconciles the objects of these once it may list them. What is missing in the only
/// namespace of a controller is an error: it looks like roles that were never applied. A manager that runs when that happens waits, as
/// for one of several namespaces.
///
/// The checks take 10 s at most. If something is missing, they are repeated once, after a second. What cannot be checked, because
/// the API server does not respond or refuses, is logged. [`without_preflight`](Self::without_preflight) turns them off.
///
/// That a namespaced object owns no cluster-scoped ones is checked at compile time. Names and settings that cannot work are
/// [`ManagerError::Settings`], before any request: such as equal names of controllers, owned kinds without a field manager, and a
/// finalizer that two controllers of the same objects share.
#[must_use = "nothing runs until `run` is called"]
pub struct Manager {
    client: Client,
    informers: Informers,
    controllers: Vec<ConnectedController>,
    /// Requests of handles.
    commands: (mpsc::UnboundedSender<Command>, mpsc::UnboundedReceiver<Command>),
    tasks: Vec<Task>,
    accesses: Vec<Access>,
    runs_preflight: bool,
    /// Whether an environment variable limits it to namespaces.
    follows_environment: bool,
    shutdown: Option<BoxFuture<'static, ()>>,
    election: Option<LeaderElection>,
    shards: Option<(LeaderElection, Arc<ShardTable>)>,
    pub(super) fence: Arc<Fence>,
    serve: Option<ServeOptions>,
    #[cfg(feature = "webhook")]
    webhooks: Option<WebhookServer>,
    #[cfg(feature = "webhook")]
    certificates: Option<(BoxFuture<'static, ()>, Vec<CertificateRequest>)>,
    pub(super) monitor: Arc<Monitor>,
    /// Whether another manager has what a program has once.
    is_member: bool,
}

impl Manager {
    /// Creates a manager for the cluster of a client.
    ///
    /// Set a [field manager](Client::field_manager): server-side apply requires one, and so do controllers that
    /// [own](super::ControllerBuilder::owns) objects.
    pub fn new(client: impl Into<Client>) -> Self {
        let client = client.into();
        Self {
            monitor: Arc::new(Monitor::new(&client)),
            informers: Informers::new(client.clone()),
            client,
            controllers: Vec::new(),
            commands: mpsc::unbounded_channel(),
            tasks: Vec::new(),
            accesses: Vec::new(),
            runs_preflight: true,
            follows_environment: false,
            shutdown: None,
            election: None,
            shards: None,
            fence: Arc::default(),
            is_member: false,
            serve: None,
            #[cfg(feature = "webhook")]
            webhooks: None,
            #[cfg(feature = "webhook")]
            certificates: None,
        }
    }

    /// Adds a controller. Controllers of one manager must have different [names](super::ControllerBuilder::name).
    #[expect(clippy::should_implement_trait, reason = "it adds a part, as controller-runtime's `Add`")]
    pub fn add(mut self, controller: Controller) -> Self {
        self.controllers.push(controller.connect(&self.informers));
        self
    }

    /// Adds a [task](Task) that runs beside the controllers, on the leader only or in every replica.
    ///
    /// Declare its requests with [`requires`](Self::requires).
    pub fn task(mut self, task: Task) -> Self {
        self.tasks.push(task);
        self
    }

    /// Declares requests that the program sends beside its controllers, such as those that
    /// [install](crate::client::install) definitions.
    ///
    /// It adds to the [roles](Self::rbac). Controllers [declare](super::ControllerBuilder::writes) their own.
    pub fn requires(mut self, access: Access) -> Self {
        self.accesses.push(access);
        self
    }

    /// Returns the roles that the program requires, as data, and as a [file](Rbac::file) that a test keeps up to date.
    ///
    /// Call it after all controllers are added. It sends no requests.
    #[doc(alias("kubebuilder:rbac", "ClusterRole"))]
    pub fn rbac(&self) -> Rbac {
        let rbac = self.rbac_of_selected_namespaces();
        // It is known only while it runs which ones these are.
        if self.informers.namespaces().labels().is_some() { rbac.all_namespaces() } else { rbac }
    }

    /// Returns the roles for the namespaces that are selected now.
    fn rbac_of_selected_namespaces(&self) -> Rbac {
        let mut uses = Requirements::default();
        self.controllers.iter().for_each(|controller| uses.extend(controller.uses.clone()));
        for access in self.accesses.iter().chain(&self.access_to_namespaces()) {
            // The scope of a resource without a type is unknown.
            let place = if access.kind().is_some() { PermissionScope::Watched } else { PermissionScope::Cluster };
            uses.require(access, &[place]);
        }
        if let Some(election) = &self.election {
            uses.elect(election.lease(), election.place());
        }
        if let Some((settings, _)) = &self.shards {
            uses.share(settings.place());
        }
        #[cfg(feature = "webhook")]
        if let Some((_, requests)) = &self.certificates {
            uses.certify(requests);
        }
        rbac_for(&self.client, &self.informers, uses).following_environment(self.follows_environment)
    }

    /// Starts without the [preflight checks](Self#preflight).
    pub fn without_preflight(self) -> Self {
        Self { runs_preflight: false, ..self }
    }

    /// Runs the controllers only while this process is the leader, by a lease with this name or these
    /// [settings](LeaderElection).
    ///
    /// When the lease cannot be renewed in time, the clients of all [contexts](super::Context::client) refuse to write with
    /// [`Error::NotLeader`](crate::client::Error::NotLeader), whatever the reconcile functions do
    /// ([what this guarantees](super#fencing)), and [`run`](Self::run) fails. On shutdown, the lease is released after the last reconciliation.
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
            name.len() <= MAX_GROUP && dns::label_1123(&name).is_ok(),
            "`{name}` is not the name of a group: use at most {MAX_GROUP} letters, digits and `-`"
        );
        let table = Arc::new(ShardTable::new(count));
        let _ = self.monitor.shards.set((name, table.clone()));
        self.shards = Some((settings, table));
        self
    }

    /// Returns the client of the manager, which refuses to write while this process is not the
    /// [leader](Self::leader_election), or no replica of the [shards](Self::shards): [what this guarantees](super#fencing). [Tasks](Task) of the leader get it.
    ///
    /// A reconcile function has [its own](super::Context::client), which also refuses to write once the shard of the object is lost.
    pub fn client(&self) -> Client {
        self.client.with_write_hook(Arc::new(ManagerHook { fence: self.fence.clone(), monitor: self.monitor.clone() }))
    }

    /// Serves [health checks and metrics](ServeOptions) by HTTP, from the start of [`run`](Self::run) until its end.
    #[doc(alias("healthz", "readyz", "metrics", "Prometheus"))]
    pub fn serve(mut self, options: ServeOptions) -> Self {
        self.accesses.extend(options.accesses());
        Self { serve: Some(options), ..self }
    }

    /// Serves webhooks from the start of [`run`](Self::run) until its end, also while another process is the leader.
    ///
    /// They are there before the controllers start, and until the last reconciliation ends, because the writes of reconciliations
    /// can pass through them.
    #[cfg(feature = "webhook")]
    #[doc(alias("GetWebhookServer"))]
    pub fn webhooks(self, server: WebhookServer) -> Self {
        Self { webhooks: Some(server), ..self }
    }

    /// Keeps the certificates of webhooks up to date, from the start of [`run`](Self::run) until its end, also while another process
    /// is the leader.
    #[cfg(feature = "webhook")]
    pub fn certificates(self, source: impl CertificateSource) -> Self {
        let _ = self.monitor.certificates.set(source.certificates());
        let requests = source.requests();
        Self { certificates: Some((source.run(), requests)), ..self }
    }

    /// Stops when a future completes, instead of on SIGTERM or SIGINT.
    pub fn until<O: 'static>(mut self, shutdown: impl Future<Output = O> + Send + 'static) -> Self {
        self.shutdown = Some(shutdown.map(drop).boxed());
        self
    }

    /// Returns the manager of another cluster, whose writes the fence of the home manager refuses.
    pub(super) fn of_cluster(self, fence: Arc<Fence>) -> Self {
        Self { fence, is_member: true, ..self }
    }

    /// Returns a handle that reads the state of the manager while it runs.
    pub fn handle(&self) -> ManagerHandle {
        let controllers = self.controllers.iter();
        let counters = controllers.map(|controller| (controller.name.clone(), controller.counters.clone()));
        ManagerHandle {
            counters: counters.collect(),
            monitor: self.monitor.clone(),
            informers: self.informers.clone(),
            commands: self.commands.0.clone(),
        }
    }
}

/// Returns the roles that grant what is used, to the account of a client.
fn rbac_for(client: &Client, informers: &Informers, uses: Requirements) -> Rbac {
    let name = client.field_manager_name().unwrap_or("controller-manager");
    Rbac::new(name, client.default_namespace(), uses).watching(informers.namespaces().selected())
}
