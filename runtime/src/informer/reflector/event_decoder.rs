//! Decodes lines of a watch and items of a list, independently of each other, on several threads if there are many.

mod batch_decoder;

use std::{
    borrow::Cow,
    num::NonZeroUsize,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use serde::de::{DeserializeOwned, IgnoredAny};

use super::{history_anchor::Anchor, isolation::Isolation, parallel::has_other_cores, requested::Requested};
use crate::{
    client::limits::MAX_DEPTH,
    informer::{
        CacheObject,
        cache::Delta,
        decode::{self, Bookmark, Decoder, Identity},
        error::{Problem, WatchError},
        panics::ClosurePanic,
        sharding::ShardFilter,
        shared::InformerState,
        store::Fingerprint,
    },
};

pub(super) use self::batch_decoder::BatchDecoder;

/// Modifies an object before it is stored.
pub(in crate::informer) type Transform<T> = Arc<dyn Fn(&mut T) + Send + Sync>;

/// The content of a line of a watch.
pub(super) enum LineContent<'a, T: CacheObject> {
    /// A change of an object.
    Object(DecodedChange<'a, T>),
    /// A bookmark.
    Bookmark(Bookmark),
    /// A `Status`, which ends the watch.
    Failure(&'a str),
}

/// The change of an object, from a line of a watch or an item of a list.
pub(super) struct DecodedChange<'a, T: CacheObject> {
    pub(super) version: Cow<'a, str>,
    pub(super) fingerprint: Fingerprint,
    pub(super) delta: Delta<T>,
}

impl<T: CacheObject> DecodedChange<'_, T> {
    pub(super) fn anchor(&self) -> Option<Anchor> {
        let deleted = matches!(self.delta, Delta::Delete { .. });
        Anchor::new(&self.version, self.fingerprint, deleted)
    }
}

/// The source of the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BatchSource {
    /// A list of which all objects are new.
    FirstList,
    /// A list of which the store may contain some objects.
    List,
    /// The events of a watch.
    Changes,
}

/// Decodes text to deltas of the cache.
pub(in crate::informer) struct EventDecoder<T: CacheObject> {
    shared: Arc<InformerState<T>>,
    keep_managed_fields: bool,
    transform: Option<Transform<T>>,
    /// Whether the transform contains user code.
    has_user_transform: bool,
    /// Maximum number of other threads that decode.
    threads: usize,
    /// Maximum nesting depth of objects.
    depth: usize,
    isolation: Isolation,
}

impl<T: CacheObject + DeserializeOwned> EventDecoder<T> {
    pub(in crate::informer) fn new(
        shared: Arc<InformerState<T>>,
        keep_managed_fields: bool,
        transform: Option<Transform<T>>,
        threads: NonZeroUsize,
    ) -> Self {
        Self {
            shared,
            keep_managed_fields,
            has_user_transform: transform.is_some(),
            transform,
            threads: if has_other_cores() { threads.get() } else { 0 },
            depth: MAX_DEPTH,
            isolation: Isolation::default(),
        }
    }

    pub(in crate::informer) fn with_depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Declares that the transform contains no user code, and so never takes long.
    pub(in crate::informer) fn with_builtin_transform(self) -> Self {
        Self { has_user_transform: false, ..self }
    }

    /// Returns a decoder for the next batch.
    pub(super) fn batch_decoder<'r>(
        &'r self,
        requested: Requested<'r>,
        source: BatchSource,
        shards: Option<ShardFilter>,
    ) -> BatchDecoder<'r, T> {
        BatchDecoder {
            shards,
            runs_closures: self.has_user_transform || self.shared.cache.store.indexes() > 0,
            decoder: self,
            requested,
            source,
        }
    }

    fn fingerprint(&self, json: &str, identity: &Identity<'_>) -> Fingerprint {
        self.shared.cache.store.fingerprint(identity.content(json))
    }

    fn delete(&self, json: &str, identity: &Identity<'_>, decoder: &mut Decoder) -> Result<Delta<T>, WatchError> {
        let decoded = self.decode(json, identity, decoder)?.ok();
        let (last, panic) = decoded.unzip();
        if let Some(panic) = panic.flatten() {
            self.shared.reporter.report_panic(problem(&panic, identity));
        }
        Ok(Delta::Delete {
            key: identity.key(),
            uid: identity.uid.as_deref().map(Into::into),
            version: identity.resource_version.as_ref().into(),
            last: last.map(Arc::new),
        })
    }

    /// Decodes and transforms an object. Returns it with the panic of its transform, or why it cannot be decoded.
    fn decode(
        &self,
        json: &str,
        identity: &Identity<'_>,
        decoder: &mut Decoder,
    ) -> Result<Result<(T, Option<ClosurePanic>), Problem>, WatchError> {
        let decoded = catch_unwind(AssertUnwindSafe(|| decoder.decode::<T>(json, identity)));
        let mut object = match decoded {
            Ok(Ok(object)) => object,
            Ok(Err(failure)) => {
                check_syntax(json)?;
                return Ok(Err(self.shared.reporter.undecodable_problem(failure)));
            }
            Err(panic) => {
                let panic = ClosurePanic::new("`Deserialize` of the type", &*panic);
                return Ok(Err(problem(&panic, identity)));
            }
        };
        let panic = self.transform(&mut object).err();
        Ok(Ok((object, panic)))
    }

    fn transform(&self, object: &mut T) -> Result<(), ClosurePanic> {
        let Some(transform) = &self.transform else {
            return Ok(());
        };
        let transformed = catch_unwind(AssertUnwindSafe(|| transform(object)));
        transformed.map_err(|panic| ClosurePanic::new("the transform", &*panic))
    }
}

fn problem(panic: &ClosurePanic, identity: &Identity<'_>) -> Problem {
    panic.to_problem(identity.namespace.as_deref(), &identity.name)
}

/// Returns an error for malformed JSON, so that the watch restarts and the event is sent again.
fn check_syntax(json: &str) -> Result<(), WatchError> {
    let ignored = serde_json::from_str::<IgnoredAny>(json).map_err(decode::Malformed::from);
    ignored?;
    Ok(())
}
