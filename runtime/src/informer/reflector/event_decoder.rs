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
    client::{decode::Failure, limits::MAX_DEPTH},
    informer::{
        CacheObject,
        cache::Delta,
        decode::{self, Bookmark, Decoder, Identity, ManagedFields},
        error::{Problem, WatchError},
        panics::ClosurePanic,
        sharding::ShardFilter,
        shared::InformerState,
        store::Fingerprint,
        stored_object::Stored,
    },
};

pub(super) use self::batch_decoder::BatchDecoder;

/// Modifies an object before it is stored.
pub(in crate::informer) type Transform<T> = Arc<dyn Fn(&mut T) + Send + Sync>;

/// Decodes and transforms an object of the type of the informer.
pub(in crate::informer) type ObjectDecoder =
    Box<dyn Fn(&mut Decoder, &str, &Identity<'_>) -> Result<DecodedObject, Failure> + Send + Sync>;

/// An object, with the panic of its transform.
pub(in crate::informer) struct DecodedObject {
    object: Arc<Stored>,
    panic: Option<ClosurePanic>,
}

/// Returns the decoder of a type.
pub(in crate::informer) fn object_decoder<T: CacheObject + DeserializeOwned>(
    transform: Option<Transform<T>>,
) -> ObjectDecoder {
    Box::new(move |decoder, json, identity| {
        let mut object = decoder.decode::<T>(json, identity)?;
        let panic = transform.as_ref().and_then(|transform| catch_transform(&mut || transform(&mut object)));
        Ok(DecodedObject { object: Arc::new(object), panic })
    })
}

fn catch_transform(transform: &mut dyn FnMut()) -> Option<ClosurePanic> {
    let panic = catch_unwind(AssertUnwindSafe(transform)).err()?;
    Some(ClosurePanic::new("the transform", &*panic))
}

/// The content of a line of a watch.
pub(super) enum LineContent<'a> {
    /// A change of an object.
    Object(DecodedChange<'a>),
    /// A bookmark.
    Bookmark(Bookmark),
    /// A `Status`, which ends the watch.
    Failure(&'a str),
}

/// The change of an object, from a line of a watch or an item of a list.
pub(super) struct DecodedChange<'a> {
    pub(super) version: Cow<'a, str>,
    pub(super) fingerprint: Fingerprint,
    pub(super) delta: Delta,
}

impl DecodedChange<'_> {
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
pub(in crate::informer) struct EventDecoder {
    shared: Arc<InformerState>,
    managed_fields: ManagedFields,
    decode: ObjectDecoder,
    /// Whether a transform contains user code.
    has_user_transform: bool,
    /// Maximum number of other threads that decode.
    threads: usize,
    /// Maximum nesting depth of objects.
    depth: usize,
    isolation: Isolation,
}

impl EventDecoder {
    pub(in crate::informer) fn new(
        shared: Arc<InformerState>,
        managed_fields: ManagedFields,
        decode: ObjectDecoder,
        threads: NonZeroUsize,
    ) -> Self {
        Self {
            shared,
            managed_fields,
            has_user_transform: false,
            decode,
            threads: if has_other_cores() { threads.get() } else { 0 },
            depth: MAX_DEPTH,
            isolation: Isolation::default(),
        }
    }

    pub(in crate::informer) fn with_depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Declares whether decoding runs a transform of the user, which may take long.
    pub(in crate::informer) fn with_user_transform(self, has_user_transform: bool) -> Self {
        Self { has_user_transform, ..self }
    }

    /// Returns a decoder for the next batch.
    pub(super) fn batch_decoder<'r>(
        &'r self,
        requested: Requested<'r>,
        source: BatchSource,
        shards: Option<ShardFilter>,
    ) -> BatchDecoder<'r> {
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

    fn delete(&self, json: &str, identity: &Identity<'_>, decoder: &mut Decoder) -> Result<Delta, WatchError> {
        let decoded = self.decode(json, identity, decoder)?.ok();
        if let Some(panic) = decoded.as_ref().and_then(|decoded| decoded.panic.as_ref()) {
            self.shared.reporter.report_panic(problem(panic, identity));
        }
        Ok(Delta::Delete {
            key: identity.key(),
            uid: identity.uid.as_deref().map(Into::into),
            version: identity.resource_version.as_ref().into(),
            last: decoded.map(|decoded| decoded.object),
        })
    }

    /// Decodes and transforms an object, or returns why it cannot be decoded.
    fn decode(
        &self,
        json: &str,
        identity: &Identity<'_>,
        decoder: &mut Decoder,
    ) -> Result<Result<DecodedObject, Problem>, WatchError> {
        match catch_unwind(AssertUnwindSafe(|| (self.decode)(decoder, json, identity))) {
            Ok(Ok(decoded)) => Ok(Ok(decoded)),
            Ok(Err(failure)) => {
                check_syntax(json)?;
                Ok(Err(self.shared.reporter.undecodable_problem(failure)))
            }
            Err(panic) => {
                let panic = ClosurePanic::new("`Deserialize` of the type", &*panic);
                Ok(Err(problem(&panic, identity)))
            }
        }
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
