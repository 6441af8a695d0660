//! Objects that were stored before their definition changed, and the warnings of definitions.

use std::{collections::BTreeSet, time::Duration};

use crdkit_tests::Request;
use kube::Client;
use serde_json::{Value, json};

use crate::{
    both::{Both, Difference, Step},
    example::{MERGE, get},
};

const GROUP: &str = "redefined.example.com";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const NAMESPACE: &str = "redefined";

/// How often a read is repeated until the real server has noticed a change.
const ATTEMPTS: usize = 100;
const INTERVAL: Duration = Duration::from_millis(100);

/// The versions of a type: `v1`, which is stored, with these fields of the spec besides `size`, and `v2` with `color`.
fn versions(fields: Value) -> Value {
    let version = |name: &str, is_stored: bool, mut fields: Value| {
        fields["size"] = json!({ "type": "integer" });
        let spec = json!({ "type": "object", "properties": fields });
        json!({
            "name": name, "served": true, "storage": is_stored,
            "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": spec } } },
        })
    };
    let color = json!({ "color": { "type": "string", "default": "red" }, "old": { "type": "string" } });
    let mut second = version("v2", false, color);
    second["selectableFields"] = json!([{ "jsonPath": ".spec.size" }]);
    json!([version("v1", true, fields), second])
}

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("parts.{GROUP}") },
        "spec": {
            "group": GROUP, "scope": "Namespaced", "names": { "kind": "Part", "plural": "parts" },
            "versions": versions(first()),
        },
    })
}

fn first() -> Value {
    json!({ "old": { "type": "string" }, "count": { "type": "integer", "format": "uint8" } })
}

fn second() -> Value {
    json!({ "new": { "type": "string", "default": "set" }, "count": { "type": "integer" } })
}

fn path(version: &str, rest: &str) -> String {
    format!("/apis/{GROUP}/{version}/namespaces/{NAMESPACE}/parts{rest}")
}

fn part(version: &str, name: &str, spec: Value) -> Step {
    let object = json!({ "apiVersion": format!("{GROUP}/{version}"), "kind": "Part", "metadata": { "name": name }, "spec": spec });
    Step::new("POST", path(version, ""), object)
}

/// Changes the schema of the stored version on both servers.
async fn redefine(clients: [Client; 2], fields: Value) {
    for client in clients {
        let change = json!({ "spec": { "versions": versions(fields.clone()) } });
        let patch = Request::patch(format!("{DEFINITIONS}/parts.{GROUP}"), MERGE, change);
        let response = patch.send(client).await.unwrap();
        assert!(response.is_success(), "{}", response.body);
    }
}

/// Compares the responses to a read once the real server has noticed a change.
async fn compare_eventually(both: &mut Both, step: &Step) -> Option<Difference> {
    let mut difference = None;
    for _ in 0..ATTEMPTS {
        difference = both.send(step).await;
        if difference.is_none() {
            break;
        }
        tokio::time::sleep(INTERVAL).await;
    }
    difference
}

#[tokio::test]
async fn objects_are_read_by_the_current_definition() {
    let Some(mut both) = Both::with_definitions(NAMESPACE, &[definition()]).await else { return };
    let merge = |rest: &str, patch: Value| Step::new("PATCH", path("v1", rest), patch).of_type(MERGE);
    let reads = [
        get(path("v1", "/a")),
        get(path("v2", "/a")),
        get(path("v1", "")),
        get(path("v2", "")),
        get(path("v2", "?fieldSelector=spec.size=1")),
    ];
    let mut differences = Vec::new();
    for name in ["a", "b", "c"] {
        differences.extend(both.send(&part("v1", name, json!({ "size": 1, "old": "kept" }))).await);
    }
    differences.extend(both.send(&part("v2", "d", json!({ "size": 1 }))).await);
    for (fields, writes) in [
        (second(), vec![merge("/a", json!({})), merge("/b", json!({ "spec": { "size": 2 } }))]),
        (first(), vec![merge("/c", json!({})), merge("/c", json!({ "spec": { "size": 3 } }))]),
    ] {
        redefine(both.clients(), fields).await;
        for read in &reads {
            differences.extend(compare_eventually(&mut both, read).await);
        }
        for step in writes.iter().chain(&reads) {
            differences.extend(both.send(step).await);
        }
    }
    assert!(differences.is_empty(), "{}", texts(&differences));
}

