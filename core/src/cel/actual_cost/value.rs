//! Values at run time.

use alloc::{borrow::Cow, rc::Rc, vec::Vec};
use core::cmp::Ordering;

use super::super::{
    ast::Literal,
    decl_type::{DeclType, Inner},
    types::Type,
};
use crate::{json::Json, literal::cel::escaped};

/// A value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value<'v> {
    /// A value that is not known, or an error.
    Unknown,
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Cow<'v, str>),
    /// Bytes, by their number.
    Bytes(u64),
    List(Rc<Vec<Self>>),
    Map(Rc<Vec<(Self, Self)>>),
    /// A list, a map or an object in the value that is validated.
    Data(&'v Json<'v>, &'v DeclType),
    Optional(Option<Rc<Self>>),
    /// The type of a number, a string, bytes or a boolean.
    Type(Cow<'static, str>),
}

impl<'v> Value<'v> {
    /// Converts a value of a declared type.
    #[allow(clippy::cast_precision_loss)] // as Go converts it
    pub(super) fn of_json(json: &'v Json<'v>, declared: &'v DeclType) -> Self {
        match (&declared.type_, json) {
            (Type::Bool, Json::Bool(value)) => Self::Bool(*value),
            (Type::Int | Type::Dyn, Json::Integer(value)) => Self::Int(*value),
            (Type::Double, Json::Integer(value)) => Self::Double(*value as f64),
            (Type::Double, Json::Float(value)) => Self::Double(*value),
            (Type::String | Type::Dyn, Json::String(text)) => Self::Text(Cow::Borrowed(text)),
            (Type::Bytes, Json::String(text)) if text.len().is_multiple_of(4) => {
                let padding = text.len() - text.trim_end_matches('=').len();
                Self::Bytes((text.len() / 4 * 3).saturating_sub(padding) as u64)
            }
            (Type::List(_), Json::Array(_)) | (Type::Map(..) | Type::Object(_), Json::Object(_)) => {
                Self::Data(json, declared)
            }
            _ => Self::Unknown,
        }
    }

    pub(super) fn of_literal(literal: &Literal) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(value) => Self::Bool(*value),
            Literal::Int(value) => Self::Int(*value),
            Literal::Uint(value) => Self::Uint(*value),
            Literal::Double(value) => Self::Double(*value),
            Literal::String(text) => Self::Text(Cow::Owned(text.clone())),
            Literal::Bytes(bytes) => Self::Bytes(bytes.len() as u64),
        }
    }

    /// Returns the type of a number, a string, bytes or a boolean.
    pub(super) const fn type_(&self) -> Self {
        let name = match self {
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            _ => return Self::Unknown,
        };
        Self::Type(Cow::Borrowed(name))
    }

    /// Returns the number of items or entries of a list or a map.
    pub(super) fn count(&self) -> Option<usize> {
        match self {
            Self::List(items) => Some(items.len()),
            Self::Map(entries) => Some(entries.len()),
            Self::Data(Json::Array(items), _) => Some(items.len()),
            Self::Data(Json::Object(members), _) => Some(members.len()),
            _ => None,
        }
    }

    /// Returns the number of characters, bytes, items or entries; one for other values, `None` if it is not known.
    pub(super) fn size(&self) -> Option<u64> {
        match self {
            Self::Unknown => None,
            Self::Text(text) => Some(text.chars().count() as u64),
            Self::Bytes(count) => Some(*count),
            Self::Optional(Some(value)) => value.size(),
            value => Some(value.count().map_or(1, |count| count as u64)),
        }
    }

    /// Returns whether this is the zero value of its type.
    pub(super) fn is_zero(&self) -> Option<bool> {
        Some(match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Int(value) => *value == 0,
            Self::Uint(value) => *value == 0,
            Self::Double(value) => *value == 0.0,
            Self::Text(text) => text.is_empty(),
            Self::Bytes(count) => *count == 0,
            Self::List(_) | Self::Map(_) => self.count() == Some(0),
            Self::Optional(value) => value.is_none(),
            Self::Unknown | Self::Data(..) | Self::Type(_) => return None,
        })
    }

    pub(super) const fn is_map(&self) -> bool {
        matches!(self, Self::Map(_) | Self::Data(Json::Object(_), _))
    }

    /// Returns the values of the variables of a loop: the index and the item of a list, or the key and the value of a map. With
    /// one variable, it is the item or the key.
    pub(super) fn entry(&self, at: usize, has_two: bool) -> [Self; 2] {
        let number = || Self::Int(i64::try_from(at).unwrap_or(i64::MAX));
        let of_list = |item: Self| if has_two { [number(), item] } else { [item, Self::Unknown] };
        match self {
            Self::List(items) => of_list(items[at].clone()),
            Self::Map(entries) => [entries[at].0.clone(), entries[at].1.clone()],
            Self::Data(Json::Array(items), declared) => of_list(Self::element(&items[at], declared)),
            Self::Data(Json::Object(members), declared) => {
                [Self::Text(Cow::Borrowed(&*members[at].0)), Self::element(&members[at].1, declared)]
            }
            _ => [Self::Unknown, Self::Unknown],
        }
    }

    /// Returns the items of a list.
    pub(super) fn items(&self) -> Option<impl Iterator<Item = Self> + '_> {
        let count = self.count().filter(|_| self.is_list())?;
        Some((0..count).map(|at| {
            let [item, _] = self.entry(at, false);
            item
        }))
    }

    fn element(json: &'v Json<'v>, declared: &'v DeclType) -> Self {
        match &declared.inner {
            Inner::Items(inner) | Inner::Values(inner) => Self::of_json(json, inner),
            Inner::Nothing | Inner::Fields(_) => Self::Unknown,
        }
    }

    /// Returns a field of an object, or the entry of a map with a name.
    pub(super) fn field(&self, name: &str) -> Self {
        match self {
            Self::Data(Json::Object(members), DeclType { inner: Inner::Fields(fields), .. }) => {
                let declared = fields.iter().find(|(field, _)| field == name);
                let member = members.iter().find(|(member, _)| escaped(member).as_deref() == Some(name));
                match (declared, member) {
                    (Some((_, declared)), Some((_, json))) => Self::of_json(json, declared),
                    _ => Self::Unknown,
                }
            }
            map => map.index(&Self::Text(Cow::Owned(name.into()))),
        }
    }

    /// Whether an object or a map has a field; `None` if it is not known.
    pub(super) fn has(&self, name: &str) -> Option<bool> {
        match self {
            Self::Data(Json::Object(members), declared) => {
                let is_object = matches!(declared.inner, Inner::Fields(_));
                let is_named =
                    |member: &str| if is_object { escaped(member).as_deref() == Some(name) } else { member == name };
                match members.iter().find(|(member, _)| is_named(member)) {
                    Some((_, Json::Null)) => None,
                    found => Some(found.is_some()),
                }
            }
            map => map.has_item(&Self::Text(Cow::Owned(name.into()))),
        }
    }

    pub(super) const fn is_list(&self) -> bool {
        matches!(self, Self::List(_) | Self::Data(Json::Array(_), _))
    }

    /// Whether a list has an item at an index, or a map a key; `None` if it is not known.
    pub(super) fn has_item(&self, index: &Self) -> Option<bool> {
        match (self, index) {
            (list, Self::Int(at)) if list.is_list() => {
                let count = list.count()?;
                Some(usize::try_from(*at).is_ok_and(|at| at < count))
            }
            (Self::Map(_), key) => match self.contains(key) {
                Self::Bool(is_key) => Some(is_key),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns an item of a list, or an entry of a map.
    pub(super) fn index(&self, index: &Self) -> Self {
        match (self, index) {
            (Self::List(items), Self::Int(at)) => {
                usize::try_from(*at).ok().and_then(|at| items.get(at)).cloned().unwrap_or(Self::Unknown)
            }
            (Self::Data(Json::Array(items), declared), Self::Int(at)) => {
                let item = usize::try_from(*at).ok().and_then(|at| items.get(at));
                item.map_or(Self::Unknown, |item| Self::element(item, declared))
            }
            (Self::Data(Json::Object(members), declared), Self::Text(key)) => {
                let member = members.iter().find(|(name, _)| name == key);
                member.map_or(Self::Unknown, |(_, json)| Self::element(json, declared))
            }
            (Self::Map(entries), key) => {
                let entry = entries.iter().find(|(other, _)| other.equals(key) == Some(true));
                entry.map_or(Self::Unknown, |(_, value)| value.clone())
            }
            _ => Self::Unknown,
        }
    }

    /// Returns whether a list has an item, or a map a key.
    pub(super) fn contains(&self, item: &Self) -> Self {
        let Some(count) = self.count() else {
            return Self::Unknown;
        };
        let mut is_known = true;
        for at in 0..count {
            let [other, _] = self.entry(at, false);
            match other.equals(item) {
                Some(true) => return Self::Bool(true),
                Some(false) => {}
                None => is_known = false,
            }
        }
        if is_known { Self::Bool(false) } else { Self::Unknown }
    }

    /// Whether both are equal; `None` if it is not known.
    pub(super) fn equals(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) | (Self::Bytes(_), Self::Bytes(_)) => None,
            (Self::Null, Self::Null) => Some(true),
            (Self::Bool(one), Self::Bool(other)) => Some(one == other),
            (Self::Text(one), Self::Text(other)) => Some(one == other),
            (Self::Type(one), Self::Type(other)) => Some(one == other),
            (Self::Data(one, _), Self::Data(other, _)) if one == other => Some(true),
            _ => match (self.count(), other.count()) {
                (Some(one), Some(other)) if one != other => Some(false),
                (Some(_), Some(_)) if self.is_map() => self.has_same_entries(other),
                (Some(_), Some(_)) => self.has_same_items(other),
                _ => self.order(other).map(Ordering::is_eq),
            },
        }
    }

    /// Whether two maps of the same size have the same entries.
    fn has_same_entries(&self, other: &Self) -> Option<bool> {
        let (Self::Map(entries), Self::Map(others)) = (self, other) else {
            return None;
        };
        let mut is_known = true;
        for (key, value) in entries.iter() {
            match other.contains(key) {
                Self::Bool(false) => return Some(false),
                Self::Bool(true) => {}
                _ => return None,
            }
            let same = others.iter().find(|(other, _)| other.equals(key) == Some(true));
            match same.and_then(|(_, other)| value.equals(other)) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => is_known = false,
            }
        }
        is_known.then_some(true)
    }

    fn has_same_items(&self, other: &Self) -> Option<bool> {
        let is_keyed = |list: &Self| matches!(list, Self::Data(_, declared) if declared.is_keyed_list);
        let (Some(items), Some(others), false) = (self.items(), other.items(), is_keyed(self) || is_keyed(other))
        else {
            return None;
        };
        let mut is_known = true;
        for (item, other) in items.zip(others) {
            match item.equals(&other) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => is_known = false,
            }
        }
        is_known.then_some(true)
    }

    /// Compares two numbers, strings or booleans; `None` if it is not known.
    #[allow(clippy::cast_precision_loss)] // numbers that would lose precision are not compared
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        /// A float represents all integers up to this one.
        const EXACT: u64 = 1 << 53;
        let float = |value: &Self| match value {
            Self::Int(value) if value.unsigned_abs() <= EXACT => Some(*value as f64),
            Self::Uint(value) if *value <= EXACT => Some(*value as f64),
            Self::Double(value) => Some(*value),
            _ => None,
        };
        match (self, other) {
            (Self::Bool(one), Self::Bool(other)) => Some(one.cmp(other)),
            (Self::Int(one), Self::Int(other)) => Some(one.cmp(other)),
            (Self::Uint(one), Self::Uint(other)) => Some(one.cmp(other)),
            (Self::Text(one), Self::Text(other)) => Some(one.cmp(other)),
            _ => float(self)?.partial_cmp(&float(other)?),
        }
    }

    /// Returns the value without the order of its elements.
    pub(super) fn unordered(self) -> Self {
        match self {
            Self::List(items) => Self::List(Rc::new(items.iter().map(|_| Self::Unknown).collect())),
            value => value,
        }
    }
}
