//! The parts of lists, maps and objects.

use alloc::{borrow::Cow, collections::btree_map, format, vec::Vec};
use core::slice;

use super::{
    error::{Evaluated, Stop},
    json::{self, FieldName, Members},
    key::Key,
    value::Value,
};
use crate::{cel::decl_type::DeclType, json::Json};

impl<'v> Value<'v> {
    /// Returns the values of the variables of a loop: the index and the item of a list, or the key and the value of a map. With
    /// one variable, it is the item or the key. `None` if the value is neither.
    pub(super) fn each(&self, has_two: bool) -> Option<Each<'_, 'v>> {
        let parts = match self {
            Self::List(list) => Parts::List(list.items.iter()),
            Self::Map(entries) => Parts::Map(entries.iter()),
            Self::Data(Json::Array(items), declared) => Parts::Items(items.iter(), json::elements(declared)),
            Self::Data(Json::Object(members), declared) => Parts::Members(members.iter(), members, declared),
            _ => return None,
        };
        Some(Each { parts, has_two, at: 0 })
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
                let found = json::member(members, declared, &FieldName::of(key));
                found.map(|(part, declared)| json::part(part, declared)).transpose()
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

    /// Returns a field or an entry if it is there.
    pub(super) fn field_if_present(&self, name: &'v FieldName<'_>) -> Result<Option<Self>, Stop> {
        match self {
            Self::Data(Json::Object(members), declared) => {
                let found = json::member(members, declared, name);
                found.map(|(part, declared)| json::part(part, declared)).transpose()
            }
            value => value.select_if_present(&Self::text(&*name.escaped)),
        }
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
                items.get(at).map(|item| json::part(item, json::elements(declared))).transpose()
            }
            _ => Ok(None),
        }
    }
}

/// The values of the variables of a loop, in each of its steps.
pub(super) struct Each<'i, 'v> {
    parts: Parts<'i, 'v>,
    has_two: bool,
    /// The index of the next item of a list.
    at: usize,
}

enum Parts<'i, 'v> {
    List(slice::Iter<'i, Value<'v>>),
    Map(btree_map::Iter<'i, Key<'v>, Value<'v>>),
    Items(slice::Iter<'v, Json<'v>>, Option<&'v DeclType>),
    /// With all members, among which a field is found.
    Members(slice::Iter<'v, (Cow<'v, str>, Json<'v>)>, &'v Members<'v>, &'v DeclType),
}

impl<'v> Iterator for Each<'_, 'v> {
    type Item = [Evaluated<'v>; 2];

    fn next(&mut self) -> Option<Self::Item> {
        let item = match &mut self.parts {
            Parts::List(items) => Ok(items.next()?.clone()),
            Parts::Items(items, of_items) => json::part(items.next()?, *of_items),
            Parts::Map(entries) => {
                let (key, value) = entries.next()?;
                return Some([Ok(key.value()), Ok(value.clone())]);
            }
            Parts::Members(rest, members, declared) => {
                let key = rest.find_map(|(name, _)| json::key(name, declared))?;
                if !self.has_two {
                    return Some([Ok(Value::Text(key)), Ok(Value::Null)]);
                }
                let value = json::member(members, declared, &FieldName::of(&key));
                let missing = || Err(Stop::no_such_key(&*key));
                let value = value.map_or_else(missing, |(part, declared)| json::part(part, declared));
                return Some([Ok(Value::Text(key)), value]);
            }
        };
        self.at += 1;
        Some(if self.has_two { [Ok(Value::count_of(self.at - 1)), item] } else { [item, Ok(Value::Null)] })
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
