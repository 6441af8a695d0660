//! Literal defaults that literal keywords reject. Const evaluation checks the rest: `check/keyword/default.rs` of crdkit.

use crdkit_core::{
    json::Json,
    object_processing::{Patterns, ValueSource, validate},
    schema::{NumberBound, SchemaProps},
};

use proc_macro2::Span;

use crate::{
    attrs::{default::DefaultLiteral, keywords::Scalar},
    model::keyword::{Evaluated, Keyword, Number},
};

/// The errors of defaults that const evaluation cannot detect, with their spans.
pub(crate) fn mistakes(keywords: &[Keyword]) -> Vec<(String, Span)> {
    let inner = keywords.iter().flat_map(|keyword| match keyword {
        Keyword::Items(inner) | Keyword::Values(inner) => mistakes(inner),
        _ => Vec::new(),
    });
    inner.chain(mistake(keywords)).collect()
}

fn mistake(keywords: &[Keyword]) -> Option<(String, Span)> {
    let later = |it: &Keyword| {
        matches!(it, Keyword::Evaluated(Evaluated::Extend(_) | Evaluated::Transform(_) | Evaluated::Patch(_)))
    };
    if keywords.iter().any(later) {
        return None;
    }
    let mut defaults = keywords.iter().filter_map(|keyword| match keyword {
        Keyword::DefaultLiteral(DefaultLiteral::Scalar(literal), span) => Some((literal, *span)),
        _ => None,
    });
    let (literal, span) = defaults.next()?;
    let mistake = keywords.iter().find_map(|keyword| broken_by(literal, keyword))?;
    Some((mistake, span))
}

fn broken_by(literal: &Scalar, keyword: &Keyword) -> Option<String> {
    let mut schema = SchemaProps::default();
    // Only the keyword is checked here, not the type: a factor may have a fraction.
    let (value, type_) = match literal {
        Scalar::Text(text) => (Json::String(text.as_str().into()), "string"),
        Scalar::Integer(value) => (Json::Integer(*value), "number"),
        Scalar::Number(value) => (Json::Float(*value), "number"),
    };
    schema.type_ = Some(type_.into());
    let broken = match (keyword, literal) {
        (Keyword::Pattern(pattern), Scalar::Text(text)) => {
            schema.pattern = Some(pattern.into());
            format!("the default {text:?} does not match `{pattern}`")
        }
        (Keyword::Format(format), Scalar::Text(text)) => {
            schema.format = Some((*format).into());
            let instead = match text.as_str() {
                "" => ": set another one with `default = \"...\"`, or make the field an `Option`",
                _ => "",
            };
            format!("the default {text:?} does not match the format `{format}`{instead}")
        }
        (Keyword::Number(NumberBound::MultipleOf, Number::Literal(factor)), _) => {
            schema.multiple_of = Some(*factor);
            format!("the default {value} is not a multiple of {factor}")
        }
        _ => return None,
    };
    let findings = validate(&schema, &value, ValueSource::Default, &Patterns::default());
    (!findings.is_empty()).then_some(broken)
}
