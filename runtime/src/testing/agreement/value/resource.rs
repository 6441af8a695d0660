//! What the server asks of each resource, also of one in another.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::{Mismatch, here};

pub(super) fn check(members: &Map<String, Value>) -> Result<(), Mismatch> {
    let text = |name: &str| match members.get(name) {
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(_) => Err(at(name, "it is no text".to_owned())),
        None => Err(here(format!("`{name}` is missing"))),
    };
    let version = text("apiVersion")?;
    if version.is_empty() || version.matches('/').count() > 1 {
        return Err(at(
            "apiVersion",
            format!("{version:?} is no group and version"),
        ));
    }
    let kind = text("kind")?;
    if !is_label(&kind.to_lowercase()) {
        return Err(at("kind", format!("{kind:?} is no kind")));
    }
    match members.get("metadata") {
        None => Ok(()),
        Some(metadata @ Value::Object(_)) => {
            let metadata = ObjectMeta::deserialize(metadata)
                .map_err(|error| at("metadata", error.to_string()))?;
            match metadata.name.filter(|name| !is_segment(name)) {
                None => Ok(()),
                Some(name) => Err(at("metadata", format!("{name:?} is no name"))),
            }
        }
        Some(_) => Err(at("metadata", "it is no object".to_owned())),
    }
}

fn at(name: &str, message: String) -> Mismatch {
    here(message).below(format_args!(".{name}"))
}

/// Whether a text can stand in a path of the API.
fn is_segment(text: &str) -> bool {
    !matches!(text, "." | "..") && !text.contains(['/', '%'])
}

/// Whether a text is a label of DNS that starts with a letter.
fn is_label(text: &str) -> bool {
    let is_inner =
        |letter: char| letter == '-' || letter.is_ascii_lowercase() || letter.is_ascii_digit();
    text.len() <= 63
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && !text.ends_with('-')
        && text.chars().all(is_inner)
}
