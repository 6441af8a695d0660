//! Checks of constant defaults against their value, except for patterns and formats, which the derive checks.

use crdkit_core::{
    literal::numbers::{Numbers, Range, is_integer},
    text::equal,
};

use super::{ElementStep, Subject, describe, has_variant, limits::Limits};
use crate::{
    check::Message,
    schema::{
        EnumValue, Keyword, Literal, Shape,
        walk::{Kind, is_foreign, strip_newtypes},
    },
};

/// Checks that the API server accepts the default, except for patterns and formats.
pub const fn default(subject: Subject, literal: Literal) -> Result<(), Message> {
    fits(&subject, literal, "the default is ")
}

const fn fits(subject: &Subject, literal: Literal, the_default: &'static str) -> Result<(), Message> {
    if let Err(message) = has_kind(subject, &literal, the_default) {
        return Err(message);
    }
    if let Err(message) = is_within_limits(subject, &literal) {
        return Err(message);
    }
    if let Literal::Text(name) = literal
        && let Err(message) = has_variant(*subject, name)
    {
        return Err(message);
    }
    if !is_left(subject, &literal) {
        return Err(Message::concat(&["the default is not one of the values that `enum_values` allows"]));
    }
    match literal {
        Literal::List(literals) => items(subject, literals),
        Literal::Object => has_no_member_to_miss(subject),
        _ => Ok(()),
    }
}

const fn has_kind(subject: &Subject, literal: &Literal, the_default: &'static str) -> Result<(), Message> {
    let kind = subject.kind();
    if matches!(
        (kind, literal),
        (Kind::Opaque, _)
            | (Kind::Boolean, Literal::Boolean(_))
            | (Kind::Integer | Kind::Number | Kind::IntOrString, Literal::Integer(_))
            | (Kind::Number, Literal::Number(_))
            | (Kind::String | Kind::IntOrString, Literal::Text(_))
            | (Kind::List, Literal::List(_))
            | (Kind::Map | Kind::Object, Literal::Object)
    ) {
        return Ok(());
    }
    let message = Message::concat(&[the_default, noun_of(literal), ", but "]).then(describe(subject, kind).as_str());
    Err(match (kind, literal) {
        (Kind::Integer | Kind::IntOrString, Literal::Number(number)) if is_integer(*number) => {
            message.then(": write `").then_integer(*number as i64).then("`")
        }
        _ => message,
    })
}

const fn noun_of(literal: &Literal) -> &'static str {
    match literal {
        Literal::Boolean(_) => "a boolean",
        Literal::Integer(_) => "an integer",
        Literal::Number(number) if is_integer(*number) => "written as a float",
        Literal::Number(_) => "a number with a fraction",
        Literal::Text(_) => "a string",
        Literal::List(_) => "a list",
        Literal::Object => "an object",
    }
}

const fn is_within_limits(subject: &Subject, literal: &Literal) -> Result<(), Message> {
    let limits = Limits::of(subject);
    match literal {
        Literal::Integer(value) => {
            #[allow(clippy::cast_precision_loss)] // as the server does
            is_between(&limits, *value as f64)
        }
        Literal::Number(value) => is_between(&limits, *value),
        Literal::Text(text) => has_size(&limits, characters(text), ["character", "characters"]),
        Literal::List(items) => has_size(&limits, items.len(), ["item", "items"]),
        Literal::Object => has_size(&limits, 0, ["entry", "entries"]),
        Literal::Boolean(_) => Ok(()),
    }
}

const fn is_between(limits: &Limits, value: f64) -> Result<(), Message> {
    let above = Range { high: None, ..limits.range };
    if let Some(low) = limits.range.low
        && !above.contains(value)
    {
        let words = if low.exclusive { "above " } else { "at least " };
        return Err(out_of_bounds("the default", Message::concat(&[words]).then_number(low.value)));
    }
    if let Some(high) = limits.range.high
        && !limits.range.contains(value)
    {
        let words = if high.exclusive { "below " } else { "at most " };
        return Err(out_of_bounds("the default", Message::concat(&[words]).then_number(high.value)));
    }
    if let Some(format) = limits.format
        && equal(format, "int32")
        && !Numbers::integers(Some(format)).range.contains(value)
    {
        return Err(Message::concat(&["the default is out of bounds: the field is a 32-bit integer"]));
    }
    Ok(())
}

const fn has_size(limits: &Limits, size: usize, [one, several]: [&str; 2]) -> Result<(), Message> {
    #[allow(clippy::cast_possible_wrap)]
    let size = size as i64;
    let bound = match (limits.min, limits.max) {
        (Some(min), _) if size < min => Message::concat(&["at least "]).then_integer(min),
        (_, Some(max)) if size > max => Message::concat(&["at most "]).then_integer(max),
        _ => return Ok(()),
    };
    let subject =
        Message::concat(&["the default has "]).then_integer(size).then(" ").then(if size == 1 { one } else { several });
    Err(subject.then(", but the type and the attributes require ").then(bound.as_str()))
}

const fn out_of_bounds(subject: &str, bound: Message) -> Message {
    Message::concat(&[subject, " is out of bounds: the type and the attributes require a number ", bound.as_str()])
}

const fn characters(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut count = 0;
    let mut at = 0;
    while at < bytes.len() {
        let continues = bytes[at] & 0b1100_0000 == 0b1000_0000;
        if !continues {
            count += 1;
        }
        at += 1;
    }
    count
}

/// Whether every `enum` of the type and of the field allows the value.
const fn is_left(subject: &Subject, literal: &Literal) -> bool {
    let mut at = 0;
    while let Some(keyword) = subject.keyword(at) {
        if let Keyword::Enum(values) = keyword
            && !are_among(values, literal)
        {
            return false;
        }
        at += 1;
    }
    true
}

const fn are_among(values: &[EnumValue], literal: &Literal) -> bool {
    let mut at = 0;
    while at < values.len() {
        #[allow(clippy::cast_precision_loss, clippy::float_cmp)] // as the server does
        let is_this = match (values[at], literal) {
            (EnumValue::Text(value), Literal::Text(text)) => equal(value, text),
            (EnumValue::Integer(value), Literal::Integer(number)) => value == *number,
            (EnumValue::Integer(value), Literal::Number(number)) => value as f64 == *number,
            (EnumValue::Number(value), Literal::Integer(number)) => value == *number as f64,
            (EnumValue::Number(value), Literal::Number(number)) => value == *number,
            _ => false,
        };
        if is_this {
            return true;
        }
        at += 1;
    }
    false
}

/// Checks the items of a default against the items of the list.
const fn items(subject: &Subject, literals: &'static [Literal]) -> Result<(), Message> {
    let items = subject.inside(ElementStep::Items);
    if items.is_shared {
        return Ok(());
    }
    let mut at = 0;
    while at < literals.len() {
        if let Err(message) = fits(&items, literals[at], "the default contains ") {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

/// Checks that the object has no required fields, so that its default can be empty: the server validates a default
/// before it sets the defaults of its fields.
const fn has_no_member_to_miss(subject: &Subject) -> Result<(), Message> {
    let object = strip_newtypes(subject.schema);
    let Shape::Object(fields) = object.shape else {
        return Ok(());
    };
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        if !field.flatten && field.is_required() && !is_foreign(field.schema) {
            return Err(Message::concat(&[
                "an empty object is not a valid `",
                object.name,
                "`: its field `",
                field.name,
                "` is required",
            ]));
        }
        at += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
