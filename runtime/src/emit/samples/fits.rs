//! Whether the API server accepts a value.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Props;
use serde_json::Value;

use crate::{
    admission::{mismatch, prune_and_default},
    props::read,
};

/// Returns why the server does not accept a value as it is.
pub(super) fn rejection(schema: &Props, value: &Value) -> Option<String> {
    let core = read::schema(schema);
    let mut admitted = value.clone();
    let unknown = prune_and_default(&core, &mut admitted);
    if let Some(path) = unknown.first() {
        return Some(format!("keeps the field `{path}`"));
    }
    match mismatch(&core, &read::json(&admitted)) {
        Some(error) => Some(format!("satisfies the schema ({error})")),
        None => broken_rule(schema, &admitted),
    }
}

fn broken_rule(schema: &Props, value: &Value) -> Option<String> {
    let errors = crate::cel::evaluate::validate_new(&serde_json::json!(schema), value).err()?;
    let text = errors.to_string();
    Some(format!("satisfies its rules ({})", text.trim().replace('\n', " ")))
}
