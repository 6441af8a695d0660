//! Undeclared fields of objects.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, JSONSchemaPropsOrBool};

use crate::crd::structural;

/// The undeclared fields that an object may have.
#[derive(Default)]
pub(super) enum AdditionalFields {
    #[default]
    Nothing,
    /// The entries of one map.
    Entries(JSONSchemaPropsOrBool),
    Anything,
}

impl AdditionalFields {
    /// Returns the undeclared fields of a flattened type.
    pub(super) fn of(props: &JSONSchemaProps) -> Self {
        match &props.additional_properties {
            _ if props.x_kubernetes_preserve_unknown_fields == Some(true) => Self::Anything,
            Some(JSONSchemaPropsOrBool::Schema(values)) if !structural::is_any(values) => {
                Self::Entries(JSONSchemaPropsOrBool::Schema(values.clone()))
            }
            Some(_) => Self::Anything,
            None => Self::Nothing,
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        match (&*self, other) {
            (_, Self::Nothing) => {}
            (Self::Nothing, other) => *self = other,
            _ => *self = Self::Anything,
        }
    }

    /// Adds the fields to an object. The server does not allow `additionalProperties` together with `properties`.
    pub(super) fn write(self, props: &mut JSONSchemaProps) {
        match self {
            Self::Nothing => {}
            Self::Entries(values) if props.properties.is_none() => {
                props.additional_properties = Some(values);
            }
            Self::Entries(_) | Self::Anything => {
                props.x_kubernetes_preserve_unknown_fields = Some(true);
            }
        }
    }
}
