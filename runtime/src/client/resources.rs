use std::{fmt::Debug, marker::PhantomData};

use kube_core::Resource;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Client,
    endpoint::Endpoint,
    scope::{AllNamespaces, InNamespace, KubeScope, NamespaceName, NamespacedScope, Unscoped},
};

/// A type that can be sent to and read from the API server. It is implemented for all types that satisfy the bounds.
pub trait Object: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<K> Object for K where K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static {}

/// A typed handle to the objects of one kind in one [scope](super::scope).
///
/// ```no_run
/// # use k8s_openapi::api::core::v1::{Node, Pod};
/// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::Error> {
/// let pod = client.resources::<Pod>().namespace("default").get("web").await?;
/// let pods = client.resources::<Pod>().all_namespaces().list().await?;
/// let node = client.resources::<Node>().get("n1").await?;
/// # Ok(())
/// # }
/// ```
///
/// Nodes are not namespaced:
///
/// ```compile_fail,E0277
/// # use k8s_openapi::api::core::v1::Node;
/// # fn example(client: crdkit::Client) {
/// client.resources::<Node>().namespace("default");
/// # }
/// ```
///
/// A pod's name requires a namespace:
///
/// ```compile_fail,E0277
/// # use k8s_openapi::api::core::v1::Pod;
/// # fn example(client: crdkit::Client) {
/// client.resources::<Pod>().all_namespaces().get("web");
/// # }
/// ```
#[doc(alias("Api", "clientset"))]
pub struct Resources<K: Resource, P = Unscoped> {
    pub(crate) endpoint: Endpoint<K>,
    scope: PhantomData<P>,
}

impl<K: Resource> Resources<K> {
    pub(crate) fn new(client: Client, kind: K::DynamicType) -> Self {
        Self { endpoint: Endpoint::new(client, kind), scope: PhantomData }
    }
}

impl<K: Resource, P> Resources<K, P> {
    /// Selects the objects in a namespace: that of a [name or of an object](NamespaceName).
    #[must_use]
    pub fn namespace<'a>(&self, namespace: impl NamespaceName<'a>) -> Resources<K, InNamespace>
    where
        K::Scope: NamespacedScope<K>,
    {
        self.at(Some(&namespace.into_name()))
    }

    /// Selects the objects in the namespace of an object of a namespaced kind, such as the owner of the objects.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{batch::v1::{CronJob, Job}};
    /// # async fn example(client: crdkit::Client, cron: CronJob) -> Result<(), crdkit::client::Error> {
    /// let jobs = client.resources::<Job>().beside(&cron).list().await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn beside<O>(&self, object: &O) -> Resources<K, InNamespace>
    where
        K::Scope: NamespacedScope<K>,
        O: Resource<Scope: NamespacedScope<O>>,
    {
        self.namespace(object.meta().namespace.as_deref())
    }

    /// Selects the objects in the [namespace of the context](Client::default_namespace).
    #[must_use]
    pub fn default_namespace(&self) -> Resources<K, InNamespace>
    where
        K::Scope: NamespacedScope<K>,
    {
        self.at(Some(self.endpoint.client.default_namespace()))
    }

    /// Selects the objects in all namespaces.
    #[must_use]
    pub fn all_namespaces(&self) -> Resources<K, AllNamespaces>
    where
        K::Scope: NamespacedScope<K>,
    {
        self.at(None)
    }

    /// Sets the kind of the lists: `spec.names.listKind` of the CustomResourceDefinition.
    ///
    /// Derived types specify theirs; for others, the default is the kind with the suffix `List`. A list of another kind
    /// is accepted only if it has items and all of them are of the requested kind.
    #[must_use]
    pub fn list_kind(&self, list_kind: &str) -> Self {
        Self { endpoint: self.endpoint.with_list_kind(list_kind), scope: PhantomData }
    }

    /// Returns kube's handle to the same objects, without the options and the scope restrictions of this handle.
    pub fn api(&self) -> kube::Api<K>
    where
        K::Scope: KubeScope<K>,
    {
        let endpoint = &self.endpoint;
        let kube = endpoint.client.kube().clone();
        K::Scope::api(kube, endpoint.kind(), endpoint.namespace())
    }

    /// Returns the client that sends the requests, with the options of this handle.
    pub fn client(&self) -> &Client {
        &self.endpoint.client
    }

    pub(super) fn at<Q>(&self, namespace: Option<&str>) -> Resources<K, Q> {
        Resources { endpoint: self.endpoint.at(namespace), scope: PhantomData }
    }

    option_methods!(endpoint.target.client.options);
}

impl<K: Resource, P> Clone for Resources<K, P> {
    fn clone(&self) -> Self {
        Self { endpoint: self.endpoint.clone(), scope: PhantomData }
    }
}

impl<K: Resource, P> Debug for Resources<K, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resources")
            .field("path", &self.endpoint.collection())
            .field("client", &self.endpoint.client)
            .finish()
    }
}
