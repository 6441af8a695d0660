//! The keywords that attributes make up.

use syn::{Expr, ExprPath, Lit, Type, UnOp};

use crate::attrs::{
    docs::Docs,
    merge_strategy::{ListMerge, MapMerge, MergeStrategy},
    rule::{LiteralRule, Rule},
    schemars::{Annotations, Extension, string},
    text::Text,
    validation::{Bounds, Format, Pattern, Validation},
};

/// A keyword of a schema.
pub(crate) enum Keyword {
    Description(Words),
    Title(Words),
    Number(&'static str, f64),
    Size(&'static str, i64),
    Text(&'static str, String),
    Word(&'static str),
    /// `minLength`, `minItems` or `minProperties` and their maxima, from expressions.
    SizeValue(Bounds),
    /// A keyword of a CustomResourceDefinition, from an expression.
    Value(&'static str, Expr),
    Default(Default),
    Example(Expr),
    ListType(&'static str),
    ListMapKeys(Vec<Text>),
    MapType(&'static str),
    MergeStrategy(Expr),
    Rule(LiteralRule),
    RuleValue(Expr),
    Items(Vec<Keyword>),
    Extend(Vec<Extension>),
    Transform(Expr),
}

/// Text for a human.
pub(crate) enum Words {
    Text(String),
    /// An expression of the type `&'static str`.
    Expression(Expr),
    /// Lines of documentation with expressions among them.
    Docs(Vec<Expr>),
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
    Member {
        container: Option<ExprPath>,
        member: syn::Member,
    },
}

/// Title, description and the like; those that come last in `late`.
pub(crate) fn annotations(attrs: Annotations) -> (Vec<Keyword>, Vec<Keyword>) {
    let mut keywords = docs(attrs.docs, attrs.deprecated);
    if let Some(title) = attrs.title {
        keywords.push(Keyword::Title(words(title)));
    }
    if let Some(description) = attrs.description {
        keywords.push(Keyword::Description(words(description)));
    }
    keywords.extend(attrs.example.map(Keyword::Example));
    let mut late = Vec::new();
    if !attrs.extensions.is_empty() {
        late.push(Keyword::Extend(attrs.extensions));
    }
    late.extend(attrs.transforms.into_iter().map(Keyword::Transform));
    (keywords, late)
}

fn docs(docs: Docs, deprecated: Option<String>) -> Vec<Keyword> {
    match docs {
        Docs::Lines(lines) => vec![
            Keyword::Title(Words::Docs(lines.clone())),
            Keyword::Description(Words::Docs(lines)),
        ],
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
fn with_deprecation(description: String, deprecated: Option<String>) -> String {
    let Some(note) = deprecated else {
        return description;
    };
    let separator = if description.is_empty() { "" } else { "\n\n" };
    let note = if note.is_empty() {
        "Deprecated.".to_owned()
    } else {
        format!("Deprecated: {note}")
    };
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

pub(crate) fn merge_strategy(strategy: MergeStrategy) -> Vec<Keyword> {
    match strategy {
        MergeStrategy::List(ListMerge::Atomic) => vec![Keyword::ListType("Atomic")],
        MergeStrategy::List(ListMerge::Set) => vec![Keyword::ListType("Set")],
        MergeStrategy::List(ListMerge::Map(keys)) => {
            vec![Keyword::ListType("Map"), Keyword::ListMapKeys(keys)]
        }
        MergeStrategy::Map(MapMerge::Atomic) => vec![Keyword::MapType("Atomic")],
        MergeStrategy::Map(MapMerge::Granular) => vec![Keyword::MapType("Granular")],
        MergeStrategy::Expression(expr) => vec![Keyword::MergeStrategy(expr)],
    }
}

pub(crate) fn validation(validation: Validation) -> Vec<Keyword> {
    let mut keywords = Vec::new();
    if let Some(length) = validation.length {
        keywords.extend(sizes(length));
    }
    if let Some(range) = validation.range {
        keywords.extend(range.min.map(|min| bound("Minimum", "minimum", min)));
        keywords.extend(range.max.map(|max| bound("Maximum", "maximum", max)));
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
        (Some(None), _) | (_, Some(None)) => vec![Keyword::SizeValue(length)],
        (min, max) => {
            let min = min.flatten().map(|min| Keyword::Size("MinSize", min));
            let max = max.flatten().map(|max| Keyword::Size("MaxSize", max));
            min.into_iter().chain(max).collect()
        }
    }
}

fn bound(keyword: &'static str, property: &'static str, expr: Expr) -> Keyword {
    match number(&expr) {
        Some(value) => Keyword::Number(keyword, value),
        None => Keyword::Value(property, expr),
    }
}

fn pattern(pattern: Pattern) -> Keyword {
    match pattern {
        Pattern::Regex(expr) => match string(&expr) {
            Some(text) => Keyword::Text("Pattern", text.value()),
            None => Keyword::Value("pattern", expr),
        },
        Pattern::Contains(expr) => match string(&expr) {
            Some(text) => Keyword::Text("Contains", text.value()),
            None => Keyword::Value("contains", expr),
        },
    }
}

/// `ip` is no format that the API server knows, but CEL has a function for it.
fn format(format: Format) -> Keyword {
    match format {
        Format::Email => Keyword::Text("Format", "email".to_owned()),
        Format::Url => Keyword::Text("Format", "uri".to_owned()),
        Format::Ipv4 => Keyword::Text("Format", "ipv4".to_owned()),
        Format::Ipv6 => Keyword::Text("Format", "ipv6".to_owned()),
        Format::Ip => Keyword::Word("IP_RULE"),
    }
}

fn integer(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(value) => value.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            integer(&unary.expr).map(|value| -value)
        }
        Expr::Group(group) => integer(&group.expr),
        _ => None,
    }
}

fn number(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(value) => value.base10_parse().ok(),
            Lit::Float(value) => value.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            number(&unary.expr).map(|value| -value)
        }
        Expr::Group(group) => number(&group.expr),
        _ => None,
    }
}
