//! What is said about a value besides its shape.

use crdkit_core::for_each_keyword;
pub use crdkit_core::schema::{CountBound, NumberBound};
use serde_json::Value;

use super::{Descriptions, Embed};

/// One keyword of a schema, under the name that it has in a CustomResourceDefinition.
///
/// Keywords that bound a value are all meant, those of a type and those that a field adds: of two minima the greater one
/// holds, of two maxima the smaller one, and a text matches every [`Keyword::Pattern`]. [`Keyword::Rule`]s add up. Of any
/// other keyword, such as a description, a later one replaces an earlier one.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Keyword {
    /// `description`: Markdown.
    Description(&'static str),
    /// `title`.
    Title(&'static str),
    /// `format`; one that the API server knows, else it warns.
    Format(&'static str),
    /// Takes away the `format` that the type has.
    NoFormat,
    /// A bound of numbers, such as `minimum`; [`Keyword::minimum`] and others make it.
    Number(NumberBound, f64),
    /// A number of characters, items or entries, such as `maxLength`; [`Keyword::max_length`] and others make it.
    Count(CountBound, i64),
    /// `pattern`: a regular expression of Go's `regexp`, not anchored.
    Pattern(&'static str),
    /// `minLength` of text, `minItems` of a list, `minProperties` of an object or map.
    MinSize(i64),
    /// `maxLength` of text, `maxItems` of a list, `maxProperties` of an object or map.
    MaxSize(i64),
    /// [`Keyword::MinSize`] and [`Keyword::MaxSize`] that expressions make.
    EvaluatedSize(fn() -> (Option<i64>, Option<i64>)),
    /// `enum`: the value is one of these, and of those that its type has.
    Enum(&'static [EnumValue]),
    /// `nullable`: whether the value may be null.
    Nullable(bool),
    /// `externalDocs`: where more is to be read, and what; the description is empty if there is none.
    ExternalDocs {
        /// The address.
        url: &'static str,
        /// What is to be found there.
        description: &'static str,
    },
    /// `default`: the value as JSON; `None` where there is none to write.
    Default(fn() -> serde_json::Result<Option<Value>>),
    /// `default`, known while compiling.
    DefaultLiteral(Literal),
    /// `example`.
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
    /// One entry of `x-kubernetes-validations`.
    Rule(Rule),
    /// An entry of `x-kubernetes-validations` that an expression makes.
    EvaluatedRule(fn() -> Value),
    /// Which descriptions are written of the value and of all that is in it; the innermost one counts.
    Descriptions(Descriptions),
    /// How much is written of the type of Kubernetes that the value is, or that the items of a list or the values of a map
    /// are.
    Embed(Embed),
    /// Exactly one of these fields of an object is set: an entry of `x-kubernetes-validations`.
    OneOf(&'static [&'static str]),
    /// At most one of these fields of an object is set.
    AtMostOneOf(&'static [&'static str]),
    /// At least one of these fields of an object is set.
    AtLeastOneOf(&'static [&'static str]),
    /// Of a field: where it is set, these fields beside it are set too.
    Requires(&'static [&'static str]),
    /// Keywords of the items of a list.
    Items(&'static [Keyword]),
    /// Keywords of the values of a map.
    Values(&'static [Keyword]),
    /// Keywords that an expression makes: an object whose members are added to the schema.
    Extend(fn() -> Value),
    /// Keywords that an expression makes, and that leave the type as it is, such as a bound.
    Evaluated(fn() -> Value),
    /// Members that are merged over the finished schema as a JSON merge patch does it: null takes one away.
    Patch(fn() -> Value),
    /// A change to the finished schema; of an enum, to the variants as schemars writes them, if it changes those.
    Transform(fn(&mut schemars::Schema)),
}

macro_rules! constructors {
    ($($field:ident $(as $k8s:ident)? $name:literal $form:ident
        [$(of $about:ident)? $(number $number:ident $end:ident)? $(count $count:ident $counted:ident $side:ident)?] $doc:literal;
    )+) => {
        /// Bounds.
        impl Keyword {
            $(
                $(
                    #[doc = concat!("`", $name, "`: ", $doc)]
                    pub const fn $field(number: f64) -> Self {
                        Self::Number(NumberBound::$number, number)
                    }
                )?
                $(
                    #[doc = concat!("`", $name, "`: ", $doc)]
                    pub const fn $field(count: i64) -> Self {
                        Self::Count(CountBound::$count, count)
                    }
                )?
            )+
        }
    };
}
for_each_keyword!(constructors);

/// Whether one of some keywords is like a pattern, also in const evaluation.
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
    /// Text.
    Text(&'static str),
    /// A number without a fraction.
    Integer(i64),
    /// A number.
    Number(f64),
}

/// A value that is known while compiling.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Literal {
    /// `true` or `false`.
    Boolean(bool),
    /// A number without a fraction.
    Integer(i64),
    /// A number.
    Number(f64),
    /// Text.
    Text(&'static str),
    /// A list.
    List(&'static [Literal]),
    /// An object without members.
    Object,
}

impl Literal {
    /// The value as JSON.
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
    /// Replaced as a whole.
    Atomic,
    /// Each scalar item has its own owner; items are unique.
    Set,
    /// Each item has its own owner; items are told apart by the list map keys.
    Map,
}

impl ListType {
    /// The value of `x-kubernetes-list-type`.
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
    /// Replaced as a whole.
    Atomic,
    /// Each entry has its own owner.
    Granular,
}

impl MapType {
    /// The value of `x-kubernetes-map-type`.
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
    /// The expression; `self` is the value that it is written on.
    pub rule: &'static str,
    /// What the user is told if the rule fails.
    pub message: Option<&'static str>,
    /// An expression that makes the message.
    pub message_expression: Option<&'static str>,
    /// Which kind of error a failure is.
    pub reason: Option<Reason>,
    /// The field that is reported, relative to the value.
    pub field_path: Option<&'static str>,
    /// Whether a rule about `oldSelf` also runs on creation.
    pub optional_old_self: Option<bool>,
}

impl Rule {
    /// A rule without a message.
    pub const fn new(rule: &'static str) -> Self {
        Self {
            rule,
            message: None,
            message_expression: None,
            reason: None,
            field_path: None,
            optional_old_self: None,
        }
    }

    /// The rule with a message: one line.
    #[must_use]
    pub const fn message(mut self, message: &'static str) -> Self {
        self.message = Some(message);
        self
    }

    /// The rule with an expression that makes the message.
    #[must_use]
    pub const fn message_expression(mut self, expression: &'static str) -> Self {
        self.message_expression = Some(expression);
        self
    }

    /// The rule with the kind of error that a failure is.
    #[must_use]
    pub const fn reason(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// The rule with the field that a failure is reported on, such as `.replicas`.
    #[must_use]
    pub const fn field_path(mut self, path: &'static str) -> Self {
        self.field_path = Some(path);
        self
    }

    /// The rule with `oldSelf` made optional, so that it also runs on creation.
    #[must_use]
    pub const fn optional_old_self(mut self, optional: bool) -> Self {
        self.optional_old_self = Some(optional);
        self
    }
}

/// Which kind of error a failed rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::enum_variant_names)] // Kubernetes' own names
pub enum Reason {
    /// The value is malformed.
    FieldValueInvalid,
    /// The value is not permitted under the present conditions.
    FieldValueForbidden,
    /// A value is missing.
    FieldValueRequired,
    /// The value must be unique and is not.
    FieldValueDuplicate,
}

impl Reason {
    /// The value of `reason`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FieldValueInvalid => "FieldValueInvalid",
            Self::FieldValueForbidden => "FieldValueForbidden",
            Self::FieldValueRequired => "FieldValueRequired",
            Self::FieldValueDuplicate => "FieldValueDuplicate",
        }
    }
}
