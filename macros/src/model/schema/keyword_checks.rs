//! Checks of the keywords of `#[crd(...)]` against the type of the value.

use crdkit_core::{path::ElementStep, schema::AppliesTo};
use proc_macro2::Span;

use super::{Check, CheckKind, SchemaSource, known_type};
use crate::attrs::{
    default::{DefaultAttr, DefaultExpr, DefaultLiteral},
    keywords::{ElementAttrs, KeywordAttr, KeywordAttrs, KeywordValue, Scalar},
    merge_strategy::{ListMerge, MergeStrategy},
    rule::{Rule, RuleTypeCheck},
};

/// A check of a keyword against the type of its value.
pub(crate) struct KeywordCheck {
    /// Whether the keyword is on a type, not on a field.
    pub(crate) on_type: bool,
    /// The path into lists and maps.
    pub(crate) inside: Vec<ElementStep>,
    pub(crate) kind: KeywordCheckKind,
}

/// What a keyword requires of the value.
#[derive(Clone)]
pub(crate) enum KeywordCheckKind {
    /// Whether the keyword applies to the type.
    AppliesTo(&'static str, AppliesTo),
    /// Whether the API server accepts this default.
    Default(DefaultLiteral),
    /// Whether an enum has this variant.
    Variant(String),
    /// Whether the API server can correlate the value with the old one, as transition rules require.
    Correlatable,
    /// Whether the types in a rule are those that it requires.
    RuleTypes(Box<RuleTypeCheck>),
    /// Whether a rule may report its failure on the field at this path.
    FieldPath(Vec<String>),
    ListAtomic,
    ListSet,
    ListMap,
    ListMapKey(String),
    MapMerge,
    /// Whether any value satisfies the keywords. If there is only one keyword, only the type may contradict it.
    Satisfiable {
        alone: bool,
    },
}

/// The target of the keywords.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Field(usize),
    Type,
}

impl Target {
    /// The index of the field, and whether the target is a type instead.
    pub(super) fn field_and_on_type(self) -> (usize, bool) {
        match self {
            Self::Field(field) => (field, false),
            Self::Type => (0, true),
        }
    }
}

/// The checks of a value without the [`Satisfiable`](KeywordCheckKind::Satisfiable) ones that `others` contain, too.
pub(super) fn without_duplicates(mut checks: Vec<Check>, others: &[Check]) -> Vec<Check> {
    fn satisfiable_inside(check: &Check) -> Option<&[ElementStep]> {
        match &check.kind {
            CheckKind::Keyword(check) if check.on_type => match check.kind {
                KeywordCheckKind::Satisfiable { .. } => Some(&check.inside),
                _ => None,
            },
            _ => None,
        }
    }
    checks.retain(|check| {
        let inside_here = satisfiable_inside(check);
        inside_here.is_none() || others.iter().all(|other| satisfiable_inside(other) != inside_here)
    });
    checks
}

/// The checks of keywords and rules on a type.
pub(super) fn type_checks(attrs: &KeywordAttrs, rules: &[Rule]) -> Vec<Check> {
    let mut checks = Vec::new();
    collect(attrs, Target::Type, &[], &mut checks);
    checks.extend(rule_checks(rules, Target::Type, &[]));
    checks
}

/// The checks of rules.
pub(super) fn rule_checks<'a>(
    rules: &'a [Rule],
    on: Target,
    inside: &'a [ElementStep],
) -> impl Iterator<Item = Check> + 'a {
    let paths = rules.iter().filter_map(Rule::field_path);
    let of_paths = paths.map(move |path| check(path.span, on, inside, KeywordCheckKind::FieldPath(path.steps)));
    let of_types = rules.iter().flat_map(Rule::type_checks);
    of_paths.chain(of_types.map(move |it| check(it.span, on, inside, KeywordCheckKind::RuleTypes(Box::new(it)))))
}

/// The check of a literal default.
pub(super) fn default_check(keyword: Option<&DefaultAttr>, on: Target, inside: &[ElementStep]) -> Option<Check> {
    let keyword = keyword?;
    match &keyword.value {
        DefaultExpr::Literal(constant) => {
            let kind = KeywordCheckKind::Default(constant.clone());
            Some(check(keyword.span, on, inside, kind))
        }
        DefaultExpr::Expression(_) => None,
    }
}

fn check(span: Span, on: Target, inside: &[ElementStep], kind: KeywordCheckKind) -> Check {
    let (field, on_type) = on.field_and_on_type();
    let kind = CheckKind::Keyword(KeywordCheck { on_type, inside: inside.to_vec(), kind });
    Check::new(field, span, kind)
}

