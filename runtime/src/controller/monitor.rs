//! What health checks and metrics read of a running manager.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
    time::Duration,
};

use tokio::{sync::watch, time::Instant};

use super::{
    Clusters, ServeAddresses,
    caches::{Cache, Caches},
    health::HealthOptions,
    manager::{NamespaceMetadata, Phase},
    metrics::Counters,
    own_writes::OwnWrites,
    shards::ShardTable,
    triggers::TriggerMonitor,
    write_fence::Fence,
};
use crate::{
    client::{Client, request_counts::RequestCounts},
    informer::{Health, Informer, ObjectKey, Queue},
};

/// A manager, as seen by health checks and metrics.
pub(super) struct Monitor {
    /// The host and port of the API server; empty if they are unknown.
    pub(super) host: String,
    pub(super) requests: Arc<RequestCounts>,
    /// The lease by which a leader is elected, and whether this process is the leader.
    pub(super) election: OnceLock<(String, Arc<Fence>)>,
    /// The name of the group that divides the objects, and the shards that this process holds.
    pub(super) shards: OnceLock<(String, Arc<ShardTable>)>,
    pub(super) options: OnceLock<HealthOptions>,
    pub(super) clusters: OnceLock<Clusters>,
    /// The informer of the namespaces to which labels limit the manager.
    pub(super) namespaces: OnceLock<Weak<Informer<NamespaceMetadata>>>,
    started: OnceLock<Started>,
    controllers: Mutex<Vec<Arc<Monitored>>>,
    addresses: watch::Sender<Option<ServeAddresses>>,
    #[cfg(feature = "webhook")]
    pub(super) webhooks: OnceLock<crate::webhook::WebhookService>,
    #[cfg(feature = "webhook")]
    pub(super) certificates: OnceLock<crate::webhook::certificates::Certificates>,
}

struct Started {
    at: Instant,
    phase: watch::Receiver<Phase>,
}

/// A controller that was started.
pub(super) struct Monitored {
    pub(super) name: String,
    pub(super) concurrency: usize,
    /// The time limit of one reconciliation.
    pub(super) timeout: Duration,
    pub(super) counters: Arc<Counters>,
    pub(super) queue: Queue<ObjectKey>,
    pub(super) triggers: Vec<Arc<TriggerMonitor>>,
    pub(super) own_writes: Weak<OwnWrites>,
    pub(super) caches: Weak<Caches>,
}

/// An informer that controllers use.
pub(super) struct MonitoredInformer {
    pub(super) resource: String,
    pub(super) health: Health,
}

impl Monitor {
    pub(super) fn new(client: &Client) -> Self {
        Self {
            host: client.host(),
            requests: client.connection.requests.clone(),
            election: OnceLock::new(),
            shards: OnceLock::new(),
            options: OnceLock::new(),
            clusters: OnceLock::new(),
            namespaces: OnceLock::new(),
            started: OnceLock::new(),
            controllers: Mutex::default(),
            addresses: watch::Sender::new(None),
            #[cfg(feature = "webhook")]
            webhooks: OnceLock::new(),
            #[cfg(feature = "webhook")]
            certificates: OnceLock::new(),
        }
    }

    /// Records that the manager runs.
    pub(super) fn start(&self, phase: watch::Receiver<Phase>) {
        let _ = self.started.set(Started { at: Instant::now(), phase });
    }

    /// Records where the manager listens, unless it is recorded.
    pub(super) fn set_addresses(&self, addresses: ServeAddresses) {
        self.addresses.send_if_modified(|known| {
            let is_first = known.is_none();
            known.get_or_insert(addresses);
            is_first
        });
    }

    pub(super) async fn addresses(&self) -> ServeAddresses {
        let mut addresses = self.addresses.subscribe();
        // The sender lives as long as this.
        addresses.wait_for(Option::is_some).await.ok().and_then(|addresses| *addresses).unwrap_or_default()
    }

    pub(super) fn add(&self, controller: Monitored) {
        self.controllers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(controller));
    }

    pub(super) fn remove(&self, controller: &str) {
        self.controllers.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other.name != controller);
    }

    pub(super) fn controllers(&self) -> Vec<Arc<Monitored>> {
        self.controllers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the phase, and how long the manager has been running; `None` before it runs.
    pub(super) fn phase(&self) -> Option<(Phase, Duration)> {
        let started = self.started.get()?;
        Some((*started.phase.borrow(), started.at.elapsed()))
    }

    pub(super) fn is_leader(&self) -> bool {
        self.election.get().is_none_or(|(_, fence)| fence.is_open())
    }

    /// Returns the informers of all controllers, and that of namespaces. Controllers share informers.
    pub(super) fn informers(&self) -> Vec<MonitoredInformer> {
        let caches: Vec<_> = self.controllers().iter().filter_map(|controller| controller.caches.upgrade()).collect();
        let all: BTreeMap<usize, &Arc<dyn Cache>> =
            caches.iter().flat_map(|caches| caches.all()).map(|cache| (cache.id(), cache)).collect();
        let namespaces = self.namespaces.get().and_then(Weak::upgrade);
        let of_namespaces = namespaces
            .filter(|informer| !all.contains_key(&informer.id()))
            .map(|informer| MonitoredInformer { resource: informer.resource(), health: informer.health() });
        let of_controllers =
            all.into_values().map(|cache| MonitoredInformer { resource: cache.resource(), health: cache.health() });
        of_controllers.chain(of_namespaces).collect()
    }
}
