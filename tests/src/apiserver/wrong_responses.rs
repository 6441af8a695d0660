//! Responses that are not from an API server, or not of this kind.

use serde_json::{Value, json};

use super::{object::kind, status_error::StatusError, watch::event};
use crate::faults::{WrongBody, WrongEvent};

const OTHER_KIND: &str = "Gadget";
const OTHER_API_VERSION: &str = "other.example.com/v1";

/// Returns the body that replaces a list, and its media type.
pub(crate) fn body(wrong: WrongBody, list: &str) -> (&'static str, String) {
    let mut list: Value = serde_json::from_str(list).expect("pages are JSON");
    match wrong {
        WrongBody::Empty => return ("application/json", String::new()),
        WrongBody::Html => {
            let page = "<!DOCTYPE html>\n<html><body>Sign in to continue</body></html>\n";
            return ("text/html", page.to_owned());
        }
        WrongBody::Null => list = Value::Null,
        WrongBody::EmptyObject => list = json!({}),
        WrongBody::Status => list = StatusError::of(502).status(),
        WrongBody::HealthCheck => list = json!({ "status": "ok" }),
        WrongBody::OtherKindEmpty => {
            rename(&mut list, "List");
            list["items"] = json!([]);
            remove(&mut list["metadata"], &["continue", "remainingItemCount"]);
        }
        WrongBody::OtherKind => {
            rename(&mut list, "List");
            rename_items(&mut list);
        }
        WrongBody::OtherItems => rename_items(&mut list),
        WrongBody::NoItems => remove(&mut list, &["items"]),
        WrongBody::ItemsObject => list["items"] = json!({}),
        WrongBody::NoVersion => remove(&mut list["metadata"], &["resourceVersion"]),
        WrongBody::NoKind => remove(&mut list, &["kind"]),
    }
    ("application/json", format!("{list}\n"))
}

/// Returns a wrong line of a watch at a version. `known` is an object that clients may have.
pub(crate) fn line(wrong: WrongEvent, known: &str, version: u64) -> String {
    let mut object: Value = serde_json::from_str(known).expect("objects are JSON");
    object["metadata"]["resourceVersion"] = version.to_string().into();
    let event_type = match wrong {
        WrongEvent::OtherKind => {
            rename(&mut object, "");
            "MODIFIED"
        }
        WrongEvent::OtherKindDeleted => {
            rename(&mut object, "");
            "DELETED"
        }
        WrongEvent::NoKind => {
            remove(&mut object, &["kind", "apiVersion"]);
            "MODIFIED"
        }
        WrongEvent::NoKindDeleted => {
            remove(&mut object, &["kind", "apiVersion"]);
            "DELETED"
        }
        WrongEvent::Status => {
            object = StatusError::of(502).status();
            "MODIFIED"
        }
        WrongEvent::NoObject => return "{\"type\":\"MODIFIED\"}\n".to_owned(),
        WrongEvent::NoVersionBookmark => {
            object = bookmark(json!({ "creationTimestamp": null }));
            "BOOKMARK"
        }
        WrongEvent::OtherKindBookmark => {
            object = bookmark(json!({ "resourceVersion": (version + 1_000_000).to_string() }));
            rename(&mut object, "");
            "BOOKMARK"
        }
    };
    event(event_type, &object.to_string())
}

fn bookmark(metadata: Value) -> Value {
    json!({ "kind": kind::KIND, "apiVersion": kind::api_version(), "metadata": metadata })
}

fn rename_items(list: &mut Value) {
    let items = list["items"].as_array_mut().into_iter().flatten();
    items.for_each(|item| rename(item, ""));
}

fn rename(value: &mut Value, suffix: &str) {
    value["kind"] = format!("{OTHER_KIND}{suffix}").into();
    value["apiVersion"] = OTHER_API_VERSION.into();
}

fn remove(value: &mut Value, keys: &[&str]) {
    let map = value.as_object_mut().expect("only objects have keys");
    for key in keys {
        map.remove(*key);
    }
}
