//! Controllers of a cluster, each on by choice.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, Method, header};
use k8s_openapi::api::{autoscaling::v2::HorizontalPodAutoscaler, core::v1::Pod};
use serde_json::Value;

use super::{
    ApiServer,
    failure::Failure,
    request::{Call, Request},
    response::Content,
    route::Target,
    state::State,
    store::{Change, Key, Write},
    user::User,
};

mod autoscaler;
pub(super) mod conditions;
mod garbage;
mod metadata;
mod namespaces;
mod service_accounts;
mod workloads;

use autoscaler::Autoscaler;
use garbage::GarbageCollector;
use namespaces::NamespaceController;
pub use workloads::PodState;
use workloads::Workloads;

/// The rounds after which controllers that answer each other without end are left alone until the next write.
const MAX_ROUNDS: usize = 1_000;

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
    /// # use crdkit::testing::ApiServer;
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
        self.enable(|controllers| controllers.garbage = Some(GarbageCollector::default()))
    }

    /// Deletes the objects of namespaces that are deleted, and then the namespaces.
    pub fn with_namespace_deletion(self) -> Self {
        self.enable(|controllers| controllers.namespaces = Some(NamespaceController::default()))
    }

    /// Creates the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt` in each namespace.
    pub fn with_service_accounts(self) -> Self {
        self.enable(|controllers| controllers.has_service_accounts = true)
    }

    /// Runs Deployments, ReplicaSets and Jobs, and their Pods and others as a function decides.
    ///
    /// Pods are replaced at once, without deadlines, back-off, indexes, policies and finalizers of Jobs. The names of ReplicaSets have
    /// other hashes than in a cluster.
    ///
    /// The function gets each Pod that has not ended. If what it returns changes, call [`Self::settle`].
    ///
    /// ```
    /// # use crdkit::testing::{ApiServer, PodState};
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = ApiServer::new().with_workloads(PodState::usual);
    /// let deployments = server.client().resources::<Deployment>().namespace("default");
    /// let web = serde_json::from_value(serde_json::json!({
    ///     "metadata": { "name": "web" },
    ///     "spec": {
    ///         "replicas": 3,
    ///         "selector": { "matchLabels": { "app": "web" } },
    ///         "template": {
    ///             "metadata": { "labels": { "app": "web" } },
    ///             "spec": { "containers": [{ "name": "main", "image": "web:1" }] },
    ///         },
    ///     },
    /// }))?;
    /// deployments.create(&web).await?;
    /// assert_eq!(deployments.get("web").await?.status.unwrap().available_replicas, Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_workloads(self, runner: impl Fn(&Pod) -> PodState + Send + Sync + 'static) -> Self {
        self.enable(|controllers| controllers.workloads = Some(Workloads::new(runner)))
    }

    /// Scales the targets of HorizontalPodAutoscalers, through their subresource `scale`, by the value of a metric.
    ///
    /// A function returns the current value: a utilization in percent or the average of the Pods, whatever the first metric of the
    /// autoscaler has as its target. Each call of [`Self::settle`] evaluates each autoscaler once, without stabilization and scaling policies.
    ///
    /// ```
    /// # use crdkit::testing::ApiServer;
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = ApiServer::new().with_autoscaling(|_| Some(90.0)).with_objects("
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: { name: web }
    /// spec:
    ///   replicas: 2
    ///   selector: { matchLabels: { app: web } }
    ///   template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: main, image: web }] } }
    /// ---
    /// apiVersion: autoscaling/v2
    /// kind: HorizontalPodAutoscaler
    /// metadata: { name: web }
    /// spec:
    ///   scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
    ///   maxReplicas: 10
    ///   metrics:
    ///   - type: Resource
    ///     resource: { name: cpu, target: { type: Utilization, averageUtilization: 60 } }
    /// ");
    /// server.settle();
    /// let deployments = server.client().resources::<Deployment>().namespace("default");
    /// assert_eq!(deployments.get("web").await?.spec.replicas, Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_autoscaling(
        self,
        metric: impl Fn(&HorizontalPodAutoscaler) -> Option<f64> + Send + Sync + 'static,
    ) -> Self {
        self.enable(|controllers| controllers.autoscaler = Some(Autoscaler::new(metric)))
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
        self.state(|state| {
            if let Some(autoscaler) = state.controllers.autoscaler.take() {
                autoscaler.run(state);
                state.controllers.autoscaler = Some(autoscaler);
            }
            state.controllers.pending = state.all_as_writes();
            state.settle();
        });
    }

    fn enable(self, change: impl FnOnce(&mut Controllers)) -> Self {
        self.state(|state| {
            change(&mut state.controllers);
            state.controllers.pending = state.all_as_writes();
        });
        self
    }
}

/// The controllers that are on, and the changes that they have not seen.
#[derive(Default)]
pub(super) struct Controllers {
    garbage: Option<GarbageCollector>,
    namespaces: Option<NamespaceController>,
    workloads: Option<Workloads>,
    autoscaler: Option<Autoscaler>,
    has_service_accounts: bool,
    is_manual: bool,
    pending: Vec<Write>,
}

