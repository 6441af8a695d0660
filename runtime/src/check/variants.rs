//! Checks that one structural schema can describe all variants of an enum.

use crdkit_core::{
    literal::cel::{is_nameable, is_unescaped},
    schema::Kind,
    shared_schema::{
        Difference, Sharing,
        variants::{self, Discriminator, SharedValue},
    },
};

use super::{
    Message,
    shared_schema::{self, Conflict, difference, in_field, inside},
};
use crate::schema::{
    Schema, Shape, Tagging, Variant,
    walk::{
        Location, Member, Value, equal, field, find, is_partly_open, kind, part, references_error, strip_newtypes,
        variants::{Name, form, name as names},
    },
};

mod index;

pub use index::{Index, count};

/// Returns the schema of a variant's data, for checks of its fields.
pub const fn content(schema: &'static Schema, at: usize) -> &'static Schema {
    if let Shape::OneOf(_, variants) = strip_newtypes(schema).shape
        && let Some(content) = variants[at].content
    {
        return content;
    }
    schema
}

/// Checks that a variant is compatible with the preceding ones: with the first of each form, and with the first and the last one
/// that has a field of the same name. Rendering compares all of them.
pub const fn fits<const N: usize>(schema: &'static Schema, at: usize, index: &Index<N>) -> Result<(), Message> {
    let Shape::OneOf(tagging, variants) = strip_newtypes(schema).shape else {
        return Ok(());
    };
    let this = &variants[at];
    if let (Tagging::Internal(tag), Some(content)) = (this.tagging(tagging), this.content)
        && let Err(message) = takes_a_tag(this.name, content, tag)
    {
        return Err(message);
    }
    if let (Tagging::Internal(tag), Some(content)) = (this.tagging(tagging), this.content)
        && !is_nameable(tag)
        && has_rules(content)
    {
        return Err(variants::tag_not_nameable(tag, this.name));
    }
    let mut slot = 0;
    while let Some(other) = index.firsts.get(slot, at) {
        let pair = [&variants[other], this];
        if let [Some(a), Some(b)] = [form(tagging, pair[0]), form(tagging, this)]
            && a.union(b).is_none()
            && !is_hidden("", tagging, variants, [other, at])
        {
            return Err(variants::kinds_differ([pair[0].name, this.name], [a, b]));
        }
        if let Some(found) = conflict(tagging, pair)
            && !is_hidden(found.field, tagging, variants, [other, at])
        {
            return Err(message(&found, tagging, pair));
        }
        slot += 1;
    }
    match index::compared(tagging, this) {
        Some(data) => have_equal_fields(data, tagging, variants, at, index),
        None => Ok(()),
    }
}

/// Checks the fields in `part`, which is the data of a variant or in it, against those of the preceding variants.
const fn have_equal_fields<const N: usize>(
    part: &'static Schema,
    tagging: Tagging,
    variants: &[Variant],
    at: usize,
    index: &Index<N>,
) -> Result<(), Message> {
    let mut name = 0;
    while let Some(named) = names(strip_newtypes(part), name) {
        let result = match named {
            Name::Of(name) => is_equal_field(name, tagging, variants, at, index),
            Name::In(part) => have_equal_fields(part, tagging, variants, at, index),
            Name::Nothing => Ok(()),
        };
        if result.is_err() {
            return result;
        }
        name += 1;
    }
    Ok(())
}

const fn is_equal_field<const N: usize>(
    name: &'static str,
    tagging: Tagging,
    variants: &[Variant],
    at: usize,
    index: &Index<N>,
) -> Result<(), Message> {
    let Some([first, last]) = index.holders(name, at) else {
        return Ok(());
    };
    let this = &variants[at];
    let others = [first, last];
    let mut side = if first == last { 1 } else { 0 };
    while side < others.len() {
        let pair = [&variants[others[side]], this];
        if let [Some(a), Some(b)] = [pair[0].content, this.content]
            && pair[0].is_beside_data(tagging) == this.is_beside_data(tagging)
            && let Some(found) = in_field(name, &Value::of(a), &Value::of(b))
            && !is_hidden(name, tagging, variants, [others[side], at])
        {
            return Err(message(&found, tagging, pair));
        }
        side += 1;
    }
    Ok(())
}

impl Variant {
    /// Whether the tag is beside a field with the data.
    const fn is_beside_data(&self, tagging: Tagging) -> bool {
        matches!(self.tagging(tagging), Tagging::Adjacent { .. })
    }
}

/// Whether an object has known rules.
const fn has_rules(content: &'static Schema) -> bool {
    shared_schema::difference_of_rules(&Value::of(content), &Value::of(TAGGED)).is_some()
}

/// The fields next to the tag in a unit variant.
const TAGGED: &Schema = &Schema::object(&[]);

/// Checks that the data of a variant is an object in which the tag can be an additional field.
const fn takes_a_tag(variant: &str, content: &'static Schema, tag: &str) -> Result<(), Message> {
    let owner = if content.name.is_empty() { variant } else { content.name };
    match kind(content) {
        Kind::Map if !names_its_keys(strip_newtypes(content)) => {
            Err(variants::cannot_hold_tag(variant, Kind::Map, tag))
        }
        Kind::Object | Kind::Map | Kind::Opaque if matches!(find(&Value::of(content), tag), Some(Location::At(_))) => {
            Err(variants::tag_field_conflict(owner, tag))
        }
        Kind::Object | Kind::Map | Kind::Opaque => Ok(()),
        kind => Err(variants::cannot_hold_tag(variant, kind, tag)),
    }
}

/// Whether the keys of a map may be a fixed set of names, so that a structural schema can declare a tag next to them.
const fn names_its_keys(map: &Schema) -> bool {
    match map.keys {
        Some(keys) => matches!(strip_newtypes(keys).shape, Shape::Enum(_) | Shape::OneOf(..) | Shape::Foreign(_)),
        None => false,
    }
}

const fn conflict(tagging: Tagging, pair: [&Variant; 2]) -> Option<Conflict> {
    if let found @ Some(_) = in_rules_of_the_enum(tagging, pair) {
        return found;
    }
    let [Some(a), Some(b)] = [pair[0].content, pair[1].content] else {
        return None;
    };
    let (a, b) = (Value::of(a), Value::of(b));
    match [pair[0].tagging(tagging), pair[1].tagging(tagging)] {
        [Tagging::Adjacent { .. }, Tagging::Adjacent { .. }] => {
            let (a, b) = (Member::of(a), Member::of(b));
            difference(&a, &b, Sharing::Variants, Message::new())
        }
        [Tagging::Internal(_) | Tagging::Untagged, Tagging::Internal(_) | Tagging::Untagged] => {
            inside(&a, &b, Sharing::Variants, Message::new())
        }
        _ => None,
    }
}

/// Compares the rules that apply to the enum itself. The rules of a tagged variant are conditional on the tag.
const fn in_rules_of_the_enum(tagging: Tagging, pair: [&Variant; 2]) -> Option<Conflict> {
    let [a, b] = match [untagged(tagging, pair[0]), untagged(tagging, pair[1])] {
        [None, None] => return None,
        [Some(a), Some(b)] => [a, b],
        [Some(a), None] => [a, TAGGED],
        [None, Some(b)] => [TAGGED, b],
    };
    match [form(tagging, pair[0]), form(tagging, pair[1])] {
        [None | Some(Kind::Opaque), _] | [_, None | Some(Kind::Opaque)] => None,
        // Rules of integers and of strings are conditional on the type.
        [Some(Kind::Integer), Some(Kind::String)] | [Some(Kind::String), Some(Kind::Integer)] => None,
        _ => shared_schema::difference_of_rules(&Value::of(a), &Value::of(b)),
    }
}

/// Returns the data of an untagged variant, which is the value of the enum itself.
const fn untagged(tagging: Tagging, variant: &Variant) -> Option<&'static Schema> {
    match variant.tagging(tagging) {
        Tagging::Untagged => variant.content,
        _ => None,
    }
}

