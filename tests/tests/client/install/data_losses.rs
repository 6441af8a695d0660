//! Changes of definitions that would lose data.

use crdkit::{
    Client,
    client::{
        OperationResult,
        install::InstallError,
        install::{DataLoss, Installed},
    },
};
use crdkit_tests::unique_group;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::json;

use super::{create_vm, definition, installer, named, outcomes, versions};

fn cluster_scoped(group: &str) -> CustomResourceDefinition {
    definition(group, |crd| crd["spec"]["scope"] = json!("Cluster"))
}

pub(super) fn losses(result: Result<Vec<Installed>, InstallError>) -> Vec<DataLoss> {
    match result.unwrap_err() {
        InstallError::DataLoss(losses) => losses,
        error => panic!("{error}"),
    }
}

async fn count_vms(client: &Client, group: &str) -> usize {
    client.discovery().refresh().await.unwrap();
    let vms = client.dynamic().resources(format!("vms.{group}").as_str()).await.unwrap();
    vms.all_namespaces().list().await.unwrap().items.len()
}

#[tokio::test]
async fn a_stored_version_is_not_removed() {
    let Some((client, group)) = installer().await else {
        return;
    };
    client.install([versions(&group, ["v1"])]).await.unwrap();
    client.install([versions(&group, ["v2", "v1"])]).await.unwrap();
    let lost = losses(client.install([versions(&group, ["v2"])]).await);
    let crd = format!("vms.{group}");
    let version = "v1".to_owned();
    assert_eq!(lost, [DataLoss::StoredVersion { crd, version }]);

    let installed = client.install([versions(&group, ["v2"])]).allow_data_loss().await.unwrap();
    let status = installed[0].crd.status.as_ref().unwrap();
    assert_eq!(status.stored_versions, Some(vec!["v2".to_owned()]));
    assert_eq!(installed[0].crd.spec.versions.len(), 1);
}

#[tokio::test]
async fn the_storage_version_can_be_removed_explicitly() {
    let Some((client, group)) = installer().await else {
        return;
    };
    client.install([versions(&group, ["v1"])]).await.unwrap();
    create_vm(&client, &group, "old").await;
    assert_eq!(losses(client.install([versions(&group, ["v2"])]).await).len(), 1);
    let install = client.install([versions(&group, ["v2"])]);
    let installed = install.allow_data_loss().await.unwrap();
    assert_eq!(outcomes(&installed), [OperationResult::Updated]);
    client.discovery().refresh().await.unwrap();
    let vms = client.dynamic().resources(format!("vms.{group}")).await.unwrap();
    let old = vms.namespace("default").unwrap().get("old").await;
    assert!(old.is_ok(), "{old:?}");
    create_vm(&client, &group, "new").await;
    assert_eq!(count_vms(&client, &group).await, 2);
}

#[tokio::test]
async fn another_scope_removes_objects_only_explicitly() {
    let Some((client, group)) = installer().await else {
        return;
    };
    client.install([definition(&group, |_| ())]).await.unwrap();
    create_vm(&client, &group, "kept").await;
    let lost = losses(client.install([cluster_scoped(&group)]).await);
    assert!(matches!(&lost[..], [DataLoss::Scope { .. }]), "{lost:?}");
    assert_eq!(count_vms(&client, &group).await, 1);

    let install = client.install([cluster_scoped(&group)]);
    let replaced = install.allow_data_loss().await.unwrap();
    assert_eq!(outcomes(&replaced), [OperationResult::Created]);
    assert_eq!(count_vms(&client, &group).await, 0);
}

#[tokio::test]
async fn other_names_of_a_definition_are_rejected() {
    let Some((client, group)) = installer().await else {
        return;
    };
    client.install([named(&group, "vms", "Vm", "v")]).await.unwrap();
    let old = format!("vms.{group}");

    let plural = || client.install([named(&group, "machines", "Vm", "m")]);
    let crd = format!("machines.{group}");
    assert_eq!(losses(plural().await), [DataLoss::Plural { crd, old: old.clone() }]);

    let kind = client.install([named(&group, "vms", "Machine", "v")]).await;
    assert!(matches!(&losses(kind)[..], [DataLoss::Kind { .. }]));

    let other_group = unique_group();
    let crd = format!("vms.{other_group}");
    let moved = client.install([named(&other_group, "vms", "Vm", "v")]).await;
    assert_eq!(losses(moved), [DataLoss::Group { crd, old }]);

    let renamed = plural().allow_data_loss().await.unwrap();
    assert_eq!(outcomes(&renamed), [OperationResult::Created]);
}
