//! What keywords of `#[crd(...)]` ask of the value that they are written on.

use crdkit_core::{path::ElementStep, schema::AppliesTo};
use proc_macro2::Span;

use super::{Check, CheckKind, Source, plain};
use crate::attrs::{
    default::{Constant, DefaultAttr, DefaultExpr},
    keywords::{Given, Inner, KeywordAttrs, Literal, Value},
    merge_strategy::{ListMerge, MergeStrategy},
    rule::Rule,
};

/// A check of the value that keywords are written on.
pub(crate) struct KeywordCheck {
    /// Whether they are written on a type, not on a field.
    pub(crate) of_type: bool,
    /// The way into lists and maps.
    pub(crate) inside: Vec<ElementStep>,
    pub(crate) asked: Asked,
}

/// What is asked of the value.
#[derive(Clone)]
pub(crate) enum Asked {
    /// Whether this keyword is about it.
    Fits(&'static str, AppliesTo),
    /// Whether the server takes this default.
    Default(Constant),
    /// Whether an enum has this variant.
    Variant(String),
    /// Whether the server knows what the value was, with which a rule compares it.
    Followed,
    /// Whether a rule may report its failure on the field at this path.
    FieldPath(Vec<String>),
    ListAtomic,
    ListSet,
    ListMap,
    ListMapKey(String),
    MapMerge,
    /// Whether any value is left; only the type may rule one out if the keyword is alone.
    Satisfiable {
        alone: bool,
    },
}

/// Where the keywords are written.
#[derive(Clone, Copy)]
pub(super) enum On {
    Field(usize),
    Type,
}

impl On {
    /// The number of the field, and whether it is a type instead.
    pub(super) fn place(self) -> (usize, bool) {
        match self {
            Self::Field(field) => (field, false),
            Self::Type => (0, true),
        }
    }
}

/// The checks of one value without those whether any value is left that `others` make as well.
pub(super) fn without_repeats(mut checks: Vec<Check>, others: &[Check]) -> Vec<Check> {
    fn limited(check: &Check) -> Option<&[ElementStep]> {
        match &check.kind {
            CheckKind::Keyword(check) if check.of_type => match check.asked {
                Asked::Satisfiable { .. } => Some(&check.inside),
                _ => None,
            },
            _ => None,
        }
    }
    checks.retain(|check| {
        let limited_here = limited(check);
        limited_here.is_none() || others.iter().all(|other| limited(other) != limited_here)
    });
    checks
}

/// The checks of keywords and rules on a type.
pub(super) fn checks_of_type(attrs: &KeywordAttrs, rules: &[Rule]) -> Vec<Check> {
    let mut checks = Vec::new();
    collect(attrs, On::Type, &[], &mut checks);
    checks.extend(of_rules(rules, On::Type, &[]));
    checks
}

/// The checks of rules.
pub(super) fn of_rules<'a>(rules: &'a [Rule], on: On, inside: &'a [ElementStep]) -> impl Iterator<Item = Check> + 'a {
    let paths = rules.iter().filter_map(Rule::field_path);
    paths.map(move |path| check(path.span, on, inside, Asked::FieldPath(path.steps)))
}

/// The check of a default of which everything is known.
pub(super) fn of_default(given: Option<&DefaultAttr>, on: On, inside: &[ElementStep]) -> Option<Check> {
    let given = given?;
    match &given.value {
        DefaultExpr::Constant(constant) => {
            let asked = Asked::Default(constant.clone());
            Some(check(given.span, on, inside, asked))
        }
        DefaultExpr::Expression(_) => None,
    }
}

fn check(span: Span, on: On, inside: &[ElementStep], asked: Asked) -> Check {
    let (field, of_type) = on.place();
    let kind = CheckKind::Keyword(KeywordCheck { of_type, inside: inside.to_vec(), asked });
    Check::of_field(field, span, kind)
}

/// The checks of keywords, those left out that the spelling of the type answers.
pub(super) fn checks(attrs: &KeywordAttrs, source: &Source, on: On) -> Vec<Check> {
    let mut checks = Vec::new();
    collect(attrs, on, &[], &mut checks);
    checks.retain(|check| !plain::fits(source, &check.kind));
    checks
}

fn collect(attrs: &KeywordAttrs, on: On, inside: &[ElementStep], checks: &mut Vec<Check>) {
    let check = |span: Span, asked: Asked| check(span, on, inside, asked);
    for given in &attrs.given {
        if let Some(about) = about(given) {
            checks.push(check(given.span, Asked::Fits(given.key, about)));
        }
        if let Value::Enum(values) = &given.value {
            checks.extend(values.iter().filter_map(|value| match &value.literal {
                Literal::Text(name) => Some(check(value.span, Asked::Variant(name.clone()))),
                _ => None,
            }));
        }
    }
    let limiting: Vec<_> = attrs.given.iter().filter(|given| limits(given)).collect();
    if let Some(last) = limiting.last() {
        let alone = limiting.len() == 1;
        checks.push(check(last.span, Asked::Satisfiable { alone }));
    }
    if let Some((strategy, span)) = &attrs.merge {
        let asked = merging(strategy, *span);
        checks.extend(asked.into_iter().map(|(span, asked)| check(span, asked)));
    }
    for (inner, step, about) in [
        (&attrs.items, ElementStep::Items, AppliesTo::EachItem),
        (&attrs.values, ElementStep::Values, AppliesTo::EachValue),
    ] {
        if let Some(Inner { key, span, keywords, rules, default, .. }) = inner {
            checks.push(check(*span, Asked::Fits(key, about)));
            let inside = [inside, &[step]].concat();
            collect(keywords, on, &inside, checks);
            checks.extend(of_rules(rules, on, &inside));
            checks.extend(of_default(default.as_ref(), on, &inside));
            let transitions = rules.iter().filter(|rule| rule.sees_the_old_value());
            checks.extend(transitions.map(|rule| self::check(rule.span(), on, &inside, Asked::Followed)));
        }
    }
}

/// What a way of merging asks.
fn merging(strategy: &MergeStrategy, span: Span) -> Vec<(Span, Asked)> {
    let list = match strategy {
        MergeStrategy::Expression(_) => return Vec::new(),
        MergeStrategy::Map(_) => return vec![(span, Asked::MapMerge)],
        MergeStrategy::List(list) => list,
    };
    let (asked, keys) = match list {
        ListMerge::Atomic => (Asked::ListAtomic, [].as_slice()),
        ListMerge::Set => (Asked::ListSet, [].as_slice()),
        ListMerge::Map(keys) => (Asked::ListMap, keys.as_slice()),
    };
    let keys = keys.iter().map(|key| (key.span(), Asked::ListMapKey(key.to_string())));
    std::iter::once((span, asked)).chain(keys).collect()
}

/// Whether another keyword may leave no value beside this one.
fn limits(given: &Given) -> bool {
    matches!(given.value, Value::Number(..) | Value::Count(..) | Value::Format(_))
}

/// What a keyword is about; none if that is any value.
fn about(given: &Given) -> Option<AppliesTo> {
    Some(match &given.value {
        Value::Number(bound, _) => bound.applies_to(),
        Value::Count(bound, _) => bound.applies_to(),
        Value::Format(format) => match format.name {
            "int32" | "int64" => AppliesTo::Integers,
            "float" | "double" => AppliesTo::Fractions,
            _ => AppliesTo::Text,
        },
        Value::Pattern(_) => AppliesTo::Text,
        Value::Enum(values) => match values.first()?.literal {
            Literal::Text(_) => AppliesTo::Text,
            _ => AppliesTo::Numbers,
        },
        Value::Nullable(true) => AppliesTo::Null,
        Value::EmbeddedResource => AppliesTo::Resource,
        _ => return None,
    })
}
