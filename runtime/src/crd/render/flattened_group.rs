//! Constraints on the fields of one flattened type.

use std::{collections::BTreeMap, mem::take};

use crdkit_core::literal::cel::escaped;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, ValidationRule};

use crate::crd::{
    crd_accessors::is_visible_to_rules,
    render::RenderError,
    structural::{self, conditional_rule},
};

/// The fields of a flattened type.
pub(super) struct FlattenedGroup {
    /// Constraints on the fields together, such as which variant has which fields.
    conditions: JSONSchemaProps,
    /// The fields and the rules of the type, if it is optional.
    optional: Option<Optional>,
}

struct Optional {
    /// The type, for messages.
    owner: String,
    names: Vec<String>,
    rules: Vec<ValidationRule>,
}

impl FlattenedGroup {
    /// Removes the constraints from the schema of a type, and returns them.
    pub(super) fn of(props: &mut JSONSchemaProps) -> Self {
        Self {
            conditions: JSONSchemaProps {
                any_of: take(&mut props.any_of),
                one_of: take(&mut props.one_of),
                all_of: take(&mut props.all_of),
                not: take(&mut props.not),
                ..JSONSchemaProps::default()
            },
            optional: None,
        }
    }

    /// Removes the constraints and the rules from the schema of an optional type, and returns them.
    pub(super) fn of_optional(props: &mut JSONSchemaProps, owner: String) -> Self {
        let mut group = Self::of(props);
        group.conditions.required.clone_from(&props.required);
        group.optional = Some(Optional {
            owner,
            names: props.properties.iter().flat_map(BTreeMap::keys).cloned().collect(),
            rules: take(&mut props.x_kubernetes_validations).unwrap_or_default(),
        });
        group
    }

    /// Returns the rules of an optional type, conditional on its presence.
    pub(super) fn take_rules(
        &mut self,
        properties: &BTreeMap<String, JSONSchemaProps>,
    ) -> Result<Vec<ValidationRule>, RenderError> {
        let Some(optional) = &mut self.optional else {
            return Ok(Vec::new());
        };
        let rules = take(&mut optional.rules);
        let Some(first) = rules.first() else {
            return Ok(rules);
        };
        let required = self.conditions.required.as_deref().unwrap_or_default();
        let Some(names) = optional.presence(required, properties) else {
            return Err(RenderError::new(format!(
                "{} is optional, but its rule `{}` cannot detect its presence from its fields: move the rule to the \
                 enclosing struct",
                optional.owner, first.rule
            )));
        };
        let is_absent = |of: &str| {
            let presences: Vec<_> = names.iter().map(|it| format!("has({of}.{it})")).collect();
            match presences.as_slice() {
                [presence] => format!("!{presence}"),
                presences => format!("!({})", presences.join(" || ")),
            }
        };
        let rules = rules.into_iter();
        Ok(rules.map(|rule| conditional_rule(rule, is_absent)).collect())
    }

    /// Adds the constraints to the enclosing object.
    pub(super) fn write(self, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
        let nothing = JSONSchemaProps::default();
        if self.conditions == nothing {
            return Ok(());
        }
        let conditions = match self.optional {
            None => self.conditions,
            Some(Optional { names, .. }) if names.is_empty() => return Ok(()),
            Some(Optional { names, .. }) => {
                JSONSchemaProps { any_of: Some(vec![self.conditions, none_of(&names)]), ..nothing }
            }
        };
        structural::restrict(props, conditions)
    }
}

impl Optional {
    /// Returns the fields that indicate the presence of the type: one required field, or else all fields. `None` if
    /// rules cannot detect its presence.
    fn presence(&self, required: &[String], properties: &BTreeMap<String, JSONSchemaProps>) -> Option<Vec<String>> {
        let seen = |name: &String| escaped(name).filter(|_| is_visible_to_rules(&properties[name]));
        // Rules treat null as absent.
        let is_always_there = |name: &&String| required.contains(name) && properties[*name].nullable != Some(true);
        let mut of_all = self.names.iter().filter(is_always_there);
        match of_all.find_map(seen) {
            Some(name) => Some(vec![name]),
            None if self.names.is_empty() => None,
            None => self.names.iter().map(seen).collect(),
        }
    }
}

/// Returns the schema of an object without these fields.
fn none_of(names: &[String]) -> JSONSchemaProps {
    let mut none = JSONSchemaProps::default();
    structural::exclude(&mut none, names.iter().map(|it| structural::requires(it)));
    none
}
