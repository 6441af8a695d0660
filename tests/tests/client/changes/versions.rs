//! Changes of a version: its subresources, columns, selectable fields and deprecation.

use crdkit::compare::ChangeSeverity::{Breaking, Compatible, Risky};
use serde_json::{Value, json};

use super::effects::{Case, Effect, Probe};

/// Returns the versions of a definition, with other parts of the only one.
fn with_version(parts: &Value) -> Value {
    let number = json!({ "type": "integer" });
    let spec = json!({ "a": { "type": "string" }, "m": number, "n": number });
    let properties = json!({
        "spec": { "type": "object", "properties": spec },
        "status": { "type": "object", "properties": { "n": number } },
    });
    let schema = json!({ "openAPIV3Schema": { "type": "object", "properties": properties } });
    let mut version = json!({ "name": "v1", "served": true, "storage": true, "schema": schema });
    version.as_object_mut().unwrap().extend(parts.as_object().unwrap().clone());
    json!({ "versions": [version] })
}

pub(super) fn cases() -> Vec<Case> {
    let scale = |path: &str| {
        let scale = json!({ "specReplicasPath": path, "statusReplicasPath": ".status.n" });
        json!({ "subresources": { "scale": scale } })
    };
    let status = || json!({ "subresources": { "status": {} } });
    let column =
        |name: &str| json!({ "additionalPrinterColumns": [{ "name": name, "type": "string", "jsonPath": ".spec.a" }] });
    let selectable = || json!({ "selectableFields": [{ "jsonPath": ".spec.a" }] });
    let deprecated = || json!({ "deprecated": true });
    let none = || json!({});
    let replicas = Probe::Read("v1/old/scale", "/spec/replicas");
    let rows = [
        ("status", Breaking, status(), none(), Effect::lost("v1/old/status")),
        ("status", Breaking, none(), status(), Effect::of(Probe::WritesStatus, true, false)),
        ("scale", Breaking, scale(".spec.n"), none(), Effect::lost("v1/old/scale")),
        ("scale", Risky, scale(".spec.n"), scale(".spec.m"), Effect::of(replicas, 1, 2)),
        ("selectableFields", Breaking, selectable(), none(), Effect::lost("v1/?fieldSelector=spec.a%3Dx")),
        ("deprecation", Compatible, none(), deprecated(), Effect::of(Probe::Warns, false, true)),
        (
            "columns",
            Risky,
            column("Image"),
            column("Picture"),
            Effect::of(Probe::Columns, vec!["Name", "Image"], vec!["Name", "Picture"]),
        ),
    ];
    let cases = rows.into_iter().map(|(check, severity, old, new, effect)| {
        let [old, new] = [old, new].map(|parts| with_version(&parts));
        Case { check, severity, old, new, spec: json!({ "a": "x", "m": 2, "n": 1 }), effect }
    });
    cases.collect()
}
