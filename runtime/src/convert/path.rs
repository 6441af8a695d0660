//! Paths in JSON objects.

#[cfg(feature = "testing")]
use std::cell::RefCell;
use std::fmt::Write;

use serde_json::{Map, Value};

#[cfg(feature = "testing")]
use super::function_call::FunctionCall;

/// Removes the value at a path of field names, and objects that this leaves empty.
pub(super) fn take(object: &mut Map<String, Value>, path: &[&str]) -> Option<Value> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        return object.remove(*first);
    }
    let inner = object.get_mut(*first)?.as_object_mut()?;
    let value = take(inner, rest);
    if value.is_some() && inner.is_empty() {
        object.remove(*first);
    }
    value
}

/// Sets the value at a path of field names, and creates objects on the way. Returns the value if another one is in the way.
pub(super) fn put(object: &mut Map<String, Value>, path: &[&str], value: Value) -> Result<(), Value> {
    let Some((first, rest)) = path.split_first() else {
        return Err(value);
    };
    if rest.is_empty() {
        object.insert((*first).to_owned(), value);
        return Ok(());
    }
    let inner = object.entry(*first).or_insert_with(|| Value::Object(Map::new()));
    match inner {
        Value::Object(inner) => put(inner, rest, value),
        _ => Err(value),
    }
}

/// The position of a value in an object, for errors.
#[derive(Clone, Copy)]
pub(super) enum ValuePath<'a> {
    Root,
    /// The root of an object of which each call of a function is recorded.
    #[cfg(feature = "testing")]
    Recorded(&'a RefCell<Vec<FunctionCall>>),
    Field(&'a ValuePath<'a>, &'a str),
    /// The value of a map's key.
    Entry(&'a ValuePath<'a>, &'a str),
    Item(&'a ValuePath<'a>, usize),
}

impl ValuePath<'_> {
    /// Returns the path, such as `spec.disks[0].size`.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        match self {
            Self::Root => {}
            #[cfg(feature = "testing")]
            Self::Recorded(_) => {}
            Self::Field(parent, name) | Self::Entry(parent, name) => {
                parent.write(text);
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            Self::Item(parent, index) => {
                parent.write(text);
                let _ = write!(text, "[{index}]");
            }
        }
    }
}

#[cfg(feature = "testing")]
impl<'a> ValuePath<'a> {
    /// Returns the path of all values at such a position, such as `.spec.disks[].size`, as `RoundtripTest::only` takes it.
    pub(super) fn pattern(&self) -> String {
        match self {
            Self::Root | Self::Recorded(_) => String::new(),
            Self::Field(parent, name) => format!("{}.{name}", parent.pattern()),
            Self::Entry(parent, _) => format!("{}[*]", parent.pattern()),
            Self::Item(parent, _) => format!("{}[]", parent.pattern()),
        }
    }

    /// Returns where calls of functions are recorded, if they are.
    pub(super) fn record(&self) -> Option<&'a RefCell<Vec<FunctionCall>>> {
        match self {
            Self::Root => None,
            Self::Recorded(record) => Some(record),
            Self::Field(parent, _) | Self::Entry(parent, _) | Self::Item(parent, _) => parent.record(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_moved_between_objects() {
        let mut document = json!({ "a": { "b": 1 }, "c": 2 });
        let object = document.as_object_mut().unwrap();
        assert_eq!(take(object, &["a", "b"]), Some(json!(1)));
        assert_eq!(take(object, &["a", "b"]), None);
        assert_eq!(put(object, &["d", "e"], json!(3)), Ok(()));
        assert_eq!(put(object, &["c", "e"], json!(3)), Err(json!(3)));
        assert_eq!(Value::Object(object.clone()), json!({ "c": 2, "d": { "e": 3 } }));
    }

    #[test]
    fn places_are_readable() {
        let disks = ValuePath::Field(&ValuePath::Root, "disks");
        let item = ValuePath::Item(&disks, 2);
        assert_eq!(ValuePath::Field(&item, "size").text(), "disks[2].size");
    }

    #[cfg(feature = "testing")]
    #[test]
    fn patterns_are_of_all_items_and_entries() {
        let labels = ValuePath::Field(&ValuePath::Root, "labels");
        let entry = ValuePath::Entry(&labels, "example.com/a");
        let item = ValuePath::Item(&entry, 2);
        assert_eq!(ValuePath::Field(&item, "size").pattern(), ".labels[*][].size");
    }
}
