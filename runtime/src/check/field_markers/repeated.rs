//! Types with markers that occur more than once.

use super::{FieldPath, Message, Tree, marker};
use crate::schema::walk::{equal, part, strip_newtypes};
use crate::schema::{Field, Marker, Schema, Shape};

impl Tree {
    /// Checks that no type with markers in a part of the tree occurs twice, because its markers would have two paths.
    pub(super) const fn repeated(self, part: &'static Schema) -> Result<(), Message> {
        let elsewhere = match self.status {
            Some(status) => status.summary.objects,
            None => 0,
        };
        if self.schema.summary.objects + elsewhere > 1 && part.summary.objects > 0 {
            repeated(part, self)
        } else {
            Ok(())
        }
    }

    const fn occurrences(self, type_: &Schema) -> usize {
        let elsewhere = match self.status {
            Some(status) => occurrences(status, type_),
            None => 0,
        };
        occurrences(self.schema, type_) + elsewhere
    }

    /// Returns the paths of a type.
    const fn places(self, type_: &Schema) -> Places {
        let places = Places { message: Message::new(), count: 0 }.with(self.schema, &FieldPath::Root(self.root), type_);
        match self.status {
            Some(status) => places.with(status, &FieldPath::Root(".status"), type_),
            None => places,
        }
    }
}

/// A list of paths for a message.
struct Places {
    message: Message,
    count: usize,
}

impl Places {
    const fn with(self, schema: &'static Schema, path: &FieldPath<'_>, type_: &Schema) -> Self {
        let owner = strip_newtypes(schema);
        let mut places = self;
        if is_same(owner, type_) {
            places = places.and(path);
        }
        let mut at = 0;
        while has_marks_below(owner)
            && let Some(part) = part(owner, at)
        {
            places = places.with(part.schema, &path.to(part.segment), type_);
            at += 1;
        }
        places
    }

    const fn and(mut self, path: &FieldPath<'_>) -> Self {
        self.count += 1;
        let separator = match self.count {
            1 => "`",
            2 => " and `",
            3 => {
                self.message = self.message.then(", among others");
                return self;
            }
            _ => return self,
        };
        self.message = path.write(self.message.then(separator)).then("`");
        self
    }
}

const fn repeated(schema: &'static Schema, tree: Tree) -> Result<(), Message> {
    let owner = strip_newtypes(schema);
    if let Shape::Object(fields) = owner.shape
        && owner.summary.own
        && tree.occurrences(owner) > 1
    {
        return Err(multiple_paths(owner, first_marked_field(fields), tree));
    }
    let mut at = 0;
    while has_marks_below(owner)
        && let Some(part) = part(owner, at)
    {
        if let Err(message) = repeated(part.schema, tree) {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

/// Counts the occurrences of a type with markers, except in lists and maps.
const fn occurrences(schema: &'static Schema, type_: &Schema) -> usize {
    let owner = strip_newtypes(schema);
    let mut found = is_same(owner, type_) as usize;
    let mut at = 0;
    while has_marks_below(owner)
        && let Some(part) = part(owner, at)
    {
        found += occurrences(part.schema, type_);
        at += 1;
    }
    found
}

const fn is_same(owner: &Schema, type_: &Schema) -> bool {
    owner.summary.own && is_type(owner, type_)
}

/// Whether two schemas are those of the same type.
pub(super) const fn is_type(schema: &Schema, type_: &Schema) -> bool {
    equal(schema.name, type_.name) && equal(schema.path, type_.path)
}

/// Whether the type of any field has marked fields.
const fn has_marks_below(owner: &Schema) -> bool {
    owner.summary.objects > owner.summary.own as usize
}

const fn first_marked_field(fields: &'static [Field]) -> &'static Field {
    let mut at = 0;
    while fields[at].markers.is_empty() {
        at += 1;
    }
    &fields[at]
}

const fn multiple_paths(owner: &Schema, field: &Field, tree: Tree) -> Message {
    let places = tree.places(owner);
    Message::concat(&[
        "`",
        owner.name,
        "` occurs at ",
        places.message.as_str(),
        ", so `#[crd(",
        marker(field),
        ")]` on its field `",
        field.name,
        "` has no single path: remove it, and specify the paths with `",
        match field.markers[0] {
            Marker::Column(_) => "printcolumn(name = \"...\", json_path = \"...\", ...)",
            Marker::Selectable => "selectable = \"...\"",
            Marker::Scale(_) => "scale(spec_replicas_path = \"...\", ...)",
        },
        "` on the resource",
    ])
}
