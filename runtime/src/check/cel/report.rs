//! Messages about the types of expressions, in the words of the errors of `crdkit_core::cel`.

use crdkit_core::cel::{ABSENT, Scalar, TypeStep, TypeStepKind};

use super::{
    Expression,
    call::Call,
    types::{CelType, Holder, Inner},
};
use crate::{check::Message, schema::walk::equal};

/// The length of the longest line that a message quotes, so that it has room for the rest.
const MAX_QUOTED: usize = 240;

/// The place of an error.
#[derive(Clone, Copy)]
pub(super) struct Report<'e> {
    pub(super) expression: Expression<'e>,
    /// The offset in the expression.
    pub(super) at: usize,
}

impl Report<'_> {
    /// Adds the place to a message.
    pub(super) const fn message(self, message: Message) -> Message {
        let place = Place::of(self.expression.source, self.at);
        let located = Message::concat(&[self.expression.what, " does not compile, at line "])
            .then_integer(place.line)
            .then(", column ")
            .then_integer(place.column + 1)
            .then(": ")
            .then(message.as_str());
        place.quoted_below(located)
    }

    pub(super) const fn mismatch(self, expected: &CelType, found: &CelType) -> Message {
        let message = named(Message::concat(&["expected type '"]), expected).then("' but found '");
        self.message(named(message, found).then("'"))
    }

    pub(super) const fn no_range(self, found: &CelType) -> Message {
        let message = named(Message::concat(&["expression of type '"]), found);
        self.message(message.then("' cannot be range of a comprehension (must be list, map, or dynamic)"))
    }

    /// The message for an expression of another type than its result must have.
    pub(super) const fn result(self, found: &CelType, expected: Scalar) -> Message {
        let expression = self.expression;
        let message = Message::concat(&[expression.what, " `", expression.source, "` evaluates to the type `"]);
        let advice = match expected {
            Scalar::Bool => "`: write an expression that evaluates to a boolean",
            _ => "`: write one that evaluates to a string, such as `string(...)`",
        };
        named(message, found).then(advice)
    }

    /// The message for a call whose arguments fit no overload.
    pub(super) const fn no_overload(self, call: &Call<'_>, overloads: &[TypeStep<'_>]) -> Message {
        let function = call.function;
        let is_operator = matches!(function.as_bytes(), [b'_', ..]) && call.arity == 2;
        if is_operator && call.args[0].opened().is_none() && call.args[1].opened().is_none() {
            return self.message(uncombined(function, &call.args[0], &call.args[1]));
        }
        let message = Message::concat(&["found no matching overload for '", function, "' applied to '"]);
        let is_member = match overloads {
            [TypeStep { kind: TypeStepKind::Overload(signature), .. }, ..] => signature.as_bytes()[0] == b'm',
            _ => false,
        };
        let message = applied(message, call, is_member).then("'");
        let is_named = !matches!(function.as_bytes(), [b'_' | b'!' | b'-' | b'@', ..]);
        self.message(if is_named && overloads.len() <= 4 { forms(message, function, overloads) } else { message })
    }
}

/// Names two operands that an operator cannot combine.
const fn uncombined(function: &str, left: &CelType, right: &CelType) -> Message {
    let operator = function.split_at(1).1.split_at(function.len() - 2).0;
    let compares = matches!(operator.as_bytes(), [b'=' | b'!', b'='] | [b'<' | b'>', ..]);
    let message = if compares {
        with_article(with_article(Message::new(), left).then(" cannot be compared with "), right)
    } else {
        let message = Message::concat(&["`", operator, "` cannot combine "]);
        with_article(with_article(message, left).then(" and "), right)
    };
    let is_equality = equal(operator, "==") || equal(operator, "!=");
    if is_equality && left.is_null() != right.is_null() {
        return message.then(": ").then(ABSENT);
    }
    match (left.as_scalar(), right.as_scalar()) {
        (Some(left), Some(right)) => match left.advice(right) {
            Some(advice) => message.then(": ").then(advice),
            None => message,
        },
        _ => message,
    }
}

const fn with_article(message: Message, type_: &CelType) -> Message {
    match type_.inner {
        Inner::Scalar(scalar) => message.then(scalar.article()).then(" ").then(scalar.name()),
        Inner::Unknown => message.then("a value"),
        _ => named(message.then("the object `"), type_).then("`"),
    }
}