#[tokio::test]
async fn definitions_keep_their_names_and_stored_versions() {
    let mut definition = definition();
    definition["metadata"]["name"] = format!("fixed.{GROUP}").into();
    definition["spec"]["names"] = json!({ "kind": "Fixed", "plural": "fixed" });
    let Some(mut both) = Both::with_definitions("fixed", &[definition]).await else { return };
    let path = format!("{DEFINITIONS}/fixed.{GROUP}?dryRun=All");
    let mut only_second = versions(first());
    only_second.as_array_mut().unwrap().remove(0);
    only_second[0]["storage"] = true.into();
    let changes = [
        json!({ "spec": { "scope": "Cluster" } }),
        json!({ "spec": { "names": { "kind": "Other", "plural": "others" } } }),
        json!({ "spec": { "group": "other.example.com", "scope": "Elsewhere" } }),
        json!({ "spec": { "versions": only_second } }),
    ];
    let mut differences = Vec::new();
    for change in changes {
        let step = Step::new("PATCH", path.clone(), change).of_type(MERGE);
        let [embedded, real] = both.respond(&step).await;
        assert_eq!(real["code"], 422, "{real}");
        differences.extend(Both::difference(&step, embedded, real));
    }
    assert!(differences.is_empty(), "{}", texts(&differences));
}

#[tokio::test]
async fn definitions_have_conditions() {
    const OBJECTS: &str = "/apis/example.kubernetes.io/v1/namespaces/ended/ended";
    let mut definition = definition();
    definition["metadata"]["name"] = "ended.example.kubernetes.io".into();
    definition["metadata"]["annotations"] = json!({ "api-approved.kubernetes.io": "unapproved, \"a\" test" });
    definition["spec"]["group"] = "example.kubernetes.io".into();
    definition["spec"]["names"] = json!({ "kind": "Ended", "plural": "ended" });
    let Some(mut both) = Both::with_definitions("ended", &[definition]).await else { return };
    let object = |name: &str| {
        let metadata = json!({ "name": name, "finalizers": ["example.com/kept"] });
        let object = json!({ "apiVersion": "example.kubernetes.io/v1", "kind": "Ended", "metadata": metadata });
        Step::new("POST", OBJECTS, object)
    };
    let definition = format!("{DEFINITIONS}/ended.example.kubernetes.io");
    assert_equal_conditions(&mut both, &definition).await;
    let mut differences = Vec::from_iter(both.send(&object("a")).await);
    both.respond(&Step::new("DELETE", definition.clone(), Value::Null)).await;
    assert_equal_conditions(&mut both, &definition).await;
    differences.extend(compare_eventually(&mut both, &object("b")).await);
    assert!(differences.is_empty(), "{}", texts(&differences));
}

/// Compares the conditions of a definition, which controllers of the real server set.
async fn assert_equal_conditions(both: &mut Both, path: &str) {
    let mut last = Default::default();
    for _ in 0..ATTEMPTS {
        last = both.respond(&get(path.to_owned())).await.map(|response| {
            let conditions = response["body"]["status"]["conditions"].as_array().cloned().unwrap_or_default();
            let members = ["type", "status", "reason", "message"];
            let text = |condition: &Value| members.map(|name| condition[name].to_string());
            conditions.iter().map(text).collect::<BTreeSet<_>>()
        });
        if last[0] == last[1] {
            return;
        }
        tokio::time::sleep(INTERVAL).await;
    }
    assert_eq!(last[0], last[1]);
}

fn texts(differences: &[Difference]) -> String {
    let texts: Vec<_> = differences.iter().map(ToString::to_string).collect();
    format!("{} differences\n{}", texts.len(), texts.join("\n"))
}

