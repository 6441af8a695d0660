use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};

use super::*;
use crate::client::dynamic::Unstructured;

fn metadata(name: &str, namespace: Option<&str>) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: namespace.map(str::to_owned),
        uid: Some(format!("uid of {name}")),
        ..Default::default()
    }
}

fn config(name: &str) -> ConfigMap {
    ConfigMap { metadata: metadata(name, Some("prod")), ..Default::default() }
}

fn pod(namespace: Option<&str>) -> Pod {
    Pod { metadata: metadata("pod", namespace), ..Default::default() }
}

fn owners(pod: &Pod) -> Vec<(&str, Option<bool>)> {
    let owners = pod.metadata.owner_references.iter().flatten();
    owners.map(|owner| (owner.name.as_str(), owner.controller)).collect()
}

#[test]
fn object_has_owners_and_one_controller() {
    let mut pod = pod(Some("prod"));
    set_owner_reference(&mut pod, &config("a")).unwrap();
    set_controller_reference(&mut pod, &config("b")).unwrap();
    set_controller_reference(&mut pod, &config("b")).unwrap();
    assert_eq!(owners(&pod), [("a", None), ("b", Some(true))]);
    let error = set_controller_reference(&mut pod, &config("c")).unwrap_err();
    assert!(matches!(error, OwnerError::AlreadyOwned { .. }), "{error}");
    assert_eq!(owners(&pod).len(), 2);
}

#[test]
fn owner_and_child_must_be_in_the_same_namespace() {
    for namespace in [None, Some("dev")] {
        let error = set_owner_reference(&mut pod(namespace), &config("a")).unwrap_err();
        assert!(matches!(error, OwnerError::NamespaceMismatch { .. }), "{error}");
    }
}

#[test]
fn cluster_scoped_owner_owns_in_every_namespace() {
    let node = Node { metadata: metadata("n1", None), ..Default::default() };
    let mut pod = pod(Some("prod"));
    set_owner_reference(&mut pod, &node).unwrap();
    assert_eq!(owners(&pod), [("n1", None)]);
}

#[test]
fn owner_must_have_a_uid() {
    let mut owner = config("a");
    owner.metadata.uid = None;
    let error = set_owner_reference(&mut pod(Some("prod")), &owner).unwrap_err();
    assert!(matches!(error, OwnerError::NotCreated { .. }), "{error}");
}

#[test]
fn owner_may_be_of_any_kind() {
    let kind = kube_core::GroupVersionKind::gvk("example.com", "v1", "Site");
    let mut owner = Unstructured::new("a", &kind).within("prod");
    let kind = kube_core::ApiResource::from_gvk(&kind);
    let mut pod = pod(Some("prod"));
    let error = set_owner_reference_dyn(&mut pod, &owner, &kind).unwrap_err();
    assert_eq!(error, OwnerError::NotCreated { kind: "Site".into() });
    owner.metadata.uid = Some("u".into());
    set_owner_reference_dyn(&mut pod, &owner, &kind).unwrap();
    assert_eq!(owners(&pod), [("a", None)]);
    owner.metadata.namespace = Some("dev".into());
    let error = set_owner_reference_dyn(&mut pod, &owner, &kind).unwrap_err();
    assert!(matches!(error, OwnerError::NamespaceMismatch { .. }), "{error}");
}