/// Appends the name of a type.
const fn named(message: Message, type_: &CelType) -> Message {
    match (type_.opened(), type_.inner) {
        (Some((Holder::List, item)), _) => named(message.then("list("), &item).then(")"),
        (Some((Holder::Optional, value)), _) => named(message.then("optional_type("), &value).then(")"),
        (Some((Holder::Map(key), value)), _) => {
            let key = match key {
                Some(key) => key.name(),
                None => "dyn",
            };
            named(message.then("map(").then(key).then(", "), &value).then(")")
        }
        (None, Inner::Unknown) => message.then("dyn"),
        (None, Inner::Scalar(scalar)) => message.then(scalar.name()),
        (None, Inner::Object(value)) if value.schema.name.is_empty() => message.then("object"),
        (None, Inner::Object(value)) => message.then(value.schema.name),
        (None, Inner::Resource(definition)) => message.then(definition.kind),
        (None, Inner::Metadata) => message.then("ObjectMeta"),
    }
}

/// Appends the types of arguments, as in `string.(int)`.
const fn applied(mut message: Message, call: &Call<'_>, is_member: bool) -> Message {
    let mut at = 0;
    if is_member {
        message = named(message, &call.args[0]).then(".");
        at = 1;
    }
    message = message.then("(");
    let first = at;
    while at < call.arity {
        if at > first {
            message = message.then(", ");
        }
        message = named(message, &call.args[at]);
        at += 1;
    }
    message.then(")")
}

/// Appends how the function is called.
const fn forms(mut message: Message, function: &str, overloads: &[TypeStep<'_>]) -> Message {
    let mut at = 0;
    while at < overloads.len() {
        if let TypeStepKind::Overload(signature) = overloads[at].kind {
            message = message.then(if at == 0 { ": it is called as `" } else { " or `" });
            message = form(message, function, signature).then("`");
        }
        at += 1;
    }
    message
}

/// Appends a call as in `string.split(string)`, from a signature as in `m(string,string) list(string)`.
const fn form(message: Message, function: &str, signature: &str) -> Message {
    let bytes = signature.as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] != b' ' {
        end += 1;
    }
    let call = signature.split_at(end).0;
    if bytes[0] == b'f' {
        return message.then(function).then(call.split_at(1).1);
    }
    let (mut at, mut depth) = (2, 0);
    while depth > 0 || !matches!(bytes[at], b',' | b')') {
        match bytes[at] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    let receiver = call.split_at(2).1.split_at(at - 2).0;
    let rest = call.split_at(if bytes[at] == b',' { at + 1 } else { at }).1;
    message.then(receiver).then(".").then(function).then("(").then(rest)
}

/// A position in a text.
struct Place<'s> {
    /// The line, from 1.
    line: i64,
    /// The number of characters before the position on its line.
    column: i64,
    text: &'s str,
}

impl<'s> Place<'s> {
    const fn of(source: &'s str, offset: usize) -> Self {
        let bytes = source.as_bytes();
        let (mut line, mut column, mut start, mut at) = (1, 0, 0, 0);
        while at < offset && at < bytes.len() {
            if bytes[at] == b'\n' {
                line += 1;
                column = 0;
                start = at + 1;
            } else if is_first_byte(bytes[at]) {
                column += 1;
            }
            at += 1;
        }
        let mut end = at;
        while end < bytes.len() && bytes[end] != b'\n' {
            end += 1;
        }
        Self { line, column, text: source.split_at(start).1.split_at(end - start).0 }
    }

    /// Appends the line, and a mark below it.
    const fn quoted_below(&self, message: Message) -> Message {
        if self.text.len() > MAX_QUOTED {
            return message;
        }
        let mut message = message.then("\n | ").then(self.text).then("\n | ");
        let bytes = self.text.as_bytes();
        let (mut at, mut column) = (0, 0);
        while at < bytes.len() && column < self.column {
            if is_first_byte(bytes[at]) {
                message = message.then(if bytes[at] < 0x80 { "." } else { "\u{ff0e}" });
                column += 1;
            }
            at += 1;
        }
        message.then("^")
    }
}

/// Whether the byte is not a later one of a character.
const fn is_first_byte(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}
