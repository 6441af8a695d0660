//! Validated defaults, and the rules that attributes create: their schemas are the expected ones, and a real API server applies
//! them to objects.

mod defaults;
mod immutable;
mod in_process;
mod order;
mod parts;
mod registry;
#[allow(dead_code)] // it is made for more tests
#[path = "../resources/served.rs"]
mod served;
mod together;

use crdkit::{KubeSchema, render::render_schema};
use serde_json::{Value, json};

/// The schema of a type, as it stands in a definition.
fn schema<T: KubeSchema>() -> Value {
    json!(render_schema(T::SCHEMA_REF).unwrap())
}
