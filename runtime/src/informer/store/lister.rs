//! Reads the objects of an informer.

use std::{any::Any, borrow::Borrow, fmt, hash::Hash, marker::PhantomData, sync::Arc};

use kube_core::Resource;

use super::{
    Index, LabelQuery, NamespaceLister, Query, Snapshot, Store,
    source::{Live, Objects, Source},
};
use crate::{
    client::scope::{ClusterScope, NamespaceName, NamespacedScope},
    informer::CacheObject,
};

type Scope<K> = <<K as CacheObject>::Kind as Resource>::Scope;

/// Reads the objects in the cache of an informer.
///
/// A lister is cheap to clone, and it sends no requests to the API server.
///
/// Each read returns the current objects, in no particular order. For several reads of the same state, take a
/// [`snapshot`](Self::snapshot), which has the same methods.
///
/// ```
/// # use k8s_openapi::api::core::v1::Pod;
/// use crdkit::informer::Lister;
///
/// # let pod = |namespace: &str, name: &str, app: &str| {
/// #     let mut pod = Pod::default();
/// #     pod.metadata.namespace = Some(namespace.into());
/// #     pod.metadata.name = Some(name.into());
/// #     pod.metadata.labels = Some([("app".into(), app.into())].into());
/// #     pod
/// # };
/// let pods = Lister::of([pod("prod", "web-1", "web"), pod("prod", "db-1", "db"), pod("test", "web-1", "web")]);
///
/// let web = pods.namespace("prod").get("web-1");
/// assert!(web.is_some());
/// assert_eq!(pods.labels("app in (web, api)")?.len(), 2);
/// assert_eq!(pods.namespace("prod").labels("app!=web")?[0].metadata.name.as_deref(), Some("db-1"));
/// # Ok::<(), crdkit::informer::InvalidLabelQuery>(())
/// ```
///
/// Objects of namespaced kinds are identified by namespace and name, and those of cluster-scoped kinds by name:
///
/// ```compile_fail,E0277
/// # use k8s_openapi::api::core::v1::Pod;
/// # use crdkit::informer::Lister;
/// # fn example(pods: Lister<Pod>) {
/// pods.get("web-1"); // objects of `Pod` live in namespaces: choose one with `.namespace(...)`
/// # }
/// ```
#[doc(alias("Indexer", "Store"))]
pub struct Lister<K, S = Live<K>> {
    pub(super) source: S,
    kind: PhantomData<fn() -> K>,
}

impl<K, S> Lister<K, S> {
    pub(super) fn new(source: S) -> Self {
        Self { source, kind: PhantomData }
    }
}

impl<K: CacheObject> Lister<K> {
    /// Keeps an informer running as long as this lister exists.
    pub(crate) fn with_informer(self, informer: Arc<dyn Any + Send + Sync>) -> Self {
        Self::new(self.source.with_informer(informer))
    }

    /// Creates a lister of fixed objects, for tests of code that reads objects, such as a reconciler.
    ///
    /// If several objects have the same namespace and name, the last one is used.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Node;
    /// use crdkit::informer::Lister;
    ///
    /// let mut node = Node::default();
    /// node.metadata.name = Some("n1".into());
    /// let nodes = Lister::of([node]);
    /// assert!(nodes.get("n1").is_some());
    /// assert!(nodes.get("n2").is_none());
    /// ```
    #[doc(alias("fake", "mock"))]
    pub fn of(objects: impl IntoIterator<Item: Into<Arc<K>>>) -> Self {
        let store = Store::new(Vec::new());
        for object in objects {
            let object = store.prepare(object.into());
            store.write().apply(object);
        }
        store.pack();
        store.lister()
    }
}

impl<K: CacheObject, S: Source<K>> Lister<K, S> {
    /// Returns a lister of the objects of a namespace: that of a [name or of an object](NamespaceName).
    pub fn namespace<'a>(&self, namespace: impl NamespaceName<'a>) -> NamespaceLister<'a, K, S>
    where
        Scope<K>: NamespacedScope<K::Kind>,
    {
        NamespaceLister::new(self.clone(), namespace.into_name())
    }

    /// Returns the object with this name, for cluster-scoped kinds.
    pub fn get(&self, name: &str) -> Option<Arc<K>>
    where
        Scope<K>: ClusterScope<K::Kind>,
    {
        self.find(None, name)
    }

    /// Returns the object with this namespace and name. For cluster-scoped kinds, the namespace is `None`.
    pub fn find<'a>(&self, namespace: impl Into<Option<&'a str>>, name: &str) -> Option<Arc<K>> {
        let namespace = namespace.into();
        self.source.read(|Objects(objects)| objects.find(namespace, name).cloned())
    }

    /// Returns all objects.
    #[doc(alias = "all")]
    pub fn list(&self) -> Vec<Arc<K>> {
        self.query().list()
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.source.read(|Objects(objects)| objects.len())
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the objects whose labels match a [`LabelQuery`], its text, or the client's
    /// [`Labels`](crate::client::selector::Labels).
    ///
    /// # Errors
    ///
    /// Fails if the selector is invalid.
    pub fn labels<L: TryInto<LabelQuery>>(&self, selector: L) -> Result<Vec<Arc<K>>, L::Error> {
        Ok(self.query().labels(selector)?.list())
    }

    /// Returns the objects with an owner reference to this object.
    pub fn owned_by(&self, owner: &impl CacheObject) -> Vec<Arc<K>> {
        self.query().owned_by(owner).list()
    }

    /// Returns the objects with an owner reference to this uid.
    pub fn owned_by_uid(&self, uid: &str) -> Vec<Arc<K>> {
        self.query().owned_by_uid(uid).list()
    }

    /// Returns the objects with a value in an index.
    ///
    /// If the informer does not have the index, all objects are searched, and a warning is logged once.
    pub fn by<V, Q>(&self, index: &Index<K, V>, value: &Q) -> Vec<Arc<K>>
    where
        V: Borrow<Q> + Eq + Hash + Send + Sync + 'static,
        Q: Eq + Hash + ?Sized,
    {
        self.query().by(index, value).list()
    }

    /// Starts a query on the current objects.
    pub fn query(&self) -> Query<K> {
        Query::new(self.source.freeze().0)
    }

    /// Returns a snapshot of the current objects.
    pub fn snapshot(&self) -> Snapshot<K> {
        Lister::new(self.source.freeze())
    }
}

impl<K, S: Clone> Clone for Lister<K, S> {
    fn clone(&self) -> Self {
        Self::new(self.source.clone())
    }
}

impl<K: CacheObject, S: Source<K>> fmt::Debug for Lister<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lister").field(&format_args!("{} objects", self.len())).finish()
    }
}
