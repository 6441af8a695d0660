use std::{
    marker::PhantomData,
    ops::Not,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use crate::informer::{
    CacheObject, Event,
    stored_object::{Stored, typed_ref},
};

/// A predicate that selects the updates that a [`Subscription`](super::Subscription) delivers.
///
/// Additions, deletions and [`Event::Synced`] are always delivered.
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
/// A filter compares the old and the new object of an update. The updates of a slow subscriber are merged before they
/// are filtered: `old` is then the state that it received last. A change and its reversal therefore count as no change,
/// but two different changes are never lost.
///
/// If a filter panics, this is logged with [`tracing::error!`], and the update is delivered.
pub struct Filter<K>(StoredFilter, PhantomData<fn(&K)>);

impl<K: CacheObject> Filter<K> {
    /// Selects updates for which a function of the old and the new object returns true.
    pub fn new(predicate: impl Fn(&K, &K) -> bool + Send + Sync + 'static) -> Self {
        Self::stored(move |old, new| predicate(typed_ref(old), typed_ref(new)))
    }

    fn stored(predicate: impl Fn(&Stored, &Stored) -> bool + Send + Sync + 'static) -> Self {
        Self(StoredFilter::new(predicate), PhantomData)
    }

    pub(super) fn into_stored(self) -> StoredFilter {
        self.0
    }

    /// Selects the updates that most controllers must reconcile.
    ///
    /// These are updates of the [generation](Self::generation), the [deletion](Self::deletion) or the
    /// [finalizers](Self::finalizers). For objects without a generation, such as ConfigMaps, these are all updates.
    pub fn for_reconciling() -> Self {
        let without_generation = Self::stored(|old, new| old.generation().or(new.generation()).is_none());
        without_generation | Self::generation() | Self::deletion() | Self::finalizers()
    }

    /// Selects updates of the desired state.
    ///
    /// The API server increments the generation for most kinds with a status. The other kinds have no generation, or
    /// one that never changes.
    ///
    /// If the status is a subresource, changes of the status, labels, annotations and finalizers do not increment the
    /// generation. A controller should not rely on it to notice deletions either: API servers currently increment the
    /// generation on deletion, but this is not guaranteed, and kinds without a generation do not show it. Use
    /// [`for_reconciling`](Self::for_reconciling) or add [`deletion`](Self::deletion), otherwise finalizers may never
    /// be processed.
    pub fn generation() -> Self {
        Self::stored(|old, new| old.generation() != new.generation())
    }

    /// Selects updates of any label.
    pub fn labels() -> Self {
        Self::stored(|old, new| old.labels() != new.labels())
    }

    /// Selects updates of the label with this key.
    pub fn label(key: &str) -> Self {
        let key = key.to_owned();
        Self::stored(move |old, new| value(old.labels(), &key) != value(new.labels(), &key))
    }

    /// Selects updates of any annotation.
    pub fn annotations() -> Self {
        Self::stored(|old, new| old.annotations() != new.annotations())
    }

    /// Selects updates of the annotation with this key.
    pub fn annotation(key: &str) -> Self {
        let key = key.to_owned();
        Self::stored(move |old, new| value(old.annotations(), &key) != value(new.annotations(), &key))
    }

    /// Selects updates of the finalizers.
    pub fn finalizers() -> Self {
        Self::stored(|old, new| old.finalizers() != new.finalizers())
    }

    /// Selects the update that sets the deletion timestamp, after which the object waits for its finalizers.
    pub fn deletion() -> Self {
        Self::stored(|old, new| old.is_terminating() != new.is_terminating())
    }

    /// Selects updates that both filters select; also written `&`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0.and(other.0), PhantomData)
    }

    /// Selects updates that at least one of the filters selects; also written `|`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0), PhantomData)
    }

    pub(crate) fn selects(&self, event: &Event<K>) -> bool {
        match event {
            Event::Updated { old, new } => self.0.selects_update(&**old, &**new),
            _ => true,
        }
    }
}

/// Whether an update from the first state to the second is delivered.
type Predicate = dyn Fn(&Stored, &Stored) -> bool + Send + Sync;

/// A [`Filter`] without the type of the objects.
#[derive(Clone)]
pub(super) struct StoredFilter(Arc<Predicate>);

impl StoredFilter {
    fn new(predicate: impl Fn(&Stored, &Stored) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(predicate))
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self::new(move |old, new| (self.0)(old, new) && (other.0)(old, new))
    }

    fn or(self, other: Self) -> Self {
        Self::new(move |old, new| (self.0)(old, new) || (other.0)(old, new))
    }

    fn not(self) -> Self {
        Self::new(move |old, new| !(self.0)(old, new))
    }

    pub(super) fn selects(&self, event: &Event<Stored>) -> bool {
        match event {
            Event::Updated { old, new } => self.selects_update(&**old, &**new),
            _ => true,
        }
    }

    fn selects_update(&self, old: &Stored, new: &Stored) -> bool {
        // Unwind safe, because the closure shares no state with this crate.
        let selected = catch_unwind(AssertUnwindSafe(|| (self.0)(old, new)));
        selected.unwrap_or_else(|_| {
            let (namespace, name) = (new.namespace().unwrap_or_default(), new.name());
            tracing::error!(namespace, name, "an event filter panicked");
            true
        })
    }
}

/// Returns the value of a key.
fn value<'a>(pairs: Vec<(&'a str, &'a str)>, key: &str) -> Option<&'a str> {
    let pair = pairs.into_iter().find(|(other, _)| *other == key);
    pair.map(|(_, value)| value)
}

/// Selects updates that the filter does not select.
impl<K: CacheObject> Not for Filter<K> {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0.not(), PhantomData)
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
        Self(self.0.clone(), PhantomData)
    }
}
