//! Resources that crdkit refuses to compile: what comes of them with kube-derive; and what else a derive makes of a resource.

use crdkit_tests::{ControlPlane, Request, Verdict};
use kube::Resource;
use serde_json::{Value, json};

use crate::{
    of_crdkit::specs as ours,
    of_kube::{refused, specs as theirs},
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
            vec![$((stringify!($root), definition::<refused::$root>(), $fate)),+]
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
                let Some(plane) = ControlPlane::shared() else {
                    return;
                };
                let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
                let verdict: Verdict = plane.raw(Request::post(path, crd)).await.into();
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
        [
            K::group(&()),
            K::version(&()),
            K::kind(&()),
            K::api_version(&()),
            K::plural(&()),
        ]
        .map(|it| it.into_owned())
    }
    assert_eq!(identity::<theirs::TypedMap>(), identity::<ours::TypedMap>());
    assert_eq!(
        identity::<theirs::TypedSecret>(),
        identity::<ours::TypedSecret>()
    );
    assert_eq!(
        identity::<ours::TypedSecret>(),
        ["", "v1", "Secret", "v1", "secrets"]
    );
}

#[test]
fn rules_in_process_judge_the_same() {
    let specs = [
        json!({ "replicas": 1, "maxReplicas": 3, "fixed": "a" }),
        json!({ "replicas": 5, "maxReplicas": 3, "fixed": "a" }),
        json!({ "replicas": -1, "maxReplicas": -3, "fixed": "b" }),
        json!({ "replicas": -1, "maxReplicas": 3, "fixed": "b" }),
    ];
    let mut valid = 0;
    for spec in &specs {
        for old in [None, Some(&specs[0])] {
            let one = theirs::CheckedSpec::validate_cel(spec, old).map_err(|errors| errors.len());
            let other = ours::CheckedSpec::validate_cel(spec, old).map_err(|errors| errors.len());
            assert_eq!(one, other, "{spec}");
        }
        let one = theirs::Checked::new("a", serde_json::from_value(spec.clone()).unwrap());
        let other = ours::Checked::new("a", serde_json::from_value(spec.clone()).unwrap());
        assert_eq!(
            one.validate_cel().is_ok(),
            other.validate_cel().is_ok(),
            "{spec}"
        );
        valid += usize::from(one.validate_cel().is_ok());
    }
    assert_eq!(valid, 1);
}
