//! Rules that a dry run of one definition does not check: the size limits of etcd and of the annotation of client-side `kubectl
//! apply`, and names that another definition has.

use std::time::Duration;

use crdkit::validate::{validate_all, validate_json};
use crdkit_core::rules::sizes::{MAX_STORED_BYTES, RESERVED_BYTES};
use crdkit_tests::{ControlPlane, Request, Verdict};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::base;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The longest time in which the server checks the names of a definition.
const NAMING_LIMIT: Duration = Duration::from_secs(60);

/// The time to wait for a condition that the server cannot store.
const SILENCE: Duration = Duration::from_secs(2);

fn breaks(crd: &Value, rule: &str) -> bool {
    validate_json(crd).iter().any(|it| it.rule == rule)
}

/// A definition of this group with a description of this length.
fn described(group: &str, letters: usize) -> Value {
    let schema = json!({ "type": "object", "description": "a".repeat(letters) });
    let version = json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } });
    base::changed("crd", json!({ "spec": { "group": group, "versions": [version] } }))
}

/// The same, with this size as JSON.
fn of_size(group: &str, bytes: usize) -> Value {
    let least = typed(&described(group, 0));
    let least = serde_json::to_string(&least).expect("it is JSON").len();
    described(group, bytes - least)
}

fn typed(crd: &Value) -> CustomResourceDefinition {
    serde_json::from_value(crd.clone()).expect("it is a definition")
}

async fn create(plane: &ControlPlane, crd: &Value) -> Verdict {
    plane.raw(Request::post(CRDS, crd.clone())).await.into()
}

/// The condition `NamesAccepted` of a stored definition, if the server sets it within a time.
async fn names_accepted(plane: &ControlPlane, crd: &Value, limit: Duration) -> Option<bool> {
    let name = crd["metadata"]["name"].as_str().unwrap_or_default();
    let deadline = Instant::now() + limit;
    loop {
        let stored = plane.raw(Request::get(format!("{CRDS}/{name}"))).await.body;
        let mut conditions = stored["status"]["conditions"].as_array().cloned().into_iter().flatten();
        match conditions.find(|it| it["type"] == "NamesAccepted") {
            Some(condition) => return Some(condition["status"] == "True"),
            None if Instant::now() > deadline => return None,
            None => sleep(POLL_INTERVAL).await,
        }
    }
}

#[tokio::test]
async fn what_etcd_takes() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    for bytes in [MAX_STORED_BYTES - RESERVED_BYTES, MAX_STORED_BYTES, MAX_STORED_BYTES + 1] {
        let crd = of_size(&format!("of-{bytes}.example.com"), bytes);
        let verdict = create(plane, &crd).await;
        if breaks(&crd, "Z2") {
            assert!(!verdict.accepted, "{bytes} bytes");
            assert_eq!(verdict.message, "etcdserver: request is too large");
        } else {
            let is_served = verdict.accepted && names_accepted(plane, &crd, SILENCE).await == Some(true);
            assert_eq!(is_served, !breaks(&crd, "Z5"), "{bytes} bytes: {verdict}");
        }
    }
}

/// The definition as client-side `kubectl apply` sends it.
fn annotated(crd: &Value) -> Value {
    const KEY: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let mut with_annotations = crd.clone();
    let annotations = &mut with_annotations["metadata"]["annotations"];
    if annotations.is_null() {
        *annotations = json!({});
    }
    let copy = with_annotations.to_string();
    let escaped = copy.replace('<', r"\u003c").replace('>', r"\u003e").replace('&', r"\u0026");
    with_annotations["metadata"]["annotations"][KEY] = format!("{escaped}\n").into();
    with_annotations
}

#[tokio::test]
async fn what_kubectl_can_annotate() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let (mut small, mut large) = (0, 0);
    for letters in (261_000..262_200).step_by(100) {
        let mut crd = described("annotated.example.com", letters);
        for text in ["", "<&>"] {
            crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["title"] = text.into();
            let is_large = breaks(&crd, "Z4");
            let verdict = plane.dry_run(&annotated(&crd)).await;
            assert_eq!(verdict.accepted, !is_large, "{letters} letters: {verdict}");
            *if is_large { &mut large } else { &mut small } += 1;
        }
    }
    assert!(small > 2 && large > 2, "{small} small ones, {large} large ones");
}

