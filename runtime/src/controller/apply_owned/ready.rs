//! Whether the objects that were applied are what their specs ask for.

use std::{fmt, sync::Arc};

use futures_util::future::{BoxFuture, FutureExt};

use super::{ApplyOwned, ApplyOwnedError};
use crate::{
    conditions::NewCondition,
    controller::{
        ReconciledKind, StaticKind,
        condition_text::{is_reason, message},
    },
    informer::ObjectKey,
    status::{self, ObjectStatus, State},
};

/// The reason of a condition if all objects are ready.
const READY: &str = "Ready";

impl<'a, K: ReconciledKind, C: StaticKind> ApplyOwned<'a, K, C> {
    /// Applies the objects, and returns how far they are, by the rules of [kstatus](crate::status).
    ///
    /// It does not wait: the owner is reconciled again when an owned object changes. Where only their metadata is cached, an object that
    /// has not changed is read from the API server.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use crdkit::{Apply, CustomResource, KubeSchema, controller::{Action, Context, Error}};
    /// # use k8s_openapi::{api::apps::v1::Deployment, apimachinery::pkg::apis::meta::v1::Condition};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// # #[crd(group = "example.com", version = "v1", kind = "App", namespaced, status = "AppStatus")]
    /// # struct AppSpec {}
    /// # #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
    /// # struct AppStatus { #[serde(default)] conditions: Vec<Condition> }
    /// # fn deployment(app: &App) -> Deployment { todo!() }
    /// async fn reconcile(app: Arc<App>, cx: Context<App>) -> Result<Action, Error> {
    ///     let ready = cx.apply_owned(&app, [deployment(&app)]).ready().await?;
    ///     cx.status(&app).set_condition(ready.condition("Ready")).await?;
    ///     Ok(Action::Done)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`apply_owned`](super::Context::apply_owned).
    pub fn ready(self) -> BoxFuture<'a, Result<Readiness<C>, ApplyOwnedError>> {
        async { Ok(Readiness::of(self.send().await?)) }.boxed()
    }
}

/// How far owned objects are. It displays those that are not ready, one in each line.
#[derive(Clone, Debug)]
pub struct Readiness<C> {
    objects: Vec<Arc<C>>,
    not_ready: Vec<NotReady>,
}

/// An owned object that is not ready. It displays as ``Deployment `web`: InProgress: LessReady: 1 of 3 replicas are ready``.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotReady {
    /// The kind, such as `Deployment`.
    pub kind: String,
    /// Its namespace and its name.
    pub key: ObjectKey,
    /// How far it is.
    pub status: ObjectStatus,
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`: {}", self.kind, self.key, self.status)
    }
}

impl<C: StaticKind> Readiness<C> {
    fn of(objects: Vec<Arc<C>>) -> Self {
        let not_ready = objects.iter().filter_map(|object| {
            let status = status::of(&**object);
            let key = ObjectKey::of(&**object);
            (!status.is_current()).then(|| NotReady { kind: C::kind(&()).into_owned(), key, status })
        });
        Self { not_ready: not_ready.collect(), objects }
    }
}

impl<C> Readiness<C> {
    /// Returns the stored objects, in the order in which they were given.
    pub fn objects(&self) -> &[Arc<C>] {
        &self.objects
    }

    /// Returns whether all objects are ready.
    pub fn is_ready(&self) -> bool {
        self.not_ready.is_empty()
    }

    /// Returns the objects that are not ready.
    pub fn not_ready(&self) -> &[NotReady] {
        &self.not_ready
    }

    /// Returns a condition of the owner: true if all objects are ready. Otherwise it has the reason of an object that has failed, or
    /// else of the first that is not ready, and its message names all of them.
    pub fn condition(&self, type_: &str) -> NewCondition {
        let failed = self.not_ready.iter().find(|object| object.status.state == State::Failed);
        let Some(first) = failed.or(self.not_ready.first()) else {
            return NewCondition::is_true(type_, READY);
        };
        // That of a condition of others may be none that the API server accepts, or empty.
        let state = first.status.state.to_string();
        let reason = Some(&first.status.reason).filter(|reason| is_reason(reason)).unwrap_or(&state);
        NewCondition::is_false(type_, reason).message(&message(&self.to_string()))
    }
}

impl<C> fmt::Display for Readiness<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, object) in self.not_ready.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "\n" })?;
            object.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
    use serde_json::json;

    use super::*;

    fn pod(name: &str, phase: &str) -> Arc<Pod> {
        Arc::new(serde_json::from_value(json!({ "metadata": { "name": name }, "status": { "phase": phase } })).unwrap())
    }

    #[test]
    fn a_condition_says_what_is_not_ready() {
        let readiness = Readiness::of(vec![pod("a", "Succeeded"), pod("b", "Pending"), pod("c", "")]);
        assert!(!readiness.is_ready());
        assert_eq!(readiness.objects().len(), 3);
        let expected = "Pod `b`: InProgress: PodPending: the Pod is pending\nPod `c`: InProgress: PodNotObserved: the Pod has no phase yet";
        assert_eq!(readiness.to_string(), expected);
        let mut conditions = Vec::new();
        crate::conditions::set_condition(&mut conditions, readiness.condition("Ready"));
        let condition = &conditions[0];
        assert_eq!((condition.status.as_str(), condition.reason.as_str()), ("False", "PodPending"));
        assert_eq!(condition.message, expected);
    }

    #[test]
    fn nothing_is_ready_at_once() {
        let readiness = Readiness::<PersistentVolumeClaim>::of(Vec::new());
        assert!(readiness.is_ready());
        let mut conditions = Vec::new();
        crate::conditions::set_condition(&mut conditions, readiness.condition("Ready"));
        assert_eq!((conditions[0].status.as_str(), conditions[0].reason.as_str()), ("True", "Ready"));
    }
}
