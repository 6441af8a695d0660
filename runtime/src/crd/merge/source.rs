//! Definitions with the name of their origin.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::{crd::merge::TypeRenderError, resource::definition::Definition};

/// A definition, and its name in errors: that of the type it was rendered from.
#[derive(Clone, Debug)]
pub(crate) struct NamedCrd {
    pub(crate) type_name: String,
    pub(crate) crd: CustomResourceDefinition,
}

impl NamedCrd {
    pub(crate) fn new(type_name: impl Into<String>, crd: CustomResourceDefinition) -> Self {
        Self { type_name: type_name.into(), crd }
    }

    pub(super) fn of_definition(type_name: &str, definition: &Definition) -> Result<Self, TypeRenderError> {
        match definition.render() {
            Ok(crd) => Ok(Self::new(type_name, crd)),
            Err(error) => Err(TypeRenderError { type_name: type_name.to_owned(), error }),
        }
    }
}
