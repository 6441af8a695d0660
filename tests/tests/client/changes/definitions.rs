//! Changes of a definition itself: its names, its scope, its versions and their conversion.

use crdkit::compare::ChangeSeverity::{Breaking, Risky};
use serde_json::{Value, json};

use super::effects::{Case, Effect, Probe};

/// Returns a version with these fields of text in its spec. The first version is the storage version.
fn version(name: &str, storage: &str, fields: &[&str]) -> Value {
    let fields: Value = fields.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    let properties = json!({ "spec": { "type": "object", "properties": fields } });
    let schema = json!({ "openAPIV3Schema": { "type": "object", "properties": properties } });
    json!({ "name": name, "served": true, "storage": name == storage, "schema": schema })
}

fn versions(storage: &str, fields: &[(&str, &[&str])]) -> Value {
    let versions: Value = fields.iter().map(|(name, fields)| version(name, storage, fields)).collect();
    json!({ "versions": versions })
}

fn names(name: &str, value: Value) -> Value {
    let mut names = json!({ "plural": "vms", "singular": "vm", "kind": "Vm", "listKind": "VmList" });
    names[name] = value;
    let mut members = versions("v1", &[("v1", &["a"])]);
    members["names"] = names;
    members
}

/// Returns two versions, of which only the stored one has the field, with a webhook that does not respond.
fn unavailable_webhook() -> Value {
    let mut members = different();
    members["conversion"] = json!({
        "strategy": "Webhook",
        "webhook": { "clientConfig": { "url": "https://127.0.0.1:1/convert" }, "conversionReviewVersions": ["v1"] },
    });
    members
}

fn different() -> Value {
    versions("v1", &[("v1", &["a"]), ("v2", &[])])
}

fn same() -> Value {
    versions("v1", &[("v1", &["a"]), ("v2", &["a"])])
}

pub(super) fn cases() -> Vec<Case> {
    let one = || versions("v1", &[("v1", &["a"])]);
    let cluster_scoped = || {
        let mut members = one();
        members["scope"] = json!("Cluster");
        members
    };
    let kind = |kind: &str| {
        let mut members = names("kind", json!(kind));
        members["names"]["listKind"] = json!(format!("{kind}List"));
        members
    };
    let in_v2 = Probe::Read("v2/old", "/spec/a");
    let short_names = Probe::Read("v1", "/resources/0/shortNames");
    let list_kind = Probe::Read("v1/", "/kind");
    let immutable = || Effect::ChangeRejected("field is immutable");
    let rows = [
        ("definition", Breaking, one(), Value::Null, Effect::lost("v1/old")),
        ("scope", Breaking, one(), cluster_scoped(), immutable()),
        ("kind", Breaking, one(), kind("Machine"), immutable()),
        // The definition is created again, without the objects of the old one.
        ("kind", Breaking, one(), kind("Machine"), Effect::lost("v1/old")),
        ("names", Risky, names("shortNames", json!(["v"])), one(), Effect::of(short_names, vec!["v"], Value::Null)),
        ("names", Risky, one(), names("listKind", json!("Vms")), Effect::of(list_kind, "VmList", "Vms")),
        ("conversion", Risky, different(), unavailable_webhook(), Effect::lost("v2/old")),
        (
            "conversion",
            Breaking,
            unavailable_webhook(),
            different(),
            Effect::of(Probe::Read("v2/old", "/spec"), Value::Null, json!({})),
        ),
        ("servedVersions", Breaking, same(), different(), Effect::of(in_v2, "x", Value::Null)),
        ("servedVersionRemoval", Breaking, same(), one(), Effect::lost("v2/old")),
        (
            "storedVersionRemoval",
            Breaking,
            one(),
            versions("v2", &[("v2", &["a"])]),
            Effect::ChangeRejected("status.storedVersions"),
        ),
        (
            "storageVersion",
            Risky,
            same(),
            versions("v2", &[("v1", &["a"]), ("v2", &["a"])]),
            Effect::of(Probe::StoredVersions, vec!["v1"], vec!["v1", "v2"]),
        ),
    ];
    let cases = rows.into_iter().map(|(check, severity, old, new, effect)| Case {
        check,
        severity,
        old,
        new,
        spec: json!({ "a": "x" }),
        effect,
    });
    cases.collect()
}
