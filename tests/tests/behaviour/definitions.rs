//! CustomResourceDefinitions, as far as they can be judged without a server.

use crdkit::{CustomResource, KubeSchema};
use kube::CustomResourceExt;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Definitions of a kind with a plural and its list kind.
macro_rules! kinds {
    ($($module:ident: ($($attribute:tt)*) => $root:ident, $names:tt;)+) => {
        $(mod $module {
            use super::*;

            #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
            #[crd(group = "names.example.com", version = "v1", $($attribute)*)]
            struct Spec {}

            pub(super) fn names() -> Value {
                json!($root::crd().spec.names)
            }
        })+

        #[test]
        fn names_are_made_from_the_kind() {
            $(
                let names = $module::names();
                for (name, value) in json!($names).as_object().unwrap() {
                    assert_eq!(&names[name], value, "{}: {names}", stringify!($root));
                }
            )+
        }
    };
}

kinds! {
    plain: (kind = "Dog") => Dog,
        { "plural": "dogs", "singular": "dog", "listKind": "DogList" };
    camel: (kind = "HorseBox") => HorseBox,
        { "plural": "horseboxes", "singular": "horsebox", "listKind": "HorseBoxList" };
    consonant: (kind = "Policy") => Policy,
        { "plural": "policies", "singular": "policy" };
    vowel: (kind = "Gateway") => Gateway,
        { "plural": "gateways" };
    hissing: (kind = "Mesh") => Mesh,
        { "plural": "meshes" };
    singular: (kind = "Ox", singular = "cow") => Ox,
        { "plural": "cows", "singular": "cow", "listKind": "OxList" };
    given: (kind = "Fish", plural = "fish", list_kind = "Shoal") => Fish,
        { "plural": "fish", "singular": "fish", "listKind": "Shoal" };
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "names.example.com", version = "v1", kind = "Hero")]
struct HeroSpec {}

#[test]
fn irregular_plurals_are_those_of_kube_derive() {
    assert_eq!(Hero::crd_name(), "heros.names.example.com");
    const { assert!(Hero::DEFINITION.plural_from_singular && !Ordered::DEFINITION.plural_from_singular) };
}

fn version<K: CustomResourceExt>() -> Value {
    json!(K::crd().spec.versions[0])
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "columns.example.com",
    version = "v1",
    kind = "Ordered",
    status = "OrderedStatus",
    printcolumn(age),
    printcolumn(name = "Typed", type_ = "string", json_path = ".spec.second"),
    printcolumn(condition = "Ready")
)]
struct OrderedSpec {
    #[crd(column)]
    zebra: u8,
    nested: Nested,
    #[crd(column(name = "2nd"))]
    second: String,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Nested {
    #[crd(column)]
    inner: bool,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct OrderedStatus {
    /// How it goes.
    #[crd(column(priority = 1))]
    phase: String,
    conditions: Vec<k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition>,
}

#[test]
fn columns_stand_where_their_fields_do_and_the_age_is_last() {
    let version = version::<Ordered>();
    let columns = version["additionalPrinterColumns"].as_array().unwrap();
    let column = |column: &Value| (column["name"].clone(), column["jsonPath"].clone());
    let columns: Vec<_> = columns.iter().map(column).collect();
    let expected = [
        ("Zebra", ".spec.zebra"),
        ("Inner", ".spec.nested.inner"),
        ("2nd", ".spec.second"),
        ("Phase", ".status.phase"),
        ("Typed", ".spec.second"),
        ("Ready", r#".status.conditions[?(@.type=="Ready")].status"#),
        ("Age", ".metadata.creationTimestamp"),
    ];
    assert_eq!(columns, expected.map(|(name, path)| (json!(name), json!(path))));
}

#[test]
fn columns_say_what_their_fields_do() {
    let version = version::<Ordered>();
    let phase = json!({
        "name": "Phase",
        "type": "string",
        "jsonPath": ".status.phase",
        "description": "How it goes.",
        "priority": 1,
    });
    assert_eq!(version["additionalPrinterColumns"][3], phase);
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "scale.example.com",
    version = "v1",
    kind = "NoStatus",
    scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas")
)]
struct NoStatusSpec {
    replicas: i32,
}

#[test]
fn a_scale_without_a_status_is_kept() {
    let scale = json!({
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
    });
    assert_eq!(version::<NoStatus>()["subresources"], json!({ "scale": scale }));
}

/// The content of the spec.
///
/// In two paragraphs.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "docs.example.com", version = "v1", kind = "Documented")]
struct DocumentedSpec {}

#[test]
fn the_root_is_described_by_the_spec() {
    let version = version::<Documented>();
    let schema = &version["schema"]["openAPIV3Schema"];
    let text = "The content of the spec.\n\nIn two paragraphs.";
    assert_eq!(schema["description"], text);
    assert_eq!(schema["properties"]["spec"]["description"], text);
    assert_eq!(schema["required"], json!(["spec"]));
    assert!(schema.get("title").is_none());
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "bare.example.com", version = "v1", kind = "Bare")]
struct BareSpec {}

#[test]
fn what_is_not_said_is_not_written() {
    let crd = json!(Bare::crd());
    let expected = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "bares.bare.example.com" },
        "spec": {
            "group": "bare.example.com",
            "names": { "kind": "Bare", "listKind": "BareList", "plural": "bares", "singular": "bare" },
            "scope": "Cluster",
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "required": ["spec"],
                    "properties": { "spec": { "type": "object" } },
                } },
            }],
        },
    });
    assert_eq!(crd, expected);
}
