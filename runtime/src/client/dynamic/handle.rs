use std::sync::Arc;

use super::Unstructured;
use crate::client::{
    Client, Resources,
    discovery::{Discovery, DiscoveryError, ResourceArg, ServedResource},
    scope::{AllNamespaces, InNamespace},
};

impl Client {
    /// Objects of kinds that are known at run time.
    pub fn dynamic(&self) -> Dynamic {
        Dynamic {
            discovery: self.discovery(),
            client: self.clone(),
        }
    }
}

/// The way to objects of kinds that are known at run time.
#[derive(Clone, Debug)]
pub struct Dynamic {
    client: Client,
    discovery: Discovery,
}

impl Dynamic {
    /// The objects of a kind: by a word such as `vm`, a `GroupVersionKind` or a
    /// [`GroupVersionResource`](crate::client::GroupVersionResource).
    ///
    /// # Errors
    ///
    /// As for [`Discovery::find`].
    pub async fn resources(
        &self,
        wanted: impl Into<ResourceArg>,
    ) -> Result<DynamicResources, DiscoveryError> {
        Ok(self.of(self.discovery.find(wanted).await?))
    }

    /// The objects of a kind that was found before.
    pub fn of(&self, resource: Arc<ServedResource>) -> DynamicResources {
        DynamicResources {
            resources: self.client.resources_with(resource.api_resource()),
            resource,
        }
    }
}

/// The objects of one kind, wherever they live. Its methods choose a place, and refuse what the kind's scope does not allow.
#[derive(Clone, Debug)]
pub struct DynamicResources {
    resources: Resources<Unstructured>,
    resource: Arc<ServedResource>,
}

/// A place that the scope of a kind does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// The kind has namespaces, and none was chosen.
    #[error("objects of `{resource}` live in namespaces: choose one with `.namespace(...)`")]
    Namespaced {
        /// The resource, with its group.
        resource: String,
    },
    /// The kind has no namespaces.
    #[error("`{resource}` is cluster-scoped, it has no namespaces: use `.cluster()`")]
    Cluster {
        /// The resource, with its group.
        resource: String,
    },
}

impl DynamicResources {
    /// What discovery says of the kind.
    pub fn resource(&self) -> &Arc<ServedResource> {
        &self.resource
    }

    /// The objects in a namespace.
    ///
    /// # Errors
    ///
    /// [`ScopeError::Cluster`] if the kind has no namespaces.
    pub fn namespace(
        &self,
        namespace: &str,
    ) -> Result<Resources<Unstructured, InNamespace>, ScopeError> {
        match self.resource.is_namespaced() {
            true => Ok(self.resources.namespace(namespace)),
            false => Err(ScopeError::Cluster {
                resource: self.resource.qualified_name(),
            }),
        }
    }

    /// The objects of a kind without namespaces.
    ///
    /// # Errors
    ///
    /// [`ScopeError::Namespaced`] if it has some.
    pub fn cluster(&self) -> Result<Resources<Unstructured>, ScopeError> {
        match self.resource.is_namespaced() {
            true => Err(ScopeError::Namespaced {
                resource: self.resource.qualified_name(),
            }),
            false => Ok(self.resources.clone()),
        }
    }

    /// The objects in a namespace, or in the cluster if the kind has no namespaces: what a manifest means.
    pub fn namespace_if_any(&self, namespace: &str) -> Resources<Unstructured, InNamespace> {
        let namespace = self.resource.is_namespaced().then_some(namespace);
        self.resources.at(namespace)
    }

    /// All objects, to be listed, watched or deleted together.
    pub fn everywhere(&self) -> Resources<Unstructured, AllNamespaces> {
        self.resources.all_namespaces()
    }
}
