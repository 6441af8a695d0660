//! Changes of definitions, as `compare` judges them, beside what the API server does with objects and requests.

mod crdify;
mod definitions;
mod effects;
mod schemas;
mod versions;

use std::collections::BTreeSet;

use crdkit::compare::Check;
use crdkit_tests::unique_group;
use serde_json::json;

use self::effects::{Case, check};
use crate::{install::definition, server::server};

/// Checks that no definition can break alone, and why.
const NEVER_ALONE: [(Check, &str); 5] = [
    (Check::Properties, "compared field by field"),
    (Check::AdditionalProperties, "compared as the fields that are not declared"),
    (Check::Items, "compared item by item"),
    (Check::IntOrString, "a change of the type"),
    (Check::UniqueItems, "rejected by the API server"),
];

fn cases() -> Vec<Case> {
    [schemas::cases(), versions::cases(), definitions::cases()].into_iter().flatten().collect()
}

#[tokio::test]
async fn changes_have_the_reported_effects() {
    futures_util::future::join_all(cases().into_iter().map(check)).await;
}

#[test]
fn each_check_has_a_case() {
    let cases = cases();
    let mut shown: BTreeSet<_> = cases.iter().map(|case| case.check).collect();
    shown.extend(NEVER_ALONE.iter().map(|(check, _)| check.name()));
    let missing: Vec<_> = Check::ALL.iter().filter(|check| !shown.contains(check.name())).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(NEVER_ALONE.iter().all(|(check, _)| cases.iter().all(|case| case.check != check.name())));
}

#[tokio::test]
async fn unique_items_are_rejected() {
    let Some(server) = server() else {
        return;
    };
    let crd = definition(&unique_group(), |crd| {
        crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] =
            json!({ "type": "object", "properties": { "a": { "type": "array", "uniqueItems": true, "items": {} } } });
    });
    let verdict = server.dry_run(&json!(crd)).await;
    assert!(format!("{verdict:?}").contains("uniqueItems"), "{verdict:?}");
}