impl Controllers {
    fn are_on(&self) -> bool {
        self.garbage.is_some() || self.namespaces.is_some() || self.workloads.is_some() || self.has_service_accounts
    }
}

impl State {
    /// Runs controllers after changes, unless the test does.
    pub(super) fn settle_after(&mut self, writes: Vec<Write>) {
        if !self.controllers.are_on() {
            return;
        }
        self.controllers.pending.extend(writes);
        if !self.controllers.is_manual {
            self.settle();
        }
    }

    fn settle(&mut self) {
        let mut controllers = std::mem::take(&mut self.controllers);
        for _ in 0..MAX_ROUNDS {
            let mut writes = std::mem::take(&mut controllers.pending);
            writes.extend(self.store.take_writes());
            if writes.is_empty() {
                break;
            }
            if let Some(garbage) = &mut controllers.garbage {
                garbage.run(self, &writes);
            }
            if let Some(namespaces) = &mut controllers.namespaces {
                namespaces.run(self, &writes);
            }
            if let Some(workloads) = &controllers.workloads {
                workloads.run(self, &writes);
            }
            if controllers.has_service_accounts {
                service_accounts::run(self, &writes);
            }
        }
        self.controllers = controllers;
    }

    /// Forgets what controllers have seen, after the objects were replaced.
    pub(super) fn restart_controllers(&mut self) {
        self.controllers.garbage = self.controllers.garbage.take().map(|_| GarbageCollector::default());
        self.controllers.namespaces = self.controllers.namespaces.take().map(|_| NamespaceController::default());
        self.controllers.pending = self.all_as_writes();
    }

    /// Returns all objects, in their order, as if they had just been created.
    fn all_as_writes(&self) -> Vec<Write> {
        let mut collections: Vec<_> = self.store.collections().collect();
        collections.sort_by_key(|(resource, _)| *resource);
        let writes = collections.into_iter().flat_map(|(resource, collection)| {
            collection.objects().map(move |(key, stored)| Write {
                resource: resource.to_owned(),
                change: Change {
                    revision: stored.revision,
                    key: key.clone(),
                    before: None,
                    after: stored.clone(),
                    is_deletion: false,
                },
            })
        });
        writes.collect()
    }

    /// Returns a stored object of a resource by its qualified name.
    fn find(&self, resource: &str, key: &Key) -> Option<Value> {
        self.store.get(resource, key).map(|stored| stored.value())
    }

    /// Sends a request of a controller, as kube-controller-manager does.
    fn request(&mut self, request: ControllerRequest<'_>) -> Result<Value, Failure> {
        let ControllerRequest { method, resource, key, subresource, body } = request;
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        let resource = self.resource(group, plural).ok_or_else(Failure::no_such_path)?.clone();
        let version = resource.storage();
        let target = Target {
            group: group.to_owned(),
            version: resource.versions[version].spec.name.clone(),
            namespace: Some(key.namespace.clone()).filter(|it| !it.is_empty()),
            plural: plural.to_owned(),
            name: Some(key.name.clone()).filter(|it| !it.is_empty()),
            subresource: subresource.map(str::to_owned),
        };
        let media_type = match method {
            Method::PATCH => "application/merge-patch+json",
            _ => "application/json",
        };
        let headers = [
            (header::USER_AGENT, HeaderValue::from_static("kube-controller-manager")),
            (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        ];
        let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
        let uri = http::Uri::from_static("/");
        let request = Request { method, uri, headers: HeaderMap::from_iter(headers), body };
        let mut call = Call::new(resource, version, target, request, Arc::new(User::admin()));
        let mut result = self.handle(&call);
        // Controllers do not wait for webhooks, so that only those answer that are closures.
        while call.external.is_waiting() && call.external.wait().now_or_never().is_some() {
            result = self.handle(&call);
        }
        let reply = result?;
        Ok(match reply.content {
            Content::Object(object) | Content::Document(object) => object,
            Content::Written(written) => written.object,
            Content::Stored(stored) => stored.value(),
            _ => Value::Null,
        })
    }
}

/// A request of a controller.
struct ControllerRequest<'r> {
    method: Method,
    /// The qualified name of the resource.
    resource: &'r str,
    /// The name is empty for a collection.
    key: &'r Key,
    subresource: Option<&'r str>,
    body: Value,
}

impl<'r> ControllerRequest<'r> {
    fn new(method: Method, resource: &'r str, key: &'r Key, body: Value) -> Self {
        Self { method, resource, key, subresource: None, body }
    }

    fn create(resource: &'r str, collection: &'r Key, body: Value) -> Self {
        Self::new(Method::POST, resource, collection, body)
    }

    fn update(resource: &'r str, key: &'r Key, body: Value) -> Self {
        Self::new(Method::PUT, resource, key, body)
    }

    fn patch(resource: &'r str, key: &'r Key, body: Value) -> Self {
        Self::new(Method::PATCH, resource, key, body)
    }

    fn delete(resource: &'r str, key: &'r Key, options: Value) -> Self {
        Self::new(Method::DELETE, resource, key, options)
    }

    fn subresource(self, subresource: &'r str) -> Self {
        Self { subresource: Some(subresource), ..self }
    }
}
