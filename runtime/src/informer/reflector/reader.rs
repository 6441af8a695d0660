//! Reads what lines of a watch and items of a list say, each for itself: on several threads, if there are many.

use std::{
    any::Any,
    borrow::Cow,
    hint::black_box,
    num::NonZeroUsize,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    thread,
};

use serde::de::{DeserializeOwned, IgnoredAny};

use crate::informer::{
    Cached,
    cache::Delta,
    decode::{self, Bookmark, Decoder, Identity, Line},
    events::panic_message,
    shared::Shared,
    store::Lister,
    trouble::{Problem, WatchError},
    unreadable::UnreadableState,
};

/// Changes an object before it is kept.
pub(in crate::informer) type Transform<T> = Arc<dyn Fn(&mut T) + Send + Sync>;

/// After so many objects the heap is given room for more.
const AT_ONCE: usize = 16;

/// So much room, in bytes. More than this some allocators take from the system and give back at once.
const ROOM: usize = 120 * 1024;

/// So many objects are worth a thread, which costs about as much as to decode ten.
const WORTH_A_THREAD: usize = 64;

/// What a line of a watch says.
pub(super) enum Said<'a, T: Cached> {
    /// Something about an object, at a resourceVersion.
    Object(Cow<'a, str>, Delta<T>),
    /// Nothing happened up to a resourceVersion.
    Bookmark(Bookmark),
    /// The watch ends with a Status.
    Failure(&'a str),
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// A list of objects that are all new.
    FirstList,
    /// A list of objects of which some may be known.
    List,
    /// What happens.
    Changes,
}

/// From text to changes of the cache.
pub(in crate::informer) struct Reader<T: Cached> {
    shared: Arc<Shared<T>>,
    lister: Lister<T>,
    keep_managed_fields: bool,
    transform: Option<Transform<T>>,
    threads: NonZeroUsize,
}

impl<T: Cached + DeserializeOwned> Reader<T> {
    pub(in crate::informer) fn new(
        shared: Arc<Shared<T>>,
        keep_managed_fields: bool,
        transform: Option<Transform<T>>,
        threads: NonZeroUsize,
    ) -> Self {
        Self {
            lister: shared.cache.store.lister(),
            shared,
            keep_managed_fields,
            transform,
            threads,
        }
    }

    /// Reads lines of a watch.
    pub(super) fn lines<'a>(
        &self,
        lines: &'a [impl AsRef<[u8]> + Sync],
        reads: Reads,
    ) -> Vec<Result<Said<'a, T>, WatchError>> {
        self.each(lines, reads, |decoder, line| {
            self.line(line.as_ref(), reads, decoder)
        })
    }

    /// Reads items of a list.
    pub(super) fn items(&self, items: &[&str], reads: Reads) -> Vec<Result<Delta<T>, WatchError>> {
        self.each(items, reads, |decoder, json| {
            let identity = decode::identity(json)?;
            self.apply(json, &identity, reads, decoder)
        })
    }

    fn each<'a, I: Sync, O: Send>(
        &self,
        all: &'a [I],
        reads: Reads,
        read: impl Fn(&mut Decoder, &'a I) -> O + Sync,
    ) -> Vec<O> {
        let read = |part: &'a [I]| {
            let mut decoder = Decoder::new(self.keep_managed_fields);
            let mut done = Vec::with_capacity(part.len());
            for some in part.chunks(AT_ONCE) {
                if reads != Reads::Changes && some.len() == AT_ONCE {
                    make_room();
                }
                done.extend(some.iter().map(|one| read(&mut decoder, one)));
            }
            done
        };
        let threads = self.threads.get().min(all.len() / WORTH_A_THREAD);
        if threads < 2 {
            return read(all);
        }
        let (mine, others) = all.split_at(all.len() / threads);
        thread::scope(|scope| {
            let others = others.chunks(others.len().div_ceil(threads - 1));
            let read = &read;
            let others: Vec<_> = others.map(|part| scope.spawn(move || read(part))).collect();
            let mut done = read(mine);
            for other in others {
                done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            done
        })
    }

    fn line<'a>(
        &self,
        line: &'a [u8],
        reads: Reads,
        decoder: &mut Decoder,
    ) -> Result<Said<'a, T>, WatchError> {
        let (json, deleted) = match decode::line(line)? {
            Line::Added(json) | Line::Modified(json) => (json, false),
            Line::Deleted(json) => (json, true),
            Line::Bookmark(json) => return Ok(Said::Bookmark(decode::bookmark(json)?)),
            Line::Error(json) => return Ok(Said::Failure(json)),
        };
        let identity = decode::identity(json)?;
        let delta = match deleted {
            true => self.delete(json, &identity, decoder)?,
            false => self.apply(json, &identity, reads, decoder)?,
        };
        Ok(Said::Object(identity.resource_version, delta))
    }

    fn apply(
        &self,
        json: &str,
        identity: &Identity<'_>,
        reads: Reads,
        decoder: &mut Decoder,
    ) -> Result<Delta<T>, WatchError> {
        if reads == Reads::List && self.is_known(identity) {
            return Ok(Delta::Seen(identity.key()));
        }
        let object = match self.decode(json, identity, decoder)? {
            Ok(object) => object,
            Err(problem) => {
                let state = UnreadableState::new(identity, problem);
                return Ok(Delta::Unreadable(Box::new(state)));
            }
        };
        let prepared = self.shared.cache.store.prepare(Arc::new(object));
        self.shared.reports.panicked_indexes(&prepared);
        Ok(Delta::Apply(prepared))
    }

    fn delete(
        &self,
        json: &str,
        identity: &Identity<'_>,
        decoder: &mut Decoder,
    ) -> Result<Delta<T>, WatchError> {
        Ok(Delta::Delete {
            key: identity.key(),
            uid: identity.uid.as_deref().map(Into::into),
            version: identity.resource_version.as_ref().into(),
            last: self.decode(json, identity, decoder)?.ok().map(Arc::new),
        })
    }

    /// Whether the store has the object in this state.
    fn is_known(&self, identity: &Identity<'_>) -> bool {
        let (namespace, name) = (identity.namespace.as_deref(), identity.name.as_ref());
        let known = self.lister.find(namespace, name);
        let known = known.as_ref().and_then(|object| object.resource_version());
        known.is_some_and(|known| known == identity.resource_version)
    }

    /// The object, or why it does not fit the type.
    fn decode(
        &self,
        json: &str,
        identity: &Identity<'_>,
        decoder: &mut Decoder,
    ) -> Result<Result<T, Problem>, WatchError> {
        let decoded = catch_unwind(AssertUnwindSafe(|| decoder.decode::<T>(json, identity)));
        let mut object = match decoded {
            Ok(Ok(object)) => object,
            Ok(Err(failure)) => {
                check_syntax(json)?;
                return Ok(Err(self.shared.reports.undecodable(failure)));
            }
            Err(panic) => {
                return Ok(Err(panicked(
                    "`Deserialize` of the type",
                    identity,
                    &*panic,
                )));
            }
        };
        self.transform(&mut object, identity);
        Ok(Ok(object))
    }

    fn transform(&self, object: &mut T, identity: &Identity<'_>) {
        let Some(transform) = &self.transform else {
            return;
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| transform(object))) {
            let problem = panicked("the transform", identity, &*panic);
            self.shared.reports.panicked(problem);
        }
    }
}

fn panicked(closure: &str, identity: &Identity<'_>, panic: &(dyn Any + Send)) -> Problem {
    Problem::Panicked {
        closure: closure.to_owned(),
        namespace: identity.namespace.as_deref().map(str::to_owned),
        name: identity.name.clone().into_owned(),
        message: panic_message(panic).to_owned(),
    }
}

/// glibc's heaps of threads other than the main one grow by a page at a time, with a call of the system for each. To ask for
/// more and to give it back makes them grow by that.
fn make_room() {
    drop(black_box(Vec::<u8>::with_capacity(ROOM)));
}

/// Fails for what is no JSON: the API server meant something else, which it tells again if it is asked.
fn check_syntax(json: &str) -> Result<(), WatchError> {
    let ignored = serde_json::from_str::<IgnoredAny>(json).map_err(decode::Malformed::from);
    ignored?;
    Ok(())
}
