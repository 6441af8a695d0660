//! What keywords ask of the value that they are written on.

use crdkit_core::{suggest::Nearest, text::equal};

use super::Message;
pub use crate::schema::walk::{Inside, Value as Subject};
use crate::schema::walk::{Kind, peel};
use crate::schema::{Schema, Shape};

mod default;
mod limits;
mod resource;

pub use default::default;
pub(super) use limits::have_other_bounds;
pub use limits::satisfiable;

/// What a keyword is about.
#[derive(Clone, Copy)]
pub enum About {
    /// Numbers.
    Number(Side),
    /// Numbers without a fraction.
    Integer,
    /// Numbers that may have a fraction.
    Fraction,
    /// Text.
    Text,
    /// The length of text.
    Length(Side),
    /// How many items a list has.
    Items(Side),
    /// How many entries a map has, or fields an object.
    Properties(Side),
    /// The items of lists.
    EachItem,
    /// The values of maps.
    EachValue,
    /// Values that may be null.
    Null,
    /// Whole resources.
    Resource,
}

/// The end of a range.
#[derive(Clone, Copy)]
pub enum Side {
    /// The lower end.
    Min,
    /// The upper end.
    Max,
    /// Neither, such as of a factor.
    Both,
}

/// How a message about a value begins.
pub(super) const fn noun(subject: &Subject) -> &'static str {
    match subject.step {
        Some(Inside::Items) => "each item is ",
        Some(Inside::Values) => "each value is ",
        None => "the value is ",
    }
}

/// A keyword is about values of this kind.
pub const fn fits(subject: Subject, keyword: &str, about: About) -> Result<(), Message> {
    let kind = subject.kind();
    if let (About::Null, Some(_)) = (about, variants(&subject)) {
        return Err(Message::of(&[
            "the server accepts no null where there is an `enum`: an `Option` of it may be left out",
        ]));
    }
    if let (About::Resource, true) = (about, concerns(about, kind)) {
        return resource::fields(&subject);
    }
    if concerns(about, kind) {
        return Ok(());
    }
    let message = Message::of(&[
        noun(&subject),
        kind.name(),
        ": `",
        keyword,
        "` is about ",
        topic(about),
    ]);
    Err(match instead(about, kind) {
        Some(other) => message.then(", here write `").then(other).then("`"),
        None => message,
    })
}

const fn concerns(about: About, kind: Kind) -> bool {
    matches!(
        (about, kind),
        (_, Kind::Opaque)
            | (About::Null, _)
            | (
                About::Number(_),
                Kind::Integer | Kind::Number | Kind::IntOrString
            )
            | (About::Integer, Kind::Integer)
            | (About::Fraction, Kind::Number)
            | (
                About::Text | About::Length(_),
                Kind::String | Kind::IntOrString
            )
            | (About::Items(_) | About::EachItem, Kind::List)
            | (About::Properties(_), Kind::Map | Kind::Object)
            | (About::EachValue, Kind::Map)
            | (About::Resource, Kind::Object)
    )
}

const fn topic(about: About) -> &'static str {
    match about {
        About::Number(_) => "numbers",
        About::Integer => "integers",
        About::Fraction => "numbers that may have a fraction",
        About::Text | About::Length(_) => "text",
        About::Items(_) | About::EachItem => "lists",
        About::Properties(_) => "maps and objects",
        About::EachValue => "maps",
        About::Null => "null",
        About::Resource => "objects with `apiVersion` and `kind`, or any value",
    }
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
    let message = Message::of(&["`", schema.name, "` is never `", name, "` in JSON"]);
    Err(match best.found() {
        Some(meant) => message.then(": did you mean `").then(meant).then("`?"),
        None => message,
    })
}

/// The enum of strings that the value is.
const fn variants(subject: &Subject) -> Option<&'static Schema> {
    let schema = peel(subject.schema);
    match schema.shape {
        Shape::Enum(_) => Some(schema),
        _ => None,
    }
}

/// The keyword that says the same of another kind of value.
const fn instead(about: About, kind: Kind) -> Option<&'static str> {
    let side = match about {
        About::Number(side)
        | About::Length(side)
        | About::Items(side)
        | About::Properties(side) => side,
        About::EachItem if matches!(kind, Kind::Map) => return Some("values(...)"),
        About::EachValue if matches!(kind, Kind::List) => return Some("items(...)"),
        _ => return None,
    };
    match (side, kind) {
        (Side::Min, Kind::Integer | Kind::Number) => Some("minimum"),
        (Side::Max, Kind::Integer | Kind::Number) => Some("maximum"),
        (Side::Min, Kind::String) => Some("min_length"),
        (Side::Max, Kind::String) => Some("max_length"),
        (Side::Min, Kind::List) => Some("min_items"),
        (Side::Max, Kind::List) => Some("max_items"),
        (Side::Min, Kind::Map | Kind::Object) => Some("min_properties"),
        (Side::Max, Kind::Map | Kind::Object) => Some("max_properties"),
        _ => None,
    }
}
