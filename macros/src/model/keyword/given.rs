//! Keywords that `#[crd(...)]` names.

use syn::Expr;

use super::{Keyword, Number, integer, merge_strategy, number, pattern, rule, words};
use crate::attrs::{
    keywords::{Given, Inner, KeywordAttrs, Value},
    schemars::string,
    validation::Pattern,
};

/// The keywords of a value, and of what is in it.
pub(crate) fn given(attrs: KeywordAttrs) -> Vec<Keyword> {
    let mut keywords: Vec<_> = attrs.given.into_iter().map(keyword).collect();
    keywords.extend(attrs.items.map(|items| Keyword::Items(inner(items))));
    keywords.extend(attrs.values.map(|values| Keyword::Values(inner(values))));
    keywords.extend(attrs.merge.map(|(merge, _)| merge_strategy(merge)));
    keywords.extend(attrs.patch.map(|(patch, _)| Keyword::Patch(patch)));
    keywords
}

fn inner(inner: Inner) -> Vec<Keyword> {
    let default = inner.default.map(|default| super::default(default, None));
    let mut keywords = given(*inner.keywords);
    keywords.extend(inner.rules.into_iter().map(rule));
    keywords.extend(default);
    keywords
}

fn keyword(given: Given) -> Keyword {
    match given.value {
        Value::Number(bound, expr) => Keyword::Number(bound, known(expr, number)),
        Value::Count(bound, expr) => Keyword::Count(bound, known(expr, integer)),
        Value::Pattern(regex) => pattern_of(regex.0),
        Value::Format(format) => Keyword::Format(format.name),
        Value::Enum(values) => Keyword::Enum(values.into_iter().map(|value| value.literal).collect()),
        Value::EmbeddedResource => Keyword::EmbeddedResource,
        Value::Nullable(nullable) => Keyword::Nullable(nullable),
        Value::Title(expr) => Keyword::Title(words(expr)),
        Value::Description(expr) => Keyword::Description(words(expr)),
        Value::Example(expr) => Keyword::Example(expr),
        Value::ExternalDocs(docs) => Keyword::ExternalDocs {
            url: docs.url.to_string(),
            description: docs.description.map(|text| text.to_string()).unwrap_or_default(),
        },
    }
}

fn known<T>(expr: Expr, literal: fn(&Expr) -> Option<T>) -> Number<T> {
    match literal(&expr) {
        Some(number) => Number::Literal(number),
        None => Number::Constant(expr),
    }
}

fn pattern_of(expr: Expr) -> Keyword {
    match string(&expr) {
        Some(_) => pattern(Pattern::Regex(expr)),
        None => Keyword::PatternConstant(expr),
    }
}
