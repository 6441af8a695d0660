//! Values of expressions, as the server's runtime has them.

use alloc::{borrow::Cow, collections::BTreeMap, string::String, sync::Arc, vec::Vec};
use core::{cmp::Ordering, ops::Deref};

use super::{key::Key, library::LibraryValue, time::Timestamp};
use crate::{
    cel::{
        ast::Literal,
        decl_type::{DeclType, Inner},
        types::Type,
    },
    json::Json,
};

/// A value of an expression.
#[derive(Clone, Debug, Default)]
pub(in crate::cel) enum Value<'v> {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Text<'v>),
    Bytes(Arc<[u8]>),
    Timestamp(Timestamp),
    /// Nanoseconds.
    Duration(i64),
    List(Arc<List<'v>>),
    Map(Arc<Map<'v>>),
    /// A list, a map or an object in the value that is validated.
    Data(&'v Json<'v>, &'v DeclType),
    Optional(Option<Arc<Self>>),
    /// A type, by its name.
    Type(Arc<str>),
    /// A value of a library of the server.
    Library(Arc<LibraryValue>),
    /// A message that an expression constructs.
    Message(Arc<Message<'v>>),
}

/// A list that an expression makes.
#[derive(Clone, Debug, Default)]
pub(in crate::cel) struct List<'v> {
    pub(super) items: Vec<Value<'v>>,
    /// The type of the list whose semantics the list has, if it is a sum of a set or a list of type map.
    pub(super) declared: Option<&'v DeclType>,
}

/// A map that an expression makes, in the order of its keys: the server's order is random.
pub(in crate::cel) type Map<'v> = BTreeMap<Key<'v>, Value<'v>>;

/// A message with the fields that are set, in the order of their names.
#[derive(Clone, Debug)]
pub(in crate::cel) struct Message<'v> {
    pub(super) name: String,
    pub(super) fields: BTreeMap<String, Value<'v>>,
}

/// A string, which may be a part of the value that is validated.
#[derive(Clone, Debug)]
pub(in crate::cel) enum Text<'v> {
    Borrowed(&'v str),
    Shared(Arc<str>),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<'v> From<&'v str> for Text<'v> {
    fn from(text: &'v str) -> Self {
        Self::Borrowed(text)
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self::Shared(text.into())
    }
}

impl<'v> From<Cow<'v, str>> for Text<'v> {
    fn from(text: Cow<'v, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Self::Borrowed(text),
            Cow::Owned(text) => Self::from(text),
        }
    }
}

/// Compares two numbers of any types; `None` if one is not a number, or NaN.
#[allow(clippy::cast_precision_loss)] // as the server converts them
pub(super) fn order_of_numbers(one: &Value<'_>, other: &Value<'_>) -> Option<Ordering> {
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => Some(one.cmp(other)),
        (Value::Uint(one), Value::Uint(other)) => Some(one.cmp(other)),
        (Value::Double(one), Value::Double(other)) => one.partial_cmp(other),
        (Value::Int(one), Value::Uint(other)) => Some(i128::from(*one).cmp(&i128::from(*other))),
        (Value::Uint(one), Value::Int(other)) => Some(i128::from(*one).cmp(&i128::from(*other))),
        (Value::Double(one), Value::Int(other)) => {
            outside(*one, i64::MIN as f64, i64::MAX as f64).or_else(|| one.partial_cmp(&(*other as f64)))
        }
        (Value::Double(one), Value::Uint(other)) => {
            outside(*one, 0.0, u64::MAX as f64).or_else(|| one.partial_cmp(&(*other as f64)))
        }
        (Value::Int(_) | Value::Uint(_), Value::Double(_)) => order_of_numbers(other, one).map(Ordering::reverse),
        _ => None,
    }
}

/// Returns the order of a number outside a range.
fn outside(number: f64, least: f64, most: f64) -> Option<Ordering> {
    if number < least {
        return Some(Ordering::Less);
    }
    (number > most).then_some(Ordering::Greater)
}

impl<'v> Value<'v> {
    pub(super) fn text(text: impl Into<Text<'v>>) -> Self {
        Self::Text(text.into())
    }

    /// Clones a value; one of a frequent type where it is needed, rather than in a function that returns it through memory.
    #[inline]
    pub(super) fn copied(&self) -> Self {
        match self {
            Self::Bool(value) => Self::Bool(*value),
            Self::Int(value) => Self::Int(*value),
            Self::Text(Text::Borrowed(text)) => Self::Text(Text::Borrowed(text)),
            Self::Data(json, declared) => Self::Data(json, declared),
            value => value.clone(),
        }
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::List(Arc::new(List { items, declared: None }))
    }

