//! Root types: their constructors, serialization and traits of kube.

use crdkit::{CustomResource, KubeSchema};
use kube::{
    CustomResourceExt, Resource,
    core::{
        ObjectMeta,
        object::{HasSpec, HasStatus},
    },
};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[crd(
    group = "roots.example.com",
    version = "v1beta1",
    kind = "Tree",
    namespaced,
    status = "TreeStatus",
    shortname = "tr",
    label("of", "definition"),
    annotation("of", "definition"),
    derive = "PartialEq",
    derive = "Default"
)]
struct TreeSpec {
    height: u8,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct TreeStatus {
    leaves: u32,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "roots.example.com", version = "v1", kind = "Bush", root = "BushRoot", attr = "must_use")]
struct BushSpec {}

#[test]
fn a_new_object_has_a_name_a_spec_and_nothing_else() {
    let tree = Tree::new("oak", TreeSpec { height: 20 });
    let expected = json!({
        "apiVersion": "roots.example.com/v1beta1",
        "kind": "Tree",
        "metadata": { "name": "oak" },
        "spec": { "height": 20 },
    });
    assert_eq!(json!(tree), expected);
}

#[test]
fn a_default_object_has_not_even_a_name() {
    let tree = Tree::default();
    assert_eq!(tree.metadata, ObjectMeta::default());
    assert_eq!(tree.spec, TreeSpec::default());
    assert_eq!(tree.status, None);
}

#[test]
fn fields_are_written_in_the_order_of_kubernetes() {
    let mut tree = Tree::new("oak", TreeSpec { height: 20 });
    tree.status = Some(TreeStatus { leaves: 9 });
    let text = serde_json::to_string(&tree).unwrap();
    let expected = concat!(
        r#"{"apiVersion":"roots.example.com/v1beta1","kind":"Tree","metadata":{"name":"oak"},"#,
        r#""spec":{"height":20},"status":{"leaves":9}}"#,
    );
    assert_eq!(text, expected);
}

#[test]
fn kube_sees_a_resource() {
    assert_eq!(Tree::group(&()), "roots.example.com");
    assert_eq!(Tree::version(&()), "v1beta1");
    assert_eq!(Tree::kind(&()), "Tree");
    assert_eq!(Tree::plural(&()), "trees");
    assert_eq!(Tree::api_version(&()), "roots.example.com/v1beta1");
    let path = "/apis/roots.example.com/v1beta1/namespaces/wood/trees";
    assert_eq!(Tree::url_path(&(), Some("wood")), path);
    let mut tree = Tree::default();
    tree.meta_mut().name = Some("elm".to_owned());
    assert_eq!(tree.meta().name.as_deref(), Some("elm"));
}

#[test]
fn kube_sees_a_definition() {
    assert_eq!(Tree::crd_name(), "trees.roots.example.com");
    assert_eq!(Tree::crd().metadata.name.as_deref(), Some(Tree::crd_name()));
    assert_eq!(Tree::shortnames(), ["tr"]);
    let resource = Tree::api_resource();
    assert_eq!(resource.kind, "Tree");
    assert_eq!(resource.plural, "trees");
    assert_eq!(resource.api_version, "roots.example.com/v1beta1");
}

#[test]
fn kube_sees_spec_and_status() {
    let mut tree = Tree::default();
    tree.spec_mut().height = 3;
    assert_eq!(tree.spec().height, 3);
    *tree.status_mut() = Some(TreeStatus { leaves: 1 });
    assert_eq!(tree.status().unwrap().leaves, 1);
}

#[test]
fn the_root_has_the_name_it_is_given() {
    let bush = BushRoot::new("box", BushSpec {});
    assert_eq!(json!(bush)["kind"], "Bush");
}
