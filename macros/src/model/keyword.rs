//! The keywords of a schema, from attributes.

use crdkit_core::schema::{CountBound, NumberBound};
use proc_macro2::{Span, TokenStream};
use syn::{Expr, ExprPath, Lit, Type, UnOp};

use crate::attrs::{
    default::{DefaultAttr, DefaultExpr, DefaultLiteral},
    keywords::{KeywordAttrs, Scalar, finite_f64},
    merge_strategy::{ListMerge, MapMerge, MergeStrategy},
    relations::FieldGroupKey,
    rule::{LiteralRule, Rule},
    schemars::{Extension, SchemarsAttrs, string},
    validation::{Bounds, Format, Pattern, Validation},
};

mod annotations;
mod from_attrs;
mod schema_size;

use annotations::doc_text;
pub(crate) use annotations::{DocText, annotations};
pub(crate) use from_attrs::from_attrs;
pub(crate) use schema_size::schema_size;

/// A keyword of a schema.
pub(crate) enum Keyword {
    Description(DocText),
    Title(DocText),
    Number(NumberBound, Number<f64>),
    Count(CountBound, Number<i64>),
    /// `minLength`, `minItems` or `minProperties`.
    MinSize(i64),
    /// `maxLength`, `maxItems` or `maxProperties`.
    MaxSize(i64),
    Pattern(String),
    Format(&'static str),
    /// An IP address of either version. There is no such format, so this is a rule.
    Ip,
    PreserveUnknownFields,
    Default(Default),
    DefaultLiteral(DefaultLiteral, Span),
    ListMerge(ListMerge),
    MapMerge(MapMerge),
    Rule(LiteralRule),
    /// A constant expression with a regular expression.
    PatternConst(Expr),
    Enum(Vec<Scalar>),
    Nullable(bool),
    EmbeddedResource,
    /// Which descriptions are rendered: a variant of `Descriptions`.
    Descriptions(&'static str),
    /// How a Kubernetes type is rendered: a variant of `Embed`.
    Embed(&'static str),
    ExternalDocs {
        url: String,
        description: String,
    },
    /// How many of these fields must be set.
    FieldGroup(FieldGroupKey, Vec<String>),
    /// Fields that must be set if this one is.
    Requires(Vec<String>),
    Items(Vec<Keyword>),
    Values(Vec<Keyword>),
    Evaluated(Evaluated),
}

/// A keyword whose value is evaluated when the schema is rendered.
pub(crate) enum Evaluated {
    /// `minimum` or `maximum`.
    Number(NumberBound, Expr),
    /// The least and the greatest size, as of [`Keyword::MinSize`] and [`Keyword::MaxSize`].
    Sizes(Bounds),
    Pattern(Expr),
    /// A `pattern` that finds this text.
    Contains(Expr),
    Example(Expr),
    MergeStrategy(Expr),
    Rule(Expr),
    /// JSON that is merged into the rendered schema.
    Patch(TokenStream),
    Extend(Vec<Extension>),
    Transform(Expr),
}

impl Keyword {
    /// Whether it is a transition rule.
    pub(crate) fn uses_old_self(&self) -> bool {
        matches!(self, Self::Rule(rule) if rule.uses_old_self())
    }
}

/// The number of a keyword.
pub(crate) enum Number<T> {
    Literal(T),
    /// A constant expression of any numeric type.
    Const(Expr),
}

/// A default value.
pub(crate) struct Default {
    pub(crate) value: DefaultValue,
    pub(crate) skip_if: Option<ExprPath>,
    pub(crate) serialize_with: Option<ExprPath>,
}

/// The source of a default value.
pub(crate) enum DefaultValue {
    /// The type's `Default`.
    Type(Type),
    /// A function.
    Function(ExprPath),
    /// The field in the default of the container.
    Member { container: Option<ExprPath>, member: syn::Member },
    /// An expression.
    Expression(Expr),
}

/// The keywords of a value, and those that change the rendered schema and so come last.
pub(crate) fn value_keywords(
    schemars: SchemarsAttrs,
    mut attrs: KeywordAttrs,
    rules: Vec<Rule>,
) -> (Vec<Keyword>, Vec<Keyword>) {
    let patch = attrs.schema_patch.take();
    let (mut keywords, mut patches) = annotations(schemars.annotations);
    keywords.extend(validation(schemars.validation));
    keywords.extend(self::from_attrs(attrs));
    keywords.extend(rules.into_iter().map(rule));
    patches.extend(patch.map(|(patch, _)| Keyword::Evaluated(Evaluated::Patch(patch))));
    (keywords, patches)
}

pub(crate) fn rule(rule: Rule) -> Keyword {
    match rule {
        Rule::Literal(rule) => Keyword::Rule(rule),
        Rule::Expression(expr) => Keyword::Evaluated(Evaluated::Rule(expr)),
    }
}

/// The default of `#[crd(default = ...)]`.
pub(crate) fn default(attr: DefaultAttr, serialize_with: Option<ExprPath>) -> Keyword {
    match attr.value {
        DefaultExpr::Literal(constant) => Keyword::DefaultLiteral(constant, attr.span),
        DefaultExpr::Expression(expr) => {
            Keyword::Default(Default { value: DefaultValue::Expression(expr), skip_if: None, serialize_with })
        }
    }
}

fn merge_strategy(strategy: MergeStrategy) -> Keyword {
    match strategy {
        MergeStrategy::List(merge) => Keyword::ListMerge(merge),
        MergeStrategy::Map(merge) => Keyword::MapMerge(merge),
        MergeStrategy::Expression(expr) => Keyword::Evaluated(Evaluated::MergeStrategy(expr)),
    }
}

pub(crate) fn validation(validation: Validation) -> Vec<Keyword> {
    let mut keywords = Vec::new();
    if let Some(length) = validation.length {
        keywords.extend(sizes(length));
    }
    if let Some(range) = validation.range {
        keywords.extend(range.min.map(|min| number_bound(NumberBound::Minimum, min)));
        keywords.extend(range.max.map(|max| number_bound(NumberBound::Maximum, max)));
    }
    keywords.extend(validation.pattern.map(pattern));
    keywords.extend(validation.format.map(format));
    if let Some(inner) = validation.inner {
        keywords.push(Keyword::Items(self::validation(*inner)));
    }
    keywords
}

fn sizes(length: Bounds) -> Vec<Keyword> {
    let literal = |expr: &Option<Expr>| expr.as_ref().map(integer);
    match (literal(&length.min), literal(&length.max)) {
        (Some(None), _) | (_, Some(None)) => vec![Keyword::Evaluated(Evaluated::Sizes(length))],
        (min, max) => {
            let min = min.flatten().map(Keyword::MinSize);
            let max = max.flatten().map(Keyword::MaxSize);
            min.into_iter().chain(max).collect()
        }
    }
}

fn number_bound(bound: NumberBound, expr: Expr) -> Keyword {
    match number(&expr) {
        Some(value) => Keyword::Number(bound, Number::Literal(value)),
        None => Keyword::Evaluated(Evaluated::Number(bound, expr)),
    }
}

fn pattern(pattern: Pattern) -> Keyword {
    match pattern {
        Pattern::Regex(expr) => match string(&expr) {
            Some(text) => Keyword::Pattern(text.value()),
            None => Keyword::Evaluated(Evaluated::Pattern(expr)),
        },
        Pattern::Contains(expr) => match string(&expr) {
            Some(text) => Keyword::Pattern(escape_regex(&text.value())),
            None => Keyword::Evaluated(Evaluated::Contains(expr)),
        },
    }
}

/// A regular expression that matches the text literally.
fn escape_regex(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

fn format(format: Format) -> Keyword {
    match format {
        Format::Email => Keyword::Format("email"),
        Format::Url => Keyword::Format("uri"),
        Format::Ipv4 => Keyword::Format("ipv4"),
        Format::Ipv6 => Keyword::Format("ipv6"),
        Format::Ip => Keyword::Ip,
    }
}

fn integer(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(value) => value.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => integer(&unary.expr).map(|value| -value),
        Expr::Group(group) => integer(&group.expr),
        _ => None,
    }
}

fn number(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(value) => value.base10_parse().ok(),
            Lit::Float(value) => finite_f64(value),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => number(&unary.expr).map(|value| -value),
        Expr::Group(group) => number(&group.expr),
        _ => None,
    }
}
