//! The settings of a controller that do not depend on the type of its state.

use std::time::Duration;

use super::{references::AddIndex, sources::Source};
use crate::{
    controller::{
        Access, ReconciledKind, failures::FailureCondition, inventory::InventorySettings, kind::KindData,
        steering::Steering, triggers::TriggerStream,
    },
    informer::{Backoff, Filter, InformerBuilder},
};

/// Default of [`super::ControllerBuilder::own_writes_timeout`].
const OWN_WRITES_TIMEOUT: Duration = Duration::from_secs(30);

/// Default of [`super::ControllerBuilder::drain_timeout`]. Kubernetes kills a process 30 s after SIGTERM by default: the rest is for
/// events and the lease.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);

pub(super) struct Settings<K: ReconciledKind> {
    pub(super) kind: KindData<K>,
    pub(super) name: String,
    pub(super) former_names: Vec<String>,
    pub(super) select: Box<dyn FnOnce(InformerBuilder<K>) -> InformerBuilder<K> + Send>,
    /// Add the indexes of references, after the selection.
    pub(super) indexes: Vec<AddIndex<K>>,
    pub(super) sources: Vec<Source<K>>,
    pub(super) triggers: Vec<TriggerStream>,
    pub(super) steering: Steering,
    /// The kinds that are owned.
    pub(super) owned: Vec<String>,
    /// Those of them that objects of the kind cannot own.
    pub(super) not_ownable: Vec<String>,
    pub(super) accesses: Vec<Access>,
    pub(super) inventory: InventorySettings<K>,
    pub(super) filter: Option<Filter<K>>,
    pub(super) concurrency: usize,
    pub(super) timeout: Duration,
    pub(super) own_writes_timeout: Duration,
    pub(super) sync_timeout: Option<Duration>,
    pub(super) drain_timeout: Duration,
    pub(super) backoff: Backoff,
    pub(super) reports_failures: bool,
    pub(super) failure_condition: Option<FailureCondition<K>>,
}

impl<K: ReconciledKind> Settings<K> {
    pub(super) fn new(kind: KindData<K>) -> Self {
        Self {
            name: kind.name().to_lowercase(),
            kind,
            former_names: Vec::new(),
            select: Box::new(|informer| informer),
            indexes: Vec::new(),
            sources: Vec::new(),
            triggers: Vec::new(),
            steering: Steering::default(),
            owned: Vec::new(),
            not_ownable: Vec::new(),
            accesses: Vec::new(),
            inventory: InventorySettings::default(),
            filter: None,
            concurrency: 1,
            timeout: Duration::MAX,
            own_writes_timeout: OWN_WRITES_TIMEOUT,
            sync_timeout: None,
            drain_timeout: DRAIN_TIMEOUT,
            backoff: Backoff::default(),
            reports_failures: false,
            failure_condition: None,
        }
    }
}
