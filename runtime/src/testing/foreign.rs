//! Types whose schema only schemars knows.

use std::fmt;

use crate::{
    definition::{Definition, RootSchema},
    schema::{Alternative, ForeignSchema, Schema, Shape, Tagging},
    structural,
};

/// A place where a type stands that the compiler knows nothing of.
pub(super) struct ForeignPlace {
    pub(super) path: String,
    schema: ForeignSchema,
}

impl ForeignPlace {
    /// That keywords of the type are lost, each with its place.
    fn losses(&self) -> impl Iterator<Item = String> {
        let lost = structural::lost(&self.schema).into_iter();
        let type_name = (self.schema.type_name)();
        lost.map(move |lost| {
            let path = format!("{}{}", self.path, lost.path);
            let place = match path.as_str() {
                "" => "the root",
                path => path,
            };
            format!(
                "`{}` is lost at {place}, in `{type_name}`: no schema of a CustomResourceDefinition has that keyword, and what \
                 it refuses the server accepts; a rule on the field can say it, as in `#[crd(validation = \"{}\")]`",
                lost.keyword, lost.rule
            )
        })
    }

    /// That any value is kept at parts of the type.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let parts = structural::opaque_parts(&self.schema).into_iter();
        let type_name = (self.schema.type_name)();
        parts.map(move |part| {
            format!(
                "any value is kept at {}{}, in `{type_name}`: {}",
                self.path, part.path, part.message
            )
        })
    }
}

/// That keywords of such types are lost, and of a root whose schema is its own.
pub(crate) fn losses(definition: &Definition) -> Vec<String> {
    let root = match definition.schema {
        RootSchema::Manual(schema) => Some(ForeignPlace {
            path: String::new(),
            schema,
        }),
        _ => None,
    };
    let places = places(definition);
    let all = places.iter().chain(&root);
    all.flat_map(ForeignPlace::losses).collect()
}

impl fmt::Display for ForeignPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (`{}`)", self.path, (self.schema.type_name)())
    }
}

/// All such places in a definition.
pub(super) fn places(definition: &Definition) -> Vec<ForeignPlace> {
    let mut paths = Vec::new();
    if let RootSchema::Derived(root) = &definition.schema {
        let spec = if root.flatten_spec { "" } else { ".spec" };
        find(root.spec, spec, &mut paths);
        if let Some(status) = root.status {
            find(status, ".status", &mut paths);
        }
    }
    paths
}

/// All such places in a type.
#[cfg(any(feature = "testing", test, doc))]
pub(super) fn places_of(schema: &Schema) -> Vec<ForeignPlace> {
    let mut places = Vec::new();
    find(schema, "", &mut places);
    places
}

fn find(schema: &Schema, path: &str, found: &mut Vec<ForeignPlace>) {
    match &schema.shape {
        Shape::Foreign(foreign) => found.push(ForeignPlace {
            path: path.to_owned(),
            schema: *foreign,
        }),
        Shape::Newtype(inner) => find(inner, path, found),
        Shape::List(items) => find(items, &format!("{path}[]"), found),
        Shape::Map(values) => find(values, &format!("{path}[*]"), found),
        Shape::Object(fields) => {
            for field in *fields {
                let place = if field.flatten {
                    path.to_owned()
                } else {
                    format!("{path}.{}", field.name)
                };
                find(field.schema, &place, found);
            }
        }
        Shape::OneOf(tagging, alternatives) => {
            for (content, place) in contents(*tagging, alternatives, path) {
                find(content, &place, found);
            }
        }
        Shape::Tuple(items) => {
            for (at, item) in items.iter().enumerate() {
                find(item, &format!("{path}[{at}]"), found);
            }
        }
        _ => {}
    }
}

/// The data of the variants of an enum at a path, and where it stands.
pub(super) fn contents(
    tagging: Tagging,
    alternatives: &'static [Alternative],
    path: &str,
) -> impl Iterator<Item = (&'static Schema, String)> {
    alternatives.iter().filter_map(move |variant| {
        let place = match variant.tagging(tagging) {
            Tagging::External => format!("{path}.{}", variant.name),
            Tagging::Adjacent { content, .. } => format!("{path}.{content}"),
            _ => path.to_owned(),
        };
        Some((variant.content?, place))
    })
}
