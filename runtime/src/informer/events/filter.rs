use std::{
    ops::Not,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use crate::informer::{CacheObject, Event};

/// Which updates a [`Subscription`](super::Subscription) tells. Objects that come and go, and
/// [`Event::Synced`], are told whatever the filter says.
///
/// ```
/// use std::sync::Arc;
///
/// use crdkit::informer::{Event, Filter, Subscription};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let filter = Filter::labels() | Filter::new(|old: &ConfigMap, new: &ConfigMap| old.data != new.data);
/// let mut object = ConfigMap::default();
/// object.metadata.resource_version = Some("1".into());
/// let old = Arc::new(object.clone());
/// object.metadata.resource_version = Some("2".into());
/// let new = Arc::new(object);
///
/// let mut events = Subscription::from_iter([Event::Added(old.clone()), Event::Updated { old, new }]).filter(filter);
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// assert!(matches!(events.next().await, Some(Event::Added(_))));
/// assert!(events.next().await.is_none()); // neither labels nor data changed
/// # });
/// ```
///
/// An update is judged by its old and new object. Those of a slow subscriber are merged first: then `old` is what it
/// received last, so that a change and its reversal count as none, while a change and another one are never lost. A filter
/// that panics is reported by [`tracing::error!`], and the update is told.
pub struct Filter<K>(Arc<Tells<K>>);

/// Whether an update from one object to another is told.
type Tells<K> = dyn Fn(&K, &K) -> bool + Send + Sync;

impl<K: CacheObject> Filter<K> {
    /// Updates for which a function of the old and the new object says so.
    pub fn new(tells: impl Fn(&K, &K) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(tells))
    }

    /// Updates that a controller has work with, as a rule: of the [generation](Self::generation), the
    /// [deletion](Self::deletion) or the [finalizers](Self::finalizers); of objects without a generation, such as those of
    /// ConfigMap, all.
    pub fn for_reconciling() -> Self {
        let uncounted = Self::new(|old, new| old.generation().or(new.generation()).is_none());
        uncounted | Self::generation() | Self::deletion() | Self::finalizers()
    }

    /// Updates of the desired state. The API server counts them for kinds with a status, mostly; the others have no
    /// generation, or one that never changes.
    ///
    /// Where the status is a subresource, changes of it, of labels, of annotations and of finalizers do not count. Neither
    /// should a controller rely on it to see that an object is being deleted: the API server counts that today, but nothing
    /// says it must, and kinds without a generation do not show it. Use [`for_reconciling`](Self::for_reconciling) or add
    /// [`deletion`](Self::deletion), or finalizers may wait for ever.
    pub fn generation() -> Self {
        Self::new(|old, new| old.generation() != new.generation())
    }

    /// Updates of any label.
    pub fn labels() -> Self {
        Self::new(|old, new| !old.labels().eq(new.labels()))
    }

    /// Updates of the label with a key.
    pub fn label(key: &str) -> Self {
        let key = key.to_owned();
        Self::new(move |old, new| value(old.labels(), &key) != value(new.labels(), &key))
    }

    /// Updates of any annotation.
    pub fn annotations() -> Self {
        Self::new(|old, new| !old.annotations().eq(new.annotations()))
    }

    /// Updates of the annotation with a key.
    pub fn annotation(key: &str) -> Self {
        let key = key.to_owned();
        Self::new(move |old, new| value(old.annotations(), &key) != value(new.annotations(), &key))
    }

    /// Updates of the finalizers.
    pub fn finalizers() -> Self {
        Self::new(|old, new| !old.finalizers().eq(new.finalizers()))
    }

    /// The update by which an object begins to be deleted, and waits for its finalizers.
    pub fn deletion() -> Self {
        Self::new(|old, new| old.is_terminating() != new.is_terminating())
    }

    /// Updates that both tell.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::new(move |old, new| (self.0)(old, new) && (other.0)(old, new))
    }

    /// Updates that either tells, or both; also written `|`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::new(move |old, new| (self.0)(old, new) || (other.0)(old, new))
    }

    pub(super) fn tells(&self, event: &Event<K>) -> bool {
        let Event::Updated { old, new } = event else {
            return true;
        };
        // Panics are contained, and what a closure left half done is its own.
        let judged = catch_unwind(AssertUnwindSafe(|| (self.0)(old, new)));
        judged.unwrap_or_else(|_| {
            let (namespace, name) = (new.namespace().unwrap_or_default(), new.name());
            tracing::error!(namespace, name, "a filter of events panicked");
            true
        })
    }
}

/// The value of a key in sorted pairs.
fn value<'a>(mut pairs: impl Iterator<Item = (&'a str, &'a str)>, key: &str) -> Option<&'a str> {
    let pair = pairs.find(|(other, _)| *other == key);
    pair.map(|(_, value)| value)
}

/// Updates that the filter does not tell.
impl<K: CacheObject> Not for Filter<K> {
    type Output = Self;

    fn not(self) -> Self {
        Self::new(move |old, new| !(self.0)(old, new))
    }
}

impl<K: CacheObject> std::ops::BitAnd for Filter<K> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.and(other)
    }
}

impl<K: CacheObject> std::ops::BitOr for Filter<K> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.or(other)
    }
}

impl<K> Clone for Filter<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
