//! The operator: two controllers of one kind, in two versions.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use crdkit::{
    Client, CustomResource, KubeSchema,
    controller::{Action, Context, Controller, Error, LeaderElection, Manager, ManagerError},
};
use k8s_openapi::{
    ByteString,
    api::core::v1::{ConfigMap, Secret},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use serde::{Deserialize, Serialize};
use tokio::{sync::oneshot, task::JoinHandle};

use super::schedule::{CONTROLLERS, Kind, Version};

/// A cluster-scoped owner of objects in several namespaces.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "owners.example.com", version = "v1", kind = "Tenant")]
pub(super) struct TenantSpec {
    pub(super) children: Vec<TenantChild>,
    pub(super) generation: i64,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub(super) struct TenantChild {
    pub(super) is_secret: bool,
    pub(super) by: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) value: String,
}

/// A running operator.
pub(super) struct Operator {
    pub(super) version: Version,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), ManagerError>>,
}

impl Operator {
    pub(super) fn start(client: &Client, identity: &str, version: Version, is_elected: bool) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let manager = Manager::new(client.field_manager("tenants")).without_preflight().until(stopped);
        let manager = CONTROLLERS.iter().fold(manager, |manager, name| manager.add(controller(name, version)));
        let manager = if is_elected {
            manager.leader_election(LeaderElection::new("tenants").namespace("default").identity(identity))
        } else {
            manager
        };
        Self { version, stop: Some(stop), task: tokio::spawn(manager.run()) }
    }

    pub(super) async fn stop(mut self) {
        // It may have ended, because it lost its Lease.
        let _ = self.stop.take().map(|stop| stop.send(()));
        let _ = self.task.await;
    }

    pub(super) async fn crash(self) {
        self.task.abort();
        let _ = self.task.await;
    }

    pub(super) fn has_ended(&self) -> bool {
        self.task.is_finished()
    }
}

fn controller(name: &'static str, version: Version) -> Controller {
    let controller = Controller::of::<Tenant>().name(name).state(name).owns::<ConfigMap>();
    match version {
        Version::Old => controller.owns::<Secret>().reconcile(reconcile_old),
        Version::New => controller.formerly_owns::<Secret>().reconcile(reconcile_new),
    }
}

async fn reconcile_old(tenant: Arc<Tenant>, cx: Context<Tenant, &'static str>) -> Result<Action, Error> {
    cx.apply_owned(&tenant, configs(&tenant, cx.state())).await?;
    let secrets = secrets(&tenant, cx.state());
    // What earlier runs applied is not mentioned.
    if !secrets.is_empty() {
        cx.apply_owned(&tenant, secrets).await?;
    }
    Ok(Action::Done)
}

async fn reconcile_new(tenant: Arc<Tenant>, cx: Context<Tenant, &'static str>) -> Result<Action, Error> {
    let configs = configs(&tenant, cx.state());
    if !configs.is_empty() {
        cx.apply_owned(&tenant, configs).await?;
    }
    Ok(Action::Done)
}

fn children<'a>(tenant: &'a Tenant, by: &'a str, kind: Kind) -> impl Iterator<Item = (ObjectMeta, String)> + use<'a> {
    let own = tenant.spec.children.iter().filter(move |it| it.by == by && it.is_secret == (kind == Kind::Secret));
    own.map(|child| {
        let (name, namespace) = (Some(child.name.clone()), Some(child.namespace.clone()));
        (ObjectMeta { name, namespace, ..ObjectMeta::default() }, child.value.clone())
    })
}

fn configs(tenant: &Tenant, by: &str) -> Vec<ConfigMap> {
    let configs = children(tenant, by, Kind::Config).map(|(metadata, value)| ConfigMap {
        metadata,
        data: Some(BTreeMap::from([("value".to_owned(), value)])),
        ..ConfigMap::default()
    });
    configs.collect()
}

fn secrets(tenant: &Tenant, by: &str) -> Vec<Secret> {
    let secrets = children(tenant, by, Kind::Secret).map(|(metadata, value)| Secret {
        metadata,
        data: Some(BTreeMap::from([("value".to_owned(), ByteString(value.into_bytes()))])),
        ..Secret::default()
    });
    secrets.collect()
}

/// The time within which everything is applied and deleted once nothing fails: that of a Lease, and of the retries of a run.
pub(super) const RECOVERY: Duration = Duration::from_secs(150);
