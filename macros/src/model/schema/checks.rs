//! What attributes of a field ask of its type.

use darling::Error;
use proc_macro2::Span;

use super::{Check, CheckKind};
use crate::attrs::{
    Errors,
    field::FieldAttrs,
    merge_strategy::{ListMerge, MergeStrategy},
};

/// The checks of one field.
pub(super) fn of_field(attrs: &FieldAttrs, field: usize) -> Vec<Check> {
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
    let mut checks: Vec<_> = columns.chain(selectable).chain(scale).collect();
    match &attrs.merge_strategy {
        Some(MergeStrategy::List(ListMerge::Map(keys))) => {
            let span = keys.first().map_or_else(Span::call_site, |key| key.span());
            checks.push(check(span, CheckKind::ListMapKeys));
        }
        Some(MergeStrategy::List(ListMerge::Set)) => {
            checks.push(check(attrs.merge_strategy_span(), CheckKind::ListSet));
        }
        _ => {}
    }
    checks
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
