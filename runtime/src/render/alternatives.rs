//! Enums whose variants carry data.

use std::{borrow::Cow, slice};

use crdkit_core::{
    join::variants::Discriminator,
    join::variants::tag_not_nameable,
    literal::cel::{escaped, is_unescaped},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, ValidationRule};
use parts::{as_in_schemars, object, one_of_names, tagged};
use serde_json::{Value, json};

use super::{RenderError, keywords::describe, schema::render_in, style::Style};
use crate::{
    schema::{Alternative, Presence, Role, Schema, Shape, Tagging},
    structural::{self, describe_variants, guarded},
};

mod parts;

/// Writes the schema of an enum: each variant is a branch, as schemars would write it. `closed` says that none has fields but
/// those of its schema.
pub(super) fn write(
    tagging: Tagging,
    alternatives: &[Alternative],
    closed: bool,
    props: &mut JSONSchemaProps,
    style: Style,
) -> Result<(), RenderError> {
    let branches = Branches::of(tagging, alternatives, closed, style)?;
    if alternatives.iter().any(|it| is_null(it, tagging)) {
        props.nullable = Some(true);
    }
    branches.unite(props)
}

/// The schemas of the variants, each of its own, as schemars writes them; and the rules that hold for single variants.
pub(super) fn each(
    tagging: Tagging,
    alternatives: &[Alternative],
    closed: bool,
    style: Style,
) -> Result<(Vec<Value>, Vec<ValidationRule>), RenderError> {
    let (mut schemas, mut rules) = (Vec::new(), Vec::new());
    for alternative in alternatives {
        if is_null(alternative, tagging) {
            schemas.push(json!({ "type": "null" }));
            continue;
        }
        let one = slice::from_ref(alternative);
        let branches = Branches::of(tagging, one, closed, style)?;
        let docs = branches.docs.first().map_or("", |(_, text)| text);
        let docs = style.descriptions.of(docs).map(Cow::into_owned);
        rules.extend(branches.rules);
        for mut schema in branches.schemas {
            describe(&mut schema, docs.as_deref().unwrap_or_default());
            schemas.push(as_in_schemars(schema, tagging));
        }
    }
    Ok((schemas, rules))
}

/// Whether a variant is null in JSON.
fn is_null(alternative: &Alternative, tagging: Tagging) -> bool {
    alternative.content.is_none() && alternative.tagging(tagging) == Tagging::Untagged
}

/// What rules know a variant by. The path of a value leads through the field of the data.
const fn discriminator(tagging: Tagging) -> Discriminator<'static> {
    match tagging {
        Tagging::Internal(_) => Discriminator::OwnFields,
        Tagging::Adjacent { tag, .. } if is_unescaped(tag) => Discriminator::Tag { tag, content: "" },
        _ => Discriminator::None,
    }
}

/// The variants of an enum, while they are put together.
struct Branches<'a> {
    style: Style,
    tagging: Tagging,
    /// Whether no variant has fields but those of its schema.
    closed: bool,
    alternatives: &'a [Alternative],
    names: Vec<&'a str>,
    schemas: Vec<JSONSchemaProps>,
    docs: Vec<(&'a str, String)>,
    rules: Vec<ValidationRule>,
}

impl<'a> Branches<'a> {
    fn of(tagging: Tagging, alternatives: &'a [Alternative], closed: bool, style: Style) -> Result<Self, RenderError> {
        let mut branches = Self {
            style,
            tagging,
            closed,
            alternatives,
            names: Vec::new(),
            schemas: Vec::new(),
            docs: Vec::new(),
            rules: Vec::new(),
        };
        branches.add_units();
        for alternative in alternatives {
            if let Some(content) = alternative.content {
                branches.add(alternative, content)?;
            }
        }
        Ok(branches)
    }

    /// Adds the variants without data: they differ in their names alone.
    fn add_units(&mut self) {
        let units = || {
            let all = self.alternatives.iter();
            all.filter(|it| it.content.is_none() && it.role != Role::Untagged)
        };
        let Some(first) = units().next() else { return };
        let is_open = units().any(|unit| unit.role == Role::Other);
        let names: Vec<_> = units().map(|unit| unit.name).collect();
        let docs = units().map(|unit| (unit.name, unit.description.to_owned()));
        self.docs.extend(docs.collect::<Vec<_>>());
        let mut name = one_of_names(&names);
        if is_open {
            name.enum_ = None;
        }
        let schema = match self.tagging {
            Tagging::External => name,
            Tagging::Internal(tag) => object(tag, name),
            Tagging::Adjacent { tag, content } => {
                JSONSchemaProps { not: Some(Box::new(structural::requires(content))), ..object(tag, name) }
            }
            Tagging::Untagged => return,
        };
        let mut schema = match is_open {
            true => self.but_for_the_others(schema),
            false => schema,
        };
        if self.closed {
            structural::close(&mut schema);
        }
        self.names.push(first.name);
        self.schemas.push(schema);
    }

    /// A variant that stands for all names but those of the variants with data.
    fn but_for_the_others(&self, mut schema: JSONSchemaProps) -> JSONSchemaProps {
        let (Tagging::Internal(tag) | Tagging::Adjacent { tag, .. }) = self.tagging else {
            return schema;
        };
        let others = self.alternatives.iter();
        let others = others.filter(|it| it.content.is_some() && it.role == Role::Named);
        let names: Vec<_> = others.map(|it| it.name).collect();
        if names.is_empty() {
            return schema;
        }
        let mut other = object(tag, one_of_names(&names));
        other.type_ = None;
        other.properties.iter_mut().flatten().for_each(|(_, tag)| tag.type_ = None);
        structural::refuse(&mut schema, [other]);
        schema
    }

