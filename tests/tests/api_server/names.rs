//! Definitions of one group with conflicting names.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    example::{MERGE, get},
};

const GROUP: &str = "names.example.com";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// How often a read is repeated until the real server has noticed a change.
const ATTEMPTS: usize = 400;
const INTERVAL: Duration = Duration::from_millis(25);

fn definition(plural: &str, mut names: Value) -> Value {
    names["plural"] = plural.into();
    let schema = json!({ "openAPIV3Schema": { "type": "object" } });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.{GROUP}") },
        "spec": {
            "group": GROUP, "scope": "Cluster", "names": names,
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": schema }],
        },
    })
}

fn path(plural: &str) -> String {
    format!("{DEFINITIONS}/{plural}.{GROUP}")
}

/// Returns the code, the names and the conditions of a response, and the resources of a discovery document.
fn seen(response: &Value) -> Value {
    let body = &response["body"];
    let sorted = |list: &Value| {
        let mut sorted = list.as_array().cloned().unwrap_or_default();
        sorted.sort_by_key(|item| item["type"].to_string() + &item["name"].to_string());
        sorted.iter_mut().for_each(|item| drop(item["storageVersionHash"].take()));
        sorted
    };
    let status = &body["status"];
    let versions = &status["storedVersions"];
    json!([
        response["code"],
        status["acceptedNames"],
        sorted(&status["conditions"]),
        versions,
        sorted(&body["resources"])
    ])
}

/// Compares a response once the real server has noticed a change, and returns it.
async fn compare(both: &mut Both, path: String) -> Value {
    let step = get(path);
    for _ in 0..ATTEMPTS {
        let [ours, theirs] = both.respond(&step).await;
        if seen(&ours) == seen(&theirs) {
            return ours;
        }
        tokio::time::sleep(INTERVAL).await;
    }
    let [ours, theirs] = both.respond(&step).await;
    assert_eq!(seen(&ours), seen(&theirs), "{step}");
    ours
}

async fn compare_group(both: &mut Both) {
    let resources = compare(both, format!("/apis/{GROUP}/v1")).await;
    assert_eq!(resources["code"], 200, "{resources}");
}

fn reason(response: &Value, condition: &str) -> String {
    let conditions = response["body"]["status"]["conditions"].as_array().into_iter().flatten();
    let found: Vec<_> = conditions.filter(|it| it["type"] == condition).map(|it| it["reason"].to_string()).collect();
    found.join(" ").replace('"', "")
}

async fn assert_reason(both: &mut Both, plural: &str, condition: &str, expected: &str) {
    let found = compare(both, path(plural)).await;
    assert_eq!(reason(&found, condition), expected, "{plural}: {found}");
}

async fn write(both: &mut Both, step: Step) {
    let [ours, theirs] = both.respond(&step).await;
    assert!(ours["code"].as_u64() < Some(300), "{step}: {ours}");
    assert_eq!(ours["code"], theirs["code"], "{step}: {ours} {theirs}");
}

async fn create(both: &mut Both, plural: &str, names: Value) {
    write(both, Step::new("POST", DEFINITIONS, definition(plural, names))).await;
}

async fn set_short_names(both: &mut Both, plural: &str, names: &[&str]) {
    let patch = json!({ "spec": { "names": { "shortNames": names } } });
    write(both, Step::new("PATCH", path(plural), patch).of_type(MERGE)).await;
}

