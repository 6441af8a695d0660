//! Checks that a type as written trivially meets, so that they cost no const evaluation.

use crdkit_core::{path::ElementStep, schema::Kind};

use super::{CheckKind, KeywordCheckKind, SchemaSource};
use crate::attrs::{default::DefaultLiteral, keywords::Scalar, scale::ScaleRole, validation::ValidationTarget};

/// Whether a type as written trivially meets a check. The generated test catches user types that shadow standard ones.
pub(super) fn trivially_holds(source: &SchemaSource, kind: &CheckKind) -> bool {
    let inside = match kind {
        CheckKind::Keyword(check) => check.inside.as_slice(),
        _ => &[],
    };
    let Some(known) = element(source, inside).and_then(known_kind) else {
        return false;
    };
    match kind {
        CheckKind::Keyword(check) => keyword_check_holds(&check.kind, known),
        CheckKind::Column => !matches!(known, Kind::List | Kind::Map),
        CheckKind::Selectable => matches!(known, Kind::Boolean | Kind::Integer | Kind::String),
        CheckKind::Scale(ScaleRole::LabelSelector) => known == Kind::String,
        CheckKind::Scale(_) => known == Kind::Integer,
        CheckKind::Validation { target, .. } => validation_applies(*target, known),
        CheckKind::FieldIsVisibleToRules => !matches!(known, Kind::List | Kind::Map),
        CheckKind::CanBeUnset(_)
        | CheckKind::TypeIsVisibleToRules
        | CheckKind::CompatibleVariant
        | CheckKind::Tuple
        | CheckKind::Flattenable
        | CheckKind::MayBeLeftOut(_)
        | CheckKind::ReplacedFlattened(_) => false,
    }
}

fn validation_applies(target: ValidationTarget, kind: Kind) -> bool {
    match target {
        ValidationTarget::Sized => matches!(kind, Kind::String | Kind::List | Kind::Map),
        ValidationTarget::Number => matches!(kind, Kind::Integer | Kind::Number),
        ValidationTarget::String => kind == Kind::String,
        ValidationTarget::List => kind == Kind::List,
    }
}

fn keyword_check_holds(check: &KeywordCheckKind, kind: Kind) -> bool {
    match check {
        KeywordCheckKind::AppliesTo(_, applies_to) => applies_to.includes(kind),
        KeywordCheckKind::Variant(_) => true,
        KeywordCheckKind::Default(DefaultLiteral::Boolean(_)) => kind == Kind::Boolean,
        KeywordCheckKind::Default(_)
        | KeywordCheckKind::FieldPath(_)
        | KeywordCheckKind::RuleTypes(_)
        | KeywordCheckKind::Correlatable => false,
        KeywordCheckKind::ListAtomic => kind == Kind::List,
        KeywordCheckKind::ListSet | KeywordCheckKind::ListMap | KeywordCheckKind::ListMapKey(_) => false,
        KeywordCheckKind::MapMerge => kind == Kind::Map,
        KeywordCheckKind::Satisfiable { alone } => {
            let bounds_itself = matches!(kind, Kind::Boolean | Kind::Integer | Kind::Number);
            *alone && !bounds_itself
        }
    }
}

/// The source of the items of a list or of the values of a map.
fn element<'a>(source: &'a SchemaSource, inside: &[ElementStep]) -> Option<&'a SchemaSource> {
    match (source, inside) {
        (source, []) => Some(source),
        (SchemaSource::Optional(value), _) => element(value, inside),
        (SchemaSource::List(items), [ElementStep::Items, rest @ ..]) => element(items, rest),
        (SchemaSource::Map(_, values), [ElementStep::Values, rest @ ..]) => element(values, rest),
        _ => None,
    }
}

/// The default of a type as written, if it is known.
pub(super) fn default(source: &SchemaSource) -> Option<DefaultLiteral> {
    if source.is_optional() {
        return None;
    }
    Some(match known_kind(source)? {
        Kind::Boolean => DefaultLiteral::Boolean(false),
        Kind::Integer => DefaultLiteral::Scalar(Scalar::Integer(0)),
        Kind::String => DefaultLiteral::Scalar(Scalar::Text(String::new())),
        Kind::List => DefaultLiteral::List(Vec::new()),
        Kind::Map => DefaultLiteral::Object,
        _ => return None,
    })
}

fn known_kind(source: &SchemaSource) -> Option<Kind> {
    match source {
        SchemaSource::Type(syn::Type::Path(ty)) if ty.qself.is_none() => named(&ty.path.get_ident()?.to_string()),
        SchemaSource::Optional(inner) => known_kind(inner),
        SchemaSource::List(_) => Some(Kind::List),
        SchemaSource::Map(..) => Some(Kind::Map),
        _ => None,
    }
}

fn named(name: &str) -> Option<Kind> {
    Some(match name {
        "bool" => Kind::Boolean,
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => Kind::Integer,
        "f32" | "f64" => Kind::Number,
        "String" => Kind::String,
        _ => return None,
    })
}
