//! What a manager checks before it starts.

use std::{convert::Infallible, sync::Arc, time::Duration};

use crdkit::{
    Client, CustomResource, KubeSchema,
    controller::{Action, Context, Controller, Manager, ManagerError, PreflightError, PreflightProblem},
};
use crdkit_api_server::{ApiServer, Requests};
use k8s_openapi::api::{authorization::v1::SelfSubjectAccessReview, core::v1::ConfigMap};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep, timeout};

use crate::cluster::Fleet;

/// An older version of the same kind.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "sea.example.com", version = "v1beta1", kind = "Fleet", root = "OldFleet", namespaced, status = "Afloat")]
struct OldFleetSpec {}

/// The same version, but cluster-scoped and without a status.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "sea.example.com", version = "v1", kind = "Fleet", root = "WideFleet")]
struct WideFleetSpec {}

/// The same kind under another name.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "sea.example.com", version = "v1", kind = "Fleet", root = "OtherFleet", plural = "fleetses", namespaced)]
struct OtherFleetSpec {}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Afloat {
    afloat: u32,
}

fn manager(client: Client) -> Manager {
    let controller = Controller::of::<Fleet>()
        .owns::<ConfigMap>()
        .reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Infallible>(Action::Done));
    Manager::new(client.field_manager("fleet-operator")).leader_election("fleets").add(controller)
}

/// Runs a manager for a short time.
async fn run(manager: Manager) -> Result<(), ManagerError> {
    manager.until(sleep(Duration::from_secs(30))).run().await
}

async fn failure(server: &ApiServer) -> PreflightError {
    let started = Instant::now();
    let error = run(manager(server.client())).await.unwrap_err();
    assert_eq!(error.exit_code(), 15);
    assert!(started.elapsed() <= Duration::from_secs(1));
    assert!(server.journal().only(Requests::watch()).is_empty(), "an informer was started");
    match error {
        ManagerError::Preflight(error) => *error,
        other => panic!("{other}"),
    }
}

#[tokio::test(start_paused = true)]
async fn kinds_must_be_served() {
    let missing = failure(&ApiServer::new()).await.to_string();
    let expected = "the cluster does not serve or permit what this program requires:
- `Fleet` of `sea.example.com/v1` is not served: install its CustomResourceDefinition";
    assert_eq!(missing, expected);

    let old = failure(&ApiServer::new().with::<OldFleet>()).await;
    assert!(
        matches!(&old.problems[..], [PreflightProblem::NotServed { versions, .. }] if *versions == ["v1beta1"]),
        "{old}"
    );

    let wide = failure(&ApiServer::new().with::<WideFleet>()).await;
    let lines: Vec<_> = wide.problems.iter().map(ToString::to_string).collect();
    let expected = [
        "`Fleet` of `sea.example.com/v1` is served as cluster-scoped, and the type declares namespaced",
        "`Fleet` of `sea.example.com/v1` is served without its subresource `status`",
    ];
    assert_eq!(lines, expected);

    let other = failure(&ApiServer::new().with::<OtherFleet>()).await;
    assert!(
        matches!(&other.problems[..], [PreflightProblem::OtherPlural { served, .. }] if served == "fleetses"),
        "{other}"
    );
    run(manager(ApiServer::new().with::<Fleet>().client())).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn missing_permissions_are_granted_by_the_roles_in_the_message() {
    let server = ApiServer::new().with::<Fleet>().with_rbac();
    let captain = server.as_service_account("default", "captain");
    let error = failure(&captain).await;
    let message = error.to_string();
    assert!(message.contains("\n- permissions are missing, which these roles grant:\n\n---\n"), "{message}");
    assert!(message.contains("  name: fleet-operator-missing\n"), "{message}");
    assert!(
        message.contains("subjects:\n- kind: ServiceAccount\n  name: captain\n  namespace: default\n"),
        "{message}"
    );

    // The roles of the manager grant the same.
    let server = server.with_objects(&manager(captain.client()).rbac().service_account("default", "captain").to_yaml());
    run(manager(captain.client())).await.unwrap();
    assert!(server.journal().iter().all(|entry| entry.code() != Some(403)));
}

#[tokio::test(start_paused = true)]
async fn the_printed_roles_are_ready_to_apply() {
    let server = ApiServer::new().with::<Fleet>().with_rbac();
    let captain = server.as_service_account("default", "captain");
    // One of the permissions exists.
    let role = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: maps}, \
        rules: [{apiGroups: [''], resources: [configmaps], verbs: [get, list, watch]}]}";
    let binding = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: maps}, \
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: maps}, \
        subjects: [{kind: ServiceAccount, name: captain, namespace: default}]}";
    let server = server.with_objects(role).with_objects(binding);
    let roles = failure(&captain).await.missing_permissions.unwrap();
    let of_maps = roles.cluster_role().unwrap().rules.unwrap().remove(0);
    assert_eq!(
        (of_maps.resources.unwrap(), of_maps.verbs),
        (vec!["configmaps".into()], ["create", "delete", "patch"].map(String::from).to_vec())
    );
    drop(server.with_objects(&roles.to_yaml()));
    run(manager(captain.client())).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_standby_is_checked_too() {
    let server = ApiServer::new().with::<Fleet>().with_rbac();
    let leader = tokio::spawn(manager(server.client()).run());
    sleep(Duration::from_secs(5)).await;
    server.clear_journal();
    let standby = run(manager(server.as_service_account("default", "captain").client())).await;
    assert!(matches!(standby, Err(ManagerError::Preflight(_))));
    leader.abort();
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_checked_prevents_nothing() {
    let server = ApiServer::new().with::<Fleet>();
    server.faults().on(Requests::create().of::<SelfSubjectAccessReview>()).fail(500);
    run(manager(server.client())).await.unwrap();

    // The API server is away.
    server.stop();
    let running = tokio::spawn(manager(server.client()).run());
    sleep(Duration::from_secs(60)).await;
    server.start();
    sleep(Duration::from_secs(60)).await;
    assert!(!server.journal().only(Requests::watch().of::<Fleet>()).is_empty());
    assert!(!running.is_finished());
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn kinds_and_permissions_may_be_installed_at_the_same_time() {
    let server = ApiServer::new().with_rbac();
    let captain = server.as_service_account("default", "captain").client();
    let roles = manager(captain.clone()).rbac().service_account("default", "captain");
    let running = tokio::spawn(run(manager(captain)));
    sleep(Duration::from_millis(500)).await;
    server.with::<Fleet>().with_objects(&roles.to_yaml()).client();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_check_can_be_off() {
    let server = ApiServer::new();
    let unchecked = manager(server.client()).without_preflight();
    // The kind may be installed later.
    assert!(timeout(Duration::from_secs(60), unchecked.run()).await.is_err());
    assert!(server.journal().only(Requests::create().of::<SelfSubjectAccessReview>()).is_empty());
}
