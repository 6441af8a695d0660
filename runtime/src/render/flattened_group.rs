//! What must hold of the fields that were flattened from one type.

use std::{collections::BTreeMap, mem::take};

use crdkit_core::literal::cel::escaped;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, ValidationRule};

use super::RenderError;
use crate::{
    props::is_visible_to_rules,
    structural::{self, conditional_rule},
};

/// The fields of a type that is flattened into another one.
pub(super) struct FlattenedGroup {
    /// What its schema says of them together, such as which variant has which.
    conditions: JSONSchemaProps,
    /// Its own fields and its rules, if it may be absent.
    optional: Option<Optional>,
}

struct Optional {
    /// The type, for messages.
    owner: String,
    names: Vec<String>,
    rules: Vec<ValidationRule>,
}

impl FlattenedGroup {
    /// Takes what the schema of a type says of its fields together.
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

    /// The same of a type that may be absent, with its rules.
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

    /// Takes a field out that stands in the object for other reasons, too.
    pub(super) fn share(&mut self, name: &str) {
        structural::remove_exclusion(&mut self.conditions, name);
        if let Some(optional) = &mut self.optional {
            optional.names.retain(|own| own != name);
        }
    }

    /// The rules of a type that may be absent, for the object with these fields, where it is there.
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
                "{} may be absent, which its rule `{}` cannot see from its fields: move the rule to the struct that it is \
                 flattened into",
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

    /// Writes the conditions where the fields stand.
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
    /// The fields of which one is there if the type is, as rules name them: one that it requires, or else all. None if
    /// rules cannot see it.
    fn presence(&self, required: &[String], properties: &BTreeMap<String, JSONSchemaProps>) -> Option<Vec<String>> {
        let seen = |name: &String| escaped(name).filter(|_| is_visible_to_rules(&properties[name]));
        // What is null is not there to rules.
        let is_always_there = |name: &&String| required.contains(name) && properties[*name].nullable != Some(true);
        let mut of_all = self.names.iter().filter(is_always_there);
        match of_all.find_map(seen) {
            Some(name) => Some(vec![name]),
            None if self.names.is_empty() => None,
            None => self.names.iter().map(seen).collect(),
        }
    }
}

/// An object without these fields.
fn none_of(names: &[String]) -> JSONSchemaProps {
    let mut none = JSONSchemaProps::default();
    structural::exclude(&mut none, names.iter().map(|it| structural::requires(it)));
    none
}