#[tokio::test]
async fn names_belong_to_one_definition() {
    let Some(mut both) = Both::with_definitions("names", &[]).await else { return };
    let both = &mut both;
    let short = ["hd", "hold", "h1", "h2"];
    create(both, "holders", json!({ "kind": "Holder", "shortNames": short, "categories": ["all"] })).await;
    assert_reason(both, "holders", "Established", "InitialNamesAccepted").await;
    let waiting = [
        ("hd", "PluralConflict", json!({ "kind": "First" })),
        ("seconds", "SingularConflict", json!({ "kind": "Second", "singular": "hold", "shortNames": ["sec"] })),
        ("thirds", "ShortNamesConflict", json!({ "kind": "Third", "shortNames": ["free", "holders", "holder"] })),
        ("fourths", "KindConflict", json!({ "kind": "Holder", "listKind": "FourthList", "singular": "fourth" })),
        ("fifths", "ListKindConflict", json!({ "kind": "Fifth", "listKind": "HolderList", "categories": ["all"] })),
    ];
    for (plural, conflict, names) in waiting.clone() {
        create(both, plural, names).await;
        assert_reason(both, plural, "NamesAccepted", conflict).await;
        assert_reason(both, plural, "Established", "NotAccepted").await;
        let objects = compare(both, format!("/apis/{GROUP}/v1/{plural}")).await;
        assert_eq!(objects["code"], 404, "{objects}");
    }
    // One that is removed without having been served.
    create(both, "sixths", json!({ "kind": "Sixth", "shortNames": ["h1"] })).await;
    assert_reason(both, "sixths", "NamesAccepted", "ShortNamesConflict").await;
    write(both, Step::new("DELETE", path("sixths"), Value::Null)).await;
    assert_reason(both, "sixths", "NamesAccepted", "").await;
    // One that is served already keeps its names, and gets others when they are released.
    create(both, "settled", json!({ "kind": "Settled", "shortNames": ["st"] })).await;
    assert_reason(both, "settled", "Established", "InitialNamesAccepted").await;
    for (names, expected) in [
        (&["h2"][..], "ShortNamesConflict"),
        // The controller ignores a definition that requires nothing new.
        (&["st"], "ShortNamesConflict"),
        (&["other"], "NoConflicts"),
        (&["other", "h2"], "ShortNamesConflict"),
    ] {
        set_short_names(both, "settled", names).await;
        assert_reason(both, "settled", "NamesAccepted", expected).await;
        assert_reason(both, "settled", "Established", "InitialNamesAccepted").await;
        compare_group(both).await;
    }
    set_short_names(both, "holders", &["hd", "hold", "h1"]).await;
    assert_reason(both, "settled", "NamesAccepted", "NoConflicts").await;
    compare_group(both).await;
    write(both, Step::new("DELETE", path("holders"), Value::Null)).await;
    for (plural, ..) in waiting {
        assert_reason(both, plural, "NamesAccepted", "NoConflicts").await;
        assert_reason(both, plural, "Established", "InitialNamesAccepted").await;
    }
    compare_group(both).await;
}

#[tokio::test]
async fn conversion_without_certificates_is_not_served() {
    let Some(mut both) = Both::with_definitions("authorities", &[]).await else { return };
    let both = &mut both;
    let conversion = |bundle: &str| {
        let config = json!({ "url": "https://localhost:1/convert", "caBundle": bundle });
        json!({ "strategy": "Webhook", "webhook": { "clientConfig": config, "conversionReviewVersions": ["v1"] } })
    };
    let mut unserved = definition("unserved", json!({ "kind": "Unserved" }));
    unserved["spec"]["conversion"] = conversion("bm9uZQ==");
    unserved["spec"]["group"] = "unserved.example.com".into();
    unserved["metadata"]["name"] = "unserved.unserved.example.com".into();
    write(both, Step::new("POST", DEFINITIONS, unserved)).await;
    let path = format!("{DEFINITIONS}/unserved.unserved.example.com");
    let found = compare(both, path.clone()).await;
    assert_eq!(reason(&found, "Established"), "InvalidCABundle", "{found}");
    let patch = json!({ "spec": { "conversion": conversion("") } });
    write(both, Step::new("PATCH", path.clone(), patch).of_type(MERGE)).await;
    let found = compare(both, path).await;
    assert_eq!(reason(&found, "Established"), "InitialNamesAccepted", "{found}");
}