/// The checks of keywords, without those that the type as written trivially meets.
pub(super) fn checks(attrs: &KeywordAttrs, source: &SchemaSource, on: Target) -> Vec<Check> {
    let mut checks = Vec::new();
    collect(attrs, on, &[], &mut checks);
    checks.retain(|check| !known_type::trivially_holds(source, &check.kind));
    checks
}

fn collect(attrs: &KeywordAttrs, on: Target, inside: &[ElementStep], checks: &mut Vec<Check>) {
    let check = |span: Span, kind: KeywordCheckKind| check(span, on, inside, kind);
    for keyword in &attrs.keywords {
        if let Some(applies_to) = applies_to(keyword) {
            checks.push(check(keyword.span, KeywordCheckKind::AppliesTo(keyword.key, applies_to)));
        }
        if let KeywordValue::Enum(values) = &keyword.value {
            checks.extend(values.iter().filter_map(|value| match &value.literal {
                Scalar::Text(name) => Some(check(value.span, KeywordCheckKind::Variant(name.clone()))),
                _ => None,
            }));
        }
    }
    let bounding: Vec<_> = attrs.keywords.iter().filter(|keyword| bounds_value(keyword)).collect();
    if let Some(last) = bounding.last() {
        let alone = bounding.len() == 1;
        checks.push(check(last.span, KeywordCheckKind::Satisfiable { alone }));
    }
    if let Some((strategy, span)) = &attrs.merge_strategy {
        let kind = merge_strategy_checks(strategy, *span);
        checks.extend(kind.into_iter().map(|(span, kind)| check(span, kind)));
    }
    for (inner, step, applies_to) in [
        (&attrs.items, ElementStep::Items, AppliesTo::EachItem),
        (&attrs.values, ElementStep::Values, AppliesTo::EachValue),
    ] {
        if let Some(ElementAttrs { key, span, keywords, rules, default, .. }) = inner {
            checks.push(check(*span, KeywordCheckKind::AppliesTo(key, applies_to)));
            let inside = [inside, &[step]].concat();
            collect(keywords, on, &inside, checks);
            checks.extend(rule_checks(rules, on, &inside));
            checks.extend(default_check(default.as_ref(), on, &inside));
            let transitions = rules.iter().filter(|rule| rule.uses_old_self());
            checks
                .extend(transitions.map(|rule| self::check(rule.span(), on, &inside, KeywordCheckKind::Correlatable)));
        }
    }
}

/// The checks of a merge strategy.
fn merge_strategy_checks(strategy: &MergeStrategy, span: Span) -> Vec<(Span, KeywordCheckKind)> {
    let list = match strategy {
        MergeStrategy::Expression(_) => return Vec::new(),
        MergeStrategy::Map(_) => return vec![(span, KeywordCheckKind::MapMerge)],
        MergeStrategy::List(list) => list,
    };
    let (kind, keys) = match list {
        ListMerge::Atomic => (KeywordCheckKind::ListAtomic, [].as_slice()),
        ListMerge::Set => (KeywordCheckKind::ListSet, [].as_slice()),
        ListMerge::Map(keys) => (KeywordCheckKind::ListMap, keys.as_slice()),
    };
    let keys = keys.iter().map(|key| (key.span(), KeywordCheckKind::ListMapKey(key.to_string())));
    std::iter::once((span, kind)).chain(keys).collect()
}

/// Whether a keyword can contradict others.
fn bounds_value(keyword: &KeywordAttr) -> bool {
    matches!(keyword.value, KeywordValue::Number(..) | KeywordValue::Count(..) | KeywordValue::Format(_))
}

/// The values that a keyword applies to; none if to all.
fn applies_to(keyword: &KeywordAttr) -> Option<AppliesTo> {
    Some(match &keyword.value {
        KeywordValue::Number(bound, _) => bound.applies_to(),
        KeywordValue::Count(bound, _) => bound.applies_to(),
        KeywordValue::Format(format) => match format.name {
            "int32" | "int64" => AppliesTo::Integers,
            "float" | "double" => AppliesTo::Fractions,
            _ => AppliesTo::Text,
        },
        KeywordValue::Pattern(_) => AppliesTo::Text,
        KeywordValue::KeyPattern(_) => AppliesTo::EachValue,
        KeywordValue::Enum(values) => match values.first()?.literal {
            Scalar::Text(_) => AppliesTo::Text,
            _ => AppliesTo::Numbers,
        },
        KeywordValue::Nullable(true) => AppliesTo::Null,
        KeywordValue::EmbeddedResource => AppliesTo::Resource,
        _ => return None,
    })
}
