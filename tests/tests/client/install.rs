//! Definitions, installed and changed.

mod data_losses;
mod schemas;

use std::time::Duration;

use crdkit::{
    Client,
    client::{
        ApplyError, OperationResult,
        install::{InstallError, Installed},
    },
};
use crdkit_tests::{Request, unique_group};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use crate::{
    served::client,
    server::{control_plane, server},
};

/// A definition of `vms` in a group, changed by `edit`.
pub(crate) fn definition(group: &str, edit: impl FnOnce(&mut Value)) -> CustomResourceDefinition {
    let mut crd = json!({
        "spec": {
            "group": group, "scope": "Namespaced", "versions": [version("v1", true)],
            "names": { "plural": "vms", "singular": "vm", "kind": "Vm", "listKind": "VmList" },
        },
    });
    edit(&mut crd);
    let plural = crd["spec"]["names"]["plural"].as_str().unwrap();
    crd["metadata"] = json!({ "name": format!("{plural}.{group}") });
    serde_json::from_value(crd).unwrap()
}

fn version(name: &str, storage: bool) -> Value {
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({ "name": name, "served": true, "storage": storage, "schema": { "openAPIV3Schema": schema } })
}

pub(crate) fn versions<const N: usize>(group: &str, names: [&str; N]) -> CustomResourceDefinition {
    let versions: Vec<_> = names.iter().enumerate().map(|(index, name)| version(name, index == 0)).collect();
    definition(group, |crd| crd["spec"]["versions"] = json!(versions))
}

fn named(group: &str, plural: &str, kind: &str, short_name: &str) -> CustomResourceDefinition {
    definition(group, |crd| {
        crd["spec"]["names"] = json!({
            "plural": plural, "singular": kind.to_lowercase(), "kind": kind, "listKind": format!("{kind}List"),
            "shortNames": [short_name],
        });
    })
}

/// A group for one test, and a client with a field manager for it, which identifies its definitions.
async fn installer() -> Option<(Client, String)> {
    let (client, group) = (client().await?, unique_group());
    Some((client.field_manager(&group), group))
}

fn outcomes(installed: &[Installed]) -> Vec<OperationResult> {
    installed.iter().map(|installed| installed.outcome).collect()
}

async fn create_vm(client: &Client, group: &str, name: &str) {
    let vms = client.dynamic().resources(format!("vms.{group}").as_str()).await.unwrap();
    let kind = vms.resource().gvk();
    let vm = crdkit::client::dynamic::Unstructured::new(name, &kind);
    vms.namespace_if_any("default").create(&vm).await.unwrap();
}

#[tokio::test]
async fn definitions_are_installed_changed_and_left_unchanged() {
    let Some((client, group)) = installer().await else {
        return;
    };
    let both = || [definition(&group, |_| ()), named(&group, "disks", "Disk", "dk")];
    let created = client.install(both()).await.unwrap();
    assert_eq!(outcomes(&created), [OperationResult::Created; 2]);
    assert_eq!(created[0].name, format!("vms.{group}"));
    create_vm(&client, &group, "at-once").await;

    let again = client.install(both()).await.unwrap();
    assert_eq!(outcomes(&again), [OperationResult::Unchanged; 2]);
    let generation = |installed: &[Installed]| installed[0].crd.metadata.generation;
    assert_eq!(generation(&again), generation(&created));

    let changed = [versions(&group, ["v1", "v2"]), named(&group, "disks", "Disk", "dk")];
    let changed = client.install(changed).await.unwrap();
    assert_eq!(outcomes(&changed), [OperationResult::Updated, OperationResult::Unchanged]);
    let v2 = format!("vms.v2.{group}");
    client.discovery().find(v2.as_str()).await.unwrap();
}

#[tokio::test]
async fn a_group_of_kubernetes_needs_an_approval() {
    let Some((client, group)) = installer().await else {
        return;
    };
    let crd = definition(&format!("{group}.k8s.io"), |_| ());
    let error = client.install([crd]).await.unwrap_err().to_string();
    assert!(error.contains("api-approved.kubernetes.io"), "{error}");
}

