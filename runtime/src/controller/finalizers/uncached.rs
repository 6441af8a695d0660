//! Objects with finalizers of a controller that its cache does not have: they left a selection by labels or fields, or cannot be
//! decoded. Without this, their deletion would wait for a clean-up that never comes.
//!
//! An informer has the metadata of all objects, also of those that had left the selection before the process started.

use std::sync::Arc;

use kube_core::{PartialObjectMeta, PartialObjectMetaExt};

use super::{Finalizers, has};
use crate::{
    client::{
        Error as ClientError,
        endpoint::{AnyMetadata, Endpoint},
        finalizers::{FinalizerEdit, edit_finalizers},
    },
    controller::{
        Action, Context, Error, ReconciledKind,
        apply_owned::Extent,
        worker::{CleanUp, Next},
        write_fence::PermitHook,
    },
    informer::{CacheObject, Event, Filter, Informer, InformerBuilder, Lister, ObjectKey, queue::owners::states},
};

/// Cleans up an object by its metadata.
pub(in crate::controller) type CleanUpUndecodable<K, T> = CleanUp<PartialObjectMeta<K>, K, T>;

/// The metadata of all objects of the kind, and what the cache has of them.
pub(in crate::controller) struct Uncached {
    metadata: Lister<AnyMetadata>,
}

impl Uncached {
    pub(in crate::controller) fn new(metadata: &Informer<AnyMetadata>) -> Self {
        Self { metadata: metadata.lister() }
    }

    /// Configures the informer. It keeps only what is read here.
    pub(in crate::controller) fn informer<K: ReconciledKind>(
        objects: &InformerBuilder<K>,
        pause: Option<String>,
    ) -> InformerBuilder<AnyMetadata> {
        objects.metadata_of_all().transform(move |object| {
            object.metadata.labels = None;
            let annotations = object.metadata.annotations.take();
            let kept = annotations.zip(pause.as_ref()).and_then(|(mut all, name)| all.remove_entry(name));
            object.metadata.annotations = kept.map(|annotation| [annotation].into());
            object.metadata.owner_references = None;
        })
    }

    /// Returns the keys of objects that are being deleted, and that the cache does not have in this state, or that are gone.
    pub(in crate::controller) fn keys<K: ReconciledKind>(
        names: Vec<String>,
        pause: Option<String>,
        cached: Lister<K>,
    ) -> impl Fn(&Event<AnyMetadata>) -> Vec<ObjectKey> + Send + 'static {
        let holds = move |object: &AnyMetadata| names.iter().any(|name| has(object, name));
        // A clean-up may write the status, which must not be the cause of its next call. Resyncs change nothing.
        let filter = Filter::for_reconciling() | Filter::new(|old, new| std::ptr::eq(old, new));
        let filter = pause.iter().map(|name| Filter::annotation(name)).fold(filter, Filter::or);
        move |event| {
            if !filter.selects(event) {
                return Vec::new();
            }
            // Without its finalizers, it is not the concern of the controller any longer.
            let is_lost = event.object().is_none_or(|object| !holds(object)) || matches!(event, Event::Deleted(_));
            let hidden = states(event).filter(|object| {
                let cached = cached.find(object.namespace(), object.name());
                holds(object)
                    && (is_lost || object.is_terminating())
                    && !cached.is_some_and(|cached| cached.is_terminating())
            });
            let mut keys: Vec<_> = hidden.map(|object| ObjectKey::of(&**object)).collect();
            keys.dedup();
            keys
        }
    }

    /// Returns an object that the cache does not have, or in the state before its deletion.
    fn find<K: ReconciledKind>(&self, key: &ObjectKey, cached: Option<&Arc<K>>) -> Option<Arc<AnyMetadata>> {
        let metadata = self.metadata(key)?;
        let is_newer =
            |cached: &Arc<K>| metadata.is_terminating() && !cached.is_terminating() && cached.uid() == metadata.uid();
        cached.is_none_or(is_newer).then_some(metadata)
    }

    pub(super) fn metadata(&self, key: &ObjectKey) -> Option<Arc<AnyMetadata>> {
        self.metadata.find(key.namespace(), key.name())
    }

    pub(in crate::controller) fn uid(&self, key: &ObjectKey) -> Option<String> {
        self.metadata(key)?.metadata.uid.clone()
    }
}

