//! Reads one batch, on other threads if it is large.

use std::hint::black_box;

use super::{BatchSource, DecodedChange, EventDecoder, LineContent};
use crate::informer::{
    cache::Delta,
    decode::{self, Decoder, Identity, Line},
    error::WatchError,
    reflector::{parallel::read_in_parts, requested::Requested},
    sharding::ShardFilter,
    shared::InformerState,
    store::Fingerprint,
    stored_object::Stored,
    undecodable::UndecodableState,
};

/// Number of objects after which the heap is grown.
const OBJECTS_PER_GROWTH: usize = 16;

/// Bytes by which the heap is grown. Some allocators map larger blocks from the system and return them immediately.
const HEAP_GROWTH: usize = 120 * 1024;

/// The settings for reading one batch.
pub(in crate::informer::reflector) struct BatchDecoder<'r> {
    pub(super) decoder: &'r EventDecoder,
    pub(super) requested: Requested<'r>,
    pub(super) source: BatchSource,
    /// The shards whose objects are kept; `None` for all objects.
    pub(super) shards: Option<ShardFilter>,
    pub(super) runs_closures: bool,
}

impl BatchDecoder<'_> {
    /// Whether reading runs user closures.
    pub(in crate::informer::reflector) fn runs_closures(&self) -> bool {
        self.runs_closures
    }

    /// Reads lines of a watch, and passes them on in order.
    ///
    /// # Errors
    ///
    /// The first error of `apply`.
    pub(in crate::informer::reflector) fn lines<'a>(
        &self,
        lines: &'a [impl AsRef<[u8]> + Sync],
        apply: impl FnMut(Vec<Result<LineContent<'a>, WatchError>>) -> Result<(), WatchError>,
    ) -> Result<(), WatchError> {
        self.read_all(lines, |decoder, line| self.line(line.as_ref(), decoder), apply)
    }

    /// Reads items of a list, and passes them on in order.
    ///
    /// # Errors
    ///
    /// The first error of `apply`.
    pub(in crate::informer::reflector) fn items<'a>(
        &self,
        items: &'a [&'a str],
        apply: impl FnMut(Vec<Result<DecodedChange<'a>, WatchError>>) -> Result<(), WatchError>,
    ) -> Result<(), WatchError> {
        self.read_all(items, |decoder, json| self.item(json, decoder), apply)
    }

    fn read_all<'a, I: Sync, O: Send>(
        &self,
        all: &'a [I],
        read: impl Fn(&mut Decoder, &'a I) -> O + Sync,
        apply: impl FnMut(Vec<O>) -> Result<(), WatchError>,
    ) -> Result<(), WatchError> {
        let part = |part: &'a [I]| self.read_part(part, &read);
        let read = || read_in_parts(all, self.decoder.threads, part, apply);
        if self.runs_closures { self.decoder.isolation.run(read) } else { read() }
    }

    fn read_part<'a, I, O>(&self, part: &'a [I], read: impl Fn(&mut Decoder, &'a I) -> O) -> Vec<O> {
        let mut decoder = Decoder::new(self.decoder.managed_fields, self.decoder.depth);
        let mut done = Vec::with_capacity(part.len());
        for some in part.chunks(OBJECTS_PER_GROWTH) {
            if self.source != BatchSource::Changes && some.len() == OBJECTS_PER_GROWTH {
                grow_heap();
            }
            done.extend(some.iter().map(|one| read(&mut decoder, one)));
        }
        done
    }

    fn line<'a>(&self, line: &'a [u8], decoder: &mut Decoder) -> Result<LineContent<'a>, WatchError> {
        let (json, deleted) = match decode::line(line)? {
            Line::Added(json) | Line::Modified(json) => (json, false),
            Line::Deleted(json) => (json, true),
            Line::Bookmark(json) => {
                self.requested.check_types(json)?;
                return Ok(LineContent::Bookmark(decode::bookmark(json)?));
            }
            Line::Error(json) => return Ok(LineContent::Failure(json)),
        };
        let identity = decode::identity(json)?;
        self.requested.check_event(json, &identity)?;
        let change = self.change(json, identity, deleted, decoder)?;
        Ok(LineContent::Object(change))
    }

    fn item<'a>(&self, json: &'a str, decoder: &mut Decoder) -> Result<DecodedChange<'a>, WatchError> {
        let identity = decode::identity(json)?;
        self.requested.check_item(&identity)?;
        self.change(json, identity, false, decoder)
    }

    fn change<'a>(
        &self,
        json: &str,
        identity: Identity<'a>,
        deleted: bool,
        decoder: &mut Decoder,
    ) -> Result<DecodedChange<'a>, WatchError> {
        let fingerprint = self.decoder.fingerprint(json, &identity);
        let delta = if self.excludes_uid(&identity) {
            of_other_shard(&identity)
        } else if deleted {
            self.decoder.delete(json, &identity, decoder)?
        } else {
            self.apply(json, &identity, fingerprint, decoder)?
        };
        Ok(DecodedChange { version: identity.resource_version, fingerprint, delta })
    }

    fn excludes_uid(&self, identity: &Identity<'_>) -> bool {
        let resource = || self.decoder.shared.reporter.resource();
        self.shards.as_ref().is_some_and(|shards| shards.excludes_uid(identity.uid.as_deref(), resource))
    }

    fn excludes(&self, object: &Stored) -> bool {
        self.shards.as_ref().is_some_and(|shards| shards.excludes(object))
    }

    fn apply(
        &self,
        json: &str,
        identity: &Identity<'_>,
        fingerprint: Fingerprint,
        decoder: &mut Decoder,
    ) -> Result<Delta, WatchError> {
        let InformerState { cache, .. } = &*self.decoder.shared;
        if self.source == BatchSource::List && cache.store.has(identity, fingerprint) {
            let known =
                self.shards.as_ref().and_then(|_| cache.store.find(identity.namespace.as_deref(), &identity.name));
            return Ok(if known.is_some_and(|known| self.excludes(&*known)) {
                of_other_shard(identity)
            } else {
                Delta::Seen(identity.key())
            });
        }
        let decoded = match self.decoder.decode(json, identity, decoder)? {
            Ok(decoded) => decoded,
            Err(problem) => {
                let state = UndecodableState::new(json, identity, fingerprint, problem);
                return Ok(Delta::Undecodable(Box::new(state)));
            }
        };
        if self.excludes(&*decoded.object) {
            return Ok(of_other_shard(identity));
        }
        let prepared = cache.store.prepare(decoded.object).with_fingerprint(fingerprint);
        Ok(Delta::Apply(prepared.with_panic(decoded.panic)))
    }
}

fn of_other_shard(identity: &Identity<'_>) -> Delta {
    Delta::OtherShard { key: identity.key(), uid: identity.uid.as_deref().map(Into::into) }
}

/// Grows the heap of the thread in one step.
///
/// In glibc, the heaps of threads other than the main one grow by one page for each system call. Allocating and freeing
/// a larger block grows them by that block.
fn grow_heap() {
    drop(black_box(Vec::<u8>::with_capacity(HEAP_GROWTH)));
}
