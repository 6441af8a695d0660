//! Errors for attributes that do not apply where they are.

use darling::Error;
use syn::DeriveInput;

use super::variant_placement::VariantPlacement;
use crate::attrs::{
    Errors,
    field::FieldAttrs,
    items,
    key::Key,
    rule::Rule,
    schema_override::SchemaOverride,
    schemars::{AnnotationKey, SchemarsAttrs, SchemarsOverrideKey},
    validation::ValidationKey,
    variant::VariantAttrs,
};

/// Reports all attributes of a field that is not in the JSON.
pub(super) fn all(attrs: &FieldAttrs, errors: &mut Errors) {
    on_tuple_item(attrs, errors);
    schema_size(attrs, errors);
    items(attrs, SchemarsOverrideKey::is, errors);
    if let Some(span) = attrs.schema_override.span() {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

/// Reports the attributes of all fields and variants of a type that has another schema.
pub(super) fn all_fields(input: &DeriveInput, errors: &mut Errors) {
    let reject = |fields: &syn::Fields, errors: &mut Errors| {
        for field in fields {
            all(&FieldAttrs::parse(field, errors), errors);
        }
    };
    match &input.data {
        syn::Data::Struct(data) => reject(&data.fields, errors),
        syn::Data::Enum(data) => {
            for variant in &data.variants {
                VariantPlacement::Overridden.reject_unsupported(&VariantAttrs::parse(variant, errors), errors);
                reject(&variant.fields, errors);
            }
        }
        syn::Data::Union(_) => {}
    }
}

/// Reports attributes of a tuple item, which has no key in the JSON, except those that replace its schema.
pub(super) fn on_tuple_item(attrs: &FieldAttrs, errors: &mut Errors) {
    on_flattened(attrs, errors);
    items(attrs, is_required, errors);
}

/// Reports attributes of a flattened field, except `required`.
pub(super) fn on_flattened(attrs: &FieldAttrs, errors: &mut Errors) {
    markers(attrs, errors);
    items(attrs, AnnotationKey::is, errors);
    items(attrs, |key| ValidationKey::is(key) && !is_required(key), errors);
    default(attrs, errors);
    relations(attrs, errors);
    let rules = attrs.rules.iter().map(Rule::span);
    for span in rules.chain(attrs.keywords.spans()) {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

/// Reports `descriptions` and `embed`.
pub(super) fn schema_size(attrs: &FieldAttrs, errors: &mut Errors) {
    for span in attrs.size.spans() {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

/// Reports a default on a field without a key, which cannot be omitted.
pub(super) fn default(attrs: &FieldAttrs, errors: &mut Errors) {
    if let Some(default) = &attrs.default {
        errors.push(Error::custom("a default applies only to a field with a key in the JSON").with_span(&default.span));
    }
}

/// Reports `requires` and `immutable` on a field that CEL rules cannot access.
pub(super) fn relations(attrs: &FieldAttrs, errors: &mut Errors) {
    for span in attrs.relations.spans() {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

const NO_PLACE: &str = "has no effect: the field has no key of its own in the JSON";

fn is_required(key: &str) -> bool {
    ValidationKey::from_name(key) == Some(ValidationKey::Required)
}

fn items(attrs: &FieldAttrs, is_rejected: impl Fn(&str) -> bool, errors: &mut Errors) {
    for item in &attrs.schemars.items {
        if is_rejected(&items::name(item)) {
            errors.push(Error::custom(NO_PLACE).with_span(item));
        }
    }
}

/// Reports a schema of `#[schemars(...)]` beside one of `#[crd(...)]`.
pub(super) fn schemars_override(schema: &SchemaOverride, schemars: &SchemarsAttrs, errors: &mut Errors) {
    for item in schemars.items.iter().filter(|item| SchemarsOverrideKey::of(item).is_some()) {
        errors.push(Error::custom(format!("conflicts with `{}`; remove one", schema.name())).with_span(item));
    }
}

/// Reports a default of a required field.
pub(super) fn default_of_required(attrs: &FieldAttrs, errors: &mut Errors) {
    if let Some(default) = &attrs.default
        && attrs.schemars.validation.required
    {
        let message = "a required field cannot have a default: conflicts with `#[schemars(required)]`; remove one";
        errors.push(Error::custom(message).with_span(&default.span));
    }
}

/// Reports names that need escapes, which the API server does not support in the paths of selectable fields and of the
/// scale subresource.
pub(super) fn unsupported_names(attrs: &FieldAttrs, name: &str, errors: &mut Errors) {
    let scale = attrs.scale.iter().map(|scale| scale.span);
    for span in attrs.selectable.into_iter().chain(scale) {
        if name.contains(|c: char| " \t\r\n.,[]$@{}*\\".contains(c)) {
            errors.push(
                Error::custom(format!(
                    "the API server cannot address a field with the JSON name `{name}`: use letters, digits, `-` and \
                     `_` only"
                ))
                .with_span(&span),
            );
        }
    }
}

/// Reports markers of a field that has no path of its own.
pub(super) fn markers(attrs: &FieldAttrs, errors: &mut Errors) {
    let spans = attrs
        .columns
        .iter()
        .map(|column| column.span)
        .chain(attrs.selectable)
        .chain(attrs.scale.iter().map(|scale| scale.span));
    for span in spans {
        errors.push(Error::custom("has no effect: the field has no path of its own in the JSON").with_span(&span));
    }
}
