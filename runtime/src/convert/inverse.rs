//! Whether conversion functions are each other's inverse.

use serde_json::Value;

use super::{
    conversion::{ConversionNode, With},
    path::Place,
};

/// A value of the spoke that differs after both functions of its field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NotInverse {
    pub(crate) path: String,
    pub(crate) value: Value,
    pub(crate) back: Value,
}

/// Returns a value inside `value` that its functions do not return. Values that the functions reject are left out.
pub(crate) fn find(node: &ConversionNode, value: &Value, place: Place<'_>) -> Option<NotInverse> {
    match (node, value) {
        (ConversionNode::Of(node), value) => find(node, value, place),
        (ConversionNode::Object(conversion), Value::Object(object)) => conversion.fields.iter().find_map(|field| {
            if field.name.is_empty() {
                return find(&field.node, value, place);
            }
            let value = object.get(field.name)?;
            let place = Place::Field(&place, field.name);
            match &field.with {
                Some(with) => with.check(value, place),
                None => find(&field.node, value, place),
            }
        }),
        (ConversionNode::Items(node), Value::Array(items)) => {
            items.iter().enumerate().find_map(|(at, item)| find(node, item, Place::Item(&place, at)))
        }
        (ConversionNode::Values(node), Value::Object(entries)) => {
            entries.iter().find_map(|(key, value)| find(node, value, Place::Field(&place, key)))
        }
        _ => None,
    }
}

impl With {
    fn check(&self, value: &Value, place: Place<'_>) -> Option<NotInverse> {
        if value.is_null() {
            return None;
        }
        let value = (self.canonical)(value).ok()?;
        let back = (self.from_hub)(&(self.to_hub)(&value).ok()?).ok()?;
        (back != value).then(|| NotInverse { path: place.text(), value, back })
    }
}