#[tokio::test]
async fn definitions_have_warnings() {
    let Some(both) = Both::with_definitions("warnings", &[]).await else { return };
    let mut definition = definition();
    definition["metadata"]["name"] = format!("warned.{GROUP}").into();
    definition["spec"]["names"] = json!({ "kind": "Warned", "plural": "warned" });
    let sets = json!({ "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "array", "items": {
        "type": "string",
    }, "x-kubernetes-list-type": "atomic" } });
    definition["spec"]["versions"] = versions(json!({
        "a": { "type": "integer", "format": "uint8" }, "b": { "type": "string", "format": "uint8" }, "c": sets,
    }));
    let mut invalid = definition.clone();
    invalid["spec"]["scope"] = "Elsewhere".into();
    let path = format!("{DEFINITIONS}/warned.{GROUP}?dryRun=All");
    let label = json!({ "metadata": { "labels": { "a": "b" } } });
    let requests = [
        Request::post(format!("{DEFINITIONS}?dryRun=All"), invalid),
        Request::post(DEFINITIONS, definition),
        Request::patch(path, MERGE, label),
    ];
    let mut all = Vec::new();
    for request in requests {
        let mut warnings = Vec::new();
        for client in both.clients() {
            let mut found = request.clone().send(client).await.unwrap().warnings;
            found.sort();
            warnings.push(found);
        }
        assert_eq!(warnings[0], warnings[1], "{request:?}");
        all.extend(warnings.remove(0));
    }
    assert!(!all.is_empty());
}

#[tokio::test]
async fn versions_that_are_only_stored_are_not_served() {
    const HIDDEN: &str = "hidden.example.com";
    let version = |name: &str, is_served: bool, is_stored: bool, is_deprecated: bool| {
        json!({
            "name": name, "served": is_served, "storage": is_stored, "deprecated": is_deprecated,
            "schema": { "openAPIV3Schema": { "type": "object" } },
        })
    };
    let define = |group: &str, plural: &str, kind: &str, versions: Value| {
        let mut definition = definition();
        definition["metadata"]["name"] = format!("{plural}.{group}").into();
        definition["spec"]["group"] = group.into();
        definition["spec"]["names"] = json!({ "kind": kind, "plural": plural });
        definition["spec"]["versions"] = versions;
        definition
    };
    let versions = json!([
        version("v1beta1", true, false, true),
        version("v1", true, false, false),
        version("v2", false, true, false),
    ]);
    let stored = define("stored.example.com", "stored", "Stored", versions);
    let Some(mut both) = Both::with_definitions("stored", &[stored]).await else { return };
    for client in both.clients() {
        let hidden = define(HIDDEN, "hidden", "Hidden", json!([version("v1", false, true, false)]));
        let created = Request::post(DEFINITIONS, hidden).send(client).await.unwrap();
        assert!(created.is_success(), "{}", created.body);
    }
    let path = |version: &str, rest: &str| format!("/apis/stored.example.com/{version}/namespaces/stored/stored{rest}");
    let object = |version: &str| json!({ "apiVersion": format!("stored.example.com/{version}"), "kind": "Stored", "metadata": { "name": "a" } });
    let steps = [
        Step::new("POST", path("v2", ""), object("v2")),
        Step::new("POST", path("v1beta1", ""), object("v1beta1")),
        get(path("v2", "/a")),
        get(path("v2", "")),
        get(path("v1", "/a")),
        get("/apis/stored.example.com"),
        get("/apis/stored.example.com/v2"),
        get(format!("/apis/{HIDDEN}")),
        get(format!("/apis/{HIDDEN}/v1")),
        get(format!("/apis/{HIDDEN}/v1/namespaces/stored/hidden")),
    ];
    let mut differences = Vec::new();
    for step in &steps {
        differences.extend(compare_eventually(&mut both, step).await);
    }
    assert!(differences.is_empty(), "{}", texts(&differences));
}
