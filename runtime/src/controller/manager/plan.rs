//! Plans what the controllers of a manager would write.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt, join_all};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use super::{
    super::{
        StaticKind,
        plan::{Plan, PlanError, Planning},
        preflight,
        write_fence::Fence,
    },
    Manager, ManagerContext, ManagerError, Phase,
    labelled_namespaces::LabelledNamespaces,
};
use crate::json::json_value::to_value;

impl Manager {
    /// Plans what the controllers would write now, without writing it: for tests, and before a new version of an operator is deployed.
    ///
    /// Each reconcile function is called once for each object, or for [given](PlanRequest::object) ones, with a client whose writes are dry
    /// runs of the API server: it processes, defaults and validates them, calls admission webhooks that support it, and stores nothing. That
    /// includes the requests of kube's own client. What a run has written, it reads again by name; lists and listers have what is stored.
    /// A plan has also what is pruned, the status and the finalizers; an object that is being deleted is planned up to its next finalizer,
    /// and of a [paused](crate::controller::ControllerBuilder::pause_by) one only its condition.
    /// Events are neither sent nor planned.
    ///
    /// - An object in a namespace that the run would create, or of a kind, cannot be processed: it is shown as it is sent, with a
    ///   [note](crate::controller::PlannedWrite::notes). So is an object that admission refuses because it refers to one that the run
    ///   would create, such as a Pod with a PriorityClass.
    /// - Requests to other systems are the function's own: it must not send any while it is planned.
    /// - The user of the client needs the permissions of the [roles](Self::rbac): a dry run requires the same as the write. No lease is
    ///   acquired, and tasks, webhooks and servers are not started.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use crdkit::{Client, CustomResource, KubeSchema, controller::{Action, Context, Controller, Error, Manager}};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use serde::{Deserialize, Serialize};
    /// # use serde_json::json;
    /// # #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// # #[crd(group = "example.com", version = "v1", kind = "App", namespaced)]
    /// # struct AppSpec { size: i32 }
    /// async fn reconcile(app: Arc<App>, cx: Context<App>) -> Result<Action, Error> {
    ///     let config = json!({ "metadata": { "name": app.metadata.name }, "data": { "size": app.spec.size.to_string() } });
    ///     cx.apply_owned::<ConfigMap>(&app, [config]).await?;
    ///     Ok(Action::Done)
    /// }
    ///
    /// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let manager = Manager::new(client.field_manager("app-operator"))
    ///     .add(Controller::of::<App>().owns::<ConfigMap>().reconcile(reconcile));
    ///
    /// let mut app = App::new("web", AppSpec { size: 3 });
    /// app.metadata.namespace = Some("default".into());
    /// let plan = manager.plan().object(&app).await?;
    /// println!("{plan}");
    /// let summaries: Vec<_> = plan.writes().map(|write| write.summary()).collect();
    /// assert_eq!(summaries, ["apply ConfigMap default/web"]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias("dry run", "diff"))]
    pub fn plan(self) -> PlanRequest {
        PlanRequest { manager: self, given: Vec::new() }
    }
}

/// A request for a [plan](Manager::plan). Awaiting it plans.
#[must_use = "nothing is planned until it is awaited"]
pub struct PlanRequest {
    manager: Manager,
    given: Vec<Value>,
}

impl PlanRequest {
    /// Plans the reconciliation of this object, which is not stored either, instead of those in the cluster: it is applied in a dry run
    /// first. Several calls add up.
    pub fn object<K: StaticKind>(self, object: &K) -> Self {
        // What cannot be encoded has no kind, and is reported as that.
        let mut value = to_value(object).unwrap_or_default();
        value["apiVersion"] = K::api_version(&()).into();
        value["kind"] = K::kind(&()).into();
        self.objects([value])
    }

    /// Plans the reconciliation of these objects, which have an `apiVersion` and a `kind`, such as those of a file.
    pub fn objects(mut self, objects: impl IntoIterator<Item = impl Serialize>) -> Self {
        self.given.extend(objects.into_iter().map(|object| to_value(&object).unwrap_or_default()));
        self
    }
}

impl IntoFuture for PlanRequest {
    type Output = Result<Plan, PlanError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.plan().boxed()
    }
}

impl PlanRequest {
    async fn plan(self) -> Result<Plan, PlanError> {
        let Self { manager, given } = self;
        manager.check_settings().map_err(ManagerError::Settings)?;
        if manager.runs_preflight {
            let served = preflight::check_served(&manager.client, &manager.rbac()).await;
            served.map_err(|error| ManagerError::Preflight(Box::new(error)))?;
        }
        let namespaces = LabelledNamespaces::watch(&manager.informers, &manager.monitor);
        if let Some(mut namespaces) = namespaces {
            namespaces.listed().await.map_err(ManagerError::Namespaces)?;
        }
        let (_phase, phases) = watch::channel(Phase::Active);
        let planning = Arc::new(Planning::of(given));
        let shared = ManagerContext {
            client: manager.client,
            fence: Arc::<Fence>::default(),
            identity: String::new(),
            shards: None,
            phase: phases,
            monitor: manager.monitor,
            planning: Some(planning.clone()),
            removal: None,
            added: None,
        };
        let names: Vec<_> = manager.controllers.iter().map(|controller| controller.name.clone()).collect();
        let running = manager.controllers.into_iter().map(|controller| {
            let (name, running) = (controller.name, controller.start.map(|start| start(&shared)));
            async move {
                match running {
                    Some(running) => running.await.map_err(|source| ManagerError::Controller { name, source }),
                    None => Ok(()),
                }
            }
        });
        let running: Vec<_> = running.collect();
        join_all(running).await.into_iter().collect::<Result<Vec<()>, _>>()?;
        Ok(Plan::new(planning.finish()?, &names))
    }
}
