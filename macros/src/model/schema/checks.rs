//! Checks of attributes against the type of their field, and errors for attributes that do not apply.

use darling::Error;
use proc_macro2::Span;
use syn::DeriveInput;

use super::{
    Check, CheckKind, SchemaSource,
    keyword_checks::{self, Target},
    known_type,
    variant_placement::VariantPlacement,
};
use crate::attrs::{
    Errors,
    field::FieldAttrs,
    keywords::KeywordAttrs,
    rule::Rule,
    schema_override::SchemaOverride,
    schemars::{COMMON_KEYS, OVERRIDE_KEYS, SchemarsAttrs},
    validation::{self, Validation},
    variant::VariantAttrs,
};

/// The checks of a field, without those that its type as written trivially meets.
pub(super) fn field_checks(attrs: &FieldAttrs, source: &SchemaSource, field: usize) -> Vec<Check> {
    let mut checks = all_field_checks(attrs, field);
    checks.retain(|check| !known_type::trivially_holds(source, &check.kind));
    checks.extend(keyword_checks::checks(&attrs.keywords, source, Target::Field(field)));
    checks.extend(keyword_checks::rule_checks(&attrs.rules, Target::Field(field), &[]));
    checks
}

fn all_field_checks(attrs: &FieldAttrs, field: usize) -> Vec<Check> {
    let check = |span: Span, kind: CheckKind| Check::new(field, span, kind);
    let columns = attrs.columns.iter().map(|column| check(column.span, CheckKind::Column));
    let selectable = attrs.selectable.iter().map(|span| check(*span, CheckKind::Selectable));
    let scale = attrs.scale.iter().map(|scale| check(scale.span, CheckKind::Scale(scale.role)));
    let validation_checks = validation_checks(&attrs.schemars.validation, Target::Field(field));
    let default = keyword_checks::default_check(attrs.default.as_ref(), Target::Field(field), &[]);
    columns.chain(selectable).chain(scale).chain(validation_checks).chain(default).collect()
}

/// The check of a flattened field, unless it is a map, whose keys are unknown, or its schema is unknown.
pub(super) fn flattened_check(source: &SchemaSource, field: usize, span: Span) -> Option<Check> {
    match source {
        SchemaSource::Optional(inner) => flattened_check(inner, field, span),
        SchemaSource::Map(None, _)
        | SchemaSource::Function(_)
        | SchemaSource::PreserveUnknownFields
        | SchemaSource::Opaque => None,
        _ => Some(Check::new(field, span, CheckKind::Flattenable)),
    }
}

/// The checks of a value that is not a field of an object, such as the data of a variant.
pub(super) fn value_checks(
    keywords: &KeywordAttrs,
    validation: &Validation,
    rules: &[Rule],
    source: &SchemaSource,
) -> Vec<Check> {
    let mut checks: Vec<_> = validation_checks(validation, Target::Type).collect();
    checks.retain(|check| !known_type::trivially_holds(source, &check.kind));
    checks.extend(keyword_checks::checks(keywords, source, Target::Type));
    checks.extend(keyword_checks::rule_checks(rules, Target::Type, &[]));
    checks
}

fn validation_checks(validation: &Validation, on: Target) -> impl Iterator<Item = Check> {
    let (field, on_type) = on.field_and_on_type();
    validation.targets.iter().map(move |(target, span)| {
        let target = *target;
        Check::new(field, *span, CheckKind::Validation { target, on_type })
    })
}

/// Reports all attributes of a field that is not in the JSON.
pub(super) fn reject_all(attrs: &FieldAttrs, errors: &mut Errors) {
    reject_own(attrs, errors);
    reject_schema_size(attrs, errors);
    reject_items(attrs, OVERRIDE_KEYS, errors);
    if let Some(span) = attrs.schema_override.span() {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

/// Reports the attributes of all fields and variants of a type that has another schema.
pub(super) fn reject_all_fields(input: &DeriveInput, errors: &mut Errors) {
    let reject = |fields: &syn::Fields, errors: &mut Errors| {
        for field in fields {
            reject_all(&FieldAttrs::parse(field, errors), errors);
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

/// Reports attributes of a field without a key in the JSON, except those that replace its schema.
pub(super) fn reject_own(attrs: &FieldAttrs, errors: &mut Errors) {
    reject_on_flattened(attrs, errors);
    reject_items(attrs, &["required"], errors);
}

/// Reports attributes of a flattened field, except `required`.
pub(super) fn reject_on_flattened(attrs: &FieldAttrs, errors: &mut Errors) {
    reject_markers(attrs, errors);
    reject_items(attrs, COMMON_KEYS, errors);
    let keys: Vec<_> = validation::KEYS.iter().filter(|key| **key != "required").copied().collect();
    reject_items(attrs, &keys, errors);
    reject_default(attrs, errors);
    reject_relations(attrs, errors);
    let rules = attrs.rules.iter().map(Rule::span);
    for span in rules.chain(attrs.keywords.spans()) {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

/// Reports `descriptions` and `embed`.
pub(super) fn reject_schema_size(attrs: &FieldAttrs, errors: &mut Errors) {
    for span in attrs.size.spans() {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

/// Reports a default on a field without a key, which cannot be omitted.
pub(super) fn reject_default(attrs: &FieldAttrs, errors: &mut Errors) {
    if let Some(default) = &attrs.default {
        errors.push(Error::custom("a default applies only to a field with a key in the JSON").with_span(&default.span));
    }
}

/// Reports `requires` and `immutable` on a field that CEL rules cannot access.
pub(super) fn reject_relations(attrs: &FieldAttrs, errors: &mut Errors) {
    for span in attrs.relations.spans() {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

const NO_PLACE: &str = "has no effect: the field has no key of its own in the JSON";

fn reject_items(attrs: &FieldAttrs, keys: &[&str], errors: &mut Errors) {
    for item in &attrs.schemars.items {
        if keys.iter().any(|key| item.path().is_ident(key)) {
            errors.push(Error::custom(NO_PLACE).with_span(item));
        }
    }
}

/// Reports a schema of `#[schemars(...)]` beside one of `#[crd(...)]`.
pub(super) fn reject_schemars_override(form: &SchemaOverride, schemars: &SchemarsAttrs, errors: &mut Errors) {
    let overrides = |item: &&syn::Meta| OVERRIDE_KEYS.iter().any(|key| item.path().is_ident(key));
    for item in schemars.items.iter().filter(overrides) {
        errors.push(Error::custom(format!("conflicts with `{}`; remove one", form.key())).with_span(item));
    }
}

/// Reports a default of a required field.
pub(super) fn reject_default_of_required(attrs: &FieldAttrs, errors: &mut Errors) {
    if let Some(default) = &attrs.default
        && attrs.schemars.validation.required
    {
        let message = "a required field cannot have a default: conflicts with `#[schemars(required)]`; remove one";
        errors.push(Error::custom(message).with_span(&default.span));
    }
}

/// Reports names that need escapes, which the API server does not support in the paths of selectable fields and of the
/// scale subresource.
pub(super) fn reject_unsupported_names(attrs: &FieldAttrs, name: &str, errors: &mut Errors) {
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
pub(super) fn reject_markers(attrs: &FieldAttrs, errors: &mut Errors) {
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