#[tokio::test]
async fn a_dry_run_stores_nothing() {
    let Some((client, group)) = installer().await else {
        return;
    };
    let installed = client.dry_run().install([definition(&group, |_| ())]).await;
    assert_eq!(outcomes(&installed.unwrap()), [OperationResult::Created]);
    let crds = client.resources::<CustomResourceDefinition>();
    assert!(crds.get_opt(&format!("vms.{group}")).await.unwrap().is_none());
}

#[tokio::test]
async fn names_that_are_taken_are_reported() {
    let Some((client, group)) = installer().await else {
        return;
    };
    client.install([named(&group, "vms", "Vm", "v")]).await.unwrap();
    let error = client.install([named(&group, "volumes", "Volume", "v")]).await.unwrap_err();
    let InstallError::NamesConflict { crd, reason, message } = &error else {
        panic!("{error}");
    };
    assert_eq!(crd, &format!("volumes.{group}"));
    assert_eq!(reason, "ShortNamesConflict");
    assert!(message.contains("\"v\" is already in use"), "{message}");

    // With another manager, it is not a renamed plural but another kind of the same name.
    let other = client.field_manager(&format!("other-{group}"));
    let error = other.install([named(&group, "machines", "Vm", "m")]).await.unwrap_err();
    assert!(error.to_string().contains("KindConflict"), "{error}");
}

#[tokio::test]
async fn a_resolved_conflict_is_not_reported() {
    let Some((client, group)) = installer().await else {
        return;
    };
    client.install([named(&group, "vms", "Vm", "v")]).await.unwrap();
    client.install([named(&group, "volumes", "Volume", "v")]).await.unwrap_err();
    let mended = client.install([named(&group, "volumes", "Volume", "vol")]).await.unwrap();
    assert_eq!(outcomes(&mended), [OperationResult::Updated]);
    let found = client.discovery().find(format!("vol.{group}").as_str()).await.unwrap();
    assert_eq!(found.plural, "volumes");
}

#[tokio::test]
async fn fields_of_others_are_conflicts() {
    let Some((client, group)) = installer().await else {
        return;
    };
    let server = server().unwrap();
    let mut crd = serde_json::to_value(named(&group, "vms", "Vm", "v")).unwrap();
    crd["metadata"]["labels"] = json!({ "app.kubernetes.io/managed-by": "Helm" });
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldManager=helm";
    assert!(server.raw(Request::post(path, crd)).await.is_success());

    let desired = || named(&group, "vms", "Vm", "machine");
    let error = client.install([desired()]).await.unwrap_err();
    let InstallError::Apply(ApplyError::Conflicts(refusal)) = &error else {
        panic!("{error}");
    };
    let conflicts: Vec<_> = refusal.conflicts().collect();
    assert_eq!(conflicts[0].field, ".spec.names.shortNames");
    assert_eq!(conflicts[0].manager, "helm");

    let forced = client.install([desired()]).force().await.unwrap();
    assert_eq!(outcomes(&forced), [OperationResult::Updated]);
    let labels = forced[0].crd.metadata.labels.as_ref().unwrap();
    assert_eq!(labels["app.kubernetes.io/managed-by"], "Helm");
}

#[tokio::test]
async fn waiting_ends() {
    if control_plane("definitions are served at once in the process").is_none() {
        return;
    }
    let Some((client, group)) = installer().await else {
        return;
    };
    let install = client.install([definition(&group, |_| ())]);
    let error = install.timeout(Duration::ZERO).await.unwrap_err();
    assert!(matches!(error, InstallError::NotServed { .. }), "{error}");
    let installed = client.install([definition(&group, |_| ())]).await.unwrap();
    assert_eq!(outcomes(&installed), [OperationResult::Unchanged]);
}
