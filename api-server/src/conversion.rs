//! Conversion of custom resources between their versions.

use std::{collections::HashMap, sync::Arc};

use futures_util::FutureExt;
use serde_json::Value;

use super::{
    admission::client::{Address, Services},
    failure::Failure,
    value::text,
    webhook_calls::{Stop, WebhookCalls},
};

mod events;
pub(super) mod functions;
pub(super) mod versions;
mod webhook;

use functions::Functions;
use webhook::ask;

/// How the objects of a resource are converted.
#[derive(Clone, Default)]
pub(super) enum Conversion {
    /// Only `apiVersion` changes.
    #[default]
    None,
    /// Of Events, whose two versions have different members.
    Events,
    Functions(Functions),
    Webhook {
        address: Arc<Address>,
        review_version: &'static str,
    },
}

impl Conversion {
    /// Returns how the objects of a definition are converted.
    pub(super) fn of_definition(definition: &Value, conversions: &Conversions, services: &Services) -> Self {
        if let Some(functions) = conversions.get(text(&definition["metadata"], "name")) {
            return Self::Functions(functions.clone());
        }
        let conversion = &definition["spec"]["conversion"];
        if text(conversion, "strategy") != "Webhook" {
            return Self::None;
        }
        let webhook = &conversion["webhook"];
        let mut versions = webhook["conversionReviewVersions"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|it| ["v1", "v1beta1"].into_iter().find(|known| *it == **known));
        let review_version = versions.next().unwrap_or("v1");
        let address = Arc::new(Address::parse(&webhook["clientConfig"], services));
        Self::Webhook { address, review_version }
    }

    pub(super) const fn is_webhook(&self) -> bool {
        matches!(self, Self::Webhook { .. })
    }

    /// Returns an object of another version, without pruning and defaults.
    pub(super) fn convert(&self, external: &WebhookCalls, object: Value, api_version: &str) -> Result<Value, Stop> {
        let from = text(&object, "apiVersion").to_owned();
        if from == api_version {
            return Ok(object);
        }
        let (group, version) = from.split_once('/').unwrap_or(("", &from));
        let gvk = format!("{group}/{version}, Kind={}", text(&object, "kind"));
        let fail = |problem: &str| Failure::internal(format!("conversion webhook for {gvk} {problem}"));
        let mut converted = match self {
            Self::None => {
                let mut object = object;
                object["apiVersion"] = api_version.into();
                return Ok(object);
            }
            Self::Events => return Ok(events::convert(object, api_version)),
            Self::Functions(functions) => functions.convert(object.clone(), api_version),
            Self::Webhook { address, review_version } => {
                let question = format!("conversion to {api_version} of {object}");
                let ask = || ask(address.clone(), review_version, object.clone(), api_version.to_owned()).boxed();
                external.answer(question, ask)?
            }
        }
        .map_err(|error| {
            if error.starts_with("returned") { fail(&error) } else { fail(&format!("failed: {error}")) }
        })?;
        let found = text(&converted, "apiVersion");
        if found != api_version {
            let problem = format!("invalid groupVersion (expected {api_version}, received {found})");
            return Err(fail(&format!("returned invalid object at index 0: {problem}")).into());
        }
        let [expected, found] = [&object, &converted].map(|object| text(object, "kind"));
        if found != expected {
            let problem = format!("invalid kind (expected {expected}, received {found})");
            return Err(fail(&format!("returned invalid object at index 0: {problem}")).into());
        }
        check_same_object(&object, &converted)
            .map_err(|problem| fail(&format!("returned invalid object: {problem}")))?;
        restore_metadata(&object, &mut converted)
            .map_err(|problem| fail(&format!("returned invalid metadata: {problem}")))?;
        Ok(converted)
    }
}

/// Checks what a conversion must not change.
fn check_same_object(before: &Value, after: &Value) -> Result<(), String> {
    for (what, member) in [("name", "name"), ("namespace", "namespace"), ("UID", "uid")] {
        let [before, after] = [before, after].map(|object| text(&object["metadata"], member));
        if before != after {
            return Err(format!("must have the same {what}: {before} != {after}"));
        }
    }
    Ok(())
}

/// Keeps the metadata of the original except labels and annotations.
fn restore_metadata(before: &Value, after: &mut Value) -> Result<(), String> {
    let Some(metadata) = after.get("metadata") else {
        return Err("missing metadata in converted object".to_owned());
    };
    let mut restored = before["metadata"].clone();
    for name in ["labels", "annotations"] {
        match metadata.get(name).filter(|value| !value.is_null()) {
            Some(value) => restored[name] = value.clone(),
            None => drop(restored.as_object_mut().and_then(|members| members.remove(name))),
        }
    }
    after["metadata"] = restored;
    Ok(())
}

pub(super) type Conversions = HashMap<String, Functions>;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_is_kept() {
        let before = json!({ "kind": "K", "metadata": { "name": "a", "uid": "u", "labels": { "a": "b" } } });
        let mut after = json!({ "kind": "K", "metadata": { "name": "a", "uid": "u", "generation": 3, "annotations": { "c": "d" } } });
        check_same_object(&before, &after).unwrap();
        restore_metadata(&before, &mut after).unwrap();
        assert_eq!(after["metadata"], json!({ "name": "a", "uid": "u", "annotations": { "c": "d" } }));
        let other = json!({ "kind": "K", "metadata": { "name": "b", "uid": "u" } });
        assert_eq!(check_same_object(&before, &other).unwrap_err(), "must have the same name: a != b");
    }
}
