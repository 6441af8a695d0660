//! Checks of keywords against the value that they are specified on.

pub use crdkit_core::{path::ElementStep, schema::AppliesTo};
use crdkit_core::{
    rules::value_constraints::{bound_applies, enum_is_not_nullable},
    suggest::Nearest,
    text::equal,
};

use super::{Message, of_rule};
pub use crate::schema::walk::Value as Subject;
use crate::schema::walk::{Kind, strip_newtypes};
use crate::schema::{Schema, Shape};

mod default;
mod limits;
mod resource;

pub use default::default;
pub use limits::satisfiable;

/// Describes the kind of a value in a message, such as `the value is a string` or `the items are strings`.
pub(super) const fn describe(subject: &Subject, kind: Kind) -> Message {
    let [subject, noun] = ElementStep::describe(subject.step, kind);
    Message::concat(&[subject, " ", noun])
}

/// Checks that a keyword applies to the kind of the value.
pub const fn fits(subject: Subject, key: &str, about: AppliesTo) -> Result<(), Message> {
    let kind = subject.kind();
    if let AppliesTo::Null = about {
        return of_rule(enum_is_not_nullable(true, variants(&subject).is_some()));
    }
    if let AppliesTo::Resource = about
        && (about.includes(kind) || resource::is_any_object(&subject))
    {
        return resource::fields(&subject);
    }
    of_rule(bound_applies(key, about, kind, subject.step, equivalent_key(key, about, kind)))
}

/// Checks that an enum has a variant with this name.
pub const fn has_variant(subject: Subject, name: &str) -> Result<(), Message> {
    let Some(schema) = variants(&subject) else {
        return Ok(());
    };
    let mut best = Nearest::to(name);
    if let Shape::Enum(variants) = schema.shape {
        let mut at = 0;
        while at < variants.len() {
            if equal(variants[at].name, name) {
                return Ok(());
            }
            best = best.or(variants[at].name);
            at += 1;
        }
    }
    let message = Message::concat(&["`", schema.name, "` has no variant `", name, "` in JSON"]);
    Err(match best.found() {
        Some(meant) => message.then(": did you mean `").then(meant).then("`?"),
        None => message,
    })
}

/// Returns the schema of the value if it is an enum of strings.
const fn variants(subject: &Subject) -> Option<&'static Schema> {
    let schema = strip_newtypes(subject.schema);
    match schema.shape {
        Shape::Enum(_) => Some(schema),
        _ => None,
    }
}

/// Returns the equivalent key for another kind of value.
const fn equivalent_key(key: &str, about: AppliesTo, kind: Kind) -> Option<&'static str> {
    match (about, kind) {
        (AppliesTo::EachItem, Kind::Map) => Some("values(...)"),
        (AppliesTo::EachValue, Kind::List) => Some("items(...)"),
        _ => crdkit_core::schema::equivalent_key(key, kind),
    }
}
