//! Controllers of kinds that are known at run time.

use kube_core::{ApiResource, Resource};

use super::{Controller, ControllerBuilder};
use crate::{
    client::discovery::ServedResource,
    controller::{ReconciledKind, kind::KindData},
};

impl Controller {
    /// Builds a controller of a kind that is known at run time: from [discovery](crate::Client::discovery), or from a
    /// [definition](ServedResource::of_definition).
    ///
    /// Its objects are [`Unstructured`](crate::client::dynamic::Unstructured) or kube's `DynamicObject`. All else is as for other
    /// controllers, but for [references](ControllerBuilder::refers), which need a type.
    /// [`ManagerHandle::add`](crate::controller::ManagerHandle::add) adds it to a manager that runs.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use crdkit::{
    ///     client::{discovery::ServedResource, dynamic::Unstructured},
    ///     controller::{Action, Context, Controller, Error},
    ///     k8s_openapi::api::core::v1::ConfigMap,
    /// };
    ///
    /// fn controller(kind: &ServedResource) -> Controller {
    ///     Controller::of_kind::<Unstructured>(kind).owns::<ConfigMap>().reconcile(reconcile)
    /// }
    ///
    /// async fn reconcile(object: Arc<Unstructured>, cx: Context<Unstructured>) -> Result<Action, Error> {
    ///     let mut config = ConfigMap::default();
    ///     config.metadata.name = object.metadata.name.clone();
    ///     config.data = Some([("image".to_owned(), object.get_str("spec.image")?.to_owned())].into());
    ///     cx.apply_owned(&object, [config]).await?;
    ///     cx.status(&object).update(|status| status["phase"] = "Ready".into());
    ///     Ok(Action::Done)
    /// }
    /// ```
    #[doc(alias("DynamicObject", "unstructured", "new_with"))]
    pub fn of_kind<K: ReconciledKind + Resource<DynamicType = ApiResource>>(
        kind: &ServedResource,
    ) -> ControllerBuilder<K> {
        Self::builder(KindData::served(kind))
    }
}
