//! The parts of lists, maps and objects.

use alloc::{boxed::Box, format, vec::Vec};

use super::{
    error::{Evaluated, Stop},
    json,
    key::Key,
    value::{Text, Value},
};
use crate::json::Json;

impl<'v> Value<'v> {
    /// Returns the values of the variables of a loop: the index and the item of a list, or the key and the value of a map. With
    /// one variable, it is the item or the key. `None` if the value is neither.
    pub(super) fn each(&self, has_two: bool) -> Option<Box<dyn Iterator<Item = [Evaluated<'v>; 2]> + '_>> {
        let of_list = move |(at, item): (usize, Evaluated<'v>)| {
            if has_two { [Ok(Self::count_of(at)), item] } else { [item, Ok(Self::Null)] }
        };
        Some(match self {
            Self::List(list) => Box::new(list.items.iter().map(|item| Ok(item.clone())).enumerate().map(of_list)),
            Self::Map(entries) => Box::new(entries.iter().map(|(key, value)| [Ok(key.value()), Ok(value.clone())])),
            Self::Data(Json::Array(items), declared) => {
                Box::new(items.iter().map(|item| json::element(item, declared)).enumerate().map(of_list))
            }
            Self::Data(Json::Object(members), declared) => {
                let entry = move |key: Key<'v>| {
                    let value = if has_two { self.entry_of(&key.value()) } else { Ok(Self::Null) };
                    [Ok(key.value()), value]
                };
                Box::new(json::keys(members, declared).into_iter().map(entry))
            }
            _ => return None,
        })
    }

    /// Returns the items of a list; the error is the first of an item that does not fit its schema.
    pub(super) fn items(&self) -> Result<Vec<Self>, Stop> {
        match self {
            Self::List(list) => Ok(list.items.clone()),
            value if value.is_list() => {
                let items = value.each(false).into_iter().flatten();
                items.map(|[item, _]| item).collect()
            }
            _ => Err(Stop::NO_OVERLOAD),
        }
    }

    fn entry_of(&self, key: &Self) -> Evaluated<'v> {
        self.find(key)?.ok_or_else(|| Stop::no_such_key(key))
    }

    /// Finds the entry of a map or the field of an object.
    pub(super) fn find(&self, key: &Self) -> Result<Option<Self>, Stop> {
        match (self, key) {
            (Self::Map(entries), key) => {
                let Some(found) = Key::of_entry(key) else {
                    return if entries.is_empty() { Ok(None) } else { Err(Stop::unhashable(key)) };
                };
                Ok(entries.get(&found).cloned())
            }
            (Self::Data(Json::Object(members), declared), Self::Text(key)) => {
                json::member(members, declared, key).transpose()
            }
            (Self::Data(Json::Object(_), declared), _) if declared.type_.is_dyn() => Ok(None),
            (Self::Message(message), Self::Text(field)) => Ok(message.fields.get(&**field).cloned()),
            _ => Err(Stop::NO_OVERLOAD),
        }
    }

    /// Returns a part of a list, a map or an object, as the selection of an attribute does it.
    pub(super) fn select(&self, index: &Self) -> Evaluated<'v> {
        if self.is_map() || matches!(self, Self::Message(_)) {
            return self.entry_of(index);
        }
        if !self.is_list() {
            return Err(Stop::no_such_key(index));
        }
        match self.item(index)? {
            Some(item) => Ok(item),
            None => Err(format!("index out of bounds: {index}").into()),
        }
    }

    /// Returns a part if it is there.
    pub(super) fn select_if_present(&self, index: &Self) -> Result<Option<Self>, Stop> {
        if self.is_map() || matches!(self, Self::Message(_)) {
            return self.find(index);
        }
        if self.is_list() { self.item(index) } else { Ok(None) }
    }

    fn item(&self, index: &Self) -> Result<Option<Self>, Stop> {
        let Ok(at) = usize::try_from(index_of(index)?) else {
            return Ok(None);
        };
        // The server converts other numbers only for the bounds.
        if self.is_of_schema() && !matches!(index, Self::Int(_)) && self.count().is_some_and(|count| at < count) {
            return Err(format!("unsupported index: {index}").into());
        }
        match self {
            Self::List(list) => Ok(list.items.get(at).cloned()),
            Self::Data(Json::Array(items), declared) => {
                items.get(at).map(|item| json::element(item, declared)).transpose()
            }
            _ => Ok(None),
        }
    }
}

/// Returns the index that a value is.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // only numbers without a fraction are used
fn index_of(index: &Value<'_>) -> Result<i64, Stop> {
    let found = match index {
        Value::Int(at) => return Ok(*at),
        Value::Uint(at) => i64::try_from(*at).ok(),
        Value::Double(at) => {
            let whole = *at as i64;
            // The largest integer has no float: the conversion saturates.
            (whole as f64 == *at && whole != i64::MAX).then_some(whole)
        }
        other => return Err(format!("unsupported index type '{}' in list", other.type_name()).into()),
    };
    found.ok_or_else(|| format!("unsupported index value {index} in list").into())
}

/// Returns the text as a key.
pub(super) const fn field(name: &str) -> Value<'_> {
    Value::Text(Text::Borrowed(name))
}
