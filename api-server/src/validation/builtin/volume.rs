//! Volumes of Pods.

use std::collections::BTreeSet;

use crdkit_core::cel::Quantity;
use serde_json::{Value, json};

use super::{common, each, items, number};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

/// The highest mode of a file: 0777.
const MAX_MODE: i64 = 0o777;

/// `ValidateVolumes`. Returns the names of the volumes that are valid.
pub(super) fn volumes<'v>(report: &mut Report, place: &Place<'_>, volumes: &'v Value) -> BTreeSet<&'v str> {
    let mut names = BTreeSet::new();
    for (index, volume) in items(volumes).iter().enumerate() {
        let before = report.len();
        let (at, name) = (place.index(index), text(volume, "name"));
        source(report, &at, volume);
        if name.is_empty() {
            report.required(&at.field("name"), "");
        } else {
            common::label(report, &at.field("name"), name);
        }
        if names.contains(name) {
            report.duplicate(&at.field("name"), &volume["name"]);
        }
        if report.len() == before {
            names.insert(name);
        }
    }
    names
}

/// `validateVolumeSource`, of the sources that operators use.
fn source(report: &mut Report, place: &Place<'_>, volume: &Value) {
    const MORE: &str = "may not specify more than 1 volume type";
    let sources = volume.as_object().into_iter().flatten().filter(|(name, value)| *name != "name" && value.is_object());
    let mut sources: Vec<&str> = sources.map(|(name, _)| name.as_str()).collect();
    // The server looks at the most common one first.
    sources.sort_by_key(|name| order(name));
    let Some((first, others)) = sources.split_first() else {
        return report.required(place, "must specify a volume type");
    };
    let (source, at) = (&volume[*first], place.field(first));
    match *first {
        "emptyDir" => {
            let size = text(source, "sizeLimit");
            if Quantity::parse(size).is_ok_and(|size| size.sign() < 0) {
                report.forbidden(&at.field("sizeLimit"), "SizeLimit field must be a valid resource quantity");
            }
        }
        "hostPath" => host_path(report, &at, source),
        "secret" => keys(report, &at, source, "secretName"),
        "configMap" => keys(report, &at, source, "name"),
        "persistentVolumeClaim" if text(source, "claimName").is_empty() => report.required(&at.field("claimName"), ""),
        "nfs" => {
            for name in ["server", "path"].into_iter().filter(|name| text(source, name).is_empty()) {
                report.required(&at.field(name), "");
            }
        }
        "csi" if text(source, "driver").is_empty() => report.required(&at.field("driver"), ""),
        "projected" | "downwardAPI" => mode(report, &at, &source["defaultMode"], "defaultMode"),
        _ => {}
    }
    for other in others {
        report.forbidden(&place.field(other), MORE);
    }
}

fn order(name: &str) -> usize {
    let names = [
        "emptyDir",
        "hostPath",
        "secret",
        "nfs",
        "persistentVolumeClaim",
        "downwardAPI",
        "configMap",
        "projected",
        "csi",
    ];
    names.iter().position(|other| *other == name).unwrap_or(names.len())
}

/// `validateHostPathVolumeSource`.
fn host_path(report: &mut Report, place: &Place<'_>, source: &Value) {
    const TYPES: [&str; 8] =
        ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
    let path = text(source, "path");
    if path.is_empty() {
        return report.required(&place.field("path"), "");
    }
    if path.split('/').any(|part| part == "..") {
        report.invalid_text(&place.field("path"), path, "must not contain '..'");
    }
    report.one_of(&place.field("type"), &source["type"], &TYPES);
}

/// `validateSecretVolumeSource`, `validateConfigMapVolumeSource`.
fn keys(report: &mut Report, place: &Place<'_>, source: &Value, name: &str) {
    if text(source, name).is_empty() {
        report.required(&place.field(name), "");
    }
    mode(report, place, &source["defaultMode"], "defaultMode");
    each(&place.field("items"), &source["items"], |place, item| {
        for name in ["key", "path"].into_iter().filter(|name| text(item, name).is_empty()) {
            report.required(&place.field(name), "");
        }
        let path = text(item, "path");
        if path.starts_with('/') {
            report.invalid_text(&place.field("path"), path, "must be a relative path");
        }
        mode(report, place, &item["mode"], "mode");
    });
}

fn mode(report: &mut Report, place: &Place<'_>, mode: &Value, name: &str) {
    if !mode.is_null() && !(0..=MAX_MODE).contains(&number(mode)) {
        let detail = "must be a number between 0 and 0777 (octal), both inclusive";
        report.invalid(&place.field(name), &json!(number(mode)), detail);
    }
}
