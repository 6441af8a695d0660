//! Objects of kinds that are known at run time.

use crdkit::{
    client::{
        OperationResult,
        discovery::GroupVersionResource,
        dynamic::Unstructured,
        dynamic::{Optional, ScopeError},
    },
    kube::core::GroupVersionKind,
};
use serde_json::{Value, json};

use crate::served::{Machine, MachineSpec, client, namespace};

const GROUP: &str = "client.example.com";

#[tokio::test]
async fn every_verb_works_without_a_type() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "dynamic-verbs").await;
    let dynamic = client.dynamic();
    let machines = dynamic.resources("machines.client.example.com").await.unwrap();
    let kind = machines.resource().gvk();
    let machines = machines.namespace(&namespace).unwrap();

    let mut machine = Unstructured::new("a", &kind);
    machine.set("spec.size", 1).unwrap();
    let created = machines.create(&machine).await.unwrap();
    assert_eq!(created.get_i64("spec.size").unwrap(), 1);
    assert_eq!(created.get_str("spec.note").optional().unwrap(), None);

    let updated = machines.update("a", |machine| machine.set("spec.size", 2)).await.unwrap();
    assert_eq!(updated.get_i64("spec.size").unwrap(), 2);
    let typed: Machine = updated.into_typed().unwrap();
    assert_eq!(typed.spec.size, 2);

    let fields = json!({ "spec": { "disks": [{ "name": "boot", "size": 10 }] } });
    let (applied, outcome) = machines.create_or_apply("a", &fields).await.unwrap();
    assert_eq!(outcome, OperationResult::Updated);
    assert_eq!(applied.get_i64("spec.disks[0].size").unwrap(), 10);

    let status = machines.status();
    let written = status.update("a", |status: &mut Value| *status = json!({ "size": 2 }));
    assert_eq!(written.await.unwrap().get_i64("status.size").unwrap(), 2);
    assert_eq!(machines.scale().set("a", 5).await.unwrap().spec.unwrap().replicas, Some(5));

    let listed = machines.list().await.unwrap();
    assert_eq!(listed.items.len(), 1);
    assert_eq!(listed.items[0].gvk(), Some(kind));
    machines.delete("a").await.unwrap();
    assert!(machines.get_opt("a").await.unwrap().is_none());
}

#[tokio::test]
async fn names_kinds_and_resources_lead_to_the_same() {
    let Some(client) = client().await else { return };
    let dynamic = client.dynamic();
    let by_kind = dynamic.resources(GroupVersionKind::gvk(GROUP, "v1", "Machine")).await.unwrap();
    let by_name = dynamic.resources(GroupVersionResource::new(GROUP, "v1", "machines"));
    let by_word = dynamic.resources("machine.client.example.com");
    assert_eq!(by_name.await.unwrap().resource(), by_kind.resource());
    assert_eq!(by_word.await.unwrap().resource(), by_kind.resource());
}

#[tokio::test]
async fn scopes_are_kept() {
    let Some(client) = client().await else { return };
    let dynamic = client.dynamic();
    let machines = dynamic.resources("machines.client.example.com").await.unwrap();
    let sites = dynamic.resources("sites.client.example.com").await.unwrap();
    let error = machines.cluster().unwrap_err();
    assert!(matches!(&error, ScopeError::Namespaced { .. }), "{error}");
    let error = sites.namespace("default").unwrap_err();
    let message = "`sites.client.example.com` is cluster-scoped and has no namespaces: use `.cluster()`";
    assert_eq!(error.to_string(), message);

    let mut site = Unstructured::new("dynamic", &sites.resource().gvk());
    site.set("spec.size", 1).unwrap();
    sites.namespace_if_any("default").create(&site).await.unwrap();
    let site = sites.cluster().unwrap().get("dynamic").await.unwrap();
    assert_eq!(site.metadata.namespace, None);
    let all = sites.all_namespaces().list().await.unwrap();
    assert!(all.items.iter().any(|site| site.metadata.name.as_deref() == Some("dynamic")));
}

#[tokio::test]
async fn typed_and_untyped_see_the_same_object() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "dynamic-typed").await;
    let spec = MachineSpec { size: 3, ..Default::default() };
    let typed = client.resources::<Machine>().namespace(&namespace);
    let created = typed.create(&Machine::new("a", spec)).await.unwrap();
    let machines = client.dynamic().resources("machines.client.example.com").await.unwrap();
    let read = machines.namespace(&namespace).unwrap().get("a").await.unwrap();
    assert_eq!(read, Unstructured::from_typed(&created).unwrap());
}