/// Names of two definitions of one group, and the rules that the second one breaks.
const NAMES: &[(&str, &str, &[&str])] = &[
    (r#"{"plural": "as", "kind": "A"}"#, r#"{"plural": "bs", "kind": "B"}"#, &[]),
    (r#"{"plural": "as", "kind": "A"}"#, r#"{"plural": "bs", "kind": "B", "shortNames": ["as"]}"#, &["U1"]),
    (r#"{"plural": "as", "kind": "A"}"#, r#"{"plural": "bs", "kind": "B", "shortNames": ["a"]}"#, &["U1"]),
    (
        r#"{"plural": "as", "kind": "A", "shortNames": ["x"]}"#,
        r#"{"plural": "bs", "kind": "B", "shortNames": ["y", "x"]}"#,
        &["U1"],
    ),
    (r#"{"plural": "as", "kind": "A", "shortNames": ["x"]}"#, r#"{"plural": "x", "kind": "B"}"#, &["U1"]),
    (
        r#"{"plural": "as", "kind": "A", "shortNames": ["x"]}"#,
        r#"{"plural": "bs", "singular": "x", "kind": "B"}"#,
        &["U1"],
    ),
    (r#"{"plural": "as", "kind": "A"}"#, r#"{"plural": "a", "kind": "B"}"#, &["U1"]),
    (r#"{"plural": "as", "kind": "A"}"#, r#"{"plural": "bs", "singular": "as", "kind": "B"}"#, &["U1"]),
    (r#"{"plural": "as", "kind": "A"}"#, r#"{"plural": "bs", "singular": "b", "kind": "A"}"#, &["U2"]),
    (r#"{"plural": "as", "kind": "A"}"#, r#"{"plural": "bs", "kind": "B", "listKind": "A"}"#, &["U2"]),
    (r#"{"plural": "as", "kind": "A"}"#, r#"{"plural": "bs", "kind": "B", "listKind": "AList"}"#, &["U2"]),
    (r#"{"plural": "as", "kind": "A", "listKind": "B"}"#, r#"{"plural": "bs", "kind": "B"}"#, &["U2"]),
    (r#"{"plural": "as", "kind": "A"}"#, r#"{"plural": "bs", "kind": "A"}"#, &["U1", "U2"]),
    (
        r#"{"plural": "as", "kind": "A", "categories": ["x"]}"#,
        r#"{"plural": "bs", "kind": "B", "categories": ["x"], "shortNames": ["x"]}"#,
        &[],
    ),
    (
        r#"{"plural": "as", "kind": "A"}"#,
        r#"{"plural": "bs", "kind": "Bs", "singular": "b", "shortNames": ["bs"]}"#,
        &[],
    ),
    (r#"{"plural": "as", "kind": "A"}"#, r#"{"plural": "bs", "kind": "a"}"#, &["U1"]),
    (r#"{"plural": "as", "kind": "A"}"#, r#"{"plural": "bs", "singular": "a", "kind": "B"}"#, &["U1"]),
    (
        r#"{"plural": "as", "singular": "x", "kind": "A"}"#,
        r#"{"plural": "bs", "kind": "B", "shortNames": ["x"]}"#,
        &["U1"],
    ),
    (r#"{"plural": "as", "kind": "A", "listKind": "L"}"#, r#"{"plural": "bs", "kind": "B", "listKind": "L"}"#, &["U2"]),
    (r#"{"plural": "as", "kind": "A", "listKind": "BList"}"#, r#"{"plural": "bs", "kind": "B"}"#, &["U2"]),
    (r#"{"plural": "as", "kind": "A"}"#, r#"{"plural": "bs", "kind": "As", "singular": "x"}"#, &[]),
];

/// The letter of a group and names, of several definitions, and the rules that they break by their indexes.
type Several = (&'static [(char, &'static str)], &'static [(usize, &'static str)]);

/// Definitions of several groups, and more than two.
const SEVERAL: &[Several] = &[
    (&[('a', r#"{"plural": "as", "kind": "A"}"#), ('b', r#"{"plural": "as", "kind": "A"}"#)], &[]),
    (
        &[
            ('a', r#"{"plural": "as", "kind": "A", "shortNames": ["x"]}"#),
            ('b', r#"{"plural": "x", "singular": "as", "kind": "AList", "listKind": "A"}"#),
        ],
        &[],
    ),
    (
        &[
            ('a', r#"{"plural": "as", "kind": "A", "shortNames": ["x"]}"#),
            ('b', r#"{"plural": "bs", "kind": "B", "shortNames": ["x"]}"#),
            ('a', r#"{"plural": "cs", "kind": "C", "shortNames": ["x"]}"#),
        ],
        &[(2, "U1")],
    ),
    // The names of the second one that do not conflict are accepted.
    (
        &[
            ('a', r#"{"plural": "as", "kind": "A", "shortNames": ["x"]}"#),
            ('a', r#"{"plural": "bs", "kind": "B", "shortNames": ["x"]}"#),
            ('a', r#"{"plural": "cs", "kind": "C", "shortNames": ["bs"]}"#),
            ('a', r#"{"plural": "ds", "kind": "B", "singular": "d"}"#),
        ],
        &[(1, "U1"), (2, "U1"), (3, "U2")],
    ),
    // The names that conflict are not.
    (
        &[
            ('a', r#"{"plural": "as", "kind": "A"}"#),
            ('a', r#"{"plural": "bs", "kind": "A", "singular": "b", "listKind": "BList"}"#),
            ('a', r#"{"plural": "cs", "kind": "C", "shortNames": ["b"]}"#),
            ('a', r#"{"plural": "ds", "kind": "BList", "singular": "d", "listKind": "D"}"#),
        ],
        &[(1, "U2"), (2, "U1"), (3, "U2")],
    ),
];

fn named(group: &str, names: &str) -> Value {
    let names: Value = serde_json::from_str(names).expect("they are JSON");
    let mut crd = base::changed("crd", json!({ "metadata": { "name": "-" }, "spec": { "group": group } }));
    crd["metadata"]["name"] = format!("{}.{group}", names["plural"].as_str().unwrap_or_default()).into();
    crd["spec"]["names"] = names;
    crd
}

/// The rules about names that definitions break, by their indexes.
fn name_conflicts(crds: &[Value]) -> Vec<(usize, &'static str)> {
    let crds: Vec<_> = crds.iter().map(typed).collect();
    let found = validate_all(&crds);
    let of_names = found.iter().filter(|(_, it)| it.rule.starts_with('U'));
    let mut rules: Vec<_> = of_names.map(|(of, it)| (*of, it.rule)).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// Creates definitions in their order, and checks whether the server accepts their names.
async fn create_named(plane: &ControlPlane, crds: &[Value], conflicts: &[(usize, &str)]) {
    for (at, crd) in crds.iter().enumerate() {
        let is_free = conflicts.iter().all(|(of, _)| *of != at);
        create(plane, crd).await.expect_accepted();
        let accepted = names_accepted(plane, crd, NAMING_LIMIT).await;
        assert_eq!(accepted, Some(is_free), "{at} of {crds:?}");
    }
}

#[tokio::test]
async fn what_names_others_have() {
    let plane = ControlPlane::shared();
    for (at, (first, second, expected)) in NAMES.iter().enumerate() {
        let group = format!("named-{at}.example.com");
        let crds = [first, second].map(|names| named(&group, names));
        let rules = name_conflicts(&crds);
        let expected: Vec<_> = expected.iter().map(|rule| (1, *rule)).collect();
        assert_eq!(rules, expected, "{first} {second}");
        if let Some(plane) = plane {
            create_named(plane, &crds, &rules).await;
        }
    }
}

#[tokio::test]
async fn what_names_several_have() {
    let plane = ControlPlane::shared();
    for (at, (definitions, expected)) in SEVERAL.iter().enumerate() {
        let of = |(group, names): &(char, &str)| named(&format!("several-{at}{group}.example.com"), names);
        let crds: Vec<_> = definitions.iter().map(of).collect();
        let rules = name_conflicts(&crds);
        assert_eq!(rules, *expected, "{definitions:?}");
        if let Some(plane) = plane {
            create_named(plane, &crds, &rules).await;
        }
    }
}
