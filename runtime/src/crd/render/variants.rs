//! Rendering of enums whose variants contain data.

use std::{borrow::Cow, slice};

use crdkit_core::{
    literal::cel::{escaped, is_unescaped},
    shared_schema::variants::Discriminator,
    shared_schema::variants::tag_not_nameable,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, ValidationRule};
use parts::{object, one_of_names, tagged, to_schemars_variant};
use serde_json::{Value, json};

use crate::{
    crd::{
        render::{RenderError, keywords::describe, options::RenderOptions, schema::render_in},
        structural::{self, conditional_rule, describe_variants},
    },
    schema::{Presence, Schema, Shape, Tagging, Variant, VariantKind},
};

mod parts;

/// Renders an enum. Each variant is a branch, as in schemars. `closed` is whether the enum denies unknown fields.
pub(super) fn write(
    tagging: Tagging,
    variants: &[Variant],
    closed: bool,
    props: &mut JSONSchemaProps,
    options: RenderOptions,
) -> Result<(), RenderError> {
    let branches = Branches::of(tagging, variants, closed, options)?;
    if variants.iter().any(|it| is_null(it, tagging)) {
        props.nullable = Some(true);
    }
    branches.unite(props)
}

/// Renders each variant separately, in the form of schemars, and returns the rules of single variants.
pub(super) fn each(
    tagging: Tagging,
    variants: &[Variant],
    closed: bool,
    options: RenderOptions,
) -> Result<(Vec<Value>, Vec<ValidationRule>), RenderError> {
    let (mut schemas, mut rules) = (Vec::new(), Vec::new());
    for variant in variants {
        if is_null(variant, tagging) {
            schemas.push(json!({ "type": "null" }));
            continue;
        }
        let one = slice::from_ref(variant);
        let branches = Branches::of(tagging, one, closed, options)?;
        let docs = branches.docs.first().map_or("", |(_, text)| text);
        let docs = options.descriptions.of(docs).map(Cow::into_owned);
        rules.extend(branches.rules);
        for mut schema in branches.schemas {
            describe(&mut schema, docs.as_deref().unwrap_or_default());
            schemas.push(to_schemars_variant(schema, tagging));
        }
    }
    Ok((schemas, rules))
}

/// Whether a variant is null in JSON.
fn is_null(variant: &Variant, tagging: Tagging) -> bool {
    variant.content.is_none() && variant.tagging(tagging) == Tagging::Untagged
}

/// Returns how rules can identify a variant.
const fn discriminator(tagging: Tagging) -> Discriminator<'static> {
    match tagging {
        Tagging::Internal(_) => Discriminator::OwnFields,
        Tagging::Adjacent { tag, .. } if is_unescaped(tag) => Discriminator::Tag { tag, content: "" },
        _ => Discriminator::None,
    }
}

/// A builder for the schema of an enum.
struct Branches<'a> {
    options: RenderOptions,
    tagging: Tagging,
    /// Whether the enum denies unknown fields.
    closed: bool,
    variants: &'a [Variant],
    names: Vec<&'a str>,
    schemas: Vec<JSONSchemaProps>,
    docs: Vec<(&'a str, String)>,
    rules: Vec<ValidationRule>,
}

impl<'a> Branches<'a> {
    fn of(
        tagging: Tagging,
        variants: &'a [Variant],
        closed: bool,
        options: RenderOptions,
    ) -> Result<Self, RenderError> {
        let mut branches = Self {
            options,
            tagging,
            closed,
            variants,
            names: Vec::new(),
            schemas: Vec::new(),
            docs: Vec::new(),
            rules: Vec::new(),
        };
        branches.add_unit_variants();
        for variant in variants {
            if let Some(content) = variant.content {
                branches.add(variant, content)?;
            }
        }
        Ok(branches)
    }

    /// Adds the unit variants as one branch.
    fn add_unit_variants(&mut self) {
        let units = || {
            let all = self.variants.iter();
            all.filter(|it| it.content.is_none() && it.role != VariantKind::Untagged)
        };
        let Some(first) = units().next() else { return };
        let is_open = units().any(|unit| unit.role == VariantKind::Other);
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
        let mut schema = if is_open { self.exclude_data_variants(schema) } else { schema };
        if self.closed {
            structural::deny_unknown(&mut schema);
        }
        self.names.push(first.name);
        self.schemas.push(schema);
    }

