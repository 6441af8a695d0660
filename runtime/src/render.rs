//! Definitions and schemas, written out as the types of the Kubernetes API.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::definition::{CustomResource, Definition};

mod error;

pub use error::RenderError;

/// The CustomResourceDefinition of `K`, with one version.
///
/// # Errors
///
/// If a schema that is known only now, such as that of a foreign type, cannot stand in a
/// CustomResourceDefinition.
pub fn render<K: CustomResource>() -> Result<CustomResourceDefinition, RenderError> {
    K::DEFINITION.render()
}

impl Definition {
    /// The CustomResourceDefinition, with one version.
    ///
    /// # Errors
    ///
    /// As [`render`].
    pub fn render(&self) -> Result<CustomResourceDefinition, RenderError> {
        todo!()
    }
}
