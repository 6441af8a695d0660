//! Keys of maps.

use alloc::{
    string::{String, ToString},
    sync::Arc,
};
use core::cmp::Ordering;

use super::{
    library::LibraryValue,
    time::Timestamp,
    value::{Text, Value, order_of_numbers},
};

/// A key of a map. Numbers of different types are equal if their values are. Expressions cannot select entries by other keys.
#[derive(Clone, Debug)]
pub(in crate::cel) enum Key<'v> {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Text<'v>),
    Null,
    Timestamp(Timestamp),
    Duration(i64),
    /// An address, by its text.
    Address(String, Arc<Value<'v>>),
    /// A value that only is itself, as Go has a pointer to it.
    Identity(Arc<Value<'v>>),
}

impl<'v> Key<'v> {
    /// Returns the key of an entry of a map; `None` if Go cannot hash the value.
    pub(super) fn of_entry(value: &Value<'v>) -> Option<Self> {
        Some(match value {
            Value::Bytes(_) => return None,
            Value::Null => Self::Null,
            Value::Timestamp(time) => Self::Timestamp(*time),
            Value::Duration(nanos) => Self::Duration(*nanos),
            Value::Library(library) => match &**library {
                LibraryValue::Semver(_) => return None,
                LibraryValue::Ip(_) | LibraryValue::Cidr(_) => {
                    Self::Address(value.to_string(), Arc::new(value.clone()))
                }
                _ => Self::Identity(Arc::new(value.clone())),
            },
            value => Self::of(value).unwrap_or_else(|| Self::Identity(Arc::new(value.clone()))),
        })
    }

    /// Returns the key that a value is, by which expressions can select an entry.
    pub(super) fn of(value: &Value<'v>) -> Option<Self> {
        Some(match value {
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Int(*value),
            Value::Uint(value) => Self::Uint(*value),
            Value::Double(value) => Self::Double(*value),
            Value::Text(text) => Self::Text(text.clone()),
            _ => return None,
        })
    }

    /// Whether expressions can select an entry by a value.
    pub(super) const fn is_of(value: &Value<'v>) -> bool {
        matches!(value, Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::Text(_))
    }

    pub(super) fn value(&self) -> Value<'v> {
        match self {
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Uint(value) => Value::Uint(*value),
            Self::Double(value) => Value::Double(*value),
            Self::Text(text) => Value::Text(text.clone()),
            Self::Null => Value::Null,
            Self::Timestamp(time) => Value::Timestamp(*time),
            Self::Duration(nanos) => Value::Duration(*nanos),
            Self::Address(_, value) | Self::Identity(value) => Value::clone(value),
        }
    }

    /// Whether it equals no number, also not itself.
    pub(super) const fn is_nan(&self) -> bool {
        matches!(self, Self::Double(number) if number.is_nan())
    }

    const fn rank(&self) -> u8 {
        match self {
            Self::Bool(_) => 0,
            Self::Int(_) | Self::Uint(_) | Self::Double(_) => 1,
            Self::Text(_) => 2,
            Self::Null => 3,
            Self::Timestamp(_) => 4,
            Self::Duration(_) => 5,
            Self::Address(..) => 6,
            Self::Identity(_) => 7,
        }
    }
}

impl Ord for Key<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(one), Self::Bool(other)) => one.cmp(other),
            (Self::Text(one), Self::Text(other)) => (**one).cmp(other),
            (Self::Int(one), Self::Int(other)) => one.cmp(other),
            (Self::Uint(one), Self::Uint(other)) => one.cmp(other),
            (Self::Double(one), Self::Double(other)) => one.partial_cmp(other).unwrap_or_else(|| one.total_cmp(other)),
            (Self::Null, Self::Null) => Ordering::Equal,
            (Self::Timestamp(one), Self::Timestamp(other)) => one.cmp(other),
            (Self::Duration(one), Self::Duration(other)) => one.cmp(other),
            (Self::Address(one, _), Self::Address(other, _)) => one.cmp(other),
            (Self::Identity(one), Self::Identity(other)) => Arc::as_ptr(one).cmp(&Arc::as_ptr(other)),
            (one, other) if one.rank() != other.rank() => one.rank().cmp(&other.rank()),
            (one, other) => order_of_numbers(&one.value(), &other.value()).unwrap_or(Ordering::Less),
        }
    }
}

impl PartialOrd for Key<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_equal_numbers_are_equal() {
        assert_eq!(Key::Int(1), Key::Uint(1));
        assert_eq!(Key::Uint(1), Key::Double(1.0));
        assert_eq!(Key::Double(0.0), Key::Double(-0.0));
        assert!(Key::Int(-1) < Key::Uint(0));
        assert!(Key::Double(1.5) > Key::Int(1));
        assert!(Key::Double(f64::INFINITY) > Key::Uint(u64::MAX));
        assert!(Key::Bool(true) < Key::Int(0) && Key::Int(9) < Key::Text("".into()));
    }
}
