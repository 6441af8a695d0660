//! The hub version of a kind with its spokes.

use std::marker::PhantomData;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceConversion;

use super::{Converter, Spoke};
use crate::{CustomResource, crd::merge::Versions};

/// A version of the kind `K`: its hub `K` itself, or a spoke of it. Implemented by the derives.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a version of the hub `{K}`",
    label = "add `#[derive(Convert)]` and `#[convert(hub = ...)]` with this hub to its spec"
)]
pub trait VersionOf<K>: CustomResource {}

impl<K: CustomResource> VersionOf<K> for K {}

/// All versions of a kind: the hub `K`, and the spokes that convert to it.
///
/// A program declares them once. The definition, the conversion webhook and the tests use this declaration:
///
/// ```
/// mod v1 {
///     # use crdkit::{CustomResource, KubeSchema};
///     # use serde::{Deserialize, Serialize};
///     #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
///     #[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
///     pub struct MachineSpec {
///         pub memory: String,
///     }
/// }
///
/// mod v1alpha1 {
///     # use crdkit::{convert::Convert, CustomResource, KubeSchema};
///     # use serde::{Deserialize, Serialize};
///     #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
///     #[crd(group = "example.com", version = "v1alpha1", kind = "Machine", namespaced)]
///     #[convert(hub = super::v1::Machine)]
///     pub struct MachineSpec {
///         #[convert(to = "memory")]
///         pub ram: String,
///     }
/// }
///
/// use crdkit::{convert::Hub, emit::Crds, merge::ConversionWebhook};
///
/// fn machines() -> Hub<v1::Machine> {
///     Hub::new().spoke::<v1alpha1::Machine>().store_as::<v1::Machine>()
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let webhook = ConversionWebhook::service("operators", "machines").path("/convert");
/// let yaml = Crds::new().add_versions(machines().versions(webhook)).to_yaml()?;
/// assert!(yaml.contains("strategy: Webhook"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use]
pub struct Hub<K> {
    converter: Converter,
    versions: Versions,
    kind: PhantomData<fn() -> K>,
}

impl<K: CustomResource> Hub<K> {
    /// Creates a list with the hub version only.
    #[expect(clippy::new_without_default, reason = "a kind is always named")]
    pub fn new() -> Self {
        Self { converter: Converter::of::<K>(), versions: Versions::new().add::<K>(), kind: PhantomData }
    }

    /// Adds a version that converts to the hub.
    pub fn spoke<S: Spoke<Hub = K>>(mut self) -> Self {
        self.converter.add::<S>();
        self.versions = self.versions.add::<S>();
        self
    }

    /// Stores objects in this version, whatever the attribute `storage` of the versions is. It must be one of those in the list.
    pub fn store_as<V: VersionOf<K>>(mut self) -> Self {
        self.versions = self.versions.store_as::<V>();
        self
    }

    /// Returns the versions for [merging](crate::merge), [emission](crate::emit::Crds::add_versions) and installation, with the
    /// webhook that converts them, such as a [`ConversionWebhook`](crate::merge::ConversionWebhook).
    pub fn versions(&self, conversion: impl Into<CustomResourceConversion>) -> Versions {
        self.versions.clone().conversion(conversion)
    }

    /// Returns the versions without a conversion, for the API server of a test, which converts with a function.
    #[doc(hidden)]
    pub fn without_conversion(&self) -> Versions {
        self.versions.clone()
    }

    /// Returns the conversion of objects between the versions.
    pub fn converter(&self) -> Converter {
        self.converter.clone()
    }
}

impl<K> Clone for Hub<K> {
    fn clone(&self) -> Self {
        Self { converter: self.converter.clone(), versions: self.versions.clone(), kind: PhantomData }
    }
}

impl<K: CustomResource> From<Hub<K>> for Converter {
    fn from(hub: Hub<K>) -> Self {
        hub.converter
    }
}
