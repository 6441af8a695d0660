//! Reads what lines of a watch and items of a list say, each for itself: on several threads, if there are many.

use std::{
    borrow::Cow,
    hint::black_box,
    num::NonZeroUsize,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde::de::{DeserializeOwned, IgnoredAny};
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task::block_in_place,
};

use super::course::Anchor;
use crate::client::expected::{ExpectedTypes, Mismatch, NotExpected};
use crate::informer::{
    Cached,
    cache::Delta,
    decode::{self, Bookmark, Decoder, Identity, Line},
    panics::ClosurePanic,
    shared::Shared,
    store::Fingerprint,
    trouble::{Problem, WatchError},
    unreadable::UnreadableState,
};

/// Changes an object before it is kept.
pub(in crate::informer) type Transform<T> = Arc<dyn Fn(&mut T) + Send + Sync>;

/// After so many objects the heap is given room for more.
const AT_ONCE: usize = 16;

/// So much room, in bytes. More than this some allocators take from the system and give back at once.
const ROOM: usize = 120 * 1024;

/// To read what comes at once takes some milliseconds; longer than this only because of closures.
const SLOW: Duration = Duration::from_millis(20);

/// So many objects are worth a thread, which costs about as much as to decode ten.
const WORTH_A_THREAD: usize = 64;

/// What a line of a watch says.
pub(super) enum Said<'a, T: Cached> {
    /// Something about an object.
    Object(Change<'a, T>),
    /// Nothing happened up to a resourceVersion.
    Bookmark(Bookmark),
    /// The watch ends with a Status.
    Failure(&'a str),
}

/// What a line of a watch or an item of a list says of an object.
pub(super) struct Change<'a, T: Cached> {
    pub(super) version: Cow<'a, str>,
    pub(super) fingerprint: Fingerprint,
    pub(super) delta: Delta<T>,
}

impl<T: Cached> Change<'_, T> {
    pub(super) fn anchor(&self) -> Option<Anchor> {
        let deleted = matches!(self.delta, Delta::Delete { .. });
        Anchor::new(&self.version, self.fingerprint, deleted)
    }
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
    keep_managed_fields: bool,
    transform: Option<Transform<T>>,
    /// Whether the transform has code of the program.
    is_foreign: bool,
    threads: NonZeroUsize,
    expected: ExpectedTypes,
    /// Whether closures of the program have once taken long.
    is_slow: AtomicBool,
}

impl<T: Cached + DeserializeOwned> Reader<T> {
    pub(in crate::informer) fn new(
        shared: Arc<Shared<T>>,
        keep_managed_fields: bool,
        transform: Option<Transform<T>>,
        threads: NonZeroUsize,
        expected: ExpectedTypes,
    ) -> Self {
        Self {
            shared,
            keep_managed_fields,
            is_foreign: transform.is_some(),
            transform,
            threads,
            expected,
            is_slow: AtomicBool::new(false),
        }
    }

    /// The transform is all ours, and never takes long.
    pub(in crate::informer) fn with_own_transform(self) -> Self {
        Self {
            is_foreign: false,
            ..self
        }
    }

