//! Values that a version cannot express, kept in an annotation.
//!
//! A kept value is a difference between an object and what remains of it after a conversion and back. It returns where the
//! object still has what remained, so a change by somebody else wins.

use std::collections::BTreeMap;

use crdkit_core::rules::sizes::MAX_ANNOTATION_BYTES as LIMIT;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::ConvertError;
use crate::schema::{
    Keyword,
    walk::{ElementStep, Location, Value as Position, field},
};

/// The annotation with the values that the version of an object cannot express.
pub const CONVERSION_DATA_ANNOTATION: &str = "conversion.crdkit.dev/kept";

/// The kept values of each version.
pub(super) type ConversionData = BTreeMap<String, Vec<ValueDifference>>;

/// A value that differs after a conversion and back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ValueDifference {
    path: Vec<PathStep>,
    /// What remains; none if the value is missing.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    from: Option<Value>,
    /// The value; none if it is missing.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    to: Option<Value>,
}

/// A present null is a value.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum PathStep {
    Field(String),
    /// An item with these list map keys.
    Keyed {
        keys: Map<String, Value>,
    },
    /// An item of a list without keys.
    Item {
        index: usize,
        /// The number of items in the list.
        of: usize,
        /// A hash of what remains of the item.
        hash: String,
    },
}

/// Finds what a conversion and back changes.
pub(super) struct Differ {
    path: Vec<PathStep>,
    changes: Vec<ValueDifference>,
}

impl Differ {
    pub(super) fn new() -> Self {
        Self { path: Vec::new(), changes: Vec::new() }
    }

    pub(super) fn changes(self) -> Vec<ValueDifference> {
        self.changes
    }

    /// Compares a member of an object with what remains of it.
    pub(super) fn member(
        &mut self,
        name: &str,
        remaining: Option<&Value>,
        actual: Option<&Value>,
        position: Option<Position>,
    ) {
        self.path.push(PathStep::Field(name.to_owned()));
        match (remaining, actual) {
            (Some(remaining), Some(actual)) => self.value(remaining, actual, position),
            (None, None) => {}
            (from, to) => self.add(from, to),
        }
        self.path.pop();
    }

    fn value(&mut self, remaining: &Value, actual: &Value, position: Option<Position>) {
        match (remaining, actual) {
            _ if remaining == actual => {}
            (Value::Object(from), Value::Object(to)) => {
                let only_in_from = from.keys().filter(|name| !to.contains_key(*name));
                for name in to.keys().chain(only_in_from) {
                    self.member(name, from.get(name), to.get(name), position.and_then(|it| inside_object(&it, name)));
                }
            }
            (Value::Array(from), Value::Array(to)) if from.len() == to.len() => self.items(from, to, position),
            _ => self.add(Some(remaining), Some(actual)),
        }
    }

    fn items(&mut self, from: &[Value], to: &[Value], position: Option<Position>) {
        let keys = position.map(|it| list_map_keys(&it)).unwrap_or_default();
        let inside = position.map(|it| it.inside(ElementStep::Items)).filter(|it| it.is_known);
        for (index, (remaining, actual)) in from.iter().zip(to).enumerate() {
            if remaining == actual {
                continue;
            }
            let step = match key_values(remaining, keys) {
                Some(values) if Some(&values) == key_values(actual, keys).as_ref() => PathStep::Keyed { keys: values },
                _ => PathStep::Item { index, of: from.len(), hash: hash(remaining) },
            };
            self.path.push(step);
            self.value(remaining, actual, inside);
            self.path.pop();
        }
    }

    fn add(&mut self, from: Option<&Value>, to: Option<&Value>) {
        self.changes.push(ValueDifference { path: self.path.clone(), from: from.cloned(), to: to.cloned() });
    }
}

fn inside_object(position: &Position, name: &str) -> Option<Position> {
    match field(position, name) {
        Location::At(member) => Some(member.value),
        _ => None,
    }
}

fn list_map_keys(position: &Position) -> &'static [&'static str] {
    let mut found: &[&str] = &[];
    let mut at = 0;
    while let Some(keyword) = position.keyword(at) {
        if let Keyword::ListMapKeys(keys) = keyword {
            found = keys;
        }
        at += 1;
    }
    found
}

/// Returns the list map keys of an item; `None` if it has none.
fn key_values(item: &Value, keys: &[&str]) -> Option<Map<String, Value>> {
    let item = item.as_object()?;
    let entries = keys.iter().filter_map(|key| Some(((*key).to_owned(), item.get(*key)?.clone())));
    let values: Map<_, _> = entries.collect();
    (!values.is_empty()).then_some(values)
}

