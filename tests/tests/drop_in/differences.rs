//! The deliberate differences between the definitions of kube-derive and those of crdkit.
//!
//! Each function removes its difference from both definitions. `crdkit::migration` explains each, and how to keep the earlier schema.
//!
//! | difference | kube-derive | crdkit |
//! |---|---|---|
//! | [`list_kind`] | left to the server | written |
//! | [`root_title`] | the name of the root | none |
//! | [`root_description`] | a text about its derive, if there is no `doc` | that of the spec |
//! | [`unknown_formats`] | `uint8`, `int` and the like | none, or the one that the server recognizes |
//! | [`bounds`] | no maximum of `u32` | the true one |
//! | [`optional_enums`] | null is one of the values | null is dropped by the server |
//! | [`variant_docs`] | lost, and with them the order | part of the description |
//! | [`shared_requirements`] | in each variant | once |
//! | [`sets`] | lists | lists of the type `set` |
//! | [`any_values`] | emptied where they are objects | kept |
//! | [`merged_structs`] | no keyword is written | `x-kubernetes-map-type` |
//! | [`kubernetes_types`] | long descriptions | Kubernetes' patterns and bounds |
//! | [`null_defaults`] | written, and refused by the server | left out |
//! | [`scale_without_status`] | dropped | kept |
//! | [`flattened_docs`] | put on the struct around the type | left out |
//! | [`generic_defaults`] | dropped where the type is an argument | written as elsewhere |

use serde_json::{Map, Value, json};

/// Takes a difference out of one object of a definition, which has this name in its parent.
pub(crate) type Difference = fn(name: &str, object: &mut Map<String, Value>);

pub(crate) const DIFFERENCES: &[(&str, Difference)] = &[
    ("list_kind", list_kind),
    ("root_title", root_title),
    ("root_description", root_description),
    ("unknown_formats", unknown_formats),
    ("bounds", bounds),
    ("optional_enums", optional_enums),
    ("variant_docs", variant_docs),
    ("shared_requirements", shared_requirements),
    ("sets", sets),
    ("any_values", any_values),
    ("merged_structs", merged_structs),
    ("kubernetes_types", kubernetes_types),
    ("null_defaults", null_defaults),
    ("scale_without_status", scale_without_status),
    ("flattened_docs", flattened_docs),
    ("generic_defaults", generic_defaults),
];

/// Takes differences out of a definition, at any depth.
pub(crate) fn remove(differences: &[(&str, Difference)], name: &str, value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (_, difference) in differences {
                difference(name, members);
            }
            for (name, member) in members {
                remove(differences, name, member);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| remove(differences, "", item)),
        _ => {}
    }
}

fn list_kind(name: &str, object: &mut Map<String, Value>) {
    if name == "names" {
        object.remove("listKind");
    }
}

fn root_title(name: &str, object: &mut Map<String, Value>) {
    if name == "openAPIV3Schema" {
        object.remove("title");
    }
}

fn root_description(name: &str, object: &mut Map<String, Value>) {
    let description = object.get("description").cloned().unwrap_or_default();
    if name == "openAPIV3Schema" && description != "Everything at once" {
        object.remove("description");
    }
}

fn unknown_formats(_: &str, object: &mut Map<String, Value>) {
    let format = object.get("format").cloned().unwrap_or_default();
    match format.as_str() {
        Some("int") => drop(object.insert("format".to_owned(), json!("int64"))),
        Some("uint8" | "uint16" | "uint32" | "uint64" | "uint" | "int8" | "int16") => {
            object.remove("format");
        }
        _ => {}
    }
}

fn bounds(_: &str, object: &mut Map<String, Value>) {
    if object.get("maximum") == Some(&json!(f64::from(u32::MAX))) {
        object.remove("maximum");
    }
}

fn optional_enums(_: &str, object: &mut Map<String, Value>) {
    if let Some(values) = object.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
        object.remove("nullable");
    }
}

fn variant_docs(_: &str, object: &mut Map<String, Value>) {
    if let Some(values) = object.get_mut("enum").and_then(Value::as_array_mut) {
        values.sort_by_key(ToString::to_string);
        if let Some(Value::String(description)) = object.get_mut("description") {
            let end = description.find("\n\n- `").unwrap_or(description.len());
            description.truncate(end);
            if description.starts_with("- `") {
                object.remove("description");
            }
        }
    }
}

/// Moves what all variants of an untagged enum need to the enum.
fn shared_requirements(_: &str, object: &mut Map<String, Value>) {
    let Some(branches) = object.get("anyOf").and_then(Value::as_array) else {
        return;
    };
    let names = |branch: &Value| branch["required"].as_array().cloned().unwrap_or_default();
    let mut shared = names(&branches[0]);
    shared.retain(|name| branches.iter().all(|branch| names(branch).contains(name)));
    if shared.is_empty() {
        return;
    }
    let rest = |branch: &Value| {
        let mut names = names(branch);
        names.retain(|name| !shared.contains(name));
        json!({ "required": names })
    };
    let rests: Vec<_> = branches.iter().map(rest).collect();
    let is_empty = rests.contains(&json!({ "required": [] }));
    object.insert("anyOf".to_owned(), json!(rests));
    object.insert("required".to_owned(), json!(shared));
    if is_empty {
        object.remove("anyOf");
    }
}

fn sets(name: &str, object: &mut Map<String, Value>) {
    if ["hashSet", "set"].contains(&name) {
        object.remove("x-kubernetes-list-type");
    }
}

fn any_values(_: &str, object: &mut Map<String, Value>) {
    let any = json!({ "x-kubernetes-preserve-unknown-fields": true, "nullable": true });
    if object.get("additionalProperties") == Some(&json!(true)) {
        object.insert("additionalProperties".to_owned(), any);
    }
}

fn merged_structs(name: &str, object: &mut Map<String, Value>) {
    if name == "atomicStruct" {
        object.remove("x-kubernetes-map-type");
    }
}

fn kubernetes_types(_: &str, object: &mut Map<String, Value>) {
    let is_time = object.get("format") == Some(&json!("date-time"));
    if is_time || object.contains_key("x-kubernetes-int-or-string") {
        for keyword in ["description", "pattern", "minimum", "maximum"] {
            object.remove(keyword);
        }
    }
}

fn null_defaults(_: &str, object: &mut Map<String, Value>) {
    if let Some(Value::Object(default)) = object.get_mut("default") {
        default.retain(|_, value| !value.is_null());
    }
}

fn scale_without_status(_: &str, object: &mut Map<String, Value>) {
    let subresources = object.get("subresources").cloned().unwrap_or_default();
    if subresources.get("status").is_none() {
        object.remove("subresources");
    }
}

fn flattened_docs(_: &str, object: &mut Map<String, Value>) {
    if object.get("description") == Some(&json!("What a role and its groups set.")) {
        object.remove("description");
    }
}

fn generic_defaults(name: &str, object: &mut Map<String, Value>) {
    if name == "containers" {
        object.remove("default");
    }
}