    /// Reads lines of a watch.
    pub(super) fn lines<'a>(
        &self,
        lines: &'a [impl AsRef<[u8]> + Sync],
        reads: Reads,
        namespace: Option<&str>,
    ) -> Vec<Result<Said<'a, T>, WatchError>> {
        self.apart(|| {
            self.each(lines, reads, |decoder, line| {
                self.line(line.as_ref(), reads, namespace, decoder)
            })
        })
    }

    /// Reads items of a list.
    pub(super) fn items<'a>(
        &self,
        items: &'a [&'a str],
        reads: Reads,
        namespace: Option<&str>,
    ) -> Vec<Result<Change<'a, T>, WatchError>> {
        self.apart(|| {
            self.each(items, reads, |decoder, json| {
                let identity = decode::identity(json)?;
                self.check_item(&identity)?;
                self.check_namespace(namespace, &identity)?;
                let fingerprint = self.fingerprint(json, &identity);
                let delta = self.apply(json, &identity, fingerprint, reads, decoder)?;
                Ok(Change {
                    version: identity.resource_version,
                    fingerprint,
                    delta,
                })
            })
        })
    }

    /// Whether closures of the program run while objects are read.
    pub(super) fn runs_closures(&self) -> bool {
        self.is_foreign || self.shared.cache.store.indexes() > 0
    }

    /// Reads, and keeps closures of the program from holding up other watches on the same thread: those that have once taken
    /// long, and those that run beside others, so that at most one thread is lost to a closure that never returns.
    fn apart<O>(&self, read: impl FnOnce() -> O) -> O {
        if !self.runs_closures() {
            return read();
        }
        let running = Running::begin();
        let may_block = self.is_slow.load(Ordering::Relaxed) || running.is_beside_others();
        if may_block && has_other_threads() {
            return block_in_place(read);
        }
        let began = Instant::now();
        let done = read();
        if began.elapsed() > SLOW {
            self.is_slow.store(true, Ordering::Relaxed);
        }
        done
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
        namespace: Option<&str>,
        decoder: &mut Decoder,
    ) -> Result<Said<'a, T>, WatchError> {
        let (json, deleted) = match decode::line(line)? {
            Line::Added(json) | Line::Modified(json) => (json, false),
            Line::Deleted(json) => (json, true),
            Line::Bookmark(json) => {
                self.check_types(json)?;
                return Ok(Said::Bookmark(decode::bookmark(json)?));
            }
            Line::Error(json) => return Ok(Said::Failure(json)),
        };
        let identity = decode::identity(json)?;
        self.check_event(json, &identity)?;
        self.check_namespace(namespace, &identity)?;
        let fingerprint = self.fingerprint(json, &identity);
        let delta = match deleted {
            true => self.delete(json, &identity, decoder)?,
            false => self.apply(json, &identity, fingerprint, reads, decoder)?,
        };
        Ok(Said::Object(Change {
            version: identity.resource_version,
            fingerprint,
            delta,
        }))
    }

    /// Items of lists need not say what they are: the list does.
    fn check_item(&self, identity: &Identity<'_>) -> Result<(), WatchError> {
        match (&identity.api_version, &identity.kind) {
            (None, None) => Ok(()),
            (api_version, kind) => {
                let (api_version, kind) = (api_version.as_deref(), kind.as_deref());
                Ok(self.expected.check_object(api_version, kind)?)
            }
        }
    }

    fn check_event(&self, json: &str, identity: &Identity<'_>) -> Result<(), WatchError> {
        if identity.resource_version.is_empty() {
            return Err(decode::missing("metadata.resourceVersion").into());
        }
        match (&identity.api_version, &identity.kind) {
            (Some(api_version), Some(kind)) => {
                Ok(self.expected.check_object(Some(api_version), Some(kind))?)
            }
            // They may stand behind the metadata.
            _ => self.check_types(json),
        }
    }

    /// A watch of one namespace has no objects of others: no list of it would ever show that they are gone.
    fn check_namespace(
        &self,
        wanted: Option<&str>,
        identity: &Identity<'_>,
    ) -> Result<(), WatchError> {
        let came = identity.namespace.as_deref();
        match wanted {
            Some(wanted) if came != Some(wanted) => {
                let came = came.unwrap_or("none").escape_debug();
                let wanted = format!("objects of the namespace `{wanted}`");
                Err(Mismatch::new(wanted, format!("one of `{came}`")).into())
            }
            _ => Ok(()),
        }
    }

    fn check_types(&self, json: &str) -> Result<(), WatchError> {
        self.expected.check_text(json).map_err(|error| match error {
            NotExpected::Mismatch(mismatch) => mismatch.into(),
            NotExpected::Malformed(error) => decode::Malformed::from(error).into(),
        })
    }

    fn fingerprint(&self, json: &str, identity: &Identity<'_>) -> Fingerprint {
        self.shared.cache.store.fingerprint(identity.content(json))
    }

    fn apply(
        &self,
        json: &str,
        identity: &Identity<'_>,
        fingerprint: Fingerprint,
        reads: Reads,
        decoder: &mut Decoder,
    ) -> Result<Delta<T>, WatchError> {
        if reads == Reads::List && self.shared.cache.store.has(identity, fingerprint) {
            return Ok(Delta::Seen(identity.key()));
        }
        let (object, panic) = match self.decode(json, identity, decoder)? {
            Ok(decoded) => decoded,
            Err(problem) => {
                let state = UnreadableState::new(identity, fingerprint, problem);
                return Ok(Delta::Unreadable(Box::new(state)));
            }
        };
        let store = &self.shared.cache.store;
        let prepared = store
            .prepare(Arc::new(object))
            .with_fingerprint(fingerprint)
            .with_panic(panic);
        Ok(Delta::Apply(prepared))
    }

    fn delete(
        &self,
        json: &str,
        identity: &Identity<'_>,
        decoder: &mut Decoder,
    ) -> Result<Delta<T>, WatchError> {
        let decoded = self.decode(json, identity, decoder)?.ok();
        let (last, panic) = decoded.unzip();
        if let Some(panic) = panic.flatten() {
            self.shared.reports.panicked(problem(&panic, identity));
        }
        Ok(Delta::Delete {
            key: identity.key(),
            uid: identity.uid.as_deref().map(Into::into),
            version: identity.resource_version.as_ref().into(),
            last: last.map(Arc::new),
        })
    }

    /// The object with the panic of its transform, or why it does not fit the type.
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
                return Ok(Err(self.shared.reports.undecodable(failure)));
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
    panic.on(identity.namespace.as_deref(), &identity.name)
}

/// How many readers run closures of the program, in all informers.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// A reader that runs closures of the program, as long as it lives.
struct Running {
    others: usize,
}

impl Running {
    fn begin() -> Self {
        Self {
            others: RUNNING.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Whether others run closures now, which may never return: this one must not take one more thread.
    fn is_beside_others(&self) -> bool {
        self.others > 0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether other tasks of this one's thread can go on on another.
fn has_other_threads() -> bool {
    let runtime = Handle::try_current();
    runtime.is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread)
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
