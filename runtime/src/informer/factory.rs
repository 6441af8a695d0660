//! Creates and shares informers.

use std::{
    any::TypeId,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use kube_core::{PartialObjectMeta, Resource};
use serde::de::DeserializeOwned;

use super::{
    CacheObject, Timeouts,
    builder::InformerBuilder,
    decode::ManagedFields,
    handle::{Informer, SyncError},
    places::{FactoryNamespaces, Places},
    running::Running,
    sharding::ShardKey,
};
use crate::client::{Client, Object, endpoint::Endpoint, request::Query};

/// A factory that shares one informer between all callers with the same selection.
///
/// The factory does not own the informers: an informer stops when its last handle is dropped. Clones of the factory
/// share the same informers.
#[doc(alias("SharedInformerFactory", "shared informer", "Manager", "cache"))]
#[derive(Clone)]
pub struct Informers {
    client: Client,
    namespaces: Arc<FactoryNamespaces>,
    started: Arc<Mutex<Vec<Started>>>,
}

/// The settings of an informer. Informers with equal settings are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selection {
    pub(super) path: String,
    pub(super) places: Places,
    pub(super) query: Query,
    pub(super) managed_fields: ManagedFields,
    pub(super) timeouts: Timeouts,
    pub(super) shard_key: Option<ShardKey>,
}

struct Started {
    form: TypeId,
    /// `None` if the informer is not shared.
    selection: Option<Selection>,
    running: Weak<Running>,
}

impl Informers {
    /// Creates a factory for the cluster of the client.
    pub fn new(client: impl Into<Client>) -> Self {
        Self { client: client.into(), namespaces: Arc::new(FactoryNamespaces::all()), started: Arc::default() }
    }

    /// Configures an informer for a kind, with full or [compact](super::Compact) objects.
    pub fn of<T>(&self) -> InformerBuilder<T>
    where
        T: CacheObject<Kind: Resource<DynamicType = ()>> + DeserializeOwned,
    {
        self.of_with(())
    }

    /// Configures an informer for a kind that is known at run time.
    pub fn of_with<T>(&self, kind: <T::Kind as Resource>::DynamicType) -> InformerBuilder<T>
    where
        T: CacheObject + DeserializeOwned,
    {
        let endpoint = Endpoint::new(self.client.clone(), kind);
        InformerBuilder::new(self.clone(), endpoint)
    }

    /// Configures an informer for the metadata of a kind.
    ///
    /// The API server sends only the metadata.
    pub fn metadata<K>(&self) -> InformerBuilder<PartialObjectMeta<K>>
    where
        K: Object + Resource<DynamicType = ()>,
    {
        self.of()
    }

    /// Returns the namespaces of the informers that [follow](Places::OfFactory) them.
    pub(crate) fn namespaces(&self) -> &Arc<FactoryNamespaces> {
        &self.namespaces
    }

    /// Waits until all running informers have completed their initial lists.
    ///
    /// # Errors
    ///
    /// Returns the error of the first informer whose [`Informer::synced`] fails.
    pub async fn synced(&self) -> Result<(), SyncError> {
        for running in self.running() {
            running.synced().await?;
        }
        Ok(())
    }

    /// Stops all running informers, even if handles to them still exist.
    pub fn stop(&self) {
        for running in self.running() {
            running.shared.stop();
        }
    }

    /// Returns the running informer of a selection, or starts one.
    pub(super) fn get_or_start<T>(&self, selection: Selection, builder: InformerBuilder<T>) -> Informer<T>
    where
        T: CacheObject + DeserializeOwned,
    {
        // Dropped after the lock is released: these may be the last handles.
        let mut same = Vec::new();
        let mut started = self.started();
        same.extend(find_shared(&started, TypeId::of::<T>(), &selection));
        let mut running = same.iter().filter(|running| !running.shared.is_stopped());
        if let Some(running) = running.next() {
            drop(started);
            return builder.attach(running.clone());
        }
        let informer = builder.start_new();
        push_started(&mut started, TypeId::of::<T>(), Some(selection), informer.running());
        drop(started);
        informer
    }

    /// Registers an informer that is not shared.
    pub(super) fn register<T: CacheObject>(&self, informer: Informer<T>) -> Informer<T> {
        push_started(&mut self.started(), TypeId::of::<T>(), None, informer.running());
        informer
    }

    fn running(&self) -> Vec<Arc<Running>> {
        let started = self.started();
        started.iter().filter_map(|started| started.running.upgrade()).collect()
    }

    fn started(&self) -> MutexGuard<'_, Vec<Started>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn find_shared(started: &[Started], form: TypeId, selection: &Selection) -> impl Iterator<Item = Arc<Running>> {
    let same =
        started.iter().filter(move |started| started.form == form && started.selection.as_ref() == Some(selection));
    same.filter_map(|started| started.running.upgrade())
}

fn push_started(started: &mut Vec<Started>, form: TypeId, selection: Option<Selection>, running: &Arc<Running>) {
    started.retain(|started| started.running.strong_count() > 0);
    started.push(Started { form, selection, running: Arc::downgrade(running) });
}
