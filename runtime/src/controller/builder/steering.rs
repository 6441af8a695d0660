//! The annotations by which users steer the controller.

use super::ControllerBuilder;
use crate::controller::ReconciledKind;

impl<K: ReconciledKind, T: Send + Sync + 'static> ControllerBuilder<K, T> {
    /// Pauses objects that have an annotation, such as `infra.example.com/paused`, with any value but `false`.
    ///
    /// A paused object is left alone: it is not reconciled, gets no finalizer, and is not cleaned up, so that its deletion waits for the
    /// end of the pause, as with Cluster API and Crossplane. What the controller owns remains, and changes of it are reconciled
    /// afterwards. So are requeues that were due meanwhile. A reconciliation that runs when the annotation is set completes.
    ///
    /// If the type has a field `conditions` in its status, a paused object has the condition `Paused` with the status `True`, and `False`
    /// after the pause. A status that has other required fields must have been written before. The [metric](crate::controller::ServeOptions)
    /// `crdkit_paused_objects` counts the objects.
    ///
    /// ```console
    /// kubectl annotate virtualmachine web infra.example.com/paused=true
    /// kubectl annotate virtualmachine web infra.example.com/paused-
    /// ```
    ///
    /// ```
    /// # use crdkit::controller::{ControllerBuilder, ReconciledKind};
    /// # fn example<K: ReconciledKind>(builder: ControllerBuilder<K>) -> ControllerBuilder<K> {
    /// builder.pause_by("infra.example.com/paused").reconcile_requested_by("infra.example.com/requestedAt")
    /// # }
    /// ```
    #[doc(alias("suspend", "cluster.x-k8s.io/paused", "crossplane.io/paused"))]
    pub fn pause_by(mut self, annotation: &str) -> Self {
        self.settings.steering.pause = Some(annotation.to_owned());
        self
    }

    /// Sets the type of the condition of [paused](Self::pause_by) objects: `Paused` by default.
    ///
    /// Controllers of the same objects that different annotations pause have different conditions.
    pub fn paused_condition(mut self, type_: &str) -> Self {
        type_.clone_into(&mut self.settings.steering.paused_condition);
        self
    }

    /// Reconciles an object when the value of an annotation, such as `infra.example.com/requestedAt`, changes, as Flux does for
    /// `reconcile.fluxcd.io/requestedAt`.
    ///
    /// The value is any text that is new, such as the time. The reconciliation gets it from
    /// [`Context::reconcile_request`](crate::controller::Context::reconcile_request). When that has ended, also if it failed, the value is
    /// written to the field `lastHandledReconcileAt` of the status, if the type has that as a text: so whoever set the annotation knows
    /// when to look at the conditions, and another process does not handle the request again. Retries after a failure in the same process
    /// get the request until one succeeds.
    ///
    /// Without the field, a process handles each request once, and again after a restart. The request for a [paused](Self::pause_by) object
    /// is handled after the pause.
    ///
    /// ```console
    /// kubectl annotate --overwrite virtualmachine web infra.example.com/requestedAt="$(date +%s)"
    /// ```
    #[doc(alias("requestedAt", "lastHandledReconcileAt", "force-sync", "ReconcileRequestAnnotation"))]
    pub fn reconcile_requested_by(mut self, annotation: &str) -> Self {
        self.settings.steering.request = Some(annotation.to_owned());
        self
    }

    /// Sets the field of the status that has the last handled [request](Self::reconcile_requested_by): `lastHandledReconcileAt` by default.
    ///
    /// Controllers of the same objects have different fields.
    pub fn handled_request_field(mut self, field: &str) -> Self {
        field.clone_into(&mut self.settings.steering.handled_field);
        self
    }
}
