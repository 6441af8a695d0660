//! Validation of the built-in kinds that operators create, as in `pkg/apis/*/validation` of Kubernetes.
//!
//! Functions have the names of their sources without `Validate`, and read objects that have their defaults.

use crdkit_core::object_processing::FieldError;
use serde_json::Value;

use super::{
    WrittenPart,
    report::{Place, Report},
};
use crate::{resource::Resource, value::items};

mod apps;
mod autoscaling;
mod batch;
mod certificates;
mod cluster;
mod common;
mod config;
mod container;
mod environment;
mod network_policy;
mod networking;
mod pod;
mod pod_parts;
mod pod_update;
mod rbac;
mod service;
mod storage;
mod volume;

/// An object that is validated.
struct Change<'a> {
    old: Option<&'a Value>,
    new: &'a Value,
    part: WrittenPart,
}

type Validate = fn(&mut Report, &Change<'_>);

/// Returns the errors of an object of a built-in kind, besides those of its metadata.
pub(crate) fn errors(resource: &Resource, part: WrittenPart, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    if resource.is_custom {
        return Vec::new();
    }
    let Some(validate) = of_kind(&resource.group, &resource.names.kind) else {
        return Vec::new();
    };
    let mut report = Report::default();
    validate(&mut report, &Change { old, new, part });
    report.into_errors()
}

fn of_kind(group: &str, kind: &str) -> Option<Validate> {
    Some(match (group, kind) {
        ("", "ConfigMap") => config::config_map,
        ("", "Endpoints") => networking::endpoints,
        ("", "LimitRange") => storage::limit_range,
        ("", "Node") => cluster::node,
        ("", "PersistentVolume") => storage::persistent_volume,
        ("", "PersistentVolumeClaim") => storage::persistent_volume_claim,
        ("", "Pod") => pod::pod,
        ("", "PodTemplate") => pod::pod_template,
        ("", "ReplicationController") => apps::replication_controller,
        ("", "ResourceQuota") => storage::resource_quota,
        ("", "Secret") => config::secret,
        ("", "Service") => service::service,
        ("apps", "ControllerRevision") => apps::controller_revision,
        ("apps", "DaemonSet") => apps::daemon_set,
        ("apps", "Deployment") => apps::deployment,
        ("apps", "ReplicaSet") => apps::replica_set,
        ("apps", "StatefulSet") => apps::stateful_set,
        ("autoscaling", "HorizontalPodAutoscaler") => autoscaling::horizontal_pod_autoscaler,
        ("batch", "CronJob") => batch::cron_job,
        ("batch", "Job") => batch::job,
        ("certificates.k8s.io", "CertificateSigningRequest") => certificates::certificate_signing_request,
        ("coordination.k8s.io", "Lease") => cluster::lease,
        ("discovery.k8s.io", "EndpointSlice") => networking::endpoint_slice,
        ("networking.k8s.io", "Ingress") => networking::ingress,
        ("networking.k8s.io", "IngressClass") => networking::ingress_class,
        ("networking.k8s.io", "NetworkPolicy") => network_policy::network_policy,
        ("node.k8s.io", "RuntimeClass") => cluster::runtime_class,
        ("policy", "PodDisruptionBudget") => cluster::pod_disruption_budget,
        ("rbac.authorization.k8s.io", "ClusterRole") => rbac::cluster_role,
        ("rbac.authorization.k8s.io", "ClusterRoleBinding") => rbac::cluster_role_binding,
        ("rbac.authorization.k8s.io", "Role") => rbac::role,
        ("rbac.authorization.k8s.io", "RoleBinding") => rbac::role_binding,
        ("scheduling.k8s.io", "PriorityClass") => cluster::priority_class,
        ("storage.k8s.io", "StorageClass") => storage::storage_class,
        _ => return None,
    })
}

impl Change<'_> {
    fn spec(&self) -> &Value {
        &self.new["spec"]
    }

    fn is_of_status(&self) -> bool {
        self.part == WrittenPart::Status
    }
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

/// Calls a function with each item of a list and its place.
fn each(place: &Place<'_>, list: &Value, mut validate: impl FnMut(&Place<'_>, &Value)) {
    items(list).iter().enumerate().for_each(|(index, item)| validate(&place.index(index), item));
}
