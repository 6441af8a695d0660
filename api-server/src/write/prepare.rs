//! The parts of an object that a request cannot set.

use std::mem;

use serde_json::{Value, json};

use super::is_equal_besides;
use crate::{metadata, request::ResourceRequest, subresources, user::User, validation::WrittenPart, value::text};

/// Keeps the metadata that only the server changes.
pub(crate) fn keep_metadata(old: &Value, new: &mut Value) {
    let old = &old["metadata"];
    let new = &mut new["metadata"];
    for name in ["generation", "creationTimestamp", "deletionTimestamp"] {
        set_or_remove(new, name, old.get(name).cloned());
    }
    // Another UID is an error.
    if text(new, "uid").is_empty() {
        set_or_remove(new, "uid", old.get("uid").cloned());
    }
    // An update without a version is of the last one.
    if matches!(text(new, "resourceVersion"), "" | "0") {
        set_or_remove(new, "resourceVersion", old.get("resourceVersion").cloned());
    }
    if new.get("deletionGracePeriodSeconds").is_none() {
        set_or_remove(new, "deletionGracePeriodSeconds", old.get("deletionGracePeriodSeconds").cloned());
    }
}

/// Drops the nulls and the empty metadata of a merged object, which the server does when it reads the object from its store.
pub(crate) fn complete_applied(call: &ResourceRequest, object: &mut Value) {
    if let Some(schema) = &call.version().schema {
        schema.complete_merged(object);
    }
    // The metadata has been validated.
    let _ = metadata::decode(&mut object["metadata"]);
}

/// Drops the metadata that a creation cannot set.
pub(crate) fn wipe_metadata(object: &mut Value) {
    if let Value::Object(metadata) = &mut object["metadata"] {
        for name in
            ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "generation"]
        {
            metadata.remove(name);
        }
    }
}

/// Drops what a creation cannot set.
pub(crate) fn prepare_create(call: &ResourceRequest, object: &mut Value) {
    if call.version().has_status()
        && !call.resource.keeps_status_on_create()
        && let Value::Object(members) = object
    {
        members.remove("status");
    }
    if call.resource.has_generation() {
        object["metadata"]["generation"] = 1.into();
    }
    call.resource.initialize(object);
    if call.resource.is_signing_request() && object["spec"].is_object() {
        set_requestor(&call.user, &mut object["spec"]);
    }
}

/// Sets who requests a certificate.
fn set_requestor(user: &User, spec: &mut Value) {
    let texts = |texts: &[String]| if texts.is_empty() { None } else { Some(json!(texts)) };
    let text = |text: &str| if text.is_empty() { None } else { Some(json!(text)) };
    set_or_remove(spec, "username", text(&user.name));
    set_or_remove(spec, "uid", text(&user.uid));
    set_or_remove(spec, "groups", texts(&user.groups));
    set_or_remove(spec, "extra", Some(&user.extra).filter(|extra| !extra.is_empty()).map(|extra| json!(extra)));
}

/// Keeps what the request does not write, and counts changes of the desired state in `metadata.generation`.
pub(crate) fn prepare_update(call: &ResourceRequest, part: WrittenPart, old: &Value, new: &mut Value) {
    match part {
        WrittenPart::Status | WrittenPart::Approval => {
            let mut written = mem::take(new);
            *new = without(old, &["metadata", "status"]);
            move_members(&mut written, new, &["status"]);
            new["metadata"] = metadata_with_status(call, &old["metadata"], written["metadata"].take());
        }
        WrittenPart::Main | WrittenPart::EphemeralContainers | WrittenPart::Resize => {
            subresources::keep_other_parts(part, old, new);
            if call.resource.is_namespace() && call.target.subresource.is_none() {
                let finalizers = old["spec"].get("finalizers").cloned();
                if finalizers.is_some() && !new["spec"].is_object() {
                    new["spec"] = json!({});
                }
                set_or_remove(&mut new["spec"], "finalizers", finalizers);
            }
            if call.version().has_status() {
                set_or_remove(new, "status", old.get("status").cloned());
            }
            if call.resource.is_signing_request() {
                set_or_remove(new, "spec", old.get("spec").cloned());
            }
            call.resource.prepare_update(old, new);
            if call.resource.has_generation() {
                let generation = old["metadata"]["generation"].as_i64().unwrap_or_default();
                let annotations = |object: &Value| object["metadata"]["annotations"].clone();
                let is_changed = !is_equal_besides(old, new, "metadata")
                    || call.resource.counts_annotations() && annotations(old) != annotations(new);
                let counts = is_changed && call.resource.counts_changes();
                new["metadata"]["generation"] = (generation + i64::from(counts)).into();
            }
        }
    }
}

/// Returns the metadata of an object whose status is written.
fn metadata_with_status(call: &ResourceRequest, old: &Value, mut written: Value) -> Value {
    let Some(kept) = call.resource.metadata_beside_status() else {
        const WRITTEN: &[&str] = &["managedFields", "resourceVersion"];
        let mut metadata = without(old, WRITTEN);
        move_members(&mut written, &mut metadata, WRITTEN);
        return metadata;
    };
    for name in kept {
        set_or_remove(&mut written, name, old.get(*name).cloned());
    }
    written
}

pub(crate) fn set_or_remove(object: &mut Value, name: &str, value: Option<Value>) {
    if let Value::Object(members) = object {
        match value {
            Some(value) => members.insert(name.to_owned(), value),
            None => members.remove(name),
        };
    }
}

/// Returns a copy of an object without some of its members.
fn without(object: &Value, names: &[&str]) -> Value {
    let members = object.as_object().into_iter().flatten().filter(|(name, _)| !names.contains(&name.as_str()));
    Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
}

fn move_members(from: &mut Value, to: &mut Value, names: &[&str]) {
    if let (Value::Object(from), Value::Object(to)) = (from, to) {
        to.extend(names.iter().filter_map(|name| from.remove_entry(*name)));
    }
}
