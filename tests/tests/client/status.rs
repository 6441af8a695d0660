//! Writes of the subresources status and scale.

use crdkit::{
    client::{ApplyError, Patch},
    conditions::NewCondition,
};
use k8s_openapi::api::apps::v1::Deployment;
use serde_json::json;

use crate::served::{Machine, Sample, Site, SizeStatus, client, namespace};

#[tokio::test]
async fn a_status_is_read_and_written() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "status-written").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let status = machines.status();
    machines.create(&Machine::named("a", 1)).await.unwrap();
    assert_eq!(status.get("a").await.unwrap(), None);

    let updated = status.update("a", |status| status.size = 2).await.unwrap();
    assert_eq!(updated.status.unwrap().size, 2);
    let read = status.get("a").await.unwrap().unwrap();
    assert_eq!(read.size, 2);

    let patch = Patch::merge(json!({ "status": { "size": 3 } }));
    let mut patched = status.patch("a", &patch).await.unwrap();
    assert_eq!(patched.status.as_ref().unwrap().size, 3);

    patched.spec.size = 9;
    patched.status = Some(SizeStatus { size: 4, ..Default::default() });
    let replaced = status.replace(&patched).await.unwrap();
    assert_eq!((replaced.spec.size, replaced.status.unwrap().size), (1, 4));

    let gone = status.update_opt("a", |status| *status = None).await.unwrap();
    assert_eq!(gone.status, None);
}

#[tokio::test]
async fn the_status_and_the_rest_are_written_separately() {
    let Some(client) = client().await else { return };
    let sites = client.resources::<Site>();
    sites.create(&Site::named("status-apart", 1)).await.unwrap();
    sites.status().update("status-apart", |status| status.size = 2).await.unwrap();
    sites.update("status-apart", |site| site.spec.size = 3).await.unwrap();
    let site = sites.get("status-apart").await.unwrap();
    assert_eq!((site.spec.size, site.status.unwrap().size), (3, 2));
}

#[tokio::test]
async fn a_status_is_applied() {
    let Some(client) = client().await else { return };
    let sites = client.resources::<Site>();
    let fields = json!({ "status": { "size": 5 } });
    let error = sites.status().apply("status-none", &fields).await.unwrap_err();
    assert!(matches!(&error, ApplyError::Request(error) if error.is_not_found()), "{error}");
    sites.create(&Site::named("status-applied", 1)).await.unwrap();
    let applied = sites.status().apply("status-applied", &fields).await.unwrap();
    assert_eq!(applied.status.unwrap().size, 5);
}

#[tokio::test]
async fn a_condition_keeps_its_time_until_its_status_changes() {
    let Some(client) = client().await else { return };
    let sites = client.resources::<Site>();
    let name = "status-conditions";
    sites.create(&Site::named(name, 1)).await.unwrap();
    let set = async |condition| {
        let site = sites.status().set_condition(name, condition).await.unwrap();
        let condition = site.status.as_ref().unwrap().conditions[0].clone();
        (site, condition)
    };
    let (_, first) = set(NewCondition::is_false("Ready", "Starting")).await;
    assert_eq!(first.observed_generation, Some(1));

    sites.update(name, |site| site.spec.size = 2).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    let (before, second) = set(NewCondition::is_false("Ready", "StillStarting")).await;
    assert_eq!(second.last_transition_time, first.last_transition_time);
    assert_eq!(second.observed_generation, Some(2));
    let (after, _) = set(NewCondition::is_false("Ready", "StillStarting")).await;
    assert_eq!(before.metadata.resource_version, after.metadata.resource_version);

    let (_, third) = set(NewCondition::is_true("Ready", "Started")).await;
    assert!(third.last_transition_time > first.last_transition_time);
}

#[tokio::test]
async fn what_scales_is_scaled() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "status-scale").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    machines.create(&Machine::named("a", 3)).await.unwrap();
    let scale = machines.scale();
    assert_eq!(scale.get("a").await.unwrap().spec.unwrap().replicas, Some(3));
    let set = scale.set("a", 5).await.unwrap();
    assert_eq!(set.spec.unwrap().replicas, Some(5));
    let patch = Patch::merge(json!({ "spec": { "replicas": 7 } }));
    scale.patch("a", &patch).await.unwrap();
    assert_eq!(machines.get("a").await.unwrap().spec.size, 7);
    let error = scale.get("none").await.unwrap_err();
    assert!(error.is_not_found(), "{error}");
}

#[tokio::test]
async fn kubernetes_own_kinds_have_status_and_scale() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "status-own").await;
    let deployments = client.resources::<Deployment>().namespace(&namespace);
    let deployment = json!({
        "metadata": { "name": "web" },
        "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "web", "image": "web" }] },
            },
        },
    });
    let deployment = serde_json::from_value(deployment).unwrap();
    deployments.create(&deployment).await.unwrap();
    deployments.scale().set("web", 4).await.unwrap();
    let update = |status: &mut k8s_openapi::api::apps::v1::DeploymentStatus| {
        status.replicas = Some(4);
    };
    deployments.status().update("web", update).await.unwrap();
    let read = deployments.get("web").await.unwrap();
    assert_eq!(read.spec.replicas, Some(4));
    assert_eq!(read.status.unwrap().replicas, Some(4));
}
