use std::sync::Arc;

use tokio::sync::mpsc;

use super::{
    super::{ControllerMetrics, HealthReport, ServeAddresses, metrics::Counters, monitor::Monitor},
    parts::Command,
};
use crate::informer::Informers;

/// Reads the state of a [`Manager`](super::Manager) while it runs, and changes what it runs.
#[derive(Clone)]
pub struct ManagerHandle {
    pub(super) counters: Vec<(String, Arc<Counters>)>,
    pub(in crate::controller) monitor: Arc<Monitor>,
    pub(super) informers: Informers,
    pub(super) commands: mpsc::UnboundedSender<Command>,
}

impl ManagerHandle {
    /// Whether this process is the leader: always true without [leader election](super::Manager::leader_election).
    pub fn is_leader(&self) -> bool {
        self.monitor.is_leader()
    }

    /// Returns the [shards](super::Manager::shards) whose objects this process reconciles; none without shards.
    pub fn shards(&self) -> Vec<u16> {
        self.monitor.shards.get().map(|(_, table)| table.held()).unwrap_or_default()
    }

    /// Returns the counters of the controller with this name.
    pub fn metrics(&self, controller: &str) -> Option<ControllerMetrics> {
        let running = self.monitor.controllers().into_iter().find(|running| running.name == controller);
        let running = running.map(|running| running.counters.clone());
        let of_start =
            || self.counters.iter().find(|(name, _)| name == controller).map(|(_, counters)| counters.clone());
        Some(running.or_else(of_start)?.read())
    }

    /// Returns the results of the [health checks](super::super::ServeOptions), also if they are not served.
    pub fn healthz(&self) -> HealthReport {
        self.monitor.healthz()
    }

    /// Returns the results of the [readiness checks](super::super::ServeOptions), also if they are not served.
    pub fn readyz(&self) -> HealthReport {
        self.monitor.readyz()
    }

    /// Returns the [metrics](super::super::ServeOptions#metrics) in OpenMetrics, without the end marker, also if they are
    /// not served.
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
