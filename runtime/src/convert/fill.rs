//! Required fields that the other version does not have.

use crdkit_core::schema::Side;
use serde_json::{Map, Value, json};

use super::{
    conversion::{ConversionNode, Direction, HubDefault, ObjectConversion},
    path::put,
};
use crate::schema::{
    Field, Keyword, Schema, Shape,
    walk::{Kind, Location, Value as Position, field, is_open, kind, strip_newtypes},
};

/// Sets the required fields of a converted object that the source version does not have.
pub(super) fn missing(conversion: &ObjectConversion, target: &mut Map<String, Value>, direction: Direction) {
    match direction {
        Direction::ToHub => {
            for default in conversion.hub_defaults {
                set_default(conversion, default, target);
            }
            if !conversion.is_partial {
                in_hub(conversion, conversion.hub, target, &[]);
            }
        }
        Direction::FromHub => {
            for field in conversion.fields {
                if let Some(default) = field.default
                    && !target.contains_key(field.name)
                {
                    target.insert(field.name.to_owned(), default());
                }
            }
            required(conversion.spoke, target, &|field| is_in_hub(conversion, field.name));
        }
    }
}

/// Sets a field that only the hub has, or the missing parts of one that the spoke sets in part.
fn set_default(conversion: &ObjectConversion, default: &HubDefault, target: &mut Map<String, Value>) {
    let [name, ..] = default.path else { return };
    // The defaults of an enum are those of all of its variants.
    if !declares(conversion.hub, name) {
        return;
    }
    if !contains(target, default.path) {
        let _ = put(target, default.path, (default.value)());
    } else if conversion.path_through(&[], name).is_some()
        && let Some(value) = target.get_mut(*name)
    {
        add_missing(value, (default.value)());
    }
}

fn add_missing(value: &mut Value, default: Value) {
    let (Value::Object(members), Value::Object(defaults)) = (value, default) else { return };
    for (name, default) in defaults {
        match members.get_mut(&name) {
            Some(member) => add_missing(member, default),
            None => drop(members.insert(name, default)),
        }
    }
}

/// Sets the required fields of an object of the hub, and of the objects in it that the spoke sets in part.
fn in_hub(conversion: &ObjectConversion, schema: &Schema, target: &mut Map<String, Value>, prefix: &[&str]) {
    required(schema, target, &|field| conversion.sets(prefix, field.name, false));
    if conversion.leads_below(prefix.len()) {
        parts_in_hub(conversion, schema, target, prefix);
    }
}

fn parts_in_hub(conversion: &ObjectConversion, schema: &Schema, target: &mut Map<String, Value>, prefix: &[&str]) {
    let Shape::Object(fields) = strip_newtypes(schema).shape else { return };
    for field in fields {
        if field.flatten {
            parts_in_hub(conversion, field.schema, target, prefix);
        } else if let Some(path) = conversion.path_through(prefix, field.name)
            && let Some(Value::Object(inner)) = target.get_mut(field.name)
        {
            in_hub(conversion, field.schema, inner, &path[..=prefix.len()]);
        }
    }
}

/// Returns the data of a variant of the spoke that stands for one that only the hub has.
pub(super) fn stand_in(node: &ConversionNode) -> Value {
    match node {
        ConversionNode::Of(node) => stand_in(node),
        ConversionNode::Object(conversion) => {
            let defaults = conversion.fields.iter().filter_map(|field| Some((field.name.to_owned(), field.default?())));
            let mut data = defaults.collect();
            required(conversion.spoke, &mut data, &|_| false);
            Value::Object(data)
        }
        _ => Value::Null,
    }
}

/// Whether a type may have a field.
fn declares(schema: &'static Schema, name: &str) -> bool {
    !matches!(field(&Position::of(schema), name), Location::Missing(_))
}

/// Whether unknown fields of the source object are fields of the converted object too.
pub(super) fn keeps_unknown_fields(conversion: &ObjectConversion, direction: Direction) -> bool {
    let target = match direction {
        Direction::ToHub => conversion.hub,
        Direction::FromHub => conversion.spoke,
    };
    is_open(strip_newtypes(target).keywords)
}

fn contains(object: &Map<String, Value>, path: &[&str]) -> bool {
    match path {
        [] => false,
        [name] => object.contains_key(*name),
        [name, rest @ ..] => object.get(*name).and_then(Value::as_object).is_some_and(|inner| contains(inner, rest)),
    }
}

fn is_in_hub(conversion: &ObjectConversion, name: &str) -> bool {
    conversion.fields.iter().any(|field| field.name == name && field.hub.is_some_and(|path| !path.is_empty()))
}