/// Returns the FNV-1a hash of a value, independent of the order of members, in hexadecimal digits.
fn hash(value: &Value) -> String {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    write_hash(value, &mut |bytes| {
        for byte in bytes {
            state = (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    });
    format!("{state:016x}")
}

fn write_hash(value: &Value, write: &mut dyn FnMut(&[u8])) {
    match value {
        Value::Object(members) => {
            let sorted: BTreeMap<_, _> = members.iter().collect();
            write(b"{");
            for (name, value) in sorted {
                write(name.as_bytes());
                write(b"\0");
                write_hash(value, write);
            }
            write(b"}");
        }
        Value::Array(items) => {
            write(b"[");
            for item in items {
                write_hash(item, write);
                write(b",");
            }
            write(b"]");
        }
        scalar => write(scalar.to_string().as_bytes()),
    }
}

/// Applies the changes to an object, except where it no longer has what remained.
pub(super) fn restore(object: &mut Value, changes: Vec<ValueDifference>) {
    // Items are found by what remained of them, before any change.
    let resolved: Vec<_> =
        changes.into_iter().filter_map(|change| Some((resolve(object, &change.path)?, change))).collect();
    for (path, change) in resolved {
        apply(object, &path, change);
    }
}

/// A step to a value that exists, or to a missing field of an object that exists.
enum Resolved {
    Field(String),
    Index(usize),
}

fn resolve(object: &Value, path: &[PathStep]) -> Option<Vec<Resolved>> {
    let mut value = object;
    let mut resolved = Vec::with_capacity(path.len());
    for (at, step) in path.iter().enumerate() {
        let is_last = at + 1 == path.len();
        match step {
            PathStep::Field(name) => {
                let next = value.as_object()?.get(name);
                resolved.push(Resolved::Field(name.clone()));
                match next {
                    Some(next) => value = next,
                    None if is_last => return Some(resolved),
                    None => return None,
                }
            }
            step => {
                let items = value.as_array()?;
                let index = find_item(items, step)?;
                resolved.push(Resolved::Index(index));
                value = &items[index];
            }
        }
    }
    Some(resolved)
}

fn find_item(items: &[Value], step: &PathStep) -> Option<usize> {
    match step {
        PathStep::Field(_) => None,
        PathStep::Keyed { keys } => items.iter().position(|item| {
            let item = item.as_object();
            item.is_some_and(|item| keys.iter().all(|(key, value)| item.get(key) == Some(value)))
        }),
        PathStep::Item { index, of, hash: expected } => {
            let is_it = |item: &Value| hash(item) == *expected;
            if items.get(*index).is_some_and(is_it) {
                return Some(*index);
            }
            items.iter().position(is_it).or((items.len() == *of).then_some(*index))
        }
    }
}

fn apply(object: &mut Value, path: &[Resolved], change: ValueDifference) {
    let Some((last, parents)) = path.split_last() else { return };
    let parent = parents.iter().try_fold(object, |value, step| match step {
        Resolved::Field(name) => value.as_object_mut()?.get_mut(name),
        Resolved::Index(index) => value.as_array_mut()?.get_mut(*index),
    });
    match (parent, last) {
        (Some(Value::Object(members)), Resolved::Field(name)) if members.get(name) == change.from.as_ref() => {
            match change.to {
                Some(to) => drop(members.insert(name.clone(), to)),
                None => drop(members.remove(name)),
            }
        }
        (Some(Value::Array(items)), Resolved::Index(index)) if items.get(*index) == change.from.as_ref() => {
            if let (Some(item), Some(to)) = (items.get_mut(*index), change.to) {
                *item = to;
            }
        }
        _ => {}
    }
}

/// Removes the annotation from an object, and returns its content. Text that is none is left out.
pub(super) fn take(object: &mut Map<String, Value>) -> ConversionData {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
        return ConversionData::new();
    };
    let annotations = metadata.get_mut("annotations").and_then(Value::as_object_mut);
    let text = annotations.and_then(|annotations| annotations.remove(CONVERSION_DATA_ANNOTATION));
    if metadata.get("annotations").and_then(Value::as_object).is_some_and(Map::is_empty) && text.is_some() {
        metadata.remove("annotations");
    }
    let text = text.as_ref().and_then(Value::as_str);
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// Writes the annotation of an object in a version, if there is anything to keep.
pub(super) fn write(object: &mut Map<String, Value>, kept: &ConversionData, version: &str) -> Result<(), ConvertError> {
    if kept.is_empty() {
        return Ok(());
    }
    let text = serde_json::to_string(kept).map_err(|error| ConvertError::NotSerializable(error.to_string()))?;
    let size = text.len();
    let member = |object: &mut Map<String, Value>, name: &str| {
        let value = object.entry(name).or_insert_with(|| Value::Object(Map::new()));
        if !value.is_object() {
            *value = Value::Object(Map::new());
        }
    };
    member(object, "metadata");
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut).ok_or(ConvertError::NotAnObject)?;
    member(metadata, "annotations");
    let annotations =
        metadata.get_mut("annotations").and_then(Value::as_object_mut).ok_or(ConvertError::NotAnObject)?;
    annotations.insert(CONVERSION_DATA_ANNOTATION.to_owned(), Value::String(text));
    let lengths = annotations.iter().map(|(key, value)| key.len() + value.as_str().map_or(0, str::len));
    let total: usize = lengths.sum();
    if total > LIMIT {
        return Err(ConvertError::TooLarge { version: version.to_owned(), kept: size, total, limit: LIMIT });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::{Field, ListType, Schema};

    const DISK: Schema = Schema::object(&[Field::new("name", &Schema::string())]);
    const DISKS: Schema =
        Schema::list(&DISK).with(&[Keyword::ListType(ListType::Map), Keyword::ListMapKeys(&["name"])]);
    const SPEC: Schema = Schema::object(&[Field::new("disks", &DISKS)]);

    fn changes(remaining: &Value, actual: &Value) -> Vec<ValueDifference> {
        let mut differ = Differ::new();
        differ.value(remaining, actual, Some(Position::of(&SPEC)));
        let changes = differ.changes();
        let text = serde_json::to_string(&changes).unwrap();
        let read: Vec<ValueDifference> = serde_json::from_str(&text).unwrap();
        assert_eq!(read, changes, "{text}");
        read
    }

    #[track_caller]
    fn restored(remaining: &Value, actual: &Value, changed: &Value) -> Value {
        let changes = changes(remaining, actual);
        let mut same = remaining.clone();
        restore(&mut same, changes.clone());
        assert_eq!(same, *actual);
        let mut changed = changed.clone();
        restore(&mut changed, changes);
        changed
    }

    #[test]
    fn a_change_wins() {
        let (remaining, actual) =
            (json!({ "cpu": "3", "zone": "" }), json!({ "cpu": "2500m", "zone": null, "tier": 1 }));
        let found = restored(&remaining, &actual, &json!({ "cpu": "4", "zone": "" }));
        assert_eq!(found, json!({ "cpu": "4", "zone": null, "tier": 1 }));
        let found = restored(&remaining, &actual, &json!({ "cpu": "3", "zone": "eu", "tier": 2 }));
        assert_eq!(found, json!({ "cpu": "2500m", "zone": "eu", "tier": 2 }));
    }

    #[test]
    fn items_with_keys_are_found_by_them() {
        let remaining = json!({ "disks": [{ "name": "a", "size": 1 }, { "name": "b" }] });
        let actual = json!({ "disks": [{ "name": "a", "size": 1, "fast": true }, { "name": "b", "slow": true }] });
        let found = restored(&remaining, &actual, &json!({ "disks": [{ "name": "b" }, { "name": "a", "size": 2 }] }));
        assert_eq!(
            found,
            json!({ "disks": [{ "name": "b", "slow": true }, { "name": "a", "size": 2, "fast": true }] })
        );
        let found = restored(&remaining, &actual, &json!({ "disks": [] }));
        assert_eq!(found, json!({ "disks": [] }));
    }

    #[test]
    fn other_items_are_found_by_their_content() {
        let remaining = json!({ "args": [{ "x": 1 }, { "x": 2 }] });
        let actual = json!({ "args": [{ "x": 1, "y": 1 }, { "x": 2, "y": 2 }] });
        let found = restored(&remaining, &actual, &json!({ "args": [{ "x": 2 }] }));
        assert_eq!(found, json!({ "args": [{ "x": 2, "y": 2 }] }));
        let found = restored(&remaining, &actual, &json!({ "args": [{ "x": 1 }, { "x": 3 }] }));
        assert_eq!(found, json!({ "args": [{ "x": 1, "y": 1 }, { "x": 3, "y": 2 }] }));
    }

    #[test]
    fn annotations_are_limited() {
        let mut object = Map::new();
        let change = ValueDifference {
            path: vec![PathStep::Field("spec".into())],
            from: None,
            to: Some(json!("x".repeat(LIMIT))),
        };
        let kept = ConversionData::from([("v1".to_owned(), vec![change])]);
        let error = write(&mut object, &kept, "v1alpha1").unwrap_err();
        assert!(error.to_string().starts_with("version `v1alpha1` cannot express 262"), "{error}");
        assert_eq!(take(&mut object), kept);
        assert_eq!(Value::Object(object), json!({ "metadata": {} }));
    }
}
