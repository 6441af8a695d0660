//! Checks of attributes against the type of their field, which run in const evaluation.

use proc_macro2::Span;
use syn::Type;

use super::{
    Presence, SchemaSource,
    keyword_checks::{self, KeywordCheck, Target},
    known_type,
};
use crate::attrs::{
    field::FieldAttrs,
    keywords::KeywordAttrs,
    rule::Rule,
    scale::ScaleRole,
    schema_size::EmbedMode,
    validation::{Validation, ValidationTarget},
};

/// The type of a field with `embed`.
pub(crate) struct Embedded {
    pub(crate) ty: Type,
    pub(crate) mode: EmbedMode,
    pub(crate) span: Span,
}

/// Checks that generated code runs in const evaluation.
#[derive(Default)]
pub(crate) struct ConstChecks {
    pub(crate) attr_checks: Vec<Check>,
    /// Types of fields that have another schema, so that the resource does not read their markers.
    pub(crate) hidden_types: Vec<Type>,
    pub(crate) embedded_types: Vec<Embedded>,
    /// Types of fields that may have no structural schema, such as tuples.
    pub(crate) structural_types: Vec<Type>,
}

/// A check of a field's type or of a variant.
pub(crate) struct Check {
    /// The variant that has the field.
    pub(crate) variant: Option<usize>,
    pub(crate) field: usize,
    pub(crate) span: Span,
    pub(crate) kind: CheckKind,
}

/// What an attribute requires of the type of its field.
pub(crate) enum CheckKind {
    Column,
    Selectable,
    Scale(ScaleRole),
    Validation {
        target: ValidationTarget,
        /// Whether the attribute is on a type, not on a field.
        on_type: bool,
    },
    Keyword(KeywordCheck),
    /// Whether the field of this name may be unset from the point of view of CEL rules.
    CanBeUnset(String),
    /// Whether CEL rules have access to the field.
    FieldIsVisibleToRules,
    /// Whether CEL rules have access to values of the type.
    TypeIsVisibleToRules,
    /// Whether the variant at the index `field` can share a schema with those before it.
    CompatibleVariant,
    /// Whether all items of the tuple can share a schema.
    Tuple,
    /// Whether the type of the field can be flattened into the object.
    Flattenable,
    /// Whether objects may lack the field, which serde leaves out because of this key.
    MayBeLeftOut(&'static str),
    /// Whether the object can have the fields of a flattened type whose schema is replaced.
    ReplacedFlattened(Box<Type>),
}

impl ConstChecks {
    /// Whether the derive reports everything in the type that has no structural schema.
    pub(crate) fn reports_non_structural(&self) -> bool {
        let mut of_fields = self.attr_checks.iter();
        !self.structural_types.is_empty() || of_fields.any(|check| matches!(check.kind, CheckKind::Tuple))
    }
}

impl Check {
    pub(super) fn new(field: usize, span: Span, kind: CheckKind) -> Self {
        Self { variant: None, field, span, kind }
    }
}

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

/// The check of a field that serde may leave out when it serializes, unless it is written as an `Option`.
pub(super) fn left_out_check(
    (key, span): (&'static str, Span),
    presence: Presence,
    source: &SchemaSource,
    field: usize,
) -> Option<Check> {
    let may_be_required = match presence {
        Presence::Optional | Presence::Defaulted => false,
        Presence::Inferred => !source.is_optional(),
        Presence::Present | Presence::Required => true,
    };
    may_be_required.then(|| Check::new(field, span, CheckKind::MayBeLeftOut(key)))
}

/// The check of a flattened field with another schema than that of its type, which serde reads and writes.
pub(super) fn replaced_flattened_check(ty: Type, field: usize, span: Span) -> Check {
    Check::new(field, span, CheckKind::ReplacedFlattened(Box::new(ty)))
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
