//! Rules of a struct, which can only use its own fields.

use crdkit_core::cel::RuleScope;
use syn::DeriveInput;

use super::{Body, CheckKind, ConstChecks, KeywordCheck, KeywordCheckKind, keeps_unknown_fields};
use crate::attrs::{Errors, keywords::KeywordValue, resource, rule::reject_rules_outside, type_attrs::TypeAttrs};

/// Reports and removes the rules of a type that use a field that it does not have, if all of its fields are known.
pub(super) fn reject_rules_about_others(input: &DeriveInput, attrs: &mut TypeAttrs, body: &Body, errors: &mut Errors) {
    let Some(scope) = scope(input, attrs, body, errors) else {
        return;
    };
    reject_rules_outside(&scope, &mut attrs.rules, errors);
}

/// The scope of the rules of a struct. The fields of a struct with mistakes or flattened fields are not known, nor those of a
/// resource without `spec`, and expressions can add fields.
fn scope(input: &DeriveInput, attrs: &TypeAttrs, body: &Body, errors: &mut Errors) -> Option<RuleScope> {
    let Body::Object(fields) = body else {
        return None;
    };
    let has_others = is_evaluated(attrs)
        || attrs.keywords.keywords.iter().any(|it| matches!(it.value, KeywordValue::EmbeddedResource))
        || keeps_unknown_fields(attrs, input)
        || resource::has_no_spec(&input.attrs);
    if attrs.rules.is_empty() || has_others || has_any(errors) {
        return None;
    }
    let names: Option<Vec<_>> = fields.iter().map(|field| field.name.as_deref()).collect();
    Some(RuleScope::with_fields(names?.into_iter()))
}

/// Removes the checks of types in rules where the type alone does not determine them: expressions may change the types of its
/// fields, and the rules of a resource without `spec` are about the whole object.
pub(super) fn leave_to_the_test(input: &DeriveInput, attrs: &TypeAttrs, checks: &mut ConstChecks) {
    let (is_evaluated, has_no_spec) = (is_evaluated(attrs), resource::has_no_spec(&input.attrs));
    checks.attr_checks.retain(|check| match &check.kind {
        CheckKind::Keyword(KeywordCheck { kind: KeywordCheckKind::RuleTypes(_), on_type, .. }) => {
            !(is_evaluated || (has_no_spec && *on_type))
        }
        _ => true,
    });
}

/// Whether expressions can change the schema of the type.
fn is_evaluated(attrs: &TypeAttrs) -> bool {
    let annotations = &attrs.schemars.annotations;
    attrs.keywords.schema_patch.is_some() || !annotations.extensions.is_empty() || !annotations.transforms.is_empty()
}

/// Whether an error has been reported: a field with one is left out.
fn has_any(errors: &mut Errors) -> bool {
    let reported = std::mem::take(errors).into_inner();
    let has_any = !reported.is_empty();
    errors.extend(reported);
    has_any
}
