//! Random values of schemas, for other tests.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;

use super::node::SchemaNode;
use crate::crd::generate::{self, Random};

/// Returns random values that a schema accepts, if some are found.
pub(crate) fn samples(schema: &JSONSchemaProps, seed: u64, count: usize) -> Vec<Value> {
    let node = SchemaNode::new(schema.clone());
    let mut random = Random::new(seed);
    let samples = (0..count).map(|_| generate::value(&node, &mut random));
    samples.collect()
}
