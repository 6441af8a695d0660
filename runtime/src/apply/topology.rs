//! The ownership of lists and objects: as a whole, or separately for each part.

use serde_json::Value;

use crate::{
    check::path::from_root,
    resource::definition::Definition,
    schema::{
        Keyword, ListType, MapType, Schema,
        walk::{self, Location, Member, PathStep},
    },
};

/// A value in an object, with its schema.
#[derive(Clone, Copy)]
pub(super) enum TopologyNode {
    /// The object itself.
    Root(&'static Definition),
    Known(walk::Value),
    /// A value with an unknown schema.
    Unknown,
}

/// The schema of a value that the API server has no schema for either: a list has one owner, an object can have many.
const ANY: Schema = Schema::any();

impl TopologyNode {
    pub(super) fn of(definition: Option<&'static Definition>) -> Self {
        definition.map_or(Self::Unknown, Self::Root)
    }

    /// Returns the node of a field of an object, or of an entry of a map.
    pub(super) fn field(self, name: &str) -> Self {
        match self {
            Self::Root(definition) => self.at(from_root(definition, name)),
            Self::Known(value) => self.at(walk::field(&value, name)),
            Self::Unknown => Self::Unknown,
        }
    }

    /// Returns the node of a list's items.
    pub(super) fn items(self) -> Self {
        match self {
            Self::Known(value) => self.at(walk::step(&value, PathStep::Items)),
            _ => Self::Unknown,
        }
    }

    fn at(self, place: Location) -> Self {
        match (place, self) {
            (Location::At(Member { data_of: None, value, .. }), _) => Self::Known(value),
            (Location::Opaque | Location::Any, Self::Known(_)) if !self.is_unknown() => {
                Self::Known(walk::Value::of(&ANY))
            }
            _ => Self::Unknown,
        }
    }

    /// Returns the part of a value that a manager owns if it owns nothing below the value.
    pub(super) fn without_children(self, value: &Value) -> Value {
        match value {
            Value::Array(_) if !self.is_atomic_list() => Value::Array(Vec::new()),
            Value::Object(_) if !self.is_atomic_object() => Value::Object(serde_json::Map::new()),
            value => value.clone(),
        }
    }

    fn is_atomic_list(self) -> bool {
        let granular = [ListType::Set, ListType::Map].map(ListType::as_str);
        let list_type = self.last(|keyword| match keyword {
            Keyword::ListType(list_type) => Some(list_type.as_str().to_owned()),
            keyword => evaluated(keyword, "x-kubernetes-list-type"),
        });
        list_type.is_none_or(|list_type| !granular.contains(&list_type.as_str()))
    }

    fn is_atomic_object(self) -> bool {
        let map_type = self.last(|keyword| match keyword {
            Keyword::MapType(map_type) => Some(map_type.as_str().to_owned()),
            keyword => evaluated(keyword, "x-kubernetes-map-type"),
        });
        // If the schema is unknown, the whole object is returned, so that nothing is lost.
        map_type.map_or(self.is_unknown(), |it| it == MapType::Atomic.as_str())
    }

    fn is_unknown(self) -> bool {
        match self {
            Self::Root(_) => false,
            Self::Known(value) => walk::is_foreign(value.schema),
            Self::Unknown => true,
        }
    }

    /// Returns the last result of `read` for the keywords of the value.
    fn last(self, read: impl Fn(&Keyword) -> Option<String>) -> Option<String> {
        let Self::Known(value) = self else {
            return None;
        };
        let all = (0..).map_while(|at| value.keyword(at));
        all.filter_map(read).last()
    }
}

fn evaluated(keyword: &Keyword, name: &str) -> Option<String> {
    match keyword {
        Keyword::Extend(value) | Keyword::Evaluated(value) => Some(value().get(name)?.as_str()?.to_owned()),
        _ => None,
    }
}
