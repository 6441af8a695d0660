//! The roles of a manager.

use std::{convert::Infallible, sync::Arc};

use crdkit::{
    Client, CustomResource, KubeSchema,
    client::Verb,
    controller::{Access, Action, Context, Controller, ControllerBuilder, LeaderElection, Manager, StaticKind},
};
use crdkit_api_server::ApiServer;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Node, Pod, Secret, Service};
use serde::{Deserialize, Serialize};

use crate::cluster::Fleet;

/// A cluster-scoped kind without a status.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "sea.example.com", version = "v1", kind = "Ocean")]
struct OceanSpec {
    depth: i32,
}

fn complete<K: StaticKind>(builder: ControllerBuilder<K>) -> Controller {
    builder.reconcile(async |_: Arc<K>, _: Context<K>| Ok::<_, Infallible>(Action::Done))
}

fn client() -> Client {
    ApiServer::new().client().field_manager("fleet-operator")
}

fn fleets() -> ControllerBuilder<Fleet> {
    let clean_up = async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Infallible>(Action::Done);
    Controller::of::<Fleet>()
        .owns::<ConfigMap>()
        .watches::<Pod>(|_| Vec::new())
        .finalizer("sea.example.com/anchor", clean_up)
}

#[tokio::test]
async fn roles_follow_the_controllers() {
    let manager = Manager::new(client())
        .leader_election("fleets")
        .add(complete(fleets().writes::<Secret>([Verb::Get, Verb::Create])))
        .add(complete(Controller::of::<Ocean>().reads::<Node>()));
    let rbac = manager.rbac().service_account("sea", "captain");
    let yaml = rbac.to_yaml();
    let (program, users) = yaml
        .split_once("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  labels")
        .unwrap();
    assert_eq!(program, include_str!("rbac/cluster.yaml"));
    assert_eq!(users.matches("kind: ClusterRole\n").count(), 5);
}

#[tokio::test]
async fn controllers_of_some_namespaces_have_roles_in_them() {
    let select = fleets().select(|fleets| fleets.namespaces(["north", "south"]));
    let manager = Manager::new(client())
        .leader_election(LeaderElection::new("fleets").namespace("north"))
        .add(complete(
            select.writes::<Service>([Verb::Patch]).requires(Access::to::<Namespace>([Verb::Get]).named("north")),
        ))
        .requires(Access::to::<Secret>([Verb::Get]).in_namespace("webhooks").named("certificate"))
        .requires(Access::to_resource("apiextensions.k8s.io", "customresourcedefinitions", [Verb::Create, Verb::Patch]))
        .requires(Access::to::<Pod>([Verb::Create]).subresource("eviction").in_namespace("south"));
    let rbac = manager.rbac();
    let rules = |rules: Option<Vec<_>>| -> Vec<String> {
        let line = |rule: &k8s_openapi::api::rbac::v1::PolicyRule| {
            let names = rule.resource_names.as_ref().map(|names| format!(" {}", names.join(" "))).unwrap_or_default();
            format!("{}{names}: {}", rule.resources.as_ref().unwrap().join(" "), rule.verbs.join(" "))
        };
        rules.unwrap().iter().map(line).collect()
    };
    let cluster = rbac.cluster_role().unwrap();
    assert_eq!(cluster.metadata.name.as_deref(), Some("fleet-operator"));
    // The informers of owned and watched kinds have the namespaces of the fleets.
    assert_eq!(rules(cluster.rules), ["namespaces north: get", "customresourcedefinitions: create patch"]);

    let [north, south, webhooks] = <[_; 3]>::try_from(rbac.roles()).unwrap();
    let of_fleets = [
        "configmaps: create delete get list patch watch",
        "pods: get list watch",
        "services: patch",
        "leases: create",
        "leases fleets: get update",
        "events: create patch",
        "fleets: get list patch watch",
        "fleets/finalizers: update",
        "fleets/status: patch",
    ];
    assert_eq!(north.metadata.namespace.as_deref(), Some("north"));
    assert_eq!(rules(north.rules), of_fleets);
    let mut of_south: Vec<_> = of_fleets.into_iter().filter(|rule| !rule.starts_with("leases")).collect();
    of_south.insert(2, "pods/eviction: create");
    assert_eq!(rules(south.rules), of_south);
    assert_eq!(rules(webhooks.rules), ["secrets certificate: get"]);
    assert_eq!(rbac.role_bindings().len(), 3);
}

#[tokio::test]
async fn kinds_of_other_namespaces_are_selected() {
    let select = fleets()
        .select(|fleets| fleets.namespaces(["north"]))
        .reads_selected::<Secret>(|secrets| secrets.all_namespaces())
        .reads_selected::<Service>(|services| services.namespaces(["east"]))
        .reads::<Node>()
        .formerly_owns::<Pod>();
    let rbac = Manager::new(client()).add(complete(select)).rbac();
    let resources = |rules: Option<Vec<k8s_openapi::api::rbac::v1::PolicyRule>>| -> Vec<String> {
        rules.unwrap().into_iter().flat_map(|rule| rule.resources.unwrap()).collect()
    };
    assert_eq!(resources(rbac.cluster_role().unwrap().rules), ["nodes", "secrets"]);
    let [east, north] = <[_; 2]>::try_from(rbac.roles()).unwrap();
    assert_eq!(resources(east.rules), ["services"]);
    let pods = north.rules.unwrap().into_iter().find(|rule| rule.resources == Some(vec!["pods".to_owned()])).unwrap();
    assert_eq!(pods.verbs, ["delete", "get", "list", "watch"]);
}

#[tokio::test]
async fn users_view_edit_and_administrate_custom_resources() {
    let manager = Manager::new(client())
        .add(complete(Controller::of::<Fleet>()))
        .add(complete(Controller::of::<Ocean>()))
        .add(complete(Controller::of::<Node>()));
    let roles = manager.rbac().user_roles();
    let names: Vec<_> = roles.iter().map(|role| role.metadata.name.as_deref().unwrap()).collect();
    let of = |plural| ["viewer", "editor", "admin"].map(|role| format!("{plural}.sea.example.com-{role}"));
    assert_eq!(names, [of("fleets"), of("oceans")].concat());

    // The roles of the cluster aggregate them.
    let server = ApiServer::new().with::<Fleet>().with_rbac();
    let binding = |user: &str, role: &str| {
        format!(
            "{{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {{name: {user}, namespace: default}},
            roleRef: {{kind: ClusterRole, name: {role}, apiGroup: rbac.authorization.k8s.io}},
            subjects: [{{kind: User, name: {user}, apiGroup: rbac.authorization.k8s.io}}]}}"
        )
    };
    let server = server
        .with_objects(&manager.rbac().to_yaml())
        .with_objects(&binding("victor", "view"))
        .with_objects(&binding("edith", "edit"));
    let as_user =
        |name: &str| server.as_user(name, [] as [String; 0]).client().resources::<Fleet>().namespace("default");
    let (victor, edith) = (as_user("victor"), as_user("edith"));
    let north = crate::cluster::fleet("north", &[]);
    assert!(victor.create(&north).await.unwrap_err().to_string().contains("cannot create"));
    edith.create(&north).await.unwrap();
    assert_eq!(victor.list().await.unwrap().items.len(), 1);
    let afloat = crdkit::client::Patch::merge(serde_json::json!({ "status": { "afloat": 1 } }));
    let refused = edith.status().patch("north", &afloat).await.unwrap_err().to_string();
    assert!(refused.contains("fleets/status"), "{refused}");
}
