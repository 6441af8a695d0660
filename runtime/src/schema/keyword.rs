//! Keywords of schemas.

use crdkit_core::for_each_keyword;
pub use crdkit_core::schema::{CountBound, NumberBound};
use serde_json::Value;

use super::{Descriptions, KubernetesTypeDetail};

/// A keyword of a schema, named as in a CustomResourceDefinition.
///
/// Bounds of a type and of a field apply together: the greater of two minima, the smaller of two maxima, and every
/// [`Keyword::Pattern`]. All [`Keyword::Rule`]s apply. Any other keyword, such as a description, replaces an earlier one.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Keyword {
    /// `description`: Markdown.
    Description(&'static str),
    /// `title`.
    Title(&'static str),
    /// `format`. The API server warns about unknown formats.
    Format(&'static str),
    /// Removes the `format` of the type.
    NoFormat,
    /// A bound of numbers, such as `minimum`. Create it with [`Keyword::minimum`] and similar functions.
    Number(NumberBound, f64),
    /// A bound of lengths, such as `maxLength`. Create it with [`Keyword::max_length`] and similar functions.
    Count(CountBound, i64),
    /// `pattern`: an unanchored regular expression in the syntax of Go's `regexp`.
    Pattern(&'static str),
    /// `minLength` of a string, `minItems` of a list, `minProperties` of an object or a map.
    MinSize(i64),
    /// `maxLength` of a string, `maxItems` of a list, `maxProperties` of an object or a map.
    MaxSize(i64),
    /// [`Keyword::MinSize`] and [`Keyword::MaxSize`] with evaluated expressions.
    #[doc(hidden)]
    EvaluatedSize(fn() -> (Option<i64>, Option<i64>)),
    /// `enum`: the value is one of these, and also one of those that the type allows.
    Enum(&'static [EnumValue]),
    /// `nullable`: whether the value may be null.
    Nullable(bool),
    /// `externalDocs`.
    ExternalDocs {
        /// The URL.
        url: &'static str,
        /// The description; empty if there is none.
        description: &'static str,
    },
    /// `default`, evaluated; `None` if there is no value to write.
    #[doc(hidden)]
    Default(fn() -> serde_json::Result<Option<Value>>),
    /// `default`, as a constant.
    DefaultLiteral(Literal),
    /// `example`.
    #[doc(hidden)]
    Example(fn() -> serde_json::Result<Value>),
    /// `x-kubernetes-preserve-unknown-fields`.
    PreserveUnknownFields,
    /// `x-kubernetes-embedded-resource`.
    EmbeddedResource,
    /// `x-kubernetes-list-type`.
    ListType(ListType),
    /// `x-kubernetes-list-map-keys`.
    ListMapKeys(&'static [&'static str]),
    /// `x-kubernetes-map-type`.
    MapType(MapType),
    /// An entry of `x-kubernetes-validations`.
    Rule(Rule),
    /// An entry of `x-kubernetes-validations`, evaluated.
    #[doc(hidden)]
    EvaluatedRule(fn() -> Value),
    /// Which descriptions the schema of the value includes, at any depth. The innermost one applies.
    Descriptions(Descriptions),
    /// How much of a Kubernetes type's schema is included, also for the items of a list and the values of a map.
    Embed(KubernetesTypeDetail),
    /// Exactly one of these fields of an object must be set (an entry of `x-kubernetes-validations`).
    OneOf(&'static [&'static str]),
    /// At most one of these fields of an object may be set.
    AtMostOneOf(&'static [&'static str]),
    /// At least one of these fields of an object must be set.
    AtLeastOneOf(&'static [&'static str]),
    /// On a field: if it is set, these fields of the same object must be set.
    Requires(&'static [&'static str]),
    /// Keywords of the items of a list.
    Items(&'static [Keyword]),
    /// Keywords of the values of a map.
    Values(&'static [Keyword]),
    /// An evaluated JSON object whose members are added to the schema.
    #[doc(hidden)]
    Extend(fn() -> Value),
    /// Evaluated keywords that do not change the type, such as a bound.
    #[doc(hidden)]
    Evaluated(fn() -> Value),
    /// A JSON merge patch for the finished schema.
    #[doc(hidden)]
    Patch(fn() -> Value),
    /// A change to the finished schema. For an enum, a change to the variants as schemars generates them, if the function
    /// modifies those.
    #[doc(hidden)]
    Transform(fn(&mut schemars::Schema)),
}

macro_rules! constructors {
    (
        $keywords:ident $keyword_lines:tt
        numbers { $($number_field:ident $number_name:literal $number:ident $end:ident $number_doc:literal;)+ }
        counts { $($field:ident $name:literal $count:ident $counted:ident $side:ident $doc:literal;)+ }
        $others:ident $other_lines:tt
    ) => {
        /// Bounds.
        impl Keyword {
            $(
                #[doc = concat!("`", $number_name, "`: ", $number_doc)]
                pub const fn $number_field(number: f64) -> Self {
                    Self::Number(NumberBound::$number, number)
                }
            )+
            $(
                #[doc = concat!("`", $name, "`: ", $doc)]
                pub const fn $field(count: i64) -> Self {
                    Self::Count(CountBound::$count, count)
                }
            )+
        }
    };
}
for_each_keyword!(constructors);

/// Whether any keyword matches a pattern; also works in const evaluation.
macro_rules! any_keyword {
    ($keywords:expr, $pattern:pat) => {{
        let keywords: &[$crate::schema::Keyword] = $keywords;
        let (mut at, mut is_there) = (0, false);
        while at < keywords.len() && !is_there {
            is_there = matches!(keywords[at], $pattern);
            at += 1;
        }
        is_there
    }};
}
pub(crate) use any_keyword;

/// A value of an `enum`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EnumValue {
    /// A string.
    Text(&'static str),
    /// An integer.
    Integer(i64),
    /// A number.
    Number(f64),
}

/// A constant value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Literal {
    /// `true` or `false`.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A string.
    Text(&'static str),
    /// A list.
    List(&'static [Literal]),
    /// An empty object.
    Object,
}

impl Literal {
    /// Converts the value to JSON.
    pub(crate) fn to_json(self) -> Value {
        match self {
            Self::Boolean(value) => value.into(),
            Self::Integer(number) => number.into(),
            Self::Number(number) => number.into(),
            Self::Text(text) => text.into(),
            Self::List(items) => items.iter().map(|item| item.to_json()).collect(),
            Self::Object => Value::Object(serde_json::Map::new()),
        }
    }
}

/// How server-side apply merges a list (`x-kubernetes-list-type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListType {
    /// The list has a single owner and is replaced as a whole.
    Atomic,
    /// Each item has its own owner. Items are unique.
    Set,
    /// Each item has its own owner. The list map keys identify the items.
    Map,
}

impl ListType {
    /// Returns the value of `x-kubernetes-list-type`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Atomic => "atomic",
            Self::Set => "set",
            Self::Map => "map",
        }
    }
}

