use std::collections::BTreeSet;

use k8s_openapi::{
    api::rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use serde_json::{Value, json};

use super::{
    permissions::{PermissionScope, Permissions},
    requirements::{RequiredKind, Requirements},
};
use crate::yaml::write;

const GROUP: &str = "rbac.authorization.k8s.io";

/// The roles of a manager: what its controllers watch, own, write, lease and report, from [`Manager::rbac`](super::Manager::rbac).
///
/// | the program has | the roles allow |
/// |---|---|
/// | [`Controller::of::<K>()`](super::Controller::of) | `get`, `list` and `watch` of the kind; `patch` of its status if it is a custom resource whose type has one; `create` and `patch` of events |
/// | [`finalizer`](super::ControllerBuilder::finalizer) | `patch` of the kind |
/// | [`owns::<C>()`](super::ControllerBuilder::owns) | `get`, `list`, `watch`, `create`, `patch` and `delete` of the owned kind; `update` of the owner's `finalizers`, which `blockOwnerDeletion` of owner references requires where the API server runs `OwnerReferencesPermissionEnforcement` |
/// | [`formerly_owns::<C>()`](super::ControllerBuilder::formerly_owns) | `get`, `list`, `watch` and `delete` |
/// | [`inventory`](super::ControllerBuilder::inventory) | `patch` of the kind |
/// | [`owns_by_inventory::<C>()`](super::ControllerBuilder::owns_by_inventory) | `get`, `list`, `watch`, `create`, `patch` and `delete`, in all namespaces unless some are selected |
/// | [`watches::<C>()`](super::ControllerBuilder::watches), [`reads::<C>()`](super::ControllerBuilder::reads) | `get`, `list` and `watch` |
/// | [`writes::<C>(verbs)`](super::ControllerBuilder::writes), [`requires`](super::ControllerBuilder::requires) | these verbs |
/// | [`leader_election`](super::Manager::leader_election) | `create` of leases, `get` and `update` of this one, in its namespace |
/// | [`shards`](super::Manager::shards) | `get`, `list`, `create`, `update` and `delete` of leases, in their namespace |
/// | [`namespaces_with_labels`](super::Manager::namespaces_with_labels) | `get`, `list` and `watch` of namespaces |
/// | [`serve`](super::Manager::serve) with `secure_metrics` | `create` of `tokenreviews` and `subjectaccessreviews` |
///
/// A controller that [selects](super::ControllerBuilder::select) namespaces, or whose manager is [limited](super::Manager::namespaces)
/// to some, has a Role in each, also for the kinds that it owns, watches and reads, unless they are selected in others. The other
/// controllers have a ClusterRole, and so have kinds without namespaces. Events of cluster-scoped objects are in the namespace
/// `default`. There are as few rules as possible, in a fixed order.
///
/// Users of the custom resources get ClusterRoles too: a viewer, an editor and an admin for each kind, which the roles `view`,
/// `edit` and `admin` of the cluster [aggregate](https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles).
///
/// ```
/// # use std::sync::Arc;
/// # use crdkit::{CustomResource, KubeSchema, controller::{Action, Context, Controller, Error, Manager}, k8s_openapi::api::core::v1::Pod};
/// # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
/// # #[crd(group = "infra.example.com", version = "v1", kind = "VirtualMachine", namespaced)]
/// # struct VirtualMachineSpec { image: String }
/// # async fn reconcile(_: Arc<VirtualMachine>, _: Context<VirtualMachine>) -> Result<Action, Error> { Ok(Action::Done) }
/// fn manager(client: crdkit::Client) -> Manager {
///     Manager::new(client).leader_election("vm-operator").add(Controller::of::<VirtualMachine>().owns::<Pod>().reconcile(reconcile))
/// }
///
/// # /*
/// #[tokio::test]
/// # */
/// async fn roles_are_up_to_date() -> Result<(), crdkit::emit::CheckError> {
///     # let client = crdkit::Client::from(kube::Client::new(tower::service_fn(async |_| Ok::<_, std::io::Error>(http::Response::new(kube::client::Body::empty()))), "default"));
///     // No request is sent.
///     let rbac = manager(client).rbac();
///     # let path = std::env::temp_dir().join(format!("crdkit-rbac-{}.yaml", std::process::id()));
///     # rbac.clone().service_account("vm-system", "vm-operator").file(&path).write()?;
///     # let role = rbac.clone().service_account("vm-system", "vm-operator").cluster_role().unwrap();
///     # assert_eq!(role.rules.unwrap()[0].resources.as_ref().unwrap()[0], "pods");
///     # /*
///     rbac.service_account("vm-system", "vm-operator").file("deploy/rbac.yaml").check()
///     # */
///     # rbac.service_account("vm-system", "vm-operator").file(&path).check()?;
///     # std::fs::remove_file(path).unwrap();
///     # Ok(())
/// }
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(roles_are_up_to_date())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("kubebuilder:rbac", "ClusterRole", "Role", "RoleBinding", "permissions"))]
#[derive(Clone, Debug)]
#[must_use]
pub struct Rbac {
    /// The name of the roles and bindings.
    name: String,
    /// The namespace of the program.
    namespace: String,
    subject: Subject,
    uses: Requirements,
    /// The namespaces to which the manager is limited.
    watched: Option<Vec<String>>,
    /// Whether they are those of an environment variable.
    follows_environment: bool,
}