    /// Adds a variant with data.
    fn add(&mut self, variant: &'a Alternative, content: &Schema) -> Result<(), RenderError> {
        let tagging = variant.tagging(self.tagging);
        let below = |error: RenderError| match tagging {
            Tagging::External => error.below(&format!(".{}", variant.name)),
            Tagging::Adjacent { content, .. } => error.below(&format!(".{content}")),
            _ => error,
        };
        let mut data = render_in(content, self.style).map_err(below)?;
        if tagging != Tagging::External {
            require_defaulted(content, &mut data);
        }
        let name = one_of_names(&[variant.name]);
        let mut schema = match tagging {
            Tagging::External => {
                self.describe_content(&mut data, variant);
                let mut schema = object(variant.name, data);
                structural::close(&mut schema);
                schema
            }
            Tagging::Internal(tag) => {
                self.document(variant, data.description.take());
                let rules = data.x_kubernetes_validations.take().unwrap_or_default();
                self.rules.extend(self.of_variant(rules, tag, variant.name)?);
                tagged(data, tag, variant.name)?
            }
            Tagging::Adjacent { tag, content: field } => {
                self.document(variant, data.description.take());
                let mut schema = object(tag, name);
                match content.optional {
                    true => structural::leave_out(&mut data),
                    false => {
                        let required = schema.required.get_or_insert_default();
                        required.push(field.to_owned());
                    }
                }
                let properties = schema.properties.get_or_insert_default();
                properties.insert(field.to_owned(), data);
                schema
            }
            Tagging::Untagged => {
                self.document(variant, data.description.take());
                data
            }
        };
        if self.closed && variant.role != Role::Untagged {
            structural::close(&mut schema);
        }
        self.names.push(variant.name);
        self.schemas.push(schema);
        Ok(())
    }

    /// The rules of a variant, for objects with its tag alone.
    fn of_variant(
        &self,
        rules: Vec<ValidationRule>,
        tag: &str,
        variant: &str,
    ) -> Result<Vec<ValidationRule>, RenderError> {
        let Some(field) = escaped(tag) else {
            return match rules.first() {
                None => Ok(rules),
                Some(rule) => Err(RenderError::new(format!(
                    "the rule `{}`: {}",
                    rule.rule,
                    tag_not_nameable(tag, variant).as_str()
                ))),
            };
        };
        let has_no_tag = |it: &Alternative| it.role == Role::Untagged;
        let may_be_untagged = self.alternatives.iter().any(has_no_tag);
        let is_other = |of: &str| match may_be_untagged {
            true => format!("!has({of}.{field}) || {of}.{field} != {variant:?}"),
            false => format!("{of}.{field} != {variant:?}"),
        };
        let rules = rules.into_iter();
        Ok(rules.map(|rule| guarded(rule, is_other)).collect())
    }

    fn document(&mut self, variant: &'a Alternative, of_content: Option<String>) {
        let doc = match variant.description {
            "" => of_content.unwrap_or_default(),
            doc => doc.to_owned(),
        };
        self.docs.push((variant.name, doc));
    }

    fn unite(mut self, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
        if self.schemas.is_empty() {
            return Err(RenderError::new("an enum whose value is always null has no structural schema"));
        }
        let docs = self.docs();
        if let Tagging::Internal(tag) | Tagging::Adjacent { tag, .. } = self.tagging
            && let Some(tag) = self.schemas[0].properties.get_or_insert_default().get_mut(tag)
        {
            tag.description = docs;
        } else {
            props.description = docs;
        }
        let exclusive = self.tagging != Tagging::Untagged;
        let names = structural::Names { all: &self.names, discriminator: discriminator(self.tagging) };
        structural::unite(props, self.schemas, names, exclusive)?;
        if !self.rules.is_empty() {
            props.x_kubernetes_validations = Some(self.rules);
        }
        Ok(())
    }

    /// The documentation of the variants in order, of which those stand first that have no data.
    fn docs(&self) -> Option<String> {
        let position = |name: &str| self.alternatives.iter().position(|it| it.name == name);
        let mut docs: Vec<_> = self.docs.iter().map(|(name, doc)| (*name, doc.as_str())).collect();
        docs.sort_by_key(|(name, _)| position(name));
        let description = describe_variants(None, docs.into_iter())?;
        self.style.descriptions.of(description).map(Cow::into_owned)
    }

    fn describe_content(&self, data: &mut JSONSchemaProps, variant: &Alternative) {
        let text = self.style.descriptions.of(variant.description);
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            describe(data, &text);
        }
    }
}

/// Requires the fields with a default of a type that may be absent, or stands beside other variants: the server fills in
/// none there, and serde writes them all.
pub(super) fn require_defaulted(content: &Schema, data: &mut JSONSchemaProps) {
    let fields = match content.shape {
        Shape::Newtype(inner) => return require_defaulted(inner, data),
        Shape::Object(fields) => fields,
        _ => return,
    };
    for field in fields {
        if field.flatten && !field.schema.optional {
            require_defaulted(field.schema, data);
        } else if field.presence == Presence::Defaulted {
            let required = data.required.get_or_insert_default();
            required.push(field.name.to_owned());
            required.sort_unstable();
        }
    }
}

#[cfg(test)]
mod tests;
