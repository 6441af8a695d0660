//! Queries on snapshots.

use std::{borrow::Borrow, fmt, hash::Hash, marker::PhantomData, sync::Arc};

use kube_core::Resource;

use super::{Index, LabelQuery, erased_index, label_query::Requirement, slot_set::SlotSet, state::StoreState};
use crate::{client::scope::NamespacedScope, informer::CacheObject};

/// A query on a snapshot of the objects. An object must meet all conditions.
///
/// No objects are cloned before the result is requested.
///
/// ```
/// # use k8s_openapi::api::core::v1::Pod;
/// use crdkit::informer::{Index, Lister};
///
/// let by_node = Index::new("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone());
/// # let mut pod = Pod::default();
/// # pod.metadata.namespace = Some("prod".into());
/// # pod.metadata.labels = Some([("app".into(), "web".into())].into());
/// # pod.spec.get_or_insert_default().node_name = Some("n1".into());
/// let pods = Lister::of([pod]);
/// let here = pods.query().by(&by_node, "n1").namespace("prod").labels("app=web,!canary")?;
/// assert_eq!(here.len(), 1);
/// assert_eq!(here.list()[0].metadata.namespace.as_deref(), Some("prod"));
/// # Ok::<(), crdkit::informer::InvalidLabelQuery>(())
/// ```
#[must_use = "a query does nothing until its result is requested"]
pub struct Query<K> {
    state: Arc<StoreState>,
    /// `None` for all objects.
    slots: Option<SlotSet>,
    kind: PhantomData<fn() -> K>,
}

impl<K: CacheObject> Query<K> {
    pub(super) fn new(state: Arc<StoreState>) -> Self {
        Self { state, slots: None, kind: PhantomData }
    }

    /// Selects the objects of a namespace.
    pub fn namespace(self, namespace: &str) -> Self
    where
        <K::Kind as Resource>::Scope: NamespacedScope<K::Kind>,
    {
        self.in_namespace(namespace)
    }

    pub(super) fn in_namespace(self, namespace: &str) -> Self {
        let slots = self.state.in_namespace(namespace).cloned();
        self.and(slots)
    }

    /// Selects objects whose labels match, as for [`Lister::labels`](super::Lister::labels).
    ///
    /// # Errors
    ///
    /// Fails if the selector is invalid.
    pub fn labels<L: TryInto<LabelQuery>>(self, selector: L) -> Result<Self, L::Error> {
        let query = selector.try_into()?;
        Ok(query.requirements().iter().fold(self, Self::require))
    }

    /// Selects objects with an owner reference to this object.
    pub fn owned_by(self, owner: &impl CacheObject) -> Self {
        match owner.uid() {
            Some(uid) => self.owned_by_uid(uid),
            None => self.and(None),
        }
    }

    /// Selects objects with an owner reference to this uid.
    pub fn owned_by_uid(self, uid: &str) -> Self {
        let slots = self.state.owned_by(uid).cloned();
        self.and(slots)
    }

    /// Selects objects with a value in an index, as for [`Lister::by`](super::Lister::by).
    pub fn by<V, Q>(self, index: &Index<K, V>, value: &Q) -> Self
    where
        V: Borrow<Q> + Eq + Hash + Send + Sync + 'static,
        Q: Eq + Hash + ?Sized,
    {
        if let Some(contents) = erased_index::find::<V>(&self.state.indexes, index.id()) {
            let slots = contents.get(&self.state.hashes, value).cloned();
            return self.and(slots);
        }
        if !erased_index::is_filling(&self.state.indexes, index.id()) {
            index.warn_missing();
        }
        self.filter(|object| index.has(object, value))
    }

    /// Selects objects for which a predicate is true. It is called for each object selected so far.
    pub fn filter(self, predicate: impl Fn(&K) -> bool) -> Self {
        let objects = self.state.objects.typed::<K>();
        let predicate =
            |slot: &u32| objects.and_then(|objects| objects.get(*slot)).is_some_and(|object| predicate(object));
        let slots = match &self.slots {
            Some(slots) => slots.iter().filter(predicate).collect(),
            None => self.state.all().iter().filter(predicate).collect(),
        };
        Self { slots: Some(slots), ..self }
    }

    /// Returns the selected objects.
    pub fn list(&self) -> Vec<Arc<K>> {
        let Some(objects) = self.state.objects.typed::<K>() else {
            return Vec::new();
        };
        if let Some(slots) = &self.slots {
            return slots.map(|slot| objects.get(slot).expect("the slot contains an object").clone());
        }
        let mut list = Vec::with_capacity(self.len());
        objects.iter().for_each(|object| list.push(object.clone()));
        list
    }

    /// Returns the number of selected objects.
    pub fn len(&self) -> usize {
        match &self.slots {
            Some(slots) => slots.len(),
            None => self.state.len(),
        }
    }

    /// Whether no objects are selected.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns one of the selected objects, if there is one.
    pub fn any(&self) -> Option<Arc<K>> {
        let objects = self.state.objects.typed()?;
        let object = match &self.slots {
            Some(slots) => objects.get(slots.iter().next()?),
            None => objects.iter().next(),
        };
        object.cloned()
    }

    fn require(self, requirement: &Requirement) -> Self {
        let StoreState { labels, hashes, .. } = &*self.state;
        let with_key = |key: &str| labels.key(hashes, key).cloned();
        let one_of = |key: &str, values: &[String]| {
            let slots = values.iter().map(|value| labels.pair(hashes, key, value));
            union(slots.flatten())
        };
        match requirement {
            Requirement::Exists(key) => {
                let slots = with_key(key);
                self.and(slots)
            }
            Requirement::DoesNotExist(key) => {
                let slots = with_key(key);
                self.minus(slots)
            }
            Requirement::In(key, values) => {
                let slots = one_of(key, values);
                self.and(slots)
            }
            Requirement::NotIn(key, values) => {
                let slots = one_of(key, values);
                self.minus(slots)
            }
            Requirement::Compared(key, ..) => {
                let slots = with_key(key);
                self.and(slots).filter(|object| requirement.is_met(object))
            }
        }
    }

    fn and(self, slots: Option<SlotSet>) -> Self {
        let slots = match (&self.slots, slots) {
            (_, None) => SlotSet::EMPTY,
            (None, Some(slots)) => slots,
            (Some(left), Some(slots)) => left.and(&slots),
        };
        Self { slots: Some(slots), ..self }
    }

    fn minus(self, slots: Option<SlotSet>) -> Self {
        let Some(slots) = slots else { return self };
        let left = match &self.slots {
            Some(left) => left.minus(&slots),
            None => SlotSet::from(self.state.all()).minus(&slots),
        };
        Self { slots: Some(left), ..self }
    }
}

fn union<'a>(mut sets: impl Iterator<Item = &'a SlotSet>) -> Option<SlotSet> {
    let first = sets.next()?;
    let Some(second) = sets.next() else {
        return Some(first.clone());
    };
    let union = [second].into_iter().chain(sets).fold(first.bitmap(), |all, set| match set {
        SlotSet::Bitmap(slots) => all | &**slots,
        _ => all | set.bitmap(),
    });
    Some(union.into())
}

impl<K> Clone for Query<K> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), slots: self.slots.clone(), kind: PhantomData }
    }
}

impl<K: CacheObject> fmt::Debug for Query<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Query").field(&format_args!("{} objects", self.len())).finish()
    }
}
