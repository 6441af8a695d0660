//! What keywords ask of the value that they are written on.

pub use crdkit_core::{path::ElementStep, schema::AppliesTo};
use crdkit_core::{suggest::Nearest, text::equal};

use super::Message;
pub use crate::schema::walk::Value as Subject;
use crate::schema::walk::{Kind, strip_newtypes};
use crate::schema::{Schema, Shape};

mod default;
mod limits;
mod resource;

pub use default::default;
pub(super) use limits::have_different_bounds;
pub use limits::satisfiable;

/// How a message about a value begins.
pub(super) const fn noun(subject: &Subject) -> &'static str {
    match subject.step {
        Some(ElementStep::Items) => "each item is ",
        Some(ElementStep::Values) => "each value is ",
        None => "the value is ",
    }
}

/// A keyword is about values of this kind.
pub const fn fits(subject: Subject, key: &str, about: AppliesTo) -> Result<(), Message> {
    let kind = subject.kind();
    if let (AppliesTo::Null, Some(_)) = (about, variants(&subject)) {
        return Err(Message::concat(&[
            "the server accepts no null where there is an `enum`: an `Option` of it may be left out",
        ]));
    }
    if let AppliesTo::Resource = about
        && (about.includes(kind) || resource::is_any_object(&subject))
    {
        return resource::fields(&subject);
    }
    if about.includes(kind) {
        return Ok(());
    }
    let message = Message::concat(&[noun(&subject), kind.name(), ": `", key, "` is about ", about.noun()]);
    Err(match instead(key, about, kind) {
        Some(other) => message.then(", here write `").then(other).then("`"),
        None => message,
    })
}

/// An enum has a variant of this name.
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
    let message = Message::concat(&["`", schema.name, "` is never `", name, "` in JSON"]);
    Err(match best.found() {
        Some(meant) => message.then(": did you mean `").then(meant).then("`?"),
        None => message,
    })
}

/// The enum of strings that the value is.
const fn variants(subject: &Subject) -> Option<&'static Schema> {
    let schema = strip_newtypes(subject.schema);
    match schema.shape {
        Shape::Enum(_) => Some(schema),
        _ => None,
    }
}

/// The key that says the same of another kind of value.
const fn instead(key: &str, about: AppliesTo, kind: Kind) -> Option<&'static str> {
    match (about, kind) {
        (AppliesTo::EachItem, Kind::Map) => Some("values(...)"),
        (AppliesTo::EachValue, Kind::List) => Some("items(...)"),
        _ => crdkit_core::schema::equivalent_key(key, kind),
    }
}
