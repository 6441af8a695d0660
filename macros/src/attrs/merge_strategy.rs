//! `merge_strategy`: literals are parsed, other expressions are kept for the generated code.

use crdkit_core::{Violation, rules::topology as rules};
use darling::{Error, FromMeta, Result};
use syn::{Expr, Meta};

use super::{
    rule::{is_path, only_argument, string},
    text::Text,
};

/// `merge_strategy = ...`.
#[derive(Clone, Debug)]
pub(crate) enum MergeStrategy {
    List(ListMerge),
    /// `MapMerge` and `StructMerge`, both of which set `x-kubernetes-map-type`.
    Map(MapMerge),
    Expression(Expr),
}

#[derive(Clone, Debug)]
pub(crate) enum ListMerge {
    Atomic,
    Set,
    Map(Vec<Text>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum MapMerge {
    Atomic,
    Granular,
}

const EXPECTED: &str = "expected one of `merge_strategy = ListMerge::Atomic`, `ListMerge::Set`, \
                    `ListMerge::Map(vec![\"key\".into()])`, `MapMerge::Atomic`, \
                    `MapMerge::Granular`";

impl FromMeta for MergeStrategy {
    fn from_meta(item: &Meta) -> Result<Self> {
        match item {
            Meta::NameValue(value) => Self::from_expr(&value.value),
            _ => Err(Error::custom(EXPECTED).with_span(item)),
        }
    }

    fn from_expr(expr: &Expr) -> Result<Self> {
        match (literal(expr), expr) {
            (Some(strategy), _) => strategy.check(expr),
            (None, Expr::Lit(_)) => Err(Error::custom(EXPECTED).with_span(expr)),
            (None, _) => Ok(Self::Expression(expr.clone())),
        }
    }
}

impl MergeStrategy {
    fn check(self, expr: &Expr) -> Result<Self> {
        if let Self::List(ListMerge::Map(keys)) = &self {
            let error = |it: Violation<'_>| Error::custom(it.message);
            rules::list_map_has_keys(Some("map"), keys.len()).map_err(|it| error(it).with_span(expr))?;
            if let Some((key, violation)) = repeated_key(keys) {
                return Err(error(violation).with_span(&key.span()));
            }
        }
        Ok(self)
    }
}

/// Returns the first key of a map list that stands after itself.
pub(crate) fn repeated_key(keys: &[Text]) -> Option<(&Text, Violation<'_>)> {
    let mut all = keys.iter().enumerate();
    let (_, key) = all.find(|(at, key)| keys[..*at].iter().any(|other| **other == ***key))?;
    Some((key, rules::repeated_map_key(key)))
}

/// The result of a rule of `crdkit-core`.
pub(crate) type RuleResult<'a> = std::result::Result<(), Violation<'a>>;

fn literal(expr: &Expr) -> Option<MergeStrategy> {
    if let Expr::Call(call) = expr {
        return is_path(&call.func, &["ListMerge", "Map"])
            .then(|| only_argument(call).and_then(strings))?
            .map(|keys| MergeStrategy::List(ListMerge::Map(keys)));
    }
    let is = |kind: &str, name: &str| is_path(expr, &[kind, name]);
    if is("ListMerge", "Atomic") {
        Some(MergeStrategy::List(ListMerge::Atomic))
    } else if is("ListMerge", "Set") {
        Some(MergeStrategy::List(ListMerge::Set))
    } else if is("MapMerge", "Atomic") || is("StructMerge", "Atomic") {
        Some(MergeStrategy::Map(MapMerge::Atomic))
    } else if is("MapMerge", "Granular") || is("StructMerge", "Granular") {
        Some(MergeStrategy::Map(MapMerge::Granular))
    } else {
        None
    }
}

/// `vec!["a".into(), "b".into()]`.
fn strings(expr: &Expr) -> Option<Vec<Text>> {
    let Expr::Macro(mac) = expr else {
        return None;
    };
    if mac.mac.path.segments.last()?.ident != "vec" {
        return None;
    }
    let parser = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
    let elements = mac.mac.parse_body_with(parser).ok()?;
    elements.iter().map(string).collect()
}
