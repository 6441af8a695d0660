//! Conversion of enums, variant by variant.

use serde_json::Value;

use super::{
    conversion::{ConversionNode, Direction, EnumConversion, VariantConversion},
    fill,
    path::ValuePath,
    values::{self, JsonObject, Result},
};
use crate::schema::Tagging;

/// A value of an enum.
struct Parts {
    name: String,
    data: Option<Value>,
    /// Other members next to the tag and the data.
    rest: JsonObject,
}

/// The variant that a value becomes.
struct VariantTarget {
    name: &'static str,
    node: ConversionNode,
    has_data: bool,
    /// Whether it stands for a variant that its version does not have.
    is_stand_in: bool,
}

/// Converts an enum. A value of an unknown variant stays the same.
pub(super) fn convert(
    conversion: &EnumConversion,
    value: Value,
    direction: Direction,
    place: ValuePath<'_>,
) -> Result<Value> {
    let (from, to) = match direction {
        Direction::ToHub => (conversion.tagging, conversion.hub_tagging),
        Direction::FromHub => (conversion.hub_tagging, conversion.tagging),
    };
    let Some(target) = name(from, &value).and_then(|name| conversion.target(name, direction)) else {
        return Ok(value);
    };
    let Parts { name, data, rest } = split(from, value).expect("a value with a name has parts");
    let data = match data {
        _ if target.is_stand_in => target.has_data.then(|| fill::stand_in(&target.node)),
        // An empty object, or what remains next to the tag of a variant without data.
        Some(_) if !target.has_data && !matches!(to, Tagging::Internal(_)) => None,
        Some(data) => {
            let place = match from {
                Tagging::Internal(_) => place,
                Tagging::Adjacent { content, .. } => ValuePath::Field(&place, content),
                _ => ValuePath::Field(&place, &name),
            };
            Some(values::convert(&target.node, data, direction, place)?)
        }
        None => target.has_data.then(|| JsonObject::new().into()),
    };
    Ok(join(to, target.name, data, rest))
}

/// Returns the name of the variant.
fn name(tagging: Tagging, value: &Value) -> Option<&str> {
    match (tagging, value) {
        (Tagging::External, Value::String(name)) => Some(name),
        (Tagging::External, Value::Object(object)) => object.keys().next().map(String::as_str),
        (Tagging::Internal(tag) | Tagging::Adjacent { tag, .. }, value) => value.get(tag)?.as_str(),
        _ => None,
    }
}

/// Returns the parts of a value that has a name.
fn split(tagging: Tagging, value: Value) -> Option<Parts> {
    match (tagging, value) {
        (_, Value::String(name)) => Some(Parts { name, data: None, rest: JsonObject::new() }),
        (Tagging::Internal(tag), Value::Object(mut object)) => {
            let Value::String(name) = object.remove(tag)? else { return None };
            Some(Parts { name, data: Some(Value::Object(object)), rest: JsonObject::new() })
        }
        (Tagging::Adjacent { tag, content }, Value::Object(mut object)) => {
            let Value::String(name) = object.remove(tag)? else { return None };
            Some(Parts { name, data: object.remove(content), rest: object })
        }
        (_, Value::Object(object)) => {
            let (name, data) = object.into_iter().next()?;
            Some(Parts { name, data: Some(data), rest: JsonObject::new() })
        }
        _ => None,
    }
}

fn join(tagging: Tagging, name: &str, data: Option<Value>, mut rest: JsonObject) -> Value {
    match tagging {
        Tagging::Internal(tag) => match data {
            Some(Value::Object(mut object)) => {
                object.insert(tag.to_owned(), name.into());
                object.into()
            }
            Some(other) => other,
            None => JsonObject::from_iter([(tag.to_owned(), name.into())]).into(),
        },
        Tagging::Adjacent { tag, content } => {
            rest.insert(tag.to_owned(), name.into());
            rest.extend(data.map(|data| (content.to_owned(), data)));
            rest.into()
        }
        _ => match data {
            Some(data) => JsonObject::from_iter([(name.to_owned(), data)]).into(),
            None => name.into(),
        },
    }
}

impl EnumConversion {
    /// Returns the variant of the target version.
    fn target(&self, name: &str, direction: Direction) -> Option<VariantTarget> {
        let find = |is_it: &dyn Fn(&&VariantConversion) -> bool| self.variants.iter().find(is_it);
        let of_spoke = |it: &VariantConversion, is_stand_in| VariantTarget {
            name: it.name,
            node: it.node,
            has_data: it.has_data,
            is_stand_in,
        };
        let of_hub = |it: &VariantConversion| VariantTarget {
            name: it.hub,
            node: it.node,
            has_data: it.hub_has_data,
            is_stand_in: false,
        };
        match direction {
            Direction::ToHub => find(&|it| it.name == name).map(of_hub),
            Direction::FromHub => {
                let same = find(&|it| it.hub == name && it.name == name);
                let found = same.or_else(|| find(&|it| it.hub == name)).map(|it| of_spoke(it, false));
                let stand_in = || self.only_in_hub.iter().find(|(hub, _)| *hub == name);
                let replaced = || find(&|it| stand_in().is_some_and(|(_, spoke)| it.name == *spoke));
                found.or_else(|| replaced().map(|it| of_spoke(it, true)))
            }
        }
    }
}
