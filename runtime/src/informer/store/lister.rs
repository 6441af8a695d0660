//! Reads objects.

use std::{
    any::Any,
    borrow::{Borrow, Cow},
    fmt,
    hash::Hash,
    marker::PhantomData,
    sync::Arc,
};

use kube_core::Resource;

use super::{
    Index, LabelQuery, NamespaceLister, Query, Snapshot, Store,
    source::{Live, Objects, Source},
};
use crate::{
    client::scope::{ClusterScope, NamespacedScope},
    informer::CacheObject,
};

type Scope<K> = <<K as CacheObject>::Kind as Resource>::Scope;

/// Reads the objects that an informer keeps. It is cheap to clone, and nothing that it does waits for the API server.
///
/// Each read sees the objects as they are at that moment. For several reads of the same state, take a
/// [`snapshot`](Self::snapshot), which has the same methods. Objects that are found come in no particular order.
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
/// An object of a kind in namespaces has no name of its own, one of the cluster has no namespace:
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
        Self {
            source,
            kind: PhantomData,
        }
    }
}

impl<K: CacheObject> Lister<K> {
    /// Keeps an informer running as long as it is read by this.
    pub(crate) fn keeping(self, informer: Arc<dyn Any + Send + Sync>) -> Self {
        Self::new(self.source.keeping(informer))
    }

    /// Reads these objects, which no informer changes: for tests of what reads objects, such as a reconciler.
    ///
    /// Of objects with the same namespace and name, the last one counts.
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
    /// The objects of a namespace.
    pub fn namespace<'a>(&self, namespace: impl Into<Cow<'a, str>>) -> NamespaceLister<'a, K, S>
    where
        Scope<K>: NamespacedScope<K::Kind>,
    {
        NamespaceLister::new(self.clone(), namespace.into())
    }

    /// The object of this name, of a kind of the cluster.
    pub fn get(&self, name: &str) -> Option<Arc<K>>
    where
        Scope<K>: ClusterScope<K::Kind>,
    {
        self.find(None, name)
    }

    /// The object of this namespace and name, or, of a kind of the cluster, of `None` and the name.
    pub fn find<'a>(&self, namespace: impl Into<Option<&'a str>>, name: &str) -> Option<Arc<K>> {
        let namespace = namespace.into();
        self.source.read(|Objects(objects)| {
            let (_, object) = objects.find(namespace, name)?;
            Some(object.clone())
        })
    }

    /// All objects.
    pub fn all(&self) -> Vec<Arc<K>> {
        self.query().list()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.source.read(|Objects(objects)| objects.len())
    }

    /// Whether there is no object.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The objects with such labels: a [`LabelQuery`], text for one, or the client's [`Labels`](crate::client::Labels).
    ///
    /// # Errors
    ///
    /// If the selector cannot be understood.
    pub fn labels<L: TryInto<LabelQuery>>(&self, selector: L) -> Result<Vec<Arc<K>>, L::Error> {
        Ok(self.query().labels(selector)?.list())
    }

    /// The objects that have this one among their owners.
    pub fn owned_by(&self, owner: &impl CacheObject) -> Vec<Arc<K>> {
        self.query().owned_by(owner).list()
    }

    /// The objects that have the one of this uid among their owners.
    pub fn owned_by_uid(&self, uid: &str) -> Vec<Arc<K>> {
        self.query().owned_by_uid(uid).list()
    }

    /// The objects that have the value in an index.
    ///
    /// If the informer does not keep the index, all objects are searched, and a warning says so once.
    pub fn by<V, Q>(&self, index: &Index<K, V>, value: &Q) -> Vec<Arc<K>>
    where
        V: Borrow<Q> + Eq + Hash + Send + Sync + 'static,
        Q: Eq + Hash + ?Sized,
    {
        self.query().by(index, value).list()
    }

    /// All objects of this moment, to be narrowed down.
    pub fn query(&self) -> Query<K> {
        Query::new(self.source.freeze().0)
    }

    /// The objects of this moment.
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
        let objects = format_args!("{} objects", self.len());
        f.debug_tuple("Lister").field(&objects).finish()
    }
}
