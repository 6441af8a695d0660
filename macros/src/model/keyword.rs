//! The keywords that attributes make up.

use crdkit_core::schema::{CountBound, NumberBound};
use proc_macro2::{Span, TokenStream};
use syn::{Expr, ExprPath, Lit, Type, UnOp, parse_quote};

use crate::attrs::{
    default::{Constant, DefaultAttr, DefaultExpr},
    docs::Docs,
    keywords::{KeywordAttrs, Literal, finite},
    merge_strategy::{ListMerge, MapMerge, MergeStrategy},
    rule::{LiteralRule, Rule},
    schemars::{Annotations, Extension, SchemarsAttrs, string},
    validation::{Bounds, Format, Pattern, Validation},
};

mod given;
mod size;

pub(crate) use given::given;
pub(crate) use size::size;

/// A keyword of a schema.
pub(crate) enum Keyword {
    Description(Words),
    Title(Words),
    Number(NumberBound, Number<f64>),
    Count(CountBound, Number<i64>),
    /// `minimum` or `maximum`, from an expression.
    EndValue(NumberBound, Expr),
    /// `minLength`, `minItems` or `minProperties`.
    MinSize(i64),
    /// `maxLength`, `maxItems` or `maxProperties`.
    MaxSize(i64),
    /// Both of these, from expressions.
    SizeValues(Bounds),
    Pattern(String),
    PatternValue(Expr),
    /// A text that is to be found.
    ContainsValue(Expr),
    Format(&'static str),
    /// A rule, as the server knows no such format.
    Ip,
    PreserveUnknownFields,
    Default(Default),
    DefaultConstant(Constant, Span),
    Example(Expr),
    ListMerge(ListMerge),
    MapMerge(MapMerge),
    MergeValue(Expr),
    Rule(LiteralRule),
    RuleValue(Expr),
    /// A constant with a regular expression.
    PatternConstant(Expr),
    Enum(Vec<Literal>),
    Nullable(bool),
    EmbeddedResource,
    /// Which descriptions are written, by the name of the variant.
    Descriptions(&'static str),
    /// How a type of Kubernetes is written, likewise.
    Embed(&'static str),
    /// JSON that is merged over the finished schema.
    Patch(TokenStream),
    ExternalDocs {
        url: String,
        description: String,
    },
    /// How many of these fields are set, by its key.
    Set(&'static str, Vec<String>),
    /// Fields that are set where this one is.
    Requires(Vec<String>),
    Items(Vec<Keyword>),
    Values(Vec<Keyword>),
    Extend(Vec<Extension>),
    Transform(Expr),
}

impl Keyword {
    /// Whether it is a rule that compares a value with what it was.
    pub(crate) fn sees_the_old_value(&self) -> bool {
        matches!(self, Self::Rule(rule) if rule.sees_the_old_value())
    }
}

/// The number of a keyword.
pub(crate) enum Number<T> {
    Literal(T),
    /// A constant of any type of numbers.
    Constant(Expr),
}

/// Text for a human.
pub(crate) enum Words {
    Text(String),
    /// An expression of the type `&'static str`.
    Expression(Expr),
    /// Lines of documentation with expressions among them.
    Docs(Vec<Expr>),
}

impl Words {
    /// Whether the text may be empty, which takes away what a type says.
    pub(crate) fn may_be_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Expression(_) | Self::Docs(_) => true,
        }
    }
}

/// A default value.
pub(crate) struct Default {
    pub(crate) value: DefaultValue,
    pub(crate) skip_if: Option<ExprPath>,
    pub(crate) serialize_with: Option<ExprPath>,
}

/// Where a default value comes from.
pub(crate) enum DefaultValue {
    /// The type's `Default`.
    Type(Type),
    /// A function.
    Function(ExprPath),
    /// The field of the container's default.
    Member { container: Option<ExprPath>, member: syn::Member },
    /// An expression.
    Expression(Expr),
}

/// What is said of a value; what comes last apart.
pub(crate) fn of_value(
    schemars: SchemarsAttrs,
    mut given: KeywordAttrs,
    rules: Vec<Rule>,
) -> (Vec<Keyword>, Vec<Keyword>) {
    let patch = given.patch.take();
    let (mut keywords, mut late) = annotations(schemars.annotations);
    keywords.extend(validation(schemars.validation));
    keywords.extend(self::given(given));
    keywords.extend(rules.into_iter().map(rule));
    late.extend(patch.map(|(patch, _)| Keyword::Patch(patch)));
    (keywords, late)
}

/// Title, description and the like; those that come last in `late`.
pub(crate) fn annotations(attrs: Annotations) -> (Vec<Keyword>, Vec<Keyword>) {
    let mut keywords = docs(attrs.docs, attrs.deprecated.as_deref());
    if let Some(title) = attrs.title {
        keywords.push(Keyword::Title(words(title)));
    }
    if let Some(description) = attrs.description {
        keywords.push(Keyword::Description(match words(description) {
            Words::Text(text) => Words::Text(with_deprecation(text, attrs.deprecated.as_deref())),
            words => words,
        }));
    }
    keywords.extend(attrs.example.map(Keyword::Example));
    let mut late = Vec::new();
    if !attrs.extensions.is_empty() {
        late.push(Keyword::Extend(attrs.extensions));
    }
    late.extend(attrs.transforms.into_iter().map(Keyword::Transform));
    (keywords, late)
}

fn docs(docs: Docs, deprecated: Option<&str>) -> Vec<Keyword> {
    match docs {
        Docs::Lines(mut lines) => {
            let title = Keyword::Title(Words::Docs(lines.clone()));
            if deprecated.is_some() {
                let paragraph = format!("\n{}", with_deprecation(String::new(), deprecated));
                lines.push(parse_quote!(#paragraph));
            }
            vec![title, Keyword::Description(Words::Docs(lines))]
        }
        Docs::Text { title, description } => {
            let description = with_deprecation(description, deprecated);
            let mut keywords = Vec::new();
            if !title.is_empty() {
                keywords.push(Keyword::Title(Words::Text(title)));
            }
            if !description.is_empty() {
                keywords.push(Keyword::Description(Words::Text(description)));
            }
            keywords
        }
    }
}

/// A CustomResourceDefinition has no keyword for deprecated fields, but words.
fn with_deprecation(description: String, deprecated: Option<&str>) -> String {
    let Some(note) = deprecated else {
        return description;
    };
    let separator = if description.is_empty() { "" } else { "\n\n" };
    let note = if note.is_empty() { "Deprecated.".to_owned() } else { format!("Deprecated: {note}") };
    format!("{description}{separator}{note}")
}

fn words(expr: Expr) -> Words {
    match string(&expr) {
        Some(text) => Words::Text(text.value()),
        None => Words::Expression(expr),
    }
}

pub(crate) fn rule(rule: Rule) -> Keyword {
    match rule {
        Rule::Literal(rule) => Keyword::Rule(rule),
        Rule::Expression(expr) => Keyword::RuleValue(expr),
    }
}

/// The default that an attribute names.
pub(crate) fn default(given: DefaultAttr, serialize_with: Option<ExprPath>) -> Keyword {
    match given.value {
        DefaultExpr::Constant(constant) => Keyword::DefaultConstant(constant, given.span),
        DefaultExpr::Expression(expr) => {
            Keyword::Default(Default { value: DefaultValue::Expression(expr), skip_if: None, serialize_with })
        }
    }
}

fn merge_strategy(strategy: MergeStrategy) -> Keyword {
    match strategy {
        MergeStrategy::List(merge) => Keyword::ListMerge(merge),
        MergeStrategy::Map(merge) => Keyword::MapMerge(merge),
        MergeStrategy::Expression(expr) => Keyword::MergeValue(expr),
    }
}

pub(crate) fn validation(validation: Validation) -> Vec<Keyword> {
    let mut keywords = Vec::new();
    if let Some(length) = validation.length {
        keywords.extend(sizes(length));
    }
    if let Some(range) = validation.range {
        keywords.extend(range.min.map(|min| end(NumberBound::Minimum, min)));
        keywords.extend(range.max.map(|max| end(NumberBound::Maximum, max)));
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
        (Some(None), _) | (_, Some(None)) => vec![Keyword::SizeValues(length)],
        (min, max) => {
            let min = min.flatten().map(Keyword::MinSize);
            let max = max.flatten().map(Keyword::MaxSize);
            min.into_iter().chain(max).collect()
        }
    }
}

fn end(bound: NumberBound, expr: Expr) -> Keyword {
    match number(&expr) {
        Some(value) => Keyword::Number(bound, Number::Literal(value)),
        None => Keyword::EndValue(bound, expr),
    }
}

fn pattern(pattern: Pattern) -> Keyword {
    match pattern {
        Pattern::Regex(expr) => match string(&expr) {
            Some(text) => Keyword::Pattern(text.value()),
            None => Keyword::PatternValue(expr),
        },
        Pattern::Contains(expr) => match string(&expr) {
            Some(text) => Keyword::Pattern(escaped(&text.value())),
            None => Keyword::ContainsValue(expr),
        },
    }
}

/// A regular expression that matches a text.
fn escaped(text: &str) -> String {
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
            Lit::Float(value) => finite(value),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => number(&unary.expr).map(|value| -value),
        Expr::Group(group) => number(&group.expr),
        _ => None,
    }
}
