//! What an API server serves: kinds, their names, scopes, verbs and parts.
//!
//! ```no_run
//! # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::DiscoveryError> {
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
//! What was discovered is kept, and shared by the clones of a client. It is asked for again when something is not found
//! in it, so that a kind that appears is found; [`Discovery::refresh`] asks again at once, as for a kind that went.

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

const INTERVAL: Duration = Duration::from_secs(1);

impl Client {
    /// What the API server serves.
    pub fn discovery(&self) -> Discovery {
        Discovery {
            client: self.clone(),
            interval: INTERVAL,
        }
    }
}

/// What an API server serves, found by any of its names.
#[derive(Clone, Debug)]
pub struct Discovery {
    client: Client,
    interval: Duration,
}

impl Discovery {
    /// How long after it was asked the API server is not asked again because something is not found: 1 s unless set.
    #[must_use]
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// All that is served, as it was when it was last asked for.
    ///
    /// # Errors
    ///
    /// If it was never asked for and the API server does not answer.
    pub async fn catalog(&self) -> Result<Arc<ApiResources>, DiscoveryError> {
        Ok(self.cache().current(&self.client).await?.catalog.clone())
    }

    /// All that is served now.
    ///
    /// # Errors
    ///
    /// If the API server does not answer. Groups that do not answer are no error: [`ApiResources::unavailable`] has them.
    pub async fn refresh(&self) -> Result<Arc<ApiResources>, DiscoveryError> {
        Ok(self.cache().refresh(&self.client).await?.catalog.clone())
    }

    /// The resource that is meant: a word such as `vm`, a `GroupVersionKind` or a [`GroupVersionResource`].
    ///
    /// [`ResourceArg`] says how words are read.
    ///
    /// # Errors
    ///
    /// [`DiscoveryError::Unknown`] if there is none, [`DiscoveryError::NotServed`] if there is in other versions alone,
    /// [`DiscoveryError::Ambiguous`] if there are several, and those of the request.
    pub async fn find(
        &self,
        wanted: impl Into<ResourceArg>,
    ) -> Result<Arc<ServedResource>, DiscoveryError> {
        let wanted = wanted.into();
        self.look_up(|catalog| catalog.look_up(&wanted)).await
    }

    /// The resources of a category such as `all`, each in its preferred version.
    ///
    /// # Errors
    ///
    /// [`DiscoveryError::UnknownCategory`] if there are none, and those of the request.
    pub async fn category(&self, name: &str) -> Result<Vec<Arc<ServedResource>>, DiscoveryError> {
        self.look_up(|catalog| catalog.look_up_category(name)).await
    }

    /// Looks in what is known, and once more in what is served now if it is not there.
    async fn look_up<T>(
        &self,
        look: impl Fn(&ApiResources) -> Result<T, Miss>,
    ) -> Result<T, DiscoveryError> {
        let known = self.cache().current(&self.client).await?;
        let miss = match look(&known.catalog) {
            Err(miss) if miss.may_appear() => miss,
            result => return Ok(result?),
        };
        let newer = self.cache().newer_than(&known, self.interval, &self.client);
        match newer.await? {
            Some(newer) => Ok(look(&newer.catalog)?),
            None => Err(miss.into()),
        }
    }

    fn cache(&self) -> &Cache {
        &self.client.connection.discovery
    }
}

#[cfg(test)]
mod tests;
