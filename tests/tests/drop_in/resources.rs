//! The definitions that kube-derive creates of resources that crdkit refuses, and the other items of both derives.

use crdkit_tests::{Request, Verdict, server::server};
use kube::Resource;
use serde_json::{Value, json};

use crate::{
    crdkit_types::specs as ours,
    kube_types::{refused_types, specs as theirs},
    served_fields::reencode,
    shapes::definition,
};

/// What comes of a resource with kube-derive.
enum Fate {
    /// Its `crd()` panics, with these words among others.
    Panics(&'static str),
    /// The server refuses its definition, with these words among others.
    Refused(&'static str),
    /// It is served, though a part of it comes to nothing.
    Served,
}

macro_rules! fates {
    ($($root:ident: $fate:expr;)+) => {
        fn fates() -> Vec<(&'static str, Result<Value, String>, Fate)> {
            vec![$((stringify!($root), definition::<refused_types::$root>(), $fate)),+]
        }
    };
}

// Each has its error among the UI tests.
fates! {
    UnitRoot: Fate::Refused("value].type: Required value");
    PhantomRoot: Fate::Refused("value].type: Required value");
    UnitStructRoot: Fate::Refused("value].type: Required value");
    MixedRoot: Fate::Panics("The instance type must be equal for all subschema variants");
    MixedFieldsRoot: Fate::Panics("The instance type must be equal for all subschema variants");
    DifferingTypesRoot: Fate::Panics("Property \"value\" has the schema");
    ScalarOrListRoot: Fate::Refused("type: Forbidden: must be empty to be structural");
    ScalarOrObjectRoot: Fate::Served;
    MixedTupleRoot: Fate::Refused("items must be a schema object and not an array");
    RecursiveRoot: Fate::Refused("$ref is not supported");
    MutualRoot: Fate::Refused("$ref is not supported");
    ClashingRoot: Fate::Served;
    Undotted: Fate::Refused("is an invalid path");
    Nowhere: Fate::Served;
}

#[tokio::test]
async fn what_crdkit_refuses_comes_to_nothing_with_kube_derive() {
    let mut wrong = Vec::new();
    for (name, crd, fate) in fates() {
        match (crd, fate) {
            (Err(words), Fate::Panics(expected)) if words.contains(expected) => {}
            (Err(words), _) => wrong.push(format!("{name} panics: {words}")),
            (Ok(crd), fate) => {
                let Some(server) = server() else {
                    return;
                };
                let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
                let verdict: Verdict = server.raw(Request::post(path, crd)).await.into();
                let is_expected = match fate {
                    Fate::Refused(words) => !verdict.accepted && verdict.message.contains(words),
                    Fate::Served => verdict.accepted,
                    Fate::Panics(_) => false,
                };
                if !is_expected {
                    wrong.push(format!("{name}: {verdict}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn inherited_identities_are_the_same() {
    fn identity<K: Resource<DynamicType = ()>>() -> [String; 5] {
        [K::group(&()), K::version(&()), K::kind(&()), K::api_version(&()), K::plural(&())].map(|it| it.into_owned())
    }
    assert_eq!(identity::<theirs::TypedMap>(), identity::<ours::TypedMap>());
    assert_eq!(identity::<theirs::TypedSecret>(), identity::<ours::TypedSecret>());
    assert_eq!(identity::<ours::TypedSecret>(), ["", "v1", "Secret", "v1", "secrets"]);
}

macro_rules! objects {
    ($($root:ident: $members:tt;)+) => {
        #[test]
        fn objects_are_written_the_same() {
            $(
                let mut object = json!($members);
                object["apiVersion"] = json!(ours::$root::api_version(&()));
                object["kind"] = json!(ours::$root::kind(&()));
                object["metadata"] = json!({ "name": "a", "namespace": "b" });
                assert_eq!(reencode::<theirs::$root>(&object).as_ref(), Some(&object));
                assert_eq!(reencode::<ours::$root>(&object).as_ref(), Some(&object));
            )+
        }
    };
}

objects! {
    Least: { "spec": { "info": "a" } };
    FootObject: {
        "spec": { "data": "abc", "replicasCount": 1 }, "status": { "replicas": 1, "labelSelector": "a=b" },
    };
    Typed: { "spec": { "replicas": 1, "labelSelector": "a=b" } };
    Raw: { "spec": { "replicas": 1, "labelSelector": "a=b" } };
    Ruled: { "spec": { "field": "a" } };
    Checked: { "spec": { "replicas": 1, "maxReplicas": 2, "fixed": "a" } };
    Assorted: {
        "spec": {
            "timestamp": "2020-01-01T00:00:00Z", "choice": { "variantOne": { "int": 23 } },
            "person": { "kin": "Near", "dateOfBirth": "2000-01-01" }, "validated": ["a"], "set": ["b"], "associated": false,
            "optional": "Far", "documented": null, "requiredPort": 1, "optionalPort": "80%",
            "strict": { "one": "a", "two": true, "three": 3 },
        },
        "status": { "replicas": 1, "labelSelector": "a=b" },
    };
    Choice: { "spec": { "variantThree": {} } };
    Either: { "spec": { "B": 1 } };
    Undescribed: { "spec": { "B": { "inner": 1 } } };
    Loose: { "spec": { "inner": 1, "additional": "a" } };
    Bucket: { "name": "a", "region": "b" };
    Shard: { "replicas": 1, "status": { "replicas": 1, "labelSelector": "a=b" } };
    ByHand: { "spec": { "size": 1 } };
}

/// The row of `crdkit::migration` about Rust code.
#[test]
fn labels_of_the_definition_and_objects_of_other_kinds_are_kept_apart() {
    let spec = json!({ "data": "abc", "replicasCount": 1 });
    let one = json!(theirs::FootObject::new("a", serde_json::from_value(spec.clone()).unwrap()));
    let other = json!(ours::FootObject::new("a", serde_json::from_value(spec).unwrap()));
    let labels = json!({ "dropin.example.com/a": "b" });
    let annotations = json!({ "dropin.example.com/c": "d" });
    assert_eq!(one["metadata"], json!({ "name": "a", "labels": labels, "annotations": annotations }));
    assert_eq!(other["metadata"], json!({ "name": "a" }));
    assert_eq!(one["spec"], other["spec"]);

    let stranger = json!({ "apiVersion": "v1", "kind": "Stranger", "metadata": {}, "spec": { "info": "a" } });
    assert!(reencode::<theirs::Least>(&stranger).is_some());
    assert!(reencode::<ours::Least>(&stranger).is_none());
}
