//! Controllers of a cluster, each on by choice.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, Method, header};
use serde_json::Value;

use super::{
    ApiServer,
    external::Stop,
    failure::Failure,
    request::{Call, Request},
    response::Content,
    route::Target,
    state::State,
    store::{Change, Key, Write},
    user::User,
};

#[cfg(feature = "controllers")]
mod autoscaler;
pub(super) mod conditions;
mod garbage;
mod metadata;
mod namespaces;
mod service_accounts;
#[cfg(feature = "controllers")]
mod workloads;

use garbage::GarbageCollector;
use namespaces::NamespaceController;
use service_accounts::ServiceAccountController;
#[cfg(feature = "controllers")]
pub use workloads::PodState;

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
        self.enable(ServiceAccountController)
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
            let mut controllers = std::mem::take(&mut state.controllers);
            controllers.running.values_mut().for_each(|controller| controller.evaluate(state));
            state.controllers = Controllers { pending: state.all_as_writes(), ..controllers };
            state.settle();
        });
    }

    /// Runs a controller, instead of an earlier one with the same name.
    fn enable(self, controller: impl Controller + 'static) -> Self {
        self.state(|state| {
            state.controllers.running.insert(controller.name(), Box::new(controller));
            state.controllers.pending = state.all_as_writes();
        });
        self
    }
}

/// The controllers that are on, and the changes that they have not seen.
#[derive(Default)]
pub(super) struct Controllers {
    /// The controllers by their names, in whose order they run.
    running: BTreeMap<&'static str, Box<dyn Controller>>,
    is_manual: bool,
    pending: Vec<Write>,
}

/// A controller. What it writes fails if it must, and is tried again after the next change.
trait Controller: Send {
    /// Returns the name that kube-controller-manager has for it.
    fn name(&self) -> &'static str;

    /// Does what changes require.
    fn run(&mut self, state: &mut State, writes: &[Write]);

    /// Does what a time that has passed, or the test, requires.
    fn evaluate(&mut self, _state: &mut State) {}

    /// Forgets what it has seen.
    fn restart(&mut self) {}
}

impl State {
    /// Runs controllers after changes, unless the test does.
    pub(super) fn settle_after(&mut self, writes: Vec<Write>) {
        if self.controllers.running.is_empty() {
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
            controllers.running.values_mut().for_each(|controller| controller.run(self, &writes));
        }
        self.controllers = controllers;
    }

    /// Forgets what controllers have seen, after the objects were replaced.
    pub(super) fn restart_controllers(&mut self) {
        self.controllers.running.values_mut().for_each(|controller| controller.restart());
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
        let reply = loop {
            match self.handle(&call) {
                // Controllers do not wait for webhooks, so that only those answer that are closures.
                Err(Stop::AwaitsWebhooks) if call.external.wait().now_or_never().is_some() => {}
                result => break result.map_err(Stop::into_failure)?,
            }
        };
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
