//! What a controller says about failures, beside the log.

use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};

use super::{super::ReconciledKind, ControllerBuilder};
use crate::{
    conditions::{NewCondition, StatusConditions},
    controller::{condition_text::message, context::Run, failures::FAILED},
    resource::subresource::StatusSubresource,
};

/// The reason of the condition after a success.
const RECONCILED: &str = "Reconciled";

impl<K: ReconciledKind, T: Send + Sync + 'static> ControllerBuilder<K, T> {
    /// Reports failures as events of the object, so that `kubectl describe` and `kubectl get events` say why it waits and when it is
    /// reconciled again. They are in the log in any case.
    ///
    /// | after | event |
    /// |---|---|
    /// | the third failure in a row, and each further one | `ReconcileFailed`: the error, and within which time it is tried again |
    /// | [`retry_after`](crate::controller::retry_after) | the same with this time, at once |
    /// | a [`terminal`](crate::controller::terminal) error | the same at once: it is not tried again until the object changes |
    /// | a success after three failures or more | `Reconciled` |
    ///
    /// The failures of an object are one series of [events](crate::controller::Context::event), which takes two requests, and one in half
    /// an hour. Who may read events sees the texts of the errors: those of this crate's client have no values of objects.
    ///
    /// An object that waits for others, such as for a Secret that it refers to, is no failure: set a condition, such as that of
    /// [`Referred`](crate::controller::Referred::condition).
    ///
    /// ```no_run
    /// # use crdkit::controller::{ControllerBuilder, ReconciledKind};
    /// # fn example<K: ReconciledKind>(builder: ControllerBuilder<K>) -> ControllerBuilder<K> {
    /// builder.report_failures()
    /// # }
    /// ```
    ///
    /// ```text
    /// $ kubectl describe virtualmachine web
    /// Warning  ReconcileFailed  2m (x7 over 9m)  virtualmachine  the quota is exhausted; it is tried again within 600s, sooner after fewer failures
    /// ```
    pub fn report_failures(mut self) -> Self {
        self.settings.reports_failures = true;
        self
    }

    /// Sets a condition of this type while reconciliations fail, with the same texts and after the same failures as the events of
    /// [`report_failures`](Self::report_failures). It becomes false with the next success.
    ///
    /// It is written together with the status that the reconcile function has set. A panic, a time limit and a failed clean-up do not set
    /// it.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use crdkit::{CustomResource, KubeSchema, controller::{Action, Context, Controller, Error}};
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// # #[crd(group = "example.com", version = "v1", kind = "App", namespaced, status = "AppStatus")]
    /// # struct AppSpec {}
    /// # #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
    /// # struct AppStatus { #[serde(default)] conditions: Vec<Condition> }
    /// # async fn reconcile(_: Arc<App>, _: Context<App>) -> Result<Action, Error> { Ok(Action::Done) }
    /// # fn example() -> Controller {
    /// Controller::of::<App>().failure_condition("Failing").reconcile(reconcile)
    /// # }
    /// ```
    pub fn failure_condition<Source>(mut self, type_: &'static str) -> Self
    where
        K: StatusSubresource<Status: Default + Serialize + DeserializeOwned + Send + StatusConditions<Source>>,
    {
        let set = move |run: &Run<K>, object: &K, failure: Option<&str>| {
            let condition = match failure {
                Some(failure) => NewCondition::is_true(type_, FAILED).message(&message(failure)),
                None if is_failing::<K, Source>(object, type_) => NewCondition::is_false(type_, RECONCILED),
                None => return,
            };
            // It is written with the rest of the status.
            run.status(object).set_condition(condition);
        };
        self.settings.failure_condition = Some(Arc::new(set));
        self
    }
}

fn is_failing<K, Source>(object: &K, type_: &str) -> bool
where
    K: ReconciledKind + StatusSubresource<Status: StatusConditions<Source>>,
{
    let mut object = object.clone();
    let conditions = object.status_mut().as_mut().map(StatusConditions::list_mut);
    conditions.is_some_and(|conditions| conditions.iter().any(|it| it.type_ == type_ && it.status == "True"))
}
