//! Functions that use derived types as programs do. Cases call them, so that errors that follow from the first one are visible.

#[cfg(test)]
extern crate crdkit as renamed;
#[cfg(test)]
extern crate self as crdkit_ui_tests;

#[cfg(test)]
pub mod accepted;

use std::fmt::Debug;

use kube::core::object::HasSpec;
use serde::{Serialize, de::DeserializeOwned};

pub use kube::CustomResourceExt;

/// Uses an object as a program would.
pub fn use_object<K>(object: &K)
where
    K: crdkit::CustomResource + CustomResourceExt + HasSpec + Serialize + DeserializeOwned + Clone + Debug,
{
    let copy = object.clone();
    println!("{copy:?} {}", serde_json::json!(object));
    println!("{} of {}", K::crd_name(), K::api_version(&()));
}

/// Uses a type that has a schema as a program would.
pub fn use_schema<T: crdkit::KubeSchema + schemars::JsonSchema>() {
    println!("{:?} {:?}", T::SCHEMA, schemars::schema_for!(T));
}
