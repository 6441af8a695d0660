//! Whether the API server accepts a value.

use crdkit::__internal::{
    admission::{mismatch, prune_and_default},
    cel::{CompiledRules, Failure},
    crd_accessors::read,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Props;
use serde_json::Value;

/// Returns what a value that the server accepts as it is would do, for "no value was found that ..."; `None` if this one does.
pub(super) fn rejection(schema: &Props, rules: Option<&CompiledRules>, value: &Value) -> Option<String> {
    let core = read::schema(schema);
    let mut admitted = value.clone();
    let unknown = prune_and_default(&core, &mut admitted);
    if let Some(path) = unknown.first() {
        return Some(format!("keeps the field `{path}`"));
    }
    match mismatch(&core, &read::json(&admitted)) {
        Some(error) => Some(format!("satisfies the schema ({error})")),
        None => broken_rule(rules?, &admitted),
    }
}

fn broken_rule(rules: &CompiledRules, value: &Value) -> Option<String> {
    let failures = rules.failures(None, &read::json(value)).into_iter();
    let texts: Vec<_> = failures
        .map(|failure| match failure {
            Failure::Rule { place, detail, .. } if place.is_empty() => detail,
            Failure::Rule { place, detail, .. } => format!("{place}: {detail}"),
            Failure::Budget { .. } => "they cost too much".to_owned(),
        })
        .collect();
    (!texts.is_empty()).then(|| format!("satisfies its rules ({})", texts.join("; ").replace('\n', " ")))
}
