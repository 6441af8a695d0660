use std::{fmt::Debug, marker::PhantomData};

use kube_core::Resource;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Client,
    endpoint::Endpoint,
    scope::{AllNamespaces, InNamespace, KubeScope, NamespacedScope, Unscoped},
};

/// A type that can be sent to and read from the API server. All types that meet the bounds are.
pub trait Object:
    Resource + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

impl<K> Object for K where
    K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

/// The objects of one kind in one [place](super::place).
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
/// Nodes have no namespace:
///
/// ```compile_fail,E0277
/// # use k8s_openapi::api::core::v1::Node;
/// # fn example(client: crdkit::Client) {
/// client.resources::<Node>().namespace("default");
/// # }
/// ```
///
/// A pod's name means nothing without one:
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
    place: PhantomData<P>,
}

impl<K: Resource> Resources<K> {
    pub(crate) fn new(client: Client, kind: K::DynamicType) -> Self {
        Self {
            endpoint: Endpoint::new(client, kind),
            place: PhantomData,
        }
    }
}

impl<K: Resource, P> Resources<K, P> {
    /// The objects in a namespace.
    #[must_use]
    pub fn namespace(&self, namespace: &str) -> Resources<K, InNamespace>
    where
        K::Scope: NamespacedScope<K>,
    {
        self.at(Some(namespace))
    }

    /// The objects in the [namespace of the context](Client::default_namespace).
    #[must_use]
    pub fn default_namespace(&self) -> Resources<K, InNamespace>
    where
        K::Scope: NamespacedScope<K>,
    {
        self.at(Some(self.endpoint.client.default_namespace()))
    }

    /// The objects in all namespaces.
    #[must_use]
    pub fn all_namespaces(&self) -> Resources<K, AllNamespaces>
    where
        K::Scope: NamespacedScope<K>,
    {
        self.at(None)
    }

    /// Lists of the objects are of this kind: that of `spec.names.listKind` of a CustomResourceDefinition. Derived types
    /// know theirs, and others are taken to end in `List`. A list of another kind is accepted only if it has items that
    /// all say that they are of the requested kind.
    #[must_use]
    pub fn list_kind(&self, list_kind: &str) -> Self {
        Self {
            endpoint: self.endpoint.with_list_kind(list_kind),
            place: PhantomData,
        }
    }

    /// Kube's handle to the same objects. It knows no options and none of the place's restrictions.
    pub fn api(&self) -> kube::Api<K>
    where
        K::Scope: KubeScope<K>,
    {
        let endpoint = &self.endpoint;
        let kube = endpoint.client.kube().clone();
        K::Scope::api(kube, endpoint.kind(), endpoint.namespace())
    }

    /// The client that makes the requests, with the options of this handle.
    pub fn client(&self) -> &Client {
        &self.endpoint.client
    }

    pub(super) fn at<Q>(&self, namespace: Option<&str>) -> Resources<K, Q> {
        Resources {
            endpoint: self.endpoint.at(namespace),
            place: PhantomData,
        }
    }

    option_methods!(endpoint.client.options);
}

impl<K: Resource, P> Clone for Resources<K, P> {
    fn clone(&self) -> Self {
        Self {
            endpoint: self.endpoint.clone(),
            place: PhantomData,
        }
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