/// How server-side apply merges a map or an object (`x-kubernetes-map-type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapType {
    /// The map has a single owner and is replaced as a whole.
    Atomic,
    /// Each entry has its own owner.
    Granular,
}

impl MapType {
    /// Returns the value of `x-kubernetes-map-type`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Atomic => "atomic",
            Self::Granular => "granular",
        }
    }
}

/// A CEL rule (`x-kubernetes-validations`).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Rule {
    /// The expression; `self` is the value.
    pub rule: &'static str,
    /// The message if the rule fails.
    pub message: Option<&'static str>,
    /// An expression that evaluates to the message.
    pub message_expression: Option<&'static str>,
    /// The machine-readable reason if the rule fails.
    pub reason: Option<Reason>,
    /// The path of the field that a failure is reported for, relative to the value.
    pub field_path: Option<&'static str>,
    /// Whether `oldSelf` is optional, so that the rule also runs on creation.
    pub optional_old_self: Option<bool>,
}

impl Rule {
    /// Creates a rule without a message.
    pub const fn new(rule: &'static str) -> Self {
        Self { rule, message: None, message_expression: None, reason: None, field_path: None, optional_old_self: None }
    }

    /// Sets the message, which must be a single line.
    #[must_use]
    pub const fn message(mut self, message: &'static str) -> Self {
        self.message = Some(message);
        self
    }

    /// Sets an expression that evaluates to the message.
    #[must_use]
    pub const fn message_expression(mut self, expression: &'static str) -> Self {
        self.message_expression = Some(expression);
        self
    }

    /// Sets the reason.
    #[must_use]
    pub const fn reason(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Sets the path of the field that a failure is reported for, such as `.replicas`.
    #[must_use]
    pub const fn field_path(mut self, path: &'static str) -> Self {
        self.field_path = Some(path);
        self
    }

    /// Sets whether `oldSelf` is optional, so that the rule also runs on creation.
    #[must_use]
    pub const fn optional_old_self(mut self, optional: bool) -> Self {
        self.optional_old_self = Some(optional);
        self
    }
}

/// The machine-readable reason of a failed rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::enum_variant_names)] // Kubernetes' own names
pub enum Reason {
    /// The value is malformed.
    FieldValueInvalid,
    /// The value is not allowed under the current conditions.
    FieldValueForbidden,
    /// A value is missing.
    FieldValueRequired,
    /// The value is not unique.
    FieldValueDuplicate,
}

impl Reason {
    /// Returns the value of `reason`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FieldValueInvalid => "FieldValueInvalid",
            Self::FieldValueForbidden => "FieldValueForbidden",
            Self::FieldValueRequired => "FieldValueRequired",
            Self::FieldValueDuplicate => "FieldValueDuplicate",
        }
    }
}
