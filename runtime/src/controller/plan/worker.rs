//! Plans the reconciliations of one controller.

use std::sync::Arc;

use serde_json::Value;

use super::{PlanError, PlannedRun, Planning, planning::key_of_kind};
use crate::{
    Client,
    client::plan::PlannedRequests,
    controller::{
        Action, Context, ReconciledKind,
        context::Run,
        error::describe,
        worker::{Ended, Next, Worker},
        write_fence::{Fence, WritePermit},
    },
    informer::ObjectKey,
};

/// The field manager with which given objects are applied, in a dry run.
const FIELD_MANAGER: &str = "crdkit-plan";

impl<K: ReconciledKind, T: Send + Sync + 'static> Worker<K, T> {
    /// Plans the reconciliations of the given objects, or of all that the cache has.
    pub(in crate::controller) async fn plan(&self, controller: &str, planning: &Planning) {
        for object in planning.given(&self.kind) {
            match self.plan_given(controller, object).await {
                Ok(run) => planning.add(run),
                Err(error) => planning.fail(error),
            }
        }
        if !planning.is_of_cluster() {
            return;
        }
        let cached = self.caches.reconciled::<K>().map(|cached| cached.snapshot().into_iter().collect::<Vec<_>>());
        for object in cached.unwrap_or_default() {
            let key = ObjectKey::of(&*object);
            planning.add(self.plan_one(controller, key, object, PlannedRequests::default()).await);
        }
    }

    async fn plan_given(&self, controller: &str, object: &Value) -> Result<PlannedRun, PlanError> {
        let key = key_of_kind(&self.kind, object, self.client.default_namespace());
        let requests = PlannedRequests::default();
        let applied = self.apply_given(&requests.client(&self.client), &key, object).await;
        let applied =
            applied.map_err(|message| PlanError::Apply { kind: self.kind.name(), key: key.clone(), message })?;
        // What is planned is what follows from it.
        requests.take();
        Ok(self.plan_one(controller, key, Arc::new(applied), requests).await)
    }

    /// Returns an object as the API server would store it.
    async fn apply_given(&self, client: &Client, key: &ObjectKey, object: &Value) -> Result<K, String> {
        let endpoint = self.kind.endpoint(&client.field_manager(FIELD_MANAGER).force(), key.namespace());
        let mut object = object.clone();
        for field in ["resourceVersion", "uid"] {
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.remove(field);
            }
        }
        let applied = endpoint.apply(key.name(), None, &object).await;
        applied.map(|(object, _)| object).map_err(|error| error.to_string())
    }

    async fn plan_one(
        &self,
        controller: &str,
        key: ObjectKey,
        object: Arc<K>,
        requests: PlannedRequests,
    ) -> PlannedRun {
        let permit = Arc::new(WritePermit::Manager(Arc::<Fence>::default()));
        let client = requests.client(&self.client);
        let run = Run { client, planned: Some(object), ..self.run(&key, permit.clone()) };
        let context = Context::new(Arc::new(run), self.state.clone());
        let (error, requeue_after) = match self.step(&context, &permit, 1).await {
            Ended::Next(Next::Act(Action::Requeue(after))) => (None, Some(after)),
            Ended::Next(_) => (None, None),
            Ended::Failed(error) => (Some(describe(&error)), None),
            Ended::Panicked(message) => (Some(message.to_string()), None),
            Ended::TimedOut(timed_out) => (Some(timed_out.to_string()), None),
        };
        let (writes, unchanged) = requests.take();
        let (controller, kind) = (controller.to_owned(), self.kind.name());
        PlannedRun { controller, kind, key, error, requeue_after, unchanged, writes }
    }
}