/// What is known of an object that the cache does not have.
pub(super) enum Absent {
    /// It is gone, has none of the finalizers, or was not looked for.
    Gone,
    /// It exists, and is not cleaned up now.
    Exists,
    /// It was cleaned up.
    Cleaned(Next),
}

impl<K: ReconciledKind, T> Finalizers<K, T> {
    /// Cleans up an object that is being deleted, and that the cache does not have, or not in this state.
    pub(super) async fn process_uncached(
        &self,
        cached: Option<&Arc<K>>,
        context: &Context<K, T>,
    ) -> Result<Absent, Error> {
        let key = context.key();
        let Some(metadata) = self.uncached.as_ref().and_then(|uncached| uncached.find(key, cached)) else {
            return Ok(Absent::Gone);
        };
        let is_held = self.all.iter().any(|finalizer| has(&*metadata, &finalizer.name));
        if !metadata.is_terminating() && is_held {
            self.observe(key, &*metadata);
            self.report_departure(key, &*metadata);
            return Ok(Absent::Exists);
        }
        if !is_held {
            return Ok(Absent::Gone);
        }
        // The cache never contains these writes.
        let client = context.client().with_write_hook(Arc::new(PermitHook(context.run.permit.clone())));
        let endpoint = context.run.kind.endpoint(&client, key.namespace());
        // Only what still exists is observed: the metadata may be older.
        match Box::pin(endpoint.get(key.name())).await {
            Ok(object) if object.uid() == metadata.uid() && object.is_terminating() => {
                self.observe(key, &object);
                let next = self.clean_up_with(&endpoint, &Arc::new(object), context).await?;
                Ok(next.map_or(Absent::Exists, Absent::Cleaned))
            }
            // Another object has its name, which the cache receives soon.
            Ok(_) => Ok(Absent::Exists),
            Err(error) if error.is_not_found() => Ok(Absent::Gone),
            Err(error @ ClientError::Decode(_)) => self.clean_up_undecodable(&endpoint, metadata, context, error).await,
            Err(error) => Err(error.into()),
        }
    }

    async fn clean_up_undecodable(
        &self,
        endpoint: &Endpoint<K>,
        metadata: Arc<AnyMetadata>,
        context: &Context<K, T>,
        error: ClientError,
    ) -> Result<Absent, Error> {
        let Some(clean_up) = &self.undecodable else {
            return Err(error.into());
        };
        self.observe(context.key(), &*metadata);
        let of_kind =
            PartialObjectMeta { types: metadata.types.clone(), ..metadata.metadata.clone().into_response_partial() };
        let outcome = clean_up(Arc::new(of_kind), context.clone()).await;
        let action = context.run.finish(outcome, Extent::CleanUp).await?;
        if action != Action::Done {
            return Ok(Absent::Cleaned(Next::Act(action)));
        }
        let action = context.run.delete_members_of_undecodable(endpoint, &metadata).await?;
        if action != Action::Done {
            return Ok(Absent::Cleaned(Next::Act(action)));
        }
        if let Some(known) = self.known().get_mut(context.key()) {
            known.cleaned = u64::MAX;
        }
        let names = self.all.iter().map(|finalizer| finalizer.name.as_str()).collect();
        let edit = FinalizerEdit::Remove(names);
        edit_finalizers(&endpoint.any_metadata(), &metadata.metadata, false, edit).await?;
        Ok(Absent::Cleaned(Next::Act(Action::Done)))
    }

    /// Warns once of an object that the controller does not see any longer.
    fn report_departure(&self, key: &ObjectKey, object: &impl CacheObject) {
        let names = self.all.iter().map(|finalizer| finalizer.name.as_str());
        let held: Vec<_> = names.filter(|name| has(object, name)).collect();
        let mut all = self.known();
        let Some(known) = all.get_mut(key).filter(|known| !held.is_empty() && !known.has_departed) else {
            return;
        };
        known.has_departed = true;
        drop(all);
        let finalizers = held.join(", ");
        tracing::warn!(
            %key,
            finalizers,
            "the object is not selected any longer, or cannot be decoded: it is not reconciled, and keeps its finalizers; it is \
             cleaned up when it is deleted"
        );
    }
}