    /// Excludes the names of the variants with data from the variant for all other names.
    fn exclude_data_variants(&self, mut schema: JSONSchemaProps) -> JSONSchemaProps {
        let (Tagging::Internal(tag) | Tagging::Adjacent { tag, .. }) = self.tagging else {
            return schema;
        };
        let others = self.variants.iter().filter(|it| it.content.is_some() && it.role == VariantKind::Named);
        let names: Vec<_> = others.map(|it| it.name).collect();
        if names.is_empty() {
            return schema;
        }
        let mut other = object(tag, one_of_names(&names));
        other.type_ = None;
        other.properties.iter_mut().flatten().for_each(|(_, tag)| tag.type_ = None);
        structural::exclude(&mut schema, [other]);
        schema
    }

    /// Adds a variant with data.
    fn add(&mut self, variant: &'a Variant, content: &Schema) -> Result<(), RenderError> {
        let tagging = variant.tagging(self.tagging);
        let below = |error: RenderError| match tagging {
            Tagging::External => error.below(&format!(".{}", variant.name)),
            Tagging::Adjacent { content, .. } => error.below(&format!(".{content}")),
            _ => error,
        };
        let mut data = render_in(content, self.options).map_err(below)?;
        if tagging != Tagging::External {
            require_defaulted(content, &mut data);
        }
        let name = one_of_names(&[variant.name]);
        let mut schema = match tagging {
            Tagging::External => {
                self.describe_content(&mut data, variant);
                let mut schema = object(variant.name, data);
                structural::deny_unknown(&mut schema);
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
                if content.optional {
                    structural::drop_null_from_enum(&mut data);
                } else {
                    let required = schema.required.get_or_insert_default();
                    required.push(field.to_owned());
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
        if self.closed && variant.role != VariantKind::Untagged {
            structural::deny_unknown(&mut schema);
        }
        self.names.push(variant.name);
        self.schemas.push(schema);
        Ok(())
    }

    /// Makes the rules of a variant conditional on its tag.
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
        let has_no_tag = |it: &Variant| it.role == VariantKind::Untagged;
        let may_be_untagged = self.variants.iter().any(has_no_tag);
        let is_other = |of: &str| {
            if may_be_untagged {
                format!("!has({of}.{field}) || {of}.{field} != {variant:?}")
            } else {
                format!("{of}.{field} != {variant:?}")
            }
        };
        let rules = rules.into_iter();
        Ok(rules.map(|rule| conditional_rule(rule, is_other)).collect())
    }

    fn document(&mut self, variant: &'a Variant, of_content: Option<String>) {
        let doc = match variant.description {
            "" => of_content.unwrap_or_default(),
            doc => doc.to_owned(),
        };
        self.docs.push((variant.name, doc));
    }

    fn unite(mut self, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
        if self.schemas.is_empty() {
            return Err(RenderError::new("an enum whose only value is null has no structural schema"));
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
        let names = structural::VariantNames { all: &self.names, discriminator: discriminator(self.tagging) };
        structural::unite(props, self.schemas, names, exclusive)?;
        if !self.rules.is_empty() {
            props.x_kubernetes_validations = Some(self.rules);
        }
        Ok(())
    }

    /// Returns the documentation of the variants in declaration order.
    fn docs(&self) -> Option<String> {
        let position = |name: &str| self.variants.iter().position(|it| it.name == name);
        let mut docs: Vec<_> = self.docs.iter().map(|(name, doc)| (*name, doc.as_str())).collect();
        docs.sort_by_key(|(name, _)| position(name));
        let description = describe_variants(None, docs.into_iter())?;
        self.options.descriptions.of(description).map(Cow::into_owned)
    }

    fn describe_content(&self, data: &mut JSONSchemaProps, variant: &Variant) {
        let text = self.options.descriptions.of(variant.description);
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            describe(data, &text);
        }
    }
}

/// Makes fields with a default required, in a type that may be absent or is one of several variants: the server does
/// not set their defaults there, and serde serializes them all.
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
