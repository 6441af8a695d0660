//! Handles that write nothing.

use std::fmt;

use kube_core::Resource;

use super::{
    ListRequest, Met, RequestFuture, WaitUntil, WaitUntilDeleted, WatchRequest,
    resources::{Object, Resources},
    scope::{AllNamespaces, InNamespace, Listable, NamespaceName, NamespacedScope, SingleObject, Unscoped},
};

impl<K: Resource, P> Resources<K, P> {
    /// Returns a handle to the same objects that has no methods which write, for functions that must not.
    ///
    /// ```no_run
    /// use crdkit::client::{ReadOnlyResources, scope::InNamespace};
    /// use k8s_openapi::api::core::v1::Secret;
    ///
    /// async fn password(secrets: &ReadOnlyResources<Secret, InNamespace>) -> Result<Option<Vec<u8>>, crdkit::client::Error> {
    ///     let secret = secrets.get("database").await?;
    ///     Ok(secret.data.and_then(|mut data| data.remove("password")).map(|value| value.0))
    /// }
    ///
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::Error> {
    /// let secrets = client.resources::<Secret>().namespace("default").read_only();
    /// let password = password(&secrets).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The compiler rejects a write:
    ///
    /// ```compile_fail,E0599
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # fn example(client: crdkit::Client) {
    /// client.resources::<Secret>().namespace("default").read_only().delete("database");
    /// # }
    /// ```
    #[doc(alias("client.Reader"))]
    pub fn read_only(&self) -> ReadOnlyResources<K, P> {
        ReadOnlyResources(self.clone())
    }
}

/// A handle to the objects of one kind in one [scope](super::scope) that writes nothing: [`Resources::read_only`] returns it.
///
/// It is a promise about code, and not about the program: whoever has a [`Client`](crate::Client) can write. What a program may do in a cluster is in its
/// roles, which a read-only handle needs `get`, `list` and `watch` for.
pub struct ReadOnlyResources<K: Resource, P = Unscoped>(Resources<K, P>);

impl<K: Resource, P> ReadOnlyResources<K, P> {
    /// Selects the objects in a namespace, as [`Resources::namespace`].
    #[must_use]
    pub fn namespace<'a>(&self, namespace: impl NamespaceName<'a>) -> ReadOnlyResources<K, InNamespace>
    where
        K::Scope: NamespacedScope<K>,
    {
        self.0.namespace(namespace).read_only()
    }

    /// Selects the objects in the namespace of an object, as [`Resources::beside`].
    #[must_use]
    pub fn beside<O>(&self, object: &O) -> ReadOnlyResources<K, InNamespace>
    where
        K::Scope: NamespacedScope<K>,
        O: Resource<Scope: NamespacedScope<O>>,
    {
        self.0.beside(object).read_only()
    }

    /// Selects the objects in the [namespace of the context](crate::Client::default_namespace).
    #[must_use]
    pub fn default_namespace(&self) -> ReadOnlyResources<K, InNamespace>
    where
        K::Scope: NamespacedScope<K>,
    {
        self.0.default_namespace().read_only()
    }

    /// Selects the objects in all namespaces.
    #[must_use]
    pub fn all_namespaces(&self) -> ReadOnlyResources<K, AllNamespaces>
    where
        K::Scope: NamespacedScope<K>,
    {
        self.0.all_namespaces().read_only()
    }
}

impl<K: Object, P> ReadOnlyResources<K, P> {
    /// Reads an object, as [`Resources::get`].
    ///
    /// # Errors
    ///
    /// As [`Resources::get`].
    pub fn get<'a>(&'a self, name: &'a str) -> RequestFuture<'a, K>
    where
        P: SingleObject<K>,
    {
        self.0.get(name)
    }

    /// Reads an object, as [`Resources::get_opt`].
    ///
    /// # Errors
    ///
    /// As [`Resources::get_opt`].
    pub fn get_opt<'a>(&'a self, name: &'a str) -> RequestFuture<'a, Option<K>>
    where
        P: SingleObject<K>,
    {
        self.0.get_opt(name)
    }

    /// Lists the objects, as [`Resources::list`].
    pub fn list(&self) -> ListRequest<K>
    where
        P: Listable<K>,
    {
        self.0.list()
    }

    /// Watches the objects, as [`Resources::watch`].
    pub fn watch(&self) -> WatchRequest<K>
    where
        P: Listable<K>,
    {
        self.0.watch()
    }

    /// Waits until an object is in a state, as [`Resources::wait_until`].
    ///
    /// # Errors
    ///
    /// As [`Resources::wait_until`].
    pub fn wait_until<'a, F, R>(&'a self, name: &'a str, is_met: F) -> WaitUntil<'a, K, F>
    where
        P: SingleObject<K>,
        F: FnMut(&K) -> R + Send,
        R: Into<Met>,
    {
        self.0.wait_until(name, is_met)
    }

    /// Waits until an object that you already have is in a state, as [`Resources::wait_for`].
    ///
    /// # Errors
    ///
    /// As [`Resources::wait_for`].
    pub fn wait_for<'a, F, R>(&'a self, object: &'a K, is_met: F) -> WaitUntil<'a, K, F>
    where
        P: Listable<K>,
        F: FnMut(&K) -> R + Send,
        R: Into<Met>,
    {
        self.0.wait_for(object, is_met)
    }

    /// Waits until an object is deleted, as [`Resources::wait_until_deleted`].
    ///
    /// # Errors
    ///
    /// As [`Resources::wait_until_deleted`].
    pub fn wait_until_deleted<'a>(&'a self, name: &'a str) -> WaitUntilDeleted<'a, K>
    where
        P: SingleObject<K>,
    {
        self.0.wait_until_deleted(name)
    }
}

impl<K: Resource, P> Clone for ReadOnlyResources<K, P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Resource, P> fmt::Debug for ReadOnlyResources<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReadOnlyResources").field(&self.0).finish()
    }
}
