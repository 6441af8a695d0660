//! Reads the objects of one namespace.

use std::{
    borrow::{Borrow, Cow},
    fmt,
    hash::Hash,
    sync::Arc,
};

use super::{
    Index, LabelQuery, Lister, Query,
    source::{Live, Objects, Source},
};
use crate::informer::CacheObject;

/// Reads the objects of one namespace, from [`Lister::namespace`].
pub struct NamespaceLister<'a, K, S = Live<K>> {
    lister: Lister<K, S>,
    namespace: Cow<'a, str>,
}

impl<'a, K: CacheObject, S: Source<K>> NamespaceLister<'a, K, S> {
    pub(super) fn new(lister: Lister<K, S>, namespace: Cow<'a, str>) -> Self {
        Self { lister, namespace }
    }

    /// Returns the object with this name.
    pub fn get(&self, name: &str) -> Option<Arc<K>> {
        self.lister.find(&*self.namespace, name)
    }

    /// Returns the objects of the namespace.
    pub fn list(&self) -> Vec<Arc<K>> {
        self.query().list()
    }

    /// Returns the number of objects in the namespace.
    pub fn len(&self) -> usize {
        self.lister.source.read(|Objects(objects)| {
            let slots = objects.in_namespace(&self.namespace);
            slots.map_or(0, |slots| slots.len())
        })
    }

    /// Whether the namespace has no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the objects of the namespace whose labels match, as for [`Lister::labels`].
    ///
    /// # Errors
    ///
    /// Fails if the selector is invalid.
    pub fn labels<L: TryInto<LabelQuery>>(&self, selector: L) -> Result<Vec<Arc<K>>, L::Error> {
        Ok(self.query().labels(selector)?.list())
    }

    /// Returns the objects of the namespace with an owner reference to this object.
    pub fn owned_by(&self, owner: &impl CacheObject) -> Vec<Arc<K>> {
        self.query().owned_by(owner).list()
    }

    /// Returns the objects of the namespace with a value in an index, as for [`Lister::by`].
    pub fn by<V, Q>(&self, index: &Index<K, V>, value: &Q) -> Vec<Arc<K>>
    where
        V: Borrow<Q> + Eq + Hash + Send + Sync + 'static,
        Q: Eq + Hash + ?Sized,
    {
        self.query().by(index, value).list()
    }

    /// Starts a query on the current objects of the namespace.
    pub fn query(&self) -> Query<K> {
        self.lister.query().in_namespace(&self.namespace)
    }
}

impl<K, S: Clone> Clone for NamespaceLister<'_, K, S> {
    fn clone(&self) -> Self {
        Self { lister: self.lister.clone(), namespace: self.namespace.clone() }
    }
}

impl<K: CacheObject, S: Source<K>> fmt::Debug for NamespaceLister<'_, K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceLister").field("lister", &self.lister).field("namespace", &self.namespace).finish()
    }
}
