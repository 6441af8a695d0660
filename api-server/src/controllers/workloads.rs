//! Deployments, ReplicaSets, Jobs and Pods, which a test runs.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

use super::{conditions::set as set_condition, request::ControllerRequest, running::Controller};
use crate::{
    ApiServer,
    failure::Failure,
    state::State,
    store::{Key, Write},
    value::text,
};

mod deployments;
mod jobs;
mod pods;
mod replica_sets;

const DEPLOYMENTS: &str = "deployments.apps";
const REPLICA_SETS: &str = "replicasets.apps";
const JOBS: &str = "jobs.batch";
const PODS: &str = "pods";

/// What a Pod does, for [`ApiServer::with_workloads`](crate::ApiServer::with_workloads).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PodState {
    /// It is not scheduled, or its images are pulled.
    Pending,
    /// It runs, but is not ready.
    Running,
    /// It runs and is ready.
    Ready,
    /// Its containers have ended without an error.
    Succeeded,
    /// Its containers have ended with an error.
    Failed,
}

impl PodState {
    /// Returns what most Pods do: they are ready, or succeed if they are not restarted, as those of Jobs.
    pub fn usual(pod: &Pod) -> Self {
        match pod.spec.as_ref().and_then(|spec| spec.restart_policy.as_deref()) {
            Some("Never" | "OnFailure") => Self::Succeeded,
            _ => Self::Ready,
        }
    }
}

type Runner = dyn Fn(&Pod) -> PodState + Send + Sync;

/// # Workloads
///
/// They need the feature `controllers`.
impl ApiServer {
    /// Runs Deployments, ReplicaSets and Jobs, and their Pods and others as a function decides.
    ///
    /// Pods are replaced at once, without deadlines, back-off, indexes, policies and finalizers of Jobs. The names of ReplicaSets have
    /// other hashes than in a cluster.
    ///
    /// The function gets each Pod that has not ended. If what it returns changes, call [`Self::settle`].
    ///
    /// ```
    /// # use crdkit_api_server::{ApiServer, PodState};
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
        self.enable(Workloads { runner: Box::new(runner) })
    }
}

struct Workloads {
    runner: Box<Runner>,
}

impl Controller for Workloads {
    fn name(&self) -> &'static str {
        "workloads"
    }

    fn run(&mut self, state: &mut State, writes: &[Write]) {
        let changed =
            writes.iter().filter(|it| [DEPLOYMENTS, REPLICA_SETS, JOBS, PODS].contains(&it.resource.as_str()));
        let namespaces: BTreeSet<_> = changed.map(|it| it.change.key.namespace.as_str()).collect();
        for namespace in namespaces {
            sync_all(state, namespace, DEPLOYMENTS, deployments::sync);
            sync_all(state, namespace, REPLICA_SETS, replica_sets::sync);
            sync_all(state, namespace, JOBS, jobs::sync);
            sync_all(state, namespace, PODS, |state, pod| pods::sync(state, pod, &*self.runner));
        }
    }
}

/// Synchronizes the objects of a resource in a namespace that are not being deleted.
fn sync_all(
    state: &mut State,
    namespace: &str,
    resource: &str,
    sync: impl Fn(&mut State, &Value) -> Result<(), Failure>,
) {
    for object in list(state, namespace, resource) {
        if object["metadata"]["deletionTimestamp"].is_null() {
            // What fails is tried again after the next change.
            let _ = sync(state, &object);
        }
    }
}

fn list(state: &State, namespace: &str, resource: &str) -> Vec<Value> {
    let collection = state.store.find_collection(resource).into_iter();
    collection
        .flat_map(|collection| collection.range(Some(namespace), None))
        .map(|(_, stored)| stored.value())
        .collect()
}

/// Returns the objects of a resource that an object controls.
fn controlled(state: &State, controller: &Value, resource: &str) -> Vec<Value> {
    let uid = text(&controller["metadata"], "uid");
    let mut objects = list(state, text(&controller["metadata"], "namespace"), resource);
    objects.retain(|object| {
        let owners = object["metadata"]["ownerReferences"].as_array();
        owners.is_some_and(|owners| owners.iter().any(|it| it["controller"] == true && text(it, "uid") == uid))
    });
    objects
}

fn controller_reference(object: &Value) -> Value {
    let metadata = &object["metadata"];
    json!([{
        "apiVersion": object["apiVersion"], "kind": object["kind"], "name": metadata["name"], "uid": metadata["uid"],
        "controller": true, "blockOwnerDeletion": true,
    }])
}

fn key(object: &Value) -> Key {
    Key::new(text(&object["metadata"], "namespace"), text(&object["metadata"], "name"))
}

/// Creates a Pod from the template of its controller.
fn create_pod(state: &mut State, controller: &Value, labels: Value) -> Result<(), Failure> {
    let (metadata, template) = (&controller["metadata"], &controller["spec"]["template"]);
    let mut pod = json!({ "metadata": {
        "generateName": format!("{}-", text(metadata, "name")), "namespace": metadata["namespace"], "labels": labels,
        "ownerReferences": controller_reference(controller),
    }});
    for name in ["annotations", "finalizers"] {
        if let Some(value) = template["metadata"].get(name) {
            pod["metadata"][name] = value.clone();
        }
    }
    pod["spec"] = template["spec"].clone();
    let collection = Key::new(text(metadata, "namespace"), "");
    ControllerRequest::create(PODS, &collection, pod).send(state).map(|_| ())
}

fn delete(state: &mut State, resource: &str, object: &Value) -> Result<(), Failure> {
    let options = json!({ "propagationPolicy": "Background", "preconditions": { "uid": object["metadata"]["uid"] } });
    ControllerRequest::delete(resource, &key(object), options).send(state).map(|_| ())
}

/// Writes the status of an object, if it differs.
fn write_status(state: &mut State, resource: &str, object: &Value, mut status: Value) -> Result<(), Failure> {
    if let Value::Object(members) = &mut status {
        // Go leaves out counters that are zero, but for pointers and the replicas of a ReplicaSet.
        let is_kept = |name: &str| match name {
            "observedGeneration" | "ready" | "terminating" | "terminatingReplicas" => true,
            "replicas" => resource == REPLICA_SETS,
            _ => false,
        };
        members.retain(|name, value| !value.is_null() && (*value != 0 || is_kept(name)));
    }
    if object.get("status").unwrap_or(&json!({})) == &status {
        return Ok(());
    }
    let mut new = object.clone();
    new["status"] = status;
    ControllerRequest::update(resource, &key(object), new).subresource("status").send(state).map(|_| ())
}

fn number(value: &Value, default: i64) -> i64 {
    value.as_i64().unwrap_or(default)
}

fn is_condition(object: &Value, kind: &str) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    conditions.is_some_and(|list| list.iter().any(|it| text(it, "type") == kind && text(it, "status") == "True"))
}
