//! Several clusters: a manager for each, beside the one of the home cluster.

mod member;

use std::{
    collections::BTreeMap,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::watch, task::JoinSet};

use self::member::Member;
use super::{
    HealthCheck, Manager, ManagerHandle, SettingsError, Task, TaskContext, monitor::Monitor, write_fence::Fence,
};
use crate::{Client, metrics::exposition::Family};

/// The label of metrics.
const LABEL: &str = "cluster";

/// Clusters in which the same controllers run, each with a [`Manager`] of its own, for [`Manager::clusters`].
///
/// The manager of the *home* cluster has what the program has once: signals, the leader, health checks and metrics. It may have
/// controllers too, such as one that adds a cluster for each Secret with a kubeconfig.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use crdkit::{controller::{Action, Context}, k8s_openapi::api::core::v1::ConfigMap};
/// use crdkit::{Client, controller::{Clusters, Controller, Error, ExitStatus, Manager, ServeOptions}};
///
/// # async fn reconcile(_: Arc<ConfigMap>, _: Context<ConfigMap, String>) -> Result<Action, Error> { Ok(Action::Done) }
/// # async fn run(home: Client, europe: Client, asia: Client) -> Result<ExitStatus, Error> {
/// // Called for each cluster, with its name and its manager.
/// let clusters = Clusters::new(|name, manager: Manager| {
///     manager.add(Controller::of::<ConfigMap>().state(name.to_owned()).reconcile(reconcile))
/// });
/// clusters.add("europe", europe)?;
/// clusters.add("asia", asia)?; // also later, while the program runs; `remove` ends one
/// let home = Manager::new(home).leader_election("config-operator").serve(ServeOptions::from_env());
/// Ok(home.clusters(&clusters).run().await.into())
/// # }
/// ```
///
/// - The clusters run while the home manager is the leader. Their controllers refuse to write when its Lease
///   [is lost](super#fencing), and [drain](super::ControllerBuilder::drain_timeout) before it is released.
/// - A cluster that is unreachable, slow or refuses the credentials delays no other. Its manager is created anew after a delay that grows up
///   to five minutes, if it cannot start or fails. The health checks of the home manager report it as a warning of `cluster-NAME`, and remain
///   successful; only a reconciliation that does not end [makes the program unhealthy](super::ServeOptions::max_reconcile_time).
/// - All metrics of a cluster have the label `cluster`, and `crdkit_cluster_up` is 1 while it has no problem. Its reconciliations have a
///   span `cluster` around theirs.
/// - Namespaces, roles and permissions are those of each cluster: `configure("", Manager::new(Client::offline())).rbac()` has the roles.
#[doc(alias("multicluster", "multi-cluster", "multicluster-runtime", "fleet"))]
#[derive(Clone)]
pub struct Clusters {
    shared: Arc<Shared>,
}

struct Shared {
    configure: Box<Configure>,
    members: Mutex<BTreeMap<String, Arc<Member>>>,
    changed: watch::Sender<()>,
}

/// Adds its controllers to the manager of a cluster.
type Configure = dyn Fn(&str, Manager) -> Manager + Send + Sync;

impl Clusters {
    /// Creates a set without clusters. The function adds controllers to the manager of a cluster; it is called again when a cluster that
    /// failed is tried again.
    pub fn new(configure: impl Fn(&str, Manager) -> Manager + Send + Sync + 'static) -> Self {
        let shared =
            Shared { configure: Box::new(configure), members: Mutex::default(), changed: watch::Sender::new(()) };
        Self { shared: Arc::new(shared) }
    }

    /// Adds a cluster, before or while the home manager runs.
    ///
    /// # Errors
    ///
    /// If there is a cluster with this name.
    pub fn add(&self, name: &str, client: impl Into<Client>) -> Result<(), SettingsError> {
        let mut members = self.members();
        if members.contains_key(name) {
            return Err(SettingsError { problems: vec![format!("there is a cluster `{name}` already")] });
        }
        members.insert(name.to_owned(), Arc::new(Member::new(name, client.into())));
        drop(members);
        self.shared.changed.send_replace(());
        Ok(())
    }

