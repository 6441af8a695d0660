//! What the API server makes of values, for others than the check of agreement.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;

#[cfg(any(feature = "client", test))]
use super::judge::holds_unseen;
use super::{admit, formats, node::Node, value};
#[cfg(test)]
use super::{generate, random};

pub(crate) use super::value::has_type;

/// Why a value cannot be a default: the server holds it to its schema as it holds objects, and lets no unknown field in.
/// Rules of CEL, and texts of which nothing is known, are left to the server.
pub(crate) fn mismatch(schema: &JSONSchemaProps, value: &Value) -> Option<String> {
    let node = Node::new(schema.clone());
    let mut value = value.clone();
    admit::settle_numbers(&mut value);
    if let Some(unknown) = admit::unknown(&node, &value).first() {
        return Some(format!("`{}` is no field", unknown.trim_start_matches('.')));
    }
    refusal(&node, &value)
}

/// Why a value is refused that is part of an object: unknown fields are dropped from it.
#[cfg(test)]
pub(crate) fn refusal_in_object(schema: &JSONSchemaProps, value: &Value) -> Option<String> {
    refusal(&Node::new(schema.clone()), value)
}

fn refusal(node: &Node, value: &Value) -> Option<String> {
    let mismatch = value::check(node, value, value::Unknown::Accept).err()?;
    Some(match mismatch.path.trim_start_matches('.') {
        "" => mismatch.message,
        path => format!("`{path}`: {}", mismatch.message),
    })
}

/// The value as the server keeps it: with defaults, without misplaced nulls and unknown fields.
pub(crate) fn admitted(schema: &JSONSchemaProps, value: &Value) -> Value {
    let mut admitted = value.clone();
    admit::admit(&Node::new(schema.clone()), &mut admitted);
    admitted
}

/// Whether a schema accepts a value.
#[cfg(any(feature = "client", test))]
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Acceptance {
    Yes,
    /// There is a pattern or a format of which nothing is known.
    Unknown,
    No,
}

/// Whether a schema accepts a value that the server has admitted; rules of CEL are left to the server. What the server does
/// not look at is not accepted: it cannot be decoded.
#[cfg(any(feature = "client", test))]
pub(crate) fn acceptance(schema: &JSONSchemaProps, value: &Value) -> Acceptance {
    let node = Node::new(schema.clone());
    let accepts = |unknown| value::check(&node, value, unknown).is_ok();
    if holds_unseen(&node, value) {
        return Acceptance::No;
    }
    match (
        accepts(value::Unknown::Accept),
        accepts(value::Unknown::Refuse),
    ) {
        (true, true) => Acceptance::Yes,
        (true, false) => Acceptance::Unknown,
        (false, _) => Acceptance::No,
    }
}

/// Random values that a schema accepts, as far as some are found.
#[cfg(test)]
pub(crate) fn samples(schema: &JSONSchemaProps, seed: u64, count: usize) -> Vec<Value> {
    let node = Node::new(schema.clone());
    let mut random = random::Random::new(seed);
    let samples = (0..count).map(|_| generate::value(&node, &mut random));
    samples.collect()
}

/// Whether the server holds texts to the format.
pub(crate) fn is_checked_format(name: &str) -> bool {
    formats::format(name).is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_server_does_not_look_at_is_not_accepted() {
        let schema = json!({ "type": "array", "items": { "type": "string", "format": "date" } });
        let schema = serde_json::from_value(schema).unwrap();
        assert!(acceptance(&schema, &json!(["2026-01-01"])) == Acceptance::Yes);
        assert!(acceptance(&schema, &json!([[0]])) == Acceptance::No);
    }
}
