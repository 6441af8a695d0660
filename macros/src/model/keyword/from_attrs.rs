//! Keywords from `#[crd(...)]`.

use syn::Expr;

use super::{Evaluated, Keyword, Number, doc_text, integer, merge_strategy, number, pattern, rule};
use crate::attrs::{
    keywords::{ElementAttrs, KeywordAttr, KeywordAttrs, KeywordValue},
    schemars::string,
    validation::Pattern,
};

/// The keywords of a value, of its items and of its entries.
pub(crate) fn from_attrs(attrs: KeywordAttrs) -> Vec<Keyword> {
    let mut keywords: Vec<_> = attrs.keywords.into_iter().map(keyword).collect();
    keywords.extend(attrs.items.map(|items| Keyword::Items(inner(items))));
    keywords.extend(attrs.values.map(|values| Keyword::Values(inner(values))));
    keywords.extend(attrs.merge_strategy.map(|(merge, _)| merge_strategy(merge)));
    keywords.extend(attrs.schema_patch.map(|(patch, _)| Keyword::Evaluated(Evaluated::Patch(patch))));
    keywords
}

fn inner(inner: ElementAttrs) -> Vec<Keyword> {
    let default = inner.default.map(|default| super::default(default, None));
    let mut keywords = from_attrs(*inner.keywords);
    keywords.extend(inner.rules.into_iter().map(rule));
    keywords.extend(default);
    keywords
}

fn keyword(attr: KeywordAttr) -> Keyword {
    match attr.value {
        KeywordValue::Number(bound, expr) => Keyword::Number(bound, number_value(expr, number)),
        KeywordValue::Count(bound, expr) => Keyword::Count(bound, number_value(expr, integer)),
        KeywordValue::Pattern(regex) => crd_pattern(regex.0),
        KeywordValue::KeyPattern(rule) => Keyword::Rule(rule),
        KeywordValue::Format(format) => Keyword::Format(format.name),
        KeywordValue::Enum(values) => Keyword::Enum(values.into_iter().map(|value| value.literal).collect()),
        KeywordValue::EmbeddedResource => Keyword::EmbeddedResource,
        KeywordValue::Nullable(nullable) => Keyword::Nullable(nullable),
        KeywordValue::Title(expr) => Keyword::Title(doc_text(expr)),
        KeywordValue::Description(expr) => Keyword::Description(doc_text(expr)),
        KeywordValue::Example(expr) => Keyword::Evaluated(Evaluated::Example(expr)),
        KeywordValue::ExternalDocs(docs) => Keyword::ExternalDocs {
            url: docs.url.to_string(),
            description: docs.description.map(|text| text.to_string()).unwrap_or_default(),
        },
    }
}

fn number_value<T>(expr: Expr, literal: fn(&Expr) -> Option<T>) -> Number<T> {
    match literal(&expr) {
        Some(number) => Number::Literal(number),
        None => Number::Const(expr),
    }
}

fn crd_pattern(expr: Expr) -> Keyword {
    match string(&expr) {
        Some(_) => pattern(Pattern::Regex(expr)),
        None => Keyword::PatternConst(expr),
    }
}
