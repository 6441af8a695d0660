//! What attributes of a field ask of its type.

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

/// The checks of one field, those left out that the spelling of its type answers.
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

/// The check of a flattened field, unless it plainly is a map, whose entries have no names, or nobody knows what it is.
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

/// The checks of a value that is no field of an object, such as the data of a variant.
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

/// Attributes of a field that has no place in the JSON.
pub(super) fn reject_all(attrs: &FieldAttrs, errors: &mut Errors) {
    reject_own(attrs, errors);
    reject_schema_size(attrs, errors);
    reject_items(attrs, OVERRIDE_KEYS, errors);
    if let Some(span) = attrs.schema_override.span() {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

/// The schema is that of another type, so nothing reads what the fields and variants say.
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

/// Attributes of a field that has no place of its own in the JSON, but those that say which fields stand there.
pub(super) fn reject_own(attrs: &FieldAttrs, errors: &mut Errors) {
    reject_on_flattened(attrs, errors);
    reject_items(attrs, &["required"], errors);
}

/// The same of a flattened field, whose fields may be required together.
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

/// How much is written of a field that has no place to say it.
pub(super) fn reject_schema_size(attrs: &FieldAttrs, errors: &mut Errors) {
    for span in attrs.size.spans() {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

/// A default where no field can be left out.
pub(super) fn reject_default(attrs: &FieldAttrs, errors: &mut Errors) {
    if let Some(default) = &attrs.default {
        errors.push(
            Error::custom(
                "the server fills in fields that have a name of their own: write the default on \
                 one of these",
            )
            .with_span(&default.span),
        );
    }
}

/// A word about other fields, or about changes, on a field that rules cannot name.
pub(super) fn reject_relations(attrs: &FieldAttrs, errors: &mut Errors) {
    for span in attrs.relations.spans() {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

const NO_PLACE: &str = "the field has no place of its own in the JSON, so nothing can be said of it";

fn reject_items(attrs: &FieldAttrs, keys: &[&str], errors: &mut Errors) {
    for item in &attrs.schemars.items {
        if keys.iter().any(|key| item.path().is_ident(key)) {
            errors.push(Error::custom(NO_PLACE).with_span(item));
        }
    }
}

/// A schema of schemars beside one of ours.
pub(super) fn reject_schemars_override(form: &SchemaOverride, schemars: &SchemarsAttrs, errors: &mut Errors) {
    let overrides = |item: &&syn::Meta| OVERRIDE_KEYS.iter().any(|key| item.path().is_ident(key));
    for item in schemars.items.iter().filter(overrides) {
        errors.push(
            Error::custom(format!("this and `{}` both say what stands here: keep one of them", form.key()))
                .with_span(item),
        );
    }
}

/// A field that must be there is never filled in.
pub(super) fn reject_default_of_required(attrs: &FieldAttrs, errors: &mut Errors) {
    if let Some(default) = &attrs.default
        && attrs.schemars.validation.required
    {
        let message = "`#[schemars(required)]` says that the field must be there, where no default \
                       is filled in: keep one of them";
        errors.push(Error::custom(message).with_span(&default.span));
    }
}

/// The server knows no escapes in the paths of selectable fields and of the scale subresource.
pub(super) fn reject_unsupported_names(attrs: &FieldAttrs, name: &str, errors: &mut Errors) {
    let scale = attrs.scale.iter().map(|scale| scale.span);
    for span in attrs.selectable.into_iter().chain(scale) {
        if name.contains(|c: char| " \t\r\n.,[]$@{}*\\".contains(c)) {
            errors.push(
                Error::custom(format!(
                    "the server finds no field that is called `{name}` in JSON: rename it to a \
                     name of letters, digits, `-` and `_`"
                ))
                .with_span(&span),
            );
        }
    }
}

/// A marker where no resource can read it.
pub(super) fn reject_markers(attrs: &FieldAttrs, errors: &mut Errors) {
    let spans = attrs
        .columns
        .iter()
        .map(|column| column.span)
        .chain(attrs.selectable)
        .chain(attrs.scale.iter().map(|scale| scale.span));
    for span in spans {
        errors.push(
            Error::custom("the field has no place of its own in the JSON, so nothing can be read from it")
                .with_span(&span),
        );
    }
}
