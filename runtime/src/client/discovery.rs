//! Discovery: the kinds that an API server serves, with their names, scopes, verbs and subresources.
//!
//! ```no_run
//! # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::discovery::DiscoveryError> {
//! let discovery = client.discovery();
//! let vm = discovery.find("vm").await?; // a short name; or a plural, a singular, a kind, a GVK, a GVR
//! println!("{} in {}, namespaced: {}", vm.plural, vm.group, vm.is_namespaced());
//!
//! for resource in discovery.category("all").await? {
//!     println!("kubectl get all lists {}", resource.plural);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The clones of a client share a cache of the discovered resources. The cache is refreshed when a resource is not
//! found in it, so that new kinds are found. [`Discovery::refresh`] refreshes it immediately, for example after a kind
//! was removed.

mod api_resources;
mod cache;
mod error;
mod fetch;
mod legacy;
mod lookup;
mod resource;
mod resource_arg;

use std::{sync::Arc, time::Duration};

pub use api_resources::{ApiResources, ServedGroup, ServedVersion, UnavailableGroup};
pub(crate) use cache::Cache;
pub use error::DiscoveryError;
use lookup::Miss;
pub use resource::{ServedResource, ServedSubresource};
pub use resource_arg::{GroupVersionResource, ResourceArg};

use super::Client;

/// Default of [`Discovery::interval`].
const INTERVAL: Duration = Duration::from_secs(1);

impl Client {
    /// Returns a handle to the resources that the API server serves.
    pub fn discovery(&self) -> Discovery {
        Discovery { client: self.clone(), interval: INTERVAL }
    }
}

/// The resources that an API server serves, found by any of their names.
#[derive(Clone, Debug)]
pub struct Discovery {
    client: Client,
    interval: Duration,
}

impl Discovery {
    /// Sets the minimum time between two refreshes that are caused by a missing resource; 1 s by default.
    #[must_use]
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Returns all served resources from the cache.
    ///
    /// # Errors
    ///
    /// If the cache is empty and the API server does not respond.
    pub async fn api_resources(&self) -> Result<Arc<ApiResources>, DiscoveryError> {
        Ok(self.cache().current(&self.client).await?.api_resources.clone())
    }

    /// Requests all served resources from the API server.
    ///
    /// # Errors
    ///
    /// If the API server does not respond. Groups that do not respond are not an error: [`ApiResources::unavailable`]
    /// contains them.
    pub async fn refresh(&self) -> Result<Arc<ApiResources>, DiscoveryError> {
        Ok(self.cache().refresh(&self.client).await?.api_resources.clone())
    }

    /// Finds a resource by a word such as `vm`, a `GroupVersionKind` or a [`GroupVersionResource`].
    ///
    /// [`ResourceArg`] describes how words are interpreted.
    ///
    /// # Errors
    ///
    /// [`DiscoveryError::Unknown`] if there is none, [`DiscoveryError::NotServed`] if it is served only in other
    /// versions, [`DiscoveryError::Ambiguous`] if there are several, and the errors of the request.
    pub async fn find(&self, arg: impl Into<ResourceArg>) -> Result<Arc<ServedResource>, DiscoveryError> {
        let arg = arg.into();
        self.look_up(|api_resources| api_resources.look_up(&arg)).await
    }

    /// Returns the resources of a category such as `all`, each in its preferred version.
    ///
    /// # Errors
    ///
    /// [`DiscoveryError::UnknownCategory`] if the category is empty, and the errors of the request.
    pub async fn category(&self, name: &str) -> Result<Vec<Arc<ServedResource>>, DiscoveryError> {
        self.look_up(|api_resources| api_resources.look_up_category(name)).await
    }

    /// Looks in the cache, and after a miss in a refreshed cache.
    async fn look_up<T>(&self, look: impl Fn(&ApiResources) -> Result<T, Miss>) -> Result<T, DiscoveryError> {
        let known = self.cache().current(&self.client).await?;
        let miss = match look(&known.api_resources) {
            Err(miss) if miss.may_appear() => miss,
            result => return Ok(result?),
        };
        let newer = self.cache().newer_than(&known, self.interval, &self.client);
        match newer.await? {
            Some(newer) => Ok(look(&newer.api_resources)?),
            None => Err(miss.into()),
        }
    }

    fn cache(&self) -> &Cache {
        &self.client.connection.discovery
    }
}

#[cfg(test)]
mod tests;