/// A role for users of a custom resource: its name, its verbs, and the role of the cluster that aggregates it.
const USER_ROLES: [(&str, &[&str], &str); 3] = [
    ("viewer", &["get", "list", "watch"], "view"),
    ("editor", &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"], "edit"),
    ("admin", &["*"], "admin"),
];

impl Rbac {
    pub(super) fn new(name: &str, namespace: &str, uses: Requirements) -> Self {
        let rbac = Self {
            name: String::new(),
            namespace: String::new(),
            subject: Subject::default(),
            uses,
            watched: None,
            follows_environment: false,
        };
        rbac.service_account(namespace, name)
    }

    /// Sets the namespace and the name of the service account of the program. The roles and bindings have its name.
    ///
    /// By default, the name is the client's [field manager](crate::Client::field_manager), and the namespace its [default
    /// namespace](crate::Client::default_namespace).
    pub fn service_account(self, namespace: &str, name: &str) -> Self {
        let subject = Subject {
            kind: "ServiceAccount".to_owned(),
            name: name.to_owned(),
            namespace: Some(namespace.to_owned()),
            api_group: None,
        };
        Self { name: name.to_owned(), namespace: namespace.to_owned(), subject, ..self }
    }

    /// Limits the roles to namespaces, as [`Manager::namespaces`](super::Manager::namespaces) does: a Role in each, and a ClusterRole only
    /// for kinds without namespaces, and for what the program selects in all namespaces.
    ///
    /// ```
    /// # fn roles(manager: &crdkit::controller::Manager) -> String {
    /// manager.rbac().service_account("vm-system", "vm-operator").namespaces(["prod", "test"]).to_yaml()
    /// # }
    /// ```
    pub fn namespaces(self, namespaces: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { watched: Some(namespaces.into_iter().map(Into::into).collect()), ..self }
    }

    /// Sets the namespaces to which the manager is limited; `None` for all.
    pub(super) fn watching(self, watched: Option<Vec<String>>) -> Self {
        Self { watched, ..self }
    }

    /// Sets whether an environment variable names the namespaces.
    pub(super) fn following_environment(self, follows_environment: bool) -> Self {
        Self { follows_environment, ..self }
    }

    /// Returns the roles for all namespaces, as for a manager without a [limit](super::Manager::namespaces).
    pub fn all_namespaces(self) -> Self {
        Self { watched: None, ..self }
    }

    /// Whether the program takes its namespaces [from the environment](super::Manager::namespaces_from_env), so that who deploys it
    /// chooses them.
    pub fn is_limited_by_env(&self) -> bool {
        self.follows_environment
    }

    /// Returns the resources that need a ClusterRole although the manager is limited to namespaces, and these.
    pub(super) fn beyond_namespaces(&self) -> Option<(Vec<String>, &[String])> {
        let watched = self.watched.as_deref()?;
        let resources = self.permissions().resources(&PermissionScope::Cluster);
        (!resources.is_empty()).then_some((resources, watched))
    }

    /// Grants only some permissions, to a user if it is given, by roles of another name.
    pub(super) fn with_only(self, permissions: Permissions, subject: Option<Subject>) -> Self {
        let uses = Requirements { permissions, ..Requirements::default() };
        Self { name: format!("{}-missing", self.name), subject: subject.unwrap_or(self.subject), uses, ..self }
    }

    pub(super) fn kinds(&self) -> &BTreeSet<RequiredKind> {
        &self.uses.kinds
    }

    /// Returns the permissions, each in a namespace or the cluster.
    pub(super) fn permissions(&self) -> Permissions {
        self.uses.permissions.placed(&self.namespace, self.watched.as_deref())
    }

    /// Returns the ClusterRole, unless the permissions are all those of namespaces.
    pub fn cluster_role(&self) -> Option<ClusterRole> {
        let rules = self.permissions().rules(&PermissionScope::Cluster);
        let metadata = ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() };
        (!rules.is_empty()).then_some(ClusterRole { metadata, rules: Some(rules), aggregation_rule: None })
    }

    /// Returns the binding of the [ClusterRole](Self::cluster_role).
    pub fn cluster_role_binding(&self) -> Option<ClusterRoleBinding> {
        let metadata = self.cluster_role()?.metadata;
        Some(ClusterRoleBinding {
            metadata,
            role_ref: self.role_ref("ClusterRole"),
            subjects: Some(vec![self.subject.clone()]),
        })
    }

    /// Returns a Role for each namespace in which there are more permissions than those of the [ClusterRole](Self::cluster_role).
    pub fn roles(&self) -> Vec<Role> {
        let permissions = self.permissions();
        let places = permissions.places().into_iter();
        let roles = places.filter_map(|place| {
            let PermissionScope::Namespace(namespace) = place else {
                return None;
            };
            let metadata = ObjectMeta {
                name: Some(self.name.clone()),
                namespace: Some(namespace.clone()),
                ..ObjectMeta::default()
            };
            Some(Role { metadata, rules: Some(permissions.rules(place)) })
        });
        roles.collect()
    }

    /// Returns the bindings of the [Roles](Self::roles).
    pub fn role_bindings(&self) -> Vec<RoleBinding> {
        let bind = |role: Role| RoleBinding {
            metadata: role.metadata,
            role_ref: self.role_ref("Role"),
            subjects: Some(vec![self.subject.clone()]),
        };
        self.roles().into_iter().map(bind).collect()
    }

    /// Returns a viewer, an editor and an admin for each custom resource that is reconciled, such as
    /// `virtualmachines.infra.example.com-viewer`.
    ///
    /// The viewer may read the objects. The editor may also create, change and delete them. The admin may do everything with them.
    /// All may read the subresource `status`, which only the program writes.
    pub fn user_roles(&self) -> Vec<ClusterRole> {
        let kinds = self.uses.reconciled.iter();
        kinds.flat_map(|((group, plural), has_status)| user_roles(group, plural, *has_status)).collect()
    }

    /// Returns all roles and bindings as YAML, one document each.
    pub fn to_yaml(&self) -> String {
        write::documents(&self.to_objects())
    }

    /// Returns all roles and bindings as JSON.
    pub fn to_objects(&self) -> Vec<Value> {
        let mut objects: Vec<_> = self.cluster_role().iter().map(|it| json!(it)).collect();
        objects.extend(self.cluster_role_binding().iter().map(|it| json!(it)));
        objects.extend(self.roles().iter().map(|it| json!(it)));
        objects.extend(self.role_bindings().iter().map(|it| json!(it)));
        objects.extend(self.user_roles().iter().map(|it| json!(it)));
        objects
    }

    fn role_ref(&self, kind: &str) -> RoleRef {
        // Whether the group is optional depends on the version of Kubernetes.
        RoleRef { api_group: GROUP.to_owned().into(), kind: kind.to_owned(), name: self.name.clone() }
    }
}

fn user_roles(group: &str, plural: &str, has_status: bool) -> impl Iterator<Item = ClusterRole> {
    let rule = |resource: String, verbs: &[&str]| PolicyRule {
        api_groups: Some(vec![group.to_owned()]),
        resources: Some(vec![resource]),
        verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
        ..PolicyRule::default()
    };
    USER_ROLES.iter().map(move |(name, verbs, aggregating)| {
        let status = has_status.then(|| rule(format!("{plural}/status"), &["get"]));
        let rules = [rule(plural.to_owned(), verbs)].into_iter().chain(status);
        let label = format!("{GROUP}/aggregate-to-{aggregating}");
        let metadata = ObjectMeta {
            name: Some(format!("{plural}.{group}-{name}")),
            labels: Some([(label, "true".to_owned())].into()),
            ..ObjectMeta::default()
        };
        ClusterRole { metadata, rules: Some(rules.collect()), aggregation_rule: None }
    })
}
