//! What must hold of the fields that were flattened from one type.

use std::mem::take;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use super::{RenderError, none_if_empty};
use crate::structural;

/// The fields of a type that is flattened into another one.
pub(super) struct Group {
    /// What its schema says of them together, such as which variant has which.
    conditions: JSONSchemaProps,
    /// Its own fields, if they may all be absent.
    optional: Option<Vec<String>>,
}

impl Group {
    /// Takes what the schema of a type says of its fields together.
    pub(super) fn of(props: &mut JSONSchemaProps, may_be_absent: bool) -> Self {
        let mut conditions = JSONSchemaProps {
            any_of: take(&mut props.any_of),
            one_of: take(&mut props.one_of),
            all_of: take(&mut props.all_of),
            not: take(&mut props.not),
            ..JSONSchemaProps::default()
        };
        let optional = may_be_absent.then(|| {
            conditions.required.clone_from(&props.required);
            props
                .properties
                .iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .collect()
        });
        Self {
            conditions,
            optional,
        }
    }

    /// Takes a field out that stands in the object for other reasons, too.
    pub(super) fn share(&mut self, name: &str) {
        if let Some(names) = &mut self.optional {
            names.retain(|own| own != name);
        }
    }

    /// Writes the conditions where the fields stand.
    pub(super) fn write(self, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
        let nothing = JSONSchemaProps::default();
        if self.conditions == nothing {
            return Ok(());
        }
        let conditions = match self.optional {
            None => self.conditions,
            Some(names) if names.is_empty() => return Ok(()),
            Some(names) => JSONSchemaProps {
                any_of: Some(vec![self.conditions, none_of(names)]),
                ..nothing
            },
        };
        structural::restrict(props, conditions)
    }
}

/// An object without these fields.
fn none_of(names: Vec<String>) -> JSONSchemaProps {
    let with = |name| JSONSchemaProps {
        required: Some(vec![name]),
        ..JSONSchemaProps::default()
    };
    let mut each: Vec<_> = names.into_iter().map(with).collect();
    let any = match each.len() {
        1 => each.remove(0),
        _ => JSONSchemaProps {
            any_of: none_if_empty(each),
            ..JSONSchemaProps::default()
        },
    };
    JSONSchemaProps {
        not: Some(Box::new(any)),
        ..JSONSchemaProps::default()
    }
}
