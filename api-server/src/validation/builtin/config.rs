//! ConfigMaps and Secrets.

use k8s_openapi::ByteString;
use serde_json::Value;

use super::{Change, common};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

/// `MaxSecretSize`, in bytes.
const MAX_SIZE: usize = 1024 * 1024;

const IMMUTABLE: &str = "field is immutable when `immutable` is set";

/// `ValidateConfigMap`.
pub(super) fn config_map(report: &mut Report, change: &Change<'_>) {
    let map = change.new;
    immutable(report, change, &["data", "binaryData"]);
    let (data, binary) = (&map["data"], &map["binaryData"]);
    for key in members(data).map(|(key, _)| key) {
        let (parent, root) = ("data", Place::Root);
        let parent = root.field(parent);
        let place = parent.key(key);
        common::config_key(report, &place, key);
        if binary.get(key).is_some() {
            report.invalid_text(&place, key, "duplicate of key present in binaryData");
        }
    }
    for key in members(binary).map(|(key, _)| key) {
        common::config_key(report, &Place::Root.field("binaryData").key(key), key);
    }
    let texts = members(data).map(|(_, value)| value.as_str().map_or(0, str::len));
    if texts.sum::<usize>() + bytes(binary) > MAX_SIZE {
        report.too_long(&Place::Root.field(""), MAX_SIZE);
    }
}

/// `ValidateSecret`.
pub(super) fn secret(report: &mut Report, change: &Change<'_>) {
    let secret = change.new;
    if let Some(old) = change.old {
        report.immutable(&Place::Root.field("type"), &old["type"], &secret["type"]);
    }
    immutable(report, change, &["data"]);
    let root = Place::Root;
    let data = root.field("data");
    for key in members(&secret["data"]).map(|(key, _)| key) {
        common::config_key(report, &data.key(key), key);
    }
    if bytes(&secret["data"]) > MAX_SIZE {
        report.too_long(&data, MAX_SIZE);
    }
    let is_absent = |key: &str| secret["data"].get(key).is_none();
    match text(secret, "type") {
        "kubernetes.io/service-account-token" => {
            const ANNOTATION: &str = "kubernetes.io/service-account.name";
            if text(&secret["metadata"]["annotations"], ANNOTATION).is_empty() {
                report.required(&root.field("metadata").field("annotations").key(ANNOTATION), "");
            }
        }
        "kubernetes.io/dockercfg" => docker_config(report, &data, &secret["data"], ".dockercfg"),
        "kubernetes.io/dockerconfigjson" => docker_config(report, &data, &secret["data"], ".dockerconfigjson"),
        "kubernetes.io/basic-auth" if is_absent("username") && is_absent("password") => {
            ["username", "password"].iter().for_each(|key| report.required(&data.key(key), ""));
        }
        "kubernetes.io/ssh-auth" if text(&secret["data"], "ssh-privatekey").is_empty() => {
            report.required(&data.key("ssh-privatekey"), "");
        }
        "kubernetes.io/tls" => {
            let absent = ["tls.crt", "tls.key"].into_iter().filter(|key| is_absent(key));
            absent.for_each(|key| report.required(&data.key(key), ""));
        }
        _ => {}
    }
}

fn docker_config(report: &mut Report, place: &Place<'_>, data: &Value, key: &str) {
    let Some(value) = data.get(key) else {
        return report.required(&place.key(key), "");
    };
    let bytes: Option<ByteString> = serde_json::from_value(value.clone()).ok();
    let problem = match bytes.map(|bytes| serde_json::from_slice::<Value>(&bytes.0)) {
        Some(Ok(Value::Object(_) | Value::Null)) => return,
        Some(Ok(_)) => "json: cannot unmarshal value into Go value of type map[string]interface {}".to_owned(),
        Some(Err(error)) if error.is_eof() => "unexpected end of JSON input".to_owned(),
        Some(Err(error)) => error.to_string(),
        None => String::new(),
    };
    report.invalid_text(&place.key(key), "<secret contents redacted>", problem);
}

/// What was marked as immutable cannot change.
fn immutable(report: &mut Report, change: &Change<'_>, members: &[&str]) {
    let Some(old) = change.old.filter(|old| old["immutable"] == true) else {
        return;
    };
    if change.new["immutable"] != true {
        report.forbidden(&Place::Root.field("immutable"), IMMUTABLE);
    }
    for name in members.iter().filter(|name| old[**name] != change.new[**name]) {
        report.forbidden(&Place::Root.field(name), IMMUTABLE);
    }
}

fn members(map: &Value) -> impl Iterator<Item = (&String, &Value)> {
    map.as_object().into_iter().flatten()
}

/// Returns the size of values in base64.
fn bytes(map: &Value) -> usize {
    members(map).map(|(_, value)| value.as_str().map_or(0, |text| text.len() / 4 * 3)).sum()
}
