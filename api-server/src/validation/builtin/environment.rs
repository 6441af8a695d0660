//! Variables of the environment of containers.

use serde_json::{Value, json};

use super::{common, each};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

/// `ValidateEnv`.
pub(super) fn variables(report: &mut Report, place: &Place<'_>, variables: &Value) {
    each(place, variables, |place, item| variable(report, place, item));
}

fn variable(report: &mut Report, place: &Place<'_>, variable: &Value) {
    const MALFORMED: &str =
        "a valid environment variable name must consist only of printable ASCII characters other than '='";
    let name = text(variable, "name");
    if name.is_empty() {
        report.required(&place.field("name"), "");
    } else if !name.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=') {
        report.invalid_text(&place.field("name"), name, MALFORMED);
    }
    let (source, place) = (&variable["valueFrom"], place.field("valueFrom"));
    if !source.is_object() {
        return;
    }
    let mut sources = 0;
    for kind in ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"] {
        let (reference, place) = (&source[kind], place.field(kind));
        if !reference.is_object() {
            continue;
        }
        sources += 1;
        match kind {
            "fieldRef" => field_reference(report, &place, reference),
            "resourceFieldRef" if text(reference, "resource").is_empty() => {
                report.required(&place.field("resource"), "");
            }
            "configMapKeyRef" | "secretKeyRef" => key_reference(report, &place, reference),
            _ => {}
        }
    }
    if sources == 0 {
        let detail =
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
        report.invalid_text(&place, "", detail);
    } else if !text(variable, "value").is_empty() {
        report.invalid_text(&place, "", "may not be specified when `value` is not empty");
    } else if sources > 1 {
        report.invalid_text(&place, "", "may not have more than one field specified at a time");
    }
}

/// `validateObjectFieldSelector`.
fn field_reference(report: &mut Report, place: &Place<'_>, reference: &Value) {
    const PATHS: [&str; 11] = [
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
        "metadata.labels",
        "metadata.annotations",
    ];
    let path = text(reference, "fieldPath");
    if path.is_empty() {
        return report.required(&place.field("fieldPath"), "");
    }
    let (name, subscript) = path.split_once('[').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let place = place.field("fieldPath");
    if !PATHS.contains(&name) && subscript.is_none() {
        let detail = format!("error converting fieldPath: field label not supported: {path}");
        report.invalid_text(&place, path, detail);
    } else if subscript.is_none() && name.starts_with("metadata.") && PATHS[9..].contains(&name) {
        report.not_supported(&place, &json!(path), &PATHS[..9]);
    }
}

/// `validateConfigMapKeySelector`, `validateSecretKeySelector`.
fn key_reference(report: &mut Report, place: &Place<'_>, reference: &Value) {
    common::subdomain(report, &place.field("name"), text(reference, "name"));
    match text(reference, "key") {
        "" => report.required(&place.field("key"), ""),
        key => common::config_key(report, &place.field("key"), key),
    }
}

/// `ValidateEnvFrom`.
pub(super) fn sources(report: &mut Report, list: &Place<'_>, sources: &Value) {
    each(list, sources, |place, source| {
        let set = ["configMapRef", "secretRef"].into_iter().filter(|kind| source[*kind].is_object());
        let set: Vec<_> = set.collect();
        for kind in &set {
            match text(&source[*kind], "name") {
                "" => report.required(&place.field(kind).field("name"), ""),
                name => common::subdomain(report, &place.field(kind).field("name"), name),
            }
        }
        // These errors are of the list.
        match set.len() {
            0 => report.invalid_text(list, "", "must specify one of: `configMapRef` or `secretRef`"),
            1 => {}
            _ => report.invalid_text(list, "", "may not have more than one field specified at a time"),
        }
    });
}
