//! The namespaces that have the labels to which a manager is limited.

use std::{fmt::Display, future::pending, sync::Arc};

use k8s_openapi::api::core::v1::Namespace;
use kube_core::PartialObjectMeta;

use super::Manager;
use crate::{
    client::Verb,
    controller::{Access, monitor::Monitor},
    informer::{CacheObject, Informer, Informers, RunError, Subscription, places::FactoryNamespaces},
};

/// Only the labels matter.
pub(in crate::controller) type NamespaceMetadata = PartialObjectMeta<Namespace>;

impl Manager {
    /// Limits the manager to the namespaces with certain labels, as [`namespaces`](Self::namespaces) does to named ones:
    /// [`Labels`](crate::client::selector::Labels), or text such as `vms=enabled`. The last of these calls counts.
    ///
    /// The manager watches the metadata of these namespaces in each replica. Controllers and tasks start once they are listed.
    ///
    /// - A namespace that is created with the labels, or gets them, is [added](super::ManagerHandle::set_namespaces): its objects are
    ///   reconciled.
    /// - One that loses them is removed: nothing is reconciled there any more, and what its objects own remains. Their
    ///   [clean-ups](crate::controller::ControllerBuilder::finalizer) do not run either, so their finalizers keep them until the namespace
    ///   has the labels again.
    /// - One that is being deleted stays until it is gone, so that clean-ups run. Deletions of other objects just before that may not be
    ///   reconciled any more.
    ///
    /// The [roles](Self::rbac) are those for all namespaces, with `get`, `list` and `watch` of namespaces. To permit less, grant
    /// [those of some](crate::controller::Rbac::namespaces) before they get the labels: the [checks](Self#preflight) at the start are those of the
    /// namespaces that have them.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use crdkit::{Client, controller::{Action, Context, Controller, Error, Manager}, k8s_openapi::api::core::v1::ConfigMap};
    /// # async fn reconcile(_: Arc<ConfigMap>, _: Context<ConfigMap>) -> Result<Action, Error> { Ok(Action::Done) }
    /// fn manager(client: Client) -> Manager {
    ///     Manager::new(client).namespaces_with_labels("vms=enabled").add(Controller::of::<ConfigMap>().reconcile(reconcile))
    /// }
    /// ```
    #[doc(alias("namespaceSelector", "LabelSelector"))]
    pub fn namespaces_with_labels(self, selector: impl Display) -> Self {
        let manager = self.namespaces([""; 0]);
        manager.informers.namespaces().set_labels(Some(&selector.to_string()));
        manager
    }

    /// Returns the access to the namespaces, if labels select them.
    pub(super) fn access_to_namespaces(&self) -> Option<Access> {
        self.informers.namespaces().labels()?;
        Some(Access::to::<Namespace>([Verb::Get, Verb::List, Verb::Watch]))
    }
}

/// The namespaces with the labels, and those of the manager's informers, which follow them.
pub(super) struct LabelledNamespaces {
    informer: Arc<Informer<NamespaceMetadata>>,
    changes: Subscription<NamespaceMetadata>,
    selected: Arc<FactoryNamespaces>,
}

impl LabelledNamespaces {
    /// Starts to watch them, if labels select the namespaces.
    pub(super) fn watch(informers: &Informers, monitor: &Monitor) -> Option<Self> {
        let selected = informers.namespaces().clone();
        let informer = Arc::new(informers.of::<NamespaceMetadata>().labels(selected.labels()?).start());
        let changes = informer.subscribe();
        let _ = monitor.namespaces.set(Arc::downgrade(&informer));
        Some(Self { informer, changes, selected })
    }

    /// Waits until they are listed, and selects them.
    pub(super) async fn listed(&mut self) -> Result<(), RunError> {
        self.informer.listed_in_time().await?;
        self.select();
        Ok(())
    }

    /// Selects those that have the labels, until it is dropped.
    pub(super) async fn follow(mut self) {
        while self.changes.next_batch().await.is_some() {
            self.select();
        }
        pending::<()>().await;
    }

    fn select(&self) {
        let namespaces = self.informer.lister().list();
        self.selected.limit(namespaces.iter().map(|namespace| namespace.name().to_owned()));
    }
}
