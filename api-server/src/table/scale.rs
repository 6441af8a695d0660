//! The columns and the cells of scales.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceColumnDefinition;
use serde_json::Value;

use super::{age, age_column, builtin::count, name, name_column};

/// The columns of replicas, with their descriptions for custom and for built-in resources.
const REPLICAS: [(&str, &str, &str); 2] = [
    ("Desired", "Number of desired replicas", "replicas is the desired number of instances for the scaled object."),
    (
        "Available",
        "Number of actual replicas",
        "replicas is the actual number of observed instances of the scaled object.",
    ),
];

/// Returns the columns of the scales of custom or of built-in resources.
pub(super) fn columns(is_custom: bool) -> Vec<CustomResourceColumnDefinition> {
    let replicas = REPLICAS.map(|(name, of_custom, of_builtin)| CustomResourceColumnDefinition {
        description: Some(if is_custom { of_custom } else { of_builtin }.to_owned()),
        name: name.to_owned(),
        type_: "integer".to_owned(),
        ..Default::default()
    });
    let mut name = name_column();
    if !is_custom {
        name.format = None;
    }
    let age = age_column(if is_custom { "date" } else { "string" });
    [name].into_iter().chain(replicas).chain([age]).collect()
}

pub(super) fn cells(scale: &Value, now: i64) -> Vec<Value> {
    let replicas = |part: &str| count(&scale[part]["replicas"]).into();
    vec![name(scale), replicas("spec"), replicas("status"), age(scale, now)]
}