    pub(super) fn some(value: Self) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    pub(super) fn library(value: LibraryValue) -> Self {
        Self::Library(Arc::new(value))
    }

    /// Returns the number of items or characters as a value.
    pub(super) fn count_of(count: usize) -> Self {
        Self::Int(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// Returns the name of the type at run time.
    pub(in crate::cel) fn type_name(&self) -> &str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::List(_) | Self::Data(Json::Array(_), _) => "list",
            Self::Map(_) | Self::Data(..) => "map",
            Self::Optional(_) => "optional_type",
            Self::Type(_) => "type",
            Self::Library(value) => value.type_name(),
            Self::Message(message) => &message.name,
        }
    }

    /// Whether the server's type has an addition.
    pub(super) const fn has_addition(&self) -> bool {
        matches!(
            self,
            Self::Int(_)
                | Self::Uint(_)
                | Self::Double(_)
                | Self::Text(_)
                | Self::Bytes(_)
                | Self::Timestamp(_)
                | Self::Duration(_)
        )
    }

    /// Returns the type as Go prints it.
    pub(super) fn described_type(&self) -> &str {
        match self {
            Self::Optional(_) => "optional_type(dyn)",
            value if value.is_map() => "map(dyn, dyn)",
            value => value.type_name(),
        }
    }

    pub(super) const fn is_list(&self) -> bool {
        matches!(self, Self::List(_) | Self::Data(Json::Array(_), _))
    }

    pub(super) const fn is_map(&self) -> bool {
        matches!(self, Self::Map(_) | Self::Data(Json::Object(_), _))
    }

    /// Returns the number of items or entries of a list or a map.
    pub(super) fn count(&self) -> Option<usize> {
        match self {
            Self::List(list) => Some(list.items.len()),
            Self::Map(entries) => Some(entries.len()),
            Self::Data(Json::Array(items), _) => Some(items.len()),
            Self::Data(Json::Object(members), _) => Some(members.len()),
            _ => None,
        }
    }

    /// Returns the number of characters, bytes, items or entries; `None` if the value has no size.
    pub(super) fn size(&self) -> Option<usize> {
        match self {
            Self::Text(text) => Some(characters(text)),
            Self::Bytes(bytes) => Some(bytes.len()),
            Self::Library(value) => value.size(),
            value => value.count(),
        }
    }

    /// Whether this is the zero value of its type.
    pub(super) fn is_zero(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Int(value) => *value == 0,
            Self::Uint(value) => *value == 0,
            Self::Double(value) => *value == 0.0,
            Self::Text(text) => text.is_empty(),
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Duration(value) => *value == 0,
            Self::Timestamp(time) => time.is_zero(),
            // The server has this only for the lists and maps of the language.
            Self::List(list) => list.declared.is_none() && list.items.is_empty(),
            Self::Map(entries) => entries.is_empty(),
            Self::Data(_, declared) if declared.type_.is_dyn() => self.count() == Some(0),
            Self::Data(..) | Self::Optional(_) | Self::Type(_) | Self::Library(_) => false,
            Self::Message(message) => message.fields.is_empty(),
        }
    }

    /// Returns the type of the items of a list with the semantics of a set or a list of type map.
    pub(super) fn keyed(&self) -> Option<&'v DeclType> {
        let declared = match self {
            Self::Data(Json::Array(_), declared) => declared,
            Self::List(list) => list.declared?,
            _ => return None,
        };
        matches!(&declared.inner, Inner::Items(_)).then_some(declared).filter(|declared| declared.list_type.is_keyed())
    }

    /// Whether this is a list, a map or an object of a schema, which the server compares in its own way.
    pub(super) const fn is_of_schema(&self) -> bool {
        match self {
            Self::Data(_, declared) => !matches!(declared.type_, Type::Dyn),
            _ => false,
        }
    }
}

impl Value<'static> {
    pub(super) fn of_literal(literal: &Literal) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(value) => Self::Bool(*value),
            Literal::Int(value) => Self::Int(*value),
            Literal::Uint(value) => Self::Uint(*value),
            Literal::Double(value) => Self::Double(*value),
            Literal::String(text) => Self::text(text.clone()),
            Literal::Bytes(bytes) => Self::Bytes(bytes.as_slice().into()),
        }
    }
}

/// Returns the number of characters.
pub(super) fn characters(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each step moves a result.
    #[test]
    fn results_are_small() {
        assert_eq!(size_of::<super::super::error::Evaluated<'static>>(), 24);
    }

    #[test]
    fn sizes_are_characters() {
        assert_eq!(Value::text("Müller").size(), Some(6));
        assert_eq!(Value::Bytes(b"\xff\x00"[..].into()).size(), Some(2));
        assert_eq!(Value::Int(1).size(), None);
    }
}
