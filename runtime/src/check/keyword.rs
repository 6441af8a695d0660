//! What keywords ask of the value that they are written on.

use crdkit_core::{suggest::Nearest, text::equal};

use super::Message;
use crate::schema::walk::{Kind, Place, is_open, kind, peel};
use crate::schema::{Field, Keyword, Schema, Shape};

mod default;
mod limits;
mod resource;

pub use default::default;
pub(super) use limits::have_other_bounds;
pub use limits::satisfiable;

/// A value that keywords are written on: that of a type or of a field, or what is in it.
#[derive(Clone, Copy)]
pub struct Subject {
    pub(super) schema: &'static Schema,
    /// What the field adds to its type.
    pub(super) keywords: &'static [Keyword],
    /// The way into lists and maps.
    pub(super) inside: &'static [Inside],
}

/// A step into a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// To the items of a list.
    Items,
    /// To the values of a map.
    Values,
}

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

impl Subject {
    /// The value of a field of an object.
    pub const fn of_field(schema: &'static Schema, at: usize, inside: &'static [Inside]) -> Self {
        match schema.shape {
            Shape::Object(fields) => {
                let field: &Field = &fields[at];
                Self {
                    schema: field.schema,
                    keywords: field.keywords,
                    inside,
                }
            }
            _ => Self::of_type(schema, inside),
        }
    }

    /// The value of a type.
    pub const fn of_type(schema: &'static Schema, inside: &'static [Inside]) -> Self {
        Self {
            schema,
            keywords: &[],
            inside,
        }
    }

    pub(super) const fn kind(self) -> Kind {
        match self.known() {
            Some(schema) => kind(schema),
            None => Kind::Opaque,
        }
    }

    /// The schema of the value, if it is known while compiling.
    pub(super) const fn known(self) -> Option<&'static Schema> {
        if is_open(self.keywords) {
            return None;
        }
        inner(self.schema, self.inside)
    }

    /// The value around it, and the way inside; none if that is not known while compiling.
    pub(super) const fn outside(
        self,
    ) -> Option<(&'static Schema, &'static [Keyword], &'static [Inside])> {
        match is_open(self.keywords) {
            true => None,
            false => Some((self.schema, self.keywords, self.inside)),
        }
    }

    /// Where the value stands; none if that is not known while compiling.
    pub(super) const fn place(self) -> Option<Place> {
        match self.inside {
            [] => Some(Place::Value(self.schema, self.keywords)),
            _ => match self.known() {
                Some(schema) => Some(Place::Value(schema, &[])),
                None => None,
            },
        }
    }

    pub(super) const fn noun(self) -> &'static str {
        match self.inside {
            [.., Inside::Items] => "each item is ",
            [.., Inside::Values] => "each value is ",
            [] => "the value is ",
        }
    }
}

/// The schema of what is inside of a value, as far as it is known.
const fn inner(schema: &'static Schema, inside: &'static [Inside]) -> Option<&'static Schema> {
    let [first, rest @ ..] = inside else {
        return Some(schema);
    };
    match (schema.shape, first) {
        (Shape::Newtype(schema), _) => inner(schema, inside),
        (Shape::List(items) | Shape::Tuple(&[items, ..]), Inside::Items) => inner(items, rest),
        (Shape::Map(values), Inside::Values) => inner(values, rest),
        _ => None,
    }
}

/// A keyword is about values of this kind.
pub const fn fits(subject: Subject, keyword: &str, about: About) -> Result<(), Message> {
    let kind = subject.kind();
    if let (About::Null, Some(_)) = (about, variants(subject)) {
        return Err(Message::of(&[
            "the server accepts no null where there is an `enum`: an `Option` of it may be left out",
        ]));
    }
    if let (About::Resource, Some(schema)) = (about, inner(subject.schema, subject.inside))
        && (concerns(about, kind) || resource::is_any_object(subject, schema))
    {
        return resource::fields(subject, schema);
    }
    if concerns(about, kind) {
        return Ok(());
    }
    let message = Message::of(&[
        subject.noun(),
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
    let Some(schema) = variants(subject) else {
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
const fn variants(subject: Subject) -> Option<&'static Schema> {
    let Some(schema) = inner(subject.schema, subject.inside) else {
        return None;
    };
    let schema = peel(schema);
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
