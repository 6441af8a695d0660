//! What attributes of a field ask of its type.

use darling::Error;
use proc_macro2::Span;

use super::{Check, CheckKind, Source, plain};
use crate::attrs::{
    Errors,
    field::FieldAttrs,
    merge_strategy::{ListMerge, MergeStrategy},
    rule::Rule,
    schemars::{COMMON_KEYS, OVERRIDE_KEYS},
    validation,
};

/// The checks of one field, those left out that the spelling of its type answers.
pub(super) fn of_field(attrs: &FieldAttrs, source: &Source, field: usize) -> Vec<Check> {
    let mut checks = all_of_field(attrs, field);
    checks.retain(|check| !plain::fits(source, &check.kind));
    checks
}

fn all_of_field(attrs: &FieldAttrs, field: usize) -> Vec<Check> {
    let check = |span: Span, kind: CheckKind| Check { field, span, kind };
    let columns = attrs
        .columns
        .iter()
        .map(|column| check(column.span, CheckKind::Column));
    let selectable = attrs
        .selectable
        .iter()
        .map(|span| check(*span, CheckKind::Selectable));
    let scale = attrs
        .scale
        .iter()
        .map(|scale| check(scale.span, CheckKind::Scale(scale.role)));
    let validations = attrs
        .schemars
        .validation
        .demands
        .iter()
        .map(|(demand, span)| check(*span, CheckKind::Validation(*demand)));
    let mut checks: Vec<_> = columns
        .chain(selectable)
        .chain(scale)
        .chain(validations)
        .collect();
    match &attrs.merge_strategy {
        None | Some(MergeStrategy::Expression(_)) => {}
        Some(MergeStrategy::List(strategy)) => checks.extend(of_list(attrs, strategy, field)),
        Some(MergeStrategy::Map(_)) => {
            checks.push(check(attrs.merge_strategy_span(), CheckKind::MapMerge));
        }
    }
    checks
}

fn of_list(attrs: &FieldAttrs, strategy: &ListMerge, field: usize) -> Vec<Check> {
    let (kind, keys) = match strategy {
        ListMerge::Atomic => (CheckKind::ListAtomic, [].as_slice()),
        ListMerge::Set => (CheckKind::ListSet, [].as_slice()),
        ListMerge::Map(keys) => (CheckKind::ListMap, keys.as_slice()),
    };
    let span = attrs.merge_strategy_span();
    let keys = keys.iter().map(|key| Check {
        field,
        span: key.span(),
        kind: CheckKind::ListMapKey(key.to_string()),
    });
    std::iter::once(Check { field, span, kind })
        .chain(keys)
        .collect()
}

/// Attributes of a field that has no place in the JSON.
pub(super) fn refuse_all(attrs: &FieldAttrs, errors: &mut Errors) {
    refuse_own(attrs, errors);
    refuse_items(attrs, OVERRIDE_KEYS, errors);
}

/// Attributes of a field that has no place of its own in the JSON, but those that say which fields stand there.
pub(super) fn refuse_own(attrs: &FieldAttrs, errors: &mut Errors) {
    refuse_markers(attrs, errors);
    refuse_items(attrs, COMMON_KEYS, errors);
    refuse_items(attrs, validation::KEYS, errors);
    let strategy = attrs
        .merge_strategy
        .iter()
        .map(|_| attrs.merge_strategy_span());
    for span in attrs.rules.iter().map(Rule::span).chain(strategy) {
        errors.push(Error::custom(NO_PLACE).with_span(&span));
    }
}

const NO_PLACE: &str =
    "the field has no place of its own in the JSON, so nothing can be said of it";

fn refuse_items(attrs: &FieldAttrs, keys: &[&str], errors: &mut Errors) {
    for item in &attrs.schemars.written {
        if keys.iter().any(|key| item.path().is_ident(key)) {
            errors.push(Error::custom(NO_PLACE).with_span(item));
        }
    }
}

/// A schema beside `preserve_unknown_fields`, which is one.
pub(super) fn refuse_override(attrs: &FieldAttrs, errors: &mut Errors) {
    let overrides = |item: &&syn::Meta| OVERRIDE_KEYS.iter().any(|key| item.path().is_ident(key));
    for item in attrs.schemars.written.iter().filter(overrides) {
        errors.push(
            Error::custom(
                "this and `preserve_unknown_fields` both say what stands here: keep one of them",
            )
            .with_span(item),
        );
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
            Error::custom(
                "the field has no place of its own in the JSON, so nothing can be read from it",
            )
            .with_span(&span),
        );
    }
}
