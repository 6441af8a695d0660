use std::sync::Arc;

use super::Unstructured;
use crate::client::{
    Client, Resources,
    discovery::{Discovery, DiscoveryError, ResourceArg, ServedResource},
    scope::{AllNamespaces, InNamespace},
};

impl Client {
    /// Returns a handle to objects of kinds that are specified at run time.
    pub fn dynamic(&self) -> Dynamic {
        Dynamic { discovery: self.discovery(), client: self.clone() }
    }
}

/// A handle to objects of kinds that are specified at run time.
#[derive(Clone, Debug)]
pub struct Dynamic {
    client: Client,
    discovery: Discovery,
}

impl Dynamic {
    /// Returns a handle to the objects of a kind: by a word such as `vm`, a `GroupVersionKind` or a
    /// [`GroupVersionResource`](crate::client::discovery::GroupVersionResource).
    ///
    /// # Errors
    ///
    /// The same as for [`Discovery::find`].
    pub async fn resources(&self, resource: impl Into<ResourceArg>) -> Result<DynamicResources, DiscoveryError> {
        Ok(self.of(self.discovery.find(resource).await?))
    }

    /// Returns a handle to the objects of a resource that discovery returned.
    pub fn of(&self, resource: Arc<ServedResource>) -> DynamicResources {
        DynamicResources { resources: self.client.resources_with(resource.api_resource()), resource }
    }
}

/// The objects of one kind without a scope. Its methods choose a scope, and check that the kind supports it.
#[derive(Clone, Debug)]
pub struct DynamicResources {
    resources: Resources<Unstructured>,
    resource: Arc<ServedResource>,
}

/// A scope that a kind does not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// The kind is namespaced, and no namespace is chosen.
    #[error("`{resource}` is namespaced: choose a namespace with `.namespace(...)`")]
    Namespaced {
        /// The resource, with its group.
        resource: String,
    },
    /// The kind is cluster-scoped.
    #[error("`{resource}` is cluster-scoped and has no namespaces: use `.cluster()`")]
    Cluster {
        /// The resource, with its group.
        resource: String,
    },
}

impl DynamicResources {
    /// Returns the discovered resource.
    pub fn resource(&self) -> &Arc<ServedResource> {
        &self.resource
    }

    /// Selects the objects in a namespace.
    ///
    /// # Errors
    ///
    /// [`ScopeError::Cluster`] if the kind is cluster-scoped.
    pub fn namespace(&self, namespace: &str) -> Result<Resources<Unstructured, InNamespace>, ScopeError> {
        if self.resource.is_namespaced() {
            Ok(self.resources.namespace(namespace))
        } else {
            Err(ScopeError::Cluster { resource: self.resource.qualified_name() })
        }
    }

    /// Selects the objects of a cluster-scoped kind.
    ///
    /// # Errors
    ///
    /// [`ScopeError::Namespaced`] if the kind is namespaced.
    pub fn cluster(&self) -> Result<Resources<Unstructured>, ScopeError> {
        if self.resource.is_namespaced() {
            Err(ScopeError::Namespaced { resource: self.resource.qualified_name() })
        } else {
            Ok(self.resources.clone())
        }
    }

    /// Selects the objects in a namespace if the kind is namespaced, and in the cluster otherwise, as kubectl does for
    /// a manifest.
    pub fn namespace_if_any(&self, namespace: &str) -> Resources<Unstructured, InNamespace> {
        let namespace = self.resource.is_namespaced().then_some(namespace);
        self.resources.at(namespace)
    }

    /// Selects the objects in all namespaces, which can be listed, watched or deleted as a collection.
    pub fn all_namespaces(&self) -> Resources<Unstructured, AllNamespaces> {
        self.resources.all_namespaces()
    }
}