    /// Removes a cluster, and waits until its running reconciliations are complete. Returns whether there was one.
    pub async fn remove(&self, name: &str) -> bool {
        let Some(member) = self.members().get(name).cloned() else {
            return false;
        };
        member.end().await;
        let mut members = self.members();
        if members.get(name).is_some_and(|current| Arc::ptr_eq(current, &member)) {
            members.remove(name);
        }
        true
    }

    /// Returns the names of the clusters, sorted.
    pub fn names(&self) -> Vec<String> {
        self.members().keys().cloned().collect()
    }

    /// Returns the handle of the manager of a cluster; `None` if there is no such cluster, or it has not been started yet.
    ///
    /// A cluster that failed gets another manager when it is tried again.
    pub fn handle(&self, name: &str) -> Option<ManagerHandle> {
        self.members().get(name)?.handle()
    }

    /// Returns why a cluster is not reconciled, or not completely; `None` if it is, or there is no such cluster.
    pub fn problem(&self, name: &str) -> Option<String> {
        let member = self.members().get(name).cloned()?;
        member.problem()
    }

    /// Runs the clusters, and those that are added, until the home manager stops.
    async fn run(self, fence: Arc<Fence>, home: TaskContext) {
        let mut changed = self.shared.changed.subscribe();
        let mut running = JoinSet::new();
        let stop = watch::Sender::new(false);
        let mut stopped = pin!(home.stopped());
        loop {
            changed.mark_unchanged();
            for member in self.members().values().filter(|member| member.may_start()) {
                let (shared, member) = (self.shared.clone(), member.clone());
                let limits = home.monitor().health_limits();
                running.spawn(member.run(shared, fence.clone(), limits, stop.subscribe()));
            }
            tokio::select! {
                _ = changed.changed() => {}
                () = &mut stopped => break,
            }
        }
        stop.send_replace(true);
        while running.join_next().await.is_some() {}
    }

    /// Returns a health or readiness check for each cluster.
    fn checks(&self) -> Vec<HealthCheck> {
        let members: Vec<_> = self.members().values().cloned().collect();
        members.iter().map(|member| member.check()).collect()
    }

    /// Adds the metrics of the clusters to those of the home manager.
    pub(super) fn add_families(&self, families: &mut Vec<Family>) {
        let members: Vec<_> = self.members().values().cloned().collect();
        let label = |name: &str| (LABEL, name.to_owned());
        let started = members.iter().filter(|member| member.handle().is_some());
        let up = started.map(|member| {
            let is_up = member.problem().is_none();
            (vec![label(member.name())], if is_up { 1.0 } else { 0.0 })
        });
        families.push(Family::gauge("crdkit_cluster_up", "Whether a cluster has no problem", up));
        for member in &members {
            let of_member = member.monitor().map(|monitor| monitor.families()).unwrap_or_default();
            for family in of_member.into_iter().map(|family| family.with_label(label(member.name()))) {
                family.merge_into(families);
            }
        }
    }

    fn members(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Member>>> {
        self.shared.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Manager {
    /// Runs the controllers of other [clusters](Clusters) as well, while this process is the leader.
    ///
    /// # Panics
    ///
    /// Panics if the manager has other clusters already.
    pub fn clusters(self, clusters: &Clusters) -> Self {
        let is_first = self.monitor.clusters.set(clusters.clone()).is_ok();
        assert!(is_first, "a manager has one set of clusters: add all of them to it");
        let (clusters, fence) = (clusters.clone(), self.fence.clone());
        self.task(Task::on_leader("clusters", move |home| async move {
            clusters.run(fence, home).await;
            Ok::<_, super::Error>(())
        }))
    }
}

impl Monitor {
    /// Adds the checks of other clusters.
    pub(super) fn cluster_checks(&self) -> Vec<HealthCheck> {
        self.clusters.get().map(Clusters::checks).unwrap_or_default()
    }
}
