//! From the text of lists and events to changes of the cache, without a connection.

use std::{
    any::Any,
    borrow::Cow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use serde::de::{DeserializeOwned, IgnoredAny};

use crate::informer::{
    Cached,
    cache::Delta,
    decode::{self, Bookmark, Decoder, Identity, Line},
    events::panic_message,
    shared::Shared,
    store::{Lister, Slots},
    trouble::WatchError,
};

/// Changes an object before it is kept.
pub(in crate::informer) type Transform<T> = Arc<dyn Fn(&mut T) + Send + Sync>;

pub(super) struct Intake<T: Cached> {
    shared: Arc<Shared<T>>,
    lister: Lister<T>,
    decoder: Decoder,
    transform: Option<Transform<T>>,
    deltas: Vec<Delta<T>>,
    /// What a list has shown so far, while there is one.
    seen: Option<Slots>,
    /// The newest resourceVersion of this watch, where those are numbers.
    newest: Option<u64>,
}

/// What a line of a watch said.
pub(super) enum Told<'a> {
    /// Something about an object, at a resourceVersion.
    Object(Cow<'a, str>),
    /// Nothing happened up to a resourceVersion.
    Bookmark(Bookmark),
    /// The watch ends with a Status.
    Failure(&'a str),
}

impl<T: Cached + DeserializeOwned> Intake<T> {
    pub(super) fn new(
        shared: Arc<Shared<T>>,
        decoder: Decoder,
        transform: Option<Transform<T>>,
    ) -> Self {
        Self {
            lister: shared.cache.store.lister(),
            shared,
            decoder,
            transform,
            deltas: Vec::new(),
            seen: None,
            newest: None,
        }
    }

    /// A list begins: what it does not show is gone.
    pub(super) fn begin_list(&mut self) {
        self.deltas.clear();
        self.seen = Some(Slots::default());
        self.newest = None;
    }

    /// The list is complete.
    pub(super) fn end_list(&mut self, namespace: Option<&str>) {
        self.commit();
        if let Some(seen) = self.seen.take() {
            self.shared.cache.sweep(namespace, &seen);
        }
    }

    /// A watch begins after a resourceVersion.
    pub(super) fn begin_watch(&mut self, after: &str) {
        self.deltas.clear();
        self.seen = None;
        self.newest = after.parse().ok();
    }

    /// An item of a list.
    pub(super) fn item(&mut self, json: &str) -> Result<(), WatchError> {
        let identity = decode::identity(json)?;
        self.apply(json, &identity)
    }

    /// A line of a watch.
    pub(super) fn line<'a>(&mut self, line: &'a [u8]) -> Result<Told<'a>, WatchError> {
        let (json, deleted) = match decode::line(line)? {
            Line::Added(json) | Line::Modified(json) => (json, false),
            Line::Deleted(json) => (json, true),
            Line::Bookmark(json) => return self.bookmark(json),
            Line::Error(json) => return Ok(Told::Failure(json)),
        };
        let identity = decode::identity(json)?;
        self.check_order(&identity.resource_version)?;
        match deleted {
            true => self.delete(json, &identity)?,
            false => self.apply(json, &identity)?,
        }
        Ok(Told::Object(identity.resource_version))
    }

    /// Makes the changes that have come in, and says how many events there were.
    pub(super) fn commit(&mut self) -> usize {
        if self.deltas.is_empty() {
            return 0;
        }
        let cache = &self.shared.cache;
        let events = cache.commit(&mut self.deltas, self.seen.as_mut());
        self.shared.reports.changed(events, self.lister.len());
        events
    }

    /// While objects are listed they come in any order.
    fn check_order(&mut self, version: &str) -> Result<(), WatchError> {
        let Ok(told) = version.parse::<u64>() else {
            return Ok(());
        };
        if self.seen.is_some() {
            return Ok(());
        }
        match self.newest {
            Some(newest) if told < newest => Err(WatchError::OutOfOrder { told, newest }),
            _ => {
                self.newest = Some(told);
                Ok(())
            }
        }
    }

    fn bookmark<'a>(&mut self, json: &str) -> Result<Told<'a>, WatchError> {
        let bookmark = decode::bookmark(json)?;
        if bookmark.initial_events_end {
            self.newest = bookmark.resource_version.parse().ok();
        } else {
            self.check_order(&bookmark.resource_version)?;
        }
        Ok(Told::Bookmark(bookmark))
    }

    fn apply(&mut self, json: &str, identity: &Identity<'_>) -> Result<(), WatchError> {
        if self.seen.is_some() && self.is_known(identity) {
            self.deltas.push(seen(identity));
            return Ok(());
        }
        match self.decode(json, identity)? {
            Some(object) => {
                let prepared = self.shared.cache.store.prepare(Arc::new(object));
                self.shared.reports.panicked_indexes(&prepared);
                self.deltas.push(Delta::Apply(prepared));
            }
            None => self.deltas.push(Delta::Unreadable {
                namespace: identity.namespace.as_deref().map(Into::into),
                name: identity.name.as_ref().into(),
                uid: identity.uid.as_deref().map(Into::into),
            }),
        }
        Ok(())
    }

    fn delete(&mut self, json: &str, identity: &Identity<'_>) -> Result<(), WatchError> {
        let last = self.decode(json, identity)?.map(Arc::new);
        self.deltas.push(Delta::Delete {
            namespace: identity.namespace.as_deref().map(Into::into),
            name: identity.name.as_ref().into(),
            uid: identity.uid.as_deref().map(Into::into),
            version: identity.resource_version.as_ref().into(),
            last,
        });
        Ok(())
    }

    /// Whether the store has the object in this state.
    fn is_known(&self, identity: &Identity<'_>) -> bool {
        let (namespace, name) = (identity.namespace.as_deref(), identity.name.as_ref());
        let known = self.lister.find(namespace, name);
        let known = known.as_ref().and_then(|object| object.resource_version());
        known.is_some_and(|known| known == identity.resource_version)
    }

    /// Nothing if the object does not fit the type, which is reported.
    fn decode(&mut self, json: &str, identity: &Identity<'_>) -> Result<Option<T>, WatchError> {
        let decoder = &mut self.decoder;
        let decoded = catch_unwind(AssertUnwindSafe(|| decoder.decode::<T>(json, identity)));
        let mut object = match decoded {
            Ok(Ok(object)) => object,
            Ok(Err(failure)) => {
                check_syntax(json)?;
                self.shared.reports.undecodable(failure);
                return Ok(None);
            }
            Err(panic) => {
                self.panicked("`Deserialize` of the type", identity, &*panic);
                return Ok(None);
            }
        };
        self.transform(&mut object, identity);
        Ok(Some(object))
    }

    fn transform(&self, object: &mut T, identity: &Identity<'_>) {
        let Some(transform) = &self.transform else {
            return;
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| transform(object))) {
            self.panicked("the transform", identity, &*panic);
        }
    }

    fn panicked(&self, closure: &str, identity: &Identity<'_>, panic: &(dyn Any + Send)) {
        let (namespace, name) = (identity.namespace.as_deref(), identity.name.as_ref());
        let message = panic_message(panic);
        self.shared
            .reports
            .panicked(closure, namespace, name, message);
    }
}

/// Fails for what is no JSON: the API server meant something else, which it tells again if it is asked.
fn check_syntax(json: &str) -> Result<(), WatchError> {
    let ignored = serde_json::from_str::<IgnoredAny>(json).map_err(decode::Malformed::from);
    ignored?;
    Ok(())
}

fn seen<T: Cached>(identity: &Identity<'_>) -> Delta<T> {
    Delta::Seen {
        namespace: identity.namespace.as_deref().map(Into::into),
        name: identity.name.as_ref().into(),
    }
}

#[cfg(test)]
mod tests;
