//! Enumerates the paths of selectable fields.

use crdkit_core::{Message, suggest::distance};

use super::{metadata_fields, without_dot};
use crate::{
    client::selector::{Selectable, SelectableField},
    resource::definition::{DerivedRoot, RootSchema},
    schema::{Schema, Shape, walk::strip_newtypes},
};

/// The path that is most similar to another.
pub(super) struct Nearest {
    pub(super) path: Message,
    pub(super) distance: usize,
}

/// Returns the selectable path that is most similar to one that is not selectable.
pub(super) const fn nearest(selectable: &Selectable, misspelt: &str) -> Nearest {
    let none = Nearest { path: Message::new(), distance: usize::MAX };
    match each(selectable, Visit::Nearest(misspelt, none)) {
        Visit::Nearest(_, nearest) => nearest,
        Visit::List(path, distance) => Nearest { path, distance },
    }
}

/// Appends all selectable paths to a text.
pub(super) const fn list(selectable: &Selectable, message: Message) -> Message {
    each(selectable, Visit::List(message, 0)).listed()
}

/// The action for each selectable path.
enum Visit<'a> {
    /// Compare it with a path that is not selectable.
    Nearest(&'a str, Nearest),
    /// Append it to a text with the given number of paths.
    List(Message, usize),
}

impl Visit<'_> {
    const fn path(self, path: Message) -> Self {
        match self {
            Self::Nearest(misspelt, nearest) => {
                let distance = distance(path.as_str(), misspelt);
                if distance < nearest.distance {
                    Self::Nearest(misspelt, Nearest { path, distance })
                } else {
                    Self::Nearest(misspelt, nearest)
                }
            }
            Self::List(message, count) => {
                let separator = if count == 0 { " `" } else { ", `" };
                let message = message.then(separator).then(path.as_str()).then("`");
                Self::List(message, count + 1)
            }
        }
    }

    const fn listed(self) -> Message {
        match self {
            Self::List(message, _) => message,
            Self::Nearest(_, nearest) => nearest.path,
        }
    }
}

const fn each<'a>(selectable: &Selectable, visit: Visit<'a>) -> Visit<'a> {
    match selectable {
        Selectable::Listed(fields) => each_listed(fields, visit),
        Selectable::Declared(definition) => {
            let mut visit = each_listed(metadata_fields(definition), visit);
            let mut at = 0;
            while at < definition.selectable_fields.len() {
                let path = without_dot(definition.selectable_fields[at]);
                visit = visit.path(Message::concat(&[path]));
                at += 1;
            }
            match &definition.schema {
                RootSchema::Derived(root) => each_of_root(root, visit),
                _ => visit,
            }
        }
    }
}

const fn each_listed<'a>(fields: &[SelectableField], mut visit: Visit<'a>) -> Visit<'a> {
    let mut at = 0;
    while at < fields.len() {
        visit = visit.path(Message::concat(&[fields[at].path]));
        at += 1;
    }
    visit
}

const fn each_of_root<'a>(root: &DerivedRoot, visit: Visit<'a>) -> Visit<'a> {
    let spec = if root.flatten_spec { "" } else { "spec." };
    let visit = each_marked(root.spec, Message::concat(&[spec]), visit);
    match root.status {
        Some(status) => each_marked(status, Message::concat(&["status."]), visit),
        None => visit,
    }
}

const fn each_marked<'a>(schema: &'static Schema, prefix: Message, mut visit: Visit<'a>) -> Visit<'a> {
    let Shape::Object(fields) = strip_newtypes(schema).shape else {
        return visit;
    };
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        let path = prefix.then(field.name);
        if field.is_selectable() {
            visit = visit.path(path);
        }
        if field.schema.summary.selectable > 0 {
            let below = if field.flatten { prefix } else { path.then(".") };
            visit = each_marked(field.schema, below, visit);
        }
        at += 1;
    }
    visit
}
