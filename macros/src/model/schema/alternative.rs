//! Variants that carry data.

use darling::Error;
use serde_derive_internals::{
    ast::{Style, Variant as SerdeVariant},
    attr::TagType,
};

use super::{
    Alternative, Check, CheckKind, Checks, Content, Role, Tagging, checks,
    enumeration::description, hidden, overridden, reader::Reader,
};
use crate::{
    attrs::{Errors, field::FieldAttrs, variant::VariantAttrs},
    model::source::Source,
};

impl Reader<'_> {
    /// Reads the variant that is the `at`th of those that stand in the schema.
    pub(super) fn alternative(
        &self,
        variant: &SerdeVariant,
        at: usize,
        checks: &mut Checks,
        errors: &mut Errors,
    ) -> Alternative {
        let original = self.original_variant(variant);
        let attrs = match variant.style {
            Style::Unit => VariantAttrs::of_unit(original, errors),
            _ => VariantAttrs::of_data(original, errors),
        };
        let content = self.content(variant, &attrs, at, checks, errors);
        Alternative {
            name: variant.attrs.name().deserialize_name().value.clone(),
            ident: variant.ident.to_string(),
            description: description(attrs.schemars.annotations),
            content,
            role: match (variant.attrs.other(), variant.attrs.untagged()) {
                (true, _) => Role::Other,
                (_, true) => Role::Untagged,
                _ => Role::Named,
            },
        }
    }

    /// Whether the data of a variant stands in an object of its own.
    fn stands_alone(&self, variant: &SerdeVariant) -> bool {
        matches!(self.container.attrs.tag(), TagType::External) && !variant.attrs.untagged()
    }

    fn content(
        &self,
        variant: &SerdeVariant,
        attrs: &VariantAttrs,
        at: usize,
        checks: &mut Checks,
        errors: &mut Errors,
    ) -> Option<Content> {
        let original = self.original_variant(variant);
        if let Some(source) = replacement(attrs, errors) {
            for field in &original.fields {
                checks::refuse_all(&FieldAttrs::parse(field, errors), errors);
                checks.hidden.extend(hidden::leaf(self.input, &field.ty));
            }
            return Some(Content::Value(Box::new(source), Vec::new()));
        }
        if variant.attrs.deserialize_with().is_some() {
            errors.push(unknown_form(variant));
            return Some(Content::Value(Box::new(Source::Mistaken), Vec::new()));
        }
        let reader = Reader {
            fields: &original.fields,
            ..*self
        };
        let first = checks.of_fields.len();
        let content = match variant.style {
            Style::Unit => return None,
            Style::Struct => {
                if !self.stands_alone(variant) {
                    refuse_defaults(&original.fields, errors);
                }
                Content::Object(reader.object(&variant.fields, checks, errors))
            }
            Style::Newtype => {
                let (source, keywords) = reader.newtype(&variant.fields, checks, errors)?;
                Content::Value(Box::new(source), keywords)
            }
            Style::Tuple => {
                let items = reader.tuple(&variant.fields, checks, errors);
                let span = original.ident.span();
                checks
                    .of_fields
                    .push(Check::of_field(0, span, CheckKind::Tuple));
                Content::Tuple(items)
            }
        };
        for check in &mut checks.of_fields[first..] {
            check.variant = Some(at);
        }
        Some(content)
    }
}

/// Defaults where the server would fill them in for other variants, too.
fn refuse_defaults(fields: &syn::Fields, errors: &mut Errors) {
    let items = fields
        .iter()
        .flat_map(|field| FieldAttrs::items(&field.attrs));
    for item in items.filter(|item| item.path().is_ident("default")) {
        errors.push(
            Error::custom(
                "the fields of all variants stand beside each other, so that the server would \
                 fill in the default where another variant is meant: `#[serde(default)]` has it \
                 filled in where the variant is read",
            )
            .with_span(item.path()),
        );
    }
}

/// What stands in place of the data of a variant.
fn replacement(attrs: &VariantAttrs, errors: &mut Errors) -> Option<Source> {
    if let Some(form) = attrs.form.form() {
        checks::refuse_override(form, &attrs.schemars, errors);
        return Some(Source::formed(form));
    }
    attrs.schemars.schema.as_ref().map(overridden)
}

fn unknown_form(variant: &SerdeVariant) -> Error {
    Error::custom(format!(
        "functions decide what the data of `{}` looks like in JSON: say it with `#[schemars(with = \"Type\")]` or \
         `#[crd(schema = ...)]` on the variant",
        variant.ident
    ))
    .with_span(&variant.ident)
}

/// Whether it is plain that the variant's data takes a tag among its fields, if it has to.
pub(super) fn takes_a_tag(tagging: &Tagging, this: &Alternative) -> bool {
    let is_among_fields = matches!(tagging, Tagging::Internal(_)) && this.role != Role::Untagged;
    !is_among_fields || this.content.is_none() || names(this).is_some()
}

/// Whether it is plain that two variants share no field.
pub(super) fn are_apart(one: &Alternative, other: &Alternative) -> bool {
    if one.content.is_none() || other.content.is_none() {
        let is_untagged = |it: &Alternative| it.role == Role::Untagged;
        return is_untagged(one) == is_untagged(other);
    }
    match (names(one), names(other)) {
        (Some(one), Some(other)) => one.iter().all(|name| !other.contains(name)),
        _ => false,
    }
}

/// The names of the fields, if the variant shows all of them.
fn names(this: &Alternative) -> Option<Vec<&String>> {
    match &this.content {
        Some(Content::Object(fields)) => fields.iter().map(|field| field.name.as_ref()).collect(),
        _ => None,
    }
}
