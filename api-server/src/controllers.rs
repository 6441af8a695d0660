//! Controllers of a cluster, each on by choice.

use super::ApiServer;

#[cfg(feature = "controllers")]
mod autoscaler;
pub(super) mod conditions;
mod garbage;
mod metadata;
mod namespace_contents;
mod namespaces;
mod request;
pub(super) mod running;
#[cfg(feature = "controllers")]
mod workloads;

use garbage::GarbageCollector;
use namespace_contents::ServiceAccountController;
use namespaces::NamespaceController;
use running::Controller;
#[cfg(feature = "controllers")]
pub use workloads::PodState;

/// # Controllers
///
/// Controllers that a cluster runs, and that a test may need. None is on by default.
///
/// They run within each request that writes, after its response is determined and before the client has it, until nothing is left
/// to do. So a test never waits for them and needs no clock; watches have all events in between. To see the states in between,
/// call [`Self::with_manual_controllers`], after which they run in [`Self::settle`].
///
/// Webhooks that are closures and return at once are called for what controllers write. What another webhook has to allow is not
/// written.
impl ApiServer {
    /// Collects garbage: deletes objects whose owners are gone, and finishes foreground deletion and orphaning.
    ///
    /// ```
    /// # use crdkit_api_server::ApiServer;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = ApiServer::new().with_garbage_collection().with_objects("
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: { name: owner }
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: { name: owned, ownerReferences: [{ apiVersion: v1, kind: ConfigMap, name: owner }] }
    /// ");
    /// server.client().resources::<ConfigMap>().namespace("default").delete("owner").await?;
    /// assert!(server.snapshot().objects().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_garbage_collection(self) -> Self {
        self.enable(GarbageCollector::default())
    }

    /// Deletes the objects of namespaces that are deleted, and then the namespaces.
    pub fn with_namespace_deletion(self) -> Self {
        self.enable(NamespaceController::default())
    }

    /// Creates the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt` in each namespace.
    pub fn with_service_accounts(self) -> Self {
        self.enable(ServiceAccountController::default())
    }

    /// Runs the controllers only in [`Self::settle`].
    pub fn with_manual_controllers(self) -> Self {
        self.state(|state| state.controllers.is_manual = true);
        self
    }

    /// Runs the controllers until nothing is left to do. This is only needed after
    /// [`Self::with_manual_controllers`], to evaluate autoscalers, and if the clock or what a function of the test returns has
    /// changed.
    pub fn settle(&self) {
        self.state(running::evaluate);
    }

    /// Runs a controller, instead of an earlier one with the same name.
    fn enable(self, controller: impl Controller + 'static) -> Self {
        self.state(|state| state.controllers.add(Box::new(controller), &state.store));
        self
    }
}
