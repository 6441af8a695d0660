//! User-defined indexes.

use std::{
    any::Any,
    borrow::{Borrow, Cow},
    fmt,
    hash::Hash,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use super::{
    erased_index::{ErasedIndex, Hashed, Row, TypedIndex},
    postings::Hashes,
};
use crate::informer::{
    CacheObject,
    panics::ClosurePanic,
    stored_object::{Stored, typed_ref},
};

/// An index of objects of `K` by values of the type `V`. Each object can have any number of values.
///
/// Add the index to an informer, which then updates it. The closure is called once for each state of an object. If
/// several callers add the index to a running informer, it may be called more often. It should be fast, and depend only
/// on the object. It may use the informer, because it runs without a lock. If it panics, the object has no values.
///
/// ```
/// use crdkit::informer::{Index, Lister};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let by_node = Index::new("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone());
/// # let mut pod = Pod::default();
/// # pod.spec.get_or_insert_default().node_name = Some("n1".into());
/// let pods = Lister::of([pod]);
/// assert_eq!(pods.by(&by_node, "n1").len(), 1);
/// assert_eq!(pods.by(&by_node, "n2").len(), 0);
/// ```
pub struct Index<K, V>(Arc<Definition<K, V>>);

struct Definition<K, V> {
    name: Cow<'static, str>,
    values: Box<Values<K, V>>,
    /// Whether the warning about a missing index was logged.
    warned: AtomicBool,
}

type Values<K, V> = dyn Fn(&K, &mut dyn FnMut(V)) + Send + Sync;

impl<K, V> Index<K, V> {
    /// Creates an index from a name for messages, and a function that returns the values of an object.
    pub fn new<I: IntoIterator<Item = V>>(
        name: impl Into<Cow<'static, str>>,
        values: impl Fn(&K) -> I + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Definition {
            name: name.into(),
            values: Box::new(move |object, found| values(object).into_iter().for_each(found)),
            warned: AtomicBool::new(false),
        }))
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Whether the object has the value, by calling the closure.
    pub(super) fn has<Q: Eq + ?Sized>(&self, object: &K, value: &Q) -> bool
    where
        V: Borrow<Q>,
    {
        let mut has = false;
        let mut found = |other: V| has |= other.borrow() == value;
        catch_unwind(AssertUnwindSafe(|| (self.0.values)(object, &mut found))).is_ok() && has
    }

    /// Logs a warning, once, that all objects are searched because the informer does not have the index.
    pub(super) fn warn_missing(&self) {
        if !self.0.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                index = self.name(),
                kind = std::any::type_name::<K>(),
                "searching all objects, because the informer does not have this index: add it with `InformerBuilder::index`"
            );
        }
    }

    pub(super) fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl<K, V> Clone for Index<K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K, V> fmt::Debug for Index<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Index").field(&self.0.name).finish()
    }
}

/// An index of any value type.
#[derive(Clone)]
pub(crate) struct AnyIndex(Arc<dyn Erased>);

impl<K: CacheObject, V: Eq + Hash + Send + Sync + 'static> From<&Index<K, V>> for AnyIndex {
    fn from(index: &Index<K, V>) -> Self {
        Self(Arc::new(index.clone()))
    }
}

impl AnyIndex {
    pub(super) fn to_erased(&self) -> Arc<dyn ErasedIndex> {
        self.0.to_erased(self.clone())
    }

    pub(super) fn name(&self) -> &str {
        self.0.name()
    }

    pub(super) fn id(&self) -> usize {
        self.0.id()
    }

    /// Returns the values of an object.
    pub(super) fn row(&self, hashes: &Hashes, object: &Stored) -> Result<AnyRow, ClosurePanic> {
        let row = catch_unwind(AssertUnwindSafe(|| self.0.row(hashes, object)));
        row.map_err(|panic| {
            let closure = format!("the index `{}`", self.0.name());
            ClosurePanic::new(closure, &*panic)
        })
    }
}

/// The values of an object in one index.
pub(super) type AnyRow = Option<Box<dyn Any + Send>>;

trait Erased: Send + Sync {
    fn name(&self) -> &str;
    fn id(&self) -> usize;
    fn to_erased(&self, index: AnyIndex) -> Arc<dyn ErasedIndex>;
    fn row(&self, hashes: &Hashes, object: &Stored) -> AnyRow;
}

impl<K: CacheObject, V: Eq + Hash + Send + Sync + 'static> Erased for Index<K, V> {
    fn name(&self) -> &str {
        self.name()
    }

    fn id(&self) -> usize {
        self.id()
    }

    fn to_erased(&self, index: AnyIndex) -> Arc<dyn ErasedIndex> {
        Arc::new(TypedIndex::<V>::new(index))
    }

    fn row(&self, hashes: &Hashes, object: &Stored) -> AnyRow {
        let mut values = Vec::new();
        (self.0.values)(typed_ref(object), &mut |value: V| values.push(Hashed::new(hashes, value)));
        Some(Box::new(Row::new(values)?))
    }
}