/// Sets the required fields that are missing to the empty value of their type, except those that the source sets.
fn required(schema: &Schema, target: &mut Map<String, Value>, is_set: &dyn Fn(&Field) -> bool) {
    let Shape::Object(fields) = strip_newtypes(schema).shape else {
        return;
    };
    for field in fields {
        if field.flatten {
            required(field.schema, target, is_set);
        } else if field.is_required()
            && !target.contains_key(field.name)
            && !is_set(field)
            && let Some(empty) = empty_value(field)
        {
            target.insert(field.name.to_owned(), empty);
        }
    }
}

/// Returns the empty value of a field.
fn empty_value(field: &Field) -> Option<Value> {
    has_empty_value(field).then(|| match kind(field.schema) {
        Kind::Boolean => json!(false),
        Kind::Integer | Kind::Number => json!(0),
        Kind::String => json!(""),
        Kind::List => json!([]),
        Kind::Map | Kind::Object => json!({}),
        Kind::IntOrString | Kind::Opaque => Value::Null,
    })
}

/// Whether the empty value of a field's type is certainly valid: `false`, `0`, `""`, `[]` or `{}`.
pub(crate) const fn has_empty_value(field: &Field) -> bool {
    let schema = strip_newtypes(field.schema);
    let of_text = matches!(kind(field.schema), Kind::String);
    let form = match (schema.shape, kind(field.schema)) {
        (Shape::Enum(_) | Shape::OneOf(..) | Shape::Tuple(_), _) => false,
        (Shape::Object(fields), _) => all_optional(fields),
        (_, Kind::Opaque | Kind::IntOrString) => false,
        _ => true,
    };
    form && !restricts(field.keywords, of_text) && !restricts_chain(field.schema, of_text)
}

const fn all_optional(fields: &[Field]) -> bool {
    let mut at = 0;
    while at < fields.len() {
        if fields[at].is_required() || fields[at].flatten {
            return false;
        }
        at += 1;
    }
    true
}

const fn restricts_chain(schema: &Schema, of_text: bool) -> bool {
    restricts(schema.keywords, of_text)
        || match schema.shape {
            Shape::Newtype(inner) => restricts_chain(inner, of_text),
            _ => false,
        }
}

/// Whether keywords may reject an empty value.
const fn restricts(keywords: &[Keyword], of_text: bool) -> bool {
    let mut at = 0;
    while at < keywords.len() {
        let rejects = match keywords[at] {
            Keyword::Number(bound, limit) => match (bound.side(), bound.is_exclusive()) {
                (Side::Min, false) => limit > 0.0,
                (Side::Max, false) => limit < 0.0,
                (Side::Min, true) => limit >= 0.0,
                (Side::Max, true) => limit <= 0.0,
                (Side::Neither, _) => false,
            },
            Keyword::Count(bound, count) => matches!(bound.side(), Side::Min) && count > 0,
            Keyword::MinSize(count) => count > 0,
            Keyword::Format(_) => of_text,
            Keyword::Pattern(_)
            | Keyword::Enum(_)
            | Keyword::EvaluatedSize(_)
            | Keyword::Rule(_)
            | Keyword::EvaluatedRule(_)
            | Keyword::OneOf(_)
            | Keyword::AtLeastOneOf(_)
            | Keyword::Evaluated(_)
            | Keyword::Extend(_)
            | Keyword::Patch(_)
            | Keyword::Transform(_) => true,
            _ => false,
        };
        if rejects {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KubeSchema;

    const TEXT: Field = Field::new("zone", &Schema::string());
    const LONG: Field = TEXT.with(&[Keyword::min_length(1)]);
    const DATE: Field = TEXT.with(&[Keyword::Format("date")]);
    const COUNT: Field = Field::new("count", <u32>::SCHEMA_REF);
    const POSITIVE: Field = COUNT.with(&[Keyword::minimum(1.0)]);
    const INNER: Schema = Schema::object(&[TEXT]);
    const OUTER: Schema = Schema::object(&[TEXT.optional()]);

    #[test]
    fn empty_values_are_valid_or_absent() {
        for (field, empty) in [
            (TEXT, Some(json!(""))),
            (LONG, None),
            (DATE, None),
            (COUNT, Some(json!(0))),
            (POSITIVE, None),
            (Field::new("inner", &INNER), None),
            (Field::new("outer", &OUTER), Some(json!({}))),
        ] {
            assert_eq!(empty_value(&field), empty, "{field:?}");
        }
    }
}
