//! What attributes of a field ask of its type.

use darling::Error;
use proc_macro2::Span;
use syn::DeriveInput;

use super::{
    Check, CheckKind, Source,
    keywords::{self, On},
    plain,
    room::Room,
};
use crate::attrs::{
    Errors,
    field::FieldAttrs,
    form::Form,
    keywords::KeywordAttrs,
    rule::Rule,
    schemars::{COMMON_KEYS, OVERRIDE_KEYS, SchemarsAttrs},
    validation::{self, Validation},
    variant::VariantAttrs,
};

/// The checks of one field, those left out that the spelling of its type answers.
pub(super) fn of_field(attrs: &FieldAttrs, source: &Source, field: usize) -> Vec<Check> {
    let mut checks = all_of_field(attrs, field);
    checks.retain(|check| !plain::fits(source, &check.kind));
    checks.extend(keywords::checks(&attrs.keywords, source, On::Field(field)));
    checks.extend(keywords::of_rules(&attrs.rules, On::Field(field), &[]));
    checks
}

fn all_of_field(attrs: &FieldAttrs, field: usize) -> Vec<Check> {
    let check = |span: Span, kind: CheckKind| Check::of_field(field, span, kind);
    let columns = attrs.columns.iter().map(|column| check(column.span, CheckKind::Column));
    let selectable = attrs.selectable.iter().map(|span| check(*span, CheckKind::Selectable));
    let scale = attrs.scale.iter().map(|scale| check(scale.span, CheckKind::Scale(scale.role)));
    let validations = validations(&attrs.schemars.validation, On::Field(field));
    let default = keywords::of_default(attrs.default.as_ref(), On::Field(field), &[]);
    columns.chain(selectable).chain(scale).chain(validations).chain(default).collect()
}

/// The check of a flattened field, unless it plainly is a map, whose entries have no names, or nobody knows what it is.
pub(super) fn of_flattened(source: &Source, field: usize, span: Span) -> Option<Check> {
    match source {
        Source::Optional(inner) => of_flattened(inner, field, span),
        Source::Map(None, _) | Source::Function(_) | Source::Any | Source::Opaque => None,
        _ => Some(Check::of_field(field, span, CheckKind::Flattens)),
    }
}

/// The checks of a value that is no field of an object, such as the data of a variant.
pub(super) fn of_value(
    keywords: &KeywordAttrs,
    validation: &Validation,
    rules: &[Rule],
    source: &Source,
) -> Vec<Check> {
    let mut checks: Vec<_> = validations(validation, On::Type).collect();
    checks.retain(|check| !plain::fits(source, &check.kind));
    checks.extend(keywords::checks(keywords, source, On::Type));
    checks.extend(keywords::of_rules(rules, On::Type, &[]));
    checks
}

fn validations(validation: &Validation, on: On) -> impl Iterator<Item = Check> {
    let (field, of_type) = on.place();
    validation.demands.iter().map(move |(demand, span)| {
        let demand = *demand;
        Check::of_field(field, *span, CheckKind::Validation { demand, of_type })
    })
}

/// Attributes of a field that has no place in the JSON.
pub(super) fn refuse_all(attrs: &FieldAttrs, errors: &mut Errors) {
    refuse_own(attrs, errors);
    refuse_size(attrs, errors);
    refuse_items(attrs, OVERRIDE_KEYS, errors);
    if let Some(span) = attrs.form.span() {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

/// The schema is that of another type, so nothing reads what the fields and variants say.
pub(super) fn refuse_all_fields(input: &DeriveInput, errors: &mut Errors) {
    let refuse = |fields: &syn::Fields, errors: &mut Errors| {
        for field in fields {
            refuse_all(&FieldAttrs::parse(field, errors), errors);
        }
    };
    match &input.data {
        syn::Data::Struct(data) => refuse(&data.fields, errors),
        syn::Data::Enum(data) => {
            for variant in &data.variants {
                Room::Hidden.refuse_what_has_none(&VariantAttrs::parse(variant, errors), errors);
                refuse(&variant.fields, errors);
            }
        }
        syn::Data::Union(_) => {}
    }
}

/// Attributes of a field that has no place of its own in the JSON, but those that say which fields stand there.
pub(super) fn refuse_own(attrs: &FieldAttrs, errors: &mut Errors) {
    refuse_of_flattened(attrs, errors);
    refuse_items(attrs, &["required"], errors);
}

/// The same of a flattened field, whose fields may be required together.
pub(super) fn refuse_of_flattened(attrs: &FieldAttrs, errors: &mut Errors) {
    refuse_markers(attrs, errors);
    refuse_items(attrs, COMMON_KEYS, errors);
    let keys: Vec<_> = validation::KEYS.iter().filter(|key| **key != "required").copied().collect();
    refuse_items(attrs, &keys, errors);
    refuse_default(attrs, errors);
    refuse_relations(attrs, errors);
    let rules = attrs.rules.iter().map(Rule::span);
    for span in rules.chain(attrs.keywords.spans()) {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

/// How much is written of a field that has no place to say it.
pub(super) fn refuse_size(attrs: &FieldAttrs, errors: &mut Errors) {
    for span in attrs.size.spans() {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

/// A default where no field can be left out.
pub(super) fn refuse_default(attrs: &FieldAttrs, errors: &mut Errors) {
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
pub(super) fn refuse_relations(attrs: &FieldAttrs, errors: &mut Errors) {
    for span in attrs.relations.spans() {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

const NO_PLACE: &str = "the field has no place of its own in the JSON, so nothing can be said of it";

fn refuse_items(attrs: &FieldAttrs, keys: &[&str], errors: &mut Errors) {
    for item in &attrs.schemars.written {
        if keys.iter().any(|key| item.path().is_ident(key)) {
            errors.push(Error::custom(NO_PLACE).with_span(item));
        }
    }
}

/// A schema of schemars beside one of ours.
pub(super) fn refuse_override(form: &Form, schemars: &SchemarsAttrs, errors: &mut Errors) {
    let overrides = |item: &&syn::Meta| OVERRIDE_KEYS.iter().any(|key| item.path().is_ident(key));
    for item in schemars.written.iter().filter(overrides) {
        errors.push(
            Error::custom(format!("this and `{}` both say what stands here: keep one of them", form.key()))
                .with_span(item),
        );
    }
}

/// A field that must be there is never filled in.
pub(super) fn refuse_default_of_required(attrs: &FieldAttrs, errors: &mut Errors) {
    if let Some(default) = &attrs.default
        && attrs.schemars.validation.required
    {
        let message = "`#[schemars(required)]` says that the field must be there, where no default \
                       is filled in: keep one of them";
        errors.push(Error::custom(message).with_span(&default.span));
    }
}

/// The server knows no escapes in the paths of selectable fields and of the scale subresource.
pub(super) fn refuse_odd_names(attrs: &FieldAttrs, name: &str, errors: &mut Errors) {
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
pub(super) fn refuse_markers(attrs: &FieldAttrs, errors: &mut Errors) {
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