/// Whether another variant before the later one of two hides their difference: if one variant allows any value, the
/// common schema does too.
const fn is_hidden(field: &str, tagging: Tagging, variants: &[Variant], [one, other]: [usize; 2]) -> bool {
    let mut at = 0;
    while at < other {
        let variant = &variants[at];
        if let Some(content) = variant.content
            && at != one
            && may_be_anything(variant.tagging(tagging), content, field)
        {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether the data of a variant, or a field of it, may be any value.
const fn may_be_anything(tagging: Tagging, content: &'static Schema, name: &str) -> bool {
    let content = Value::of(content);
    let place = match tagging {
        Tagging::External => return false,
        Tagging::Internal(_) | Tagging::Untagged if !name.is_empty() => field(&content, name),
        _ => Location::At(Member::of(content)),
    };
    match place {
        Location::At(member) if member.data_of.is_some() => true,
        Location::At(member) => member.value.is_open() || is_partly_open(member.value.schema),
        Location::Opaque => true,
        _ => matches!(content.kind(), Kind::Opaque),
    }
}

const fn message(found: &Conflict, tagging: Tagging, pair: [&Variant; 2]) -> Message {
    let path = found.path.as_str();
    let subject = if path.is_empty() { Message::concat(&["the data"]) } else { Message::concat(&["`", path, "`"]) };
    let tagging = match &found.difference {
        Difference::Rule(_, side) => side.of(pair)[0].tagging(tagging),
        _ => tagging,
    };
    let shared = SharedValue {
        subject: subject.as_str(),
        path,
        variants: [pair[0].name, pair[1].name],
        discriminator: match tagging {
            Tagging::Internal(_) => Discriminator::OwnFields,
            Tagging::Adjacent { tag, content } if is_unescaped(tag) && is_unescaped(content) => {
                Discriminator::Tag { tag, content }
            }
            _ => Discriminator::None,
        },
        advice: None,
    };
    variants::message(&shared, &found.difference)
}

/// Checks that all known parts of a type have a structural schema, except for types that report this themselves.
pub const fn has_structural_form(type_: Option<&'static Schema>) -> Result<(), Message> {
    match type_ {
        Some(schema) => check_structural_form(schema),
        None => Ok(()),
    }
}

const fn check_structural_form(schema: &'static Schema) -> Result<(), Message> {
    if !schema.summary.nonstructural {
        return Ok(());
    }
    let mut result = match schema.shape {
        Shape::Tuple(items) => tuple_of(items),
        Shape::Foreign(_) => Err(always_null(schema.name)),
        _ => Ok(()),
    };
    let mut at = 0;
    while let (Ok(()), Some(part)) = (&result, part(schema, at)) {
        result = check_structural_form(part.schema);
        at += 1;
    }
    result
}

const fn always_null(name: &str) -> Message {
    let message = Message::concat(&["`", name, "` is `null` in JSON, which no structural schema can express: "]);
    if equal(name, "PhantomData") {
        message.then("omit the field with `#[serde(skip)]`")
    } else if equal(name, "()") {
        message.then("use a struct, or add `#[schemars(with = \"Type\")]` to the field")
    } else {
        message.then("write `struct ").then(name).then(" {}`, which is an object without fields")
    }
}

/// Checks that the known items of a tuple are compatible.
pub const fn tuple(schema: &'static Schema) -> Result<(), Message> {
    match strip_newtypes(schema).shape {
        Shape::Tuple(items) => tuple_of(items),
        _ => Ok(()),
    }
}

const fn tuple_of(items: &'static [&'static Schema]) -> Result<(), Message> {
    let mut at = 1;
    while at < items.len() {
        let [one, other] = [Value::of(items[0]), Value::of(items[at])];
        let found = difference(&Member::of(one), &Member::of(other), Sharing::Items, Message::new());
        if found.is_some() && !references_error(one.schema) && !references_error(other.schema) {
            return Err(variants::of_items([one.kind(), other.kind()]));
        }
        at += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
