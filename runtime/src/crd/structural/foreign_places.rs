//! Types that only have a schemars schema.

use std::fmt;

use crate::{
    crd::structural::{lost_keywords as lost_of, opaque_parts},
    resource::definition::{Definition, RootSchema},
    schema::{ForeignSchema, Schema, Shape, walk::parts},
};

/// A field whose type has no schema at compile time.
pub(crate) struct ForeignField {
    pub(crate) path: String,
    schema: ForeignSchema,
}

impl ForeignField {
    /// Returns notes on lost keywords of the type, each with its path.
    fn lost_keywords(&self) -> impl Iterator<Item = String> {
        let lost = lost_of(&self.schema).into_iter();
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

    /// Returns notes on parts of the type that accept any value.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let parts = opaque_parts(&self.schema).into_iter();
        let type_name = (self.schema.type_name)();
        parts.map(move |part| {
            format!("any value is kept at {}{}, in `{type_name}`: {}", self.path, part.path, part.message)
        })
    }
}

/// Returns notes on lost keywords of such types, and of a root with a manual schema.
pub(crate) fn lost_keywords(definition: &Definition) -> Vec<String> {
    let root = match definition.schema {
        RootSchema::Manual(schema) => Some(ForeignField { path: String::new(), schema }),
        _ => None,
    };
    let places = places(definition);
    let all = places.iter().chain(&root);
    all.flat_map(ForeignField::lost_keywords).collect()
}

impl fmt::Display for ForeignField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (`{}`)", self.path, (self.schema.type_name)())
    }
}

/// Returns all such fields of a definition.
pub(crate) fn places(definition: &Definition) -> Vec<ForeignField> {
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

/// Returns all such fields of a type.
#[cfg(any(feature = "testing", test, doc))]
pub(crate) fn places_of(schema: &Schema) -> Vec<ForeignField> {
    let mut places = Vec::new();
    find(schema, "", &mut places);
    places
}

fn find(schema: &Schema, path: &str, found: &mut Vec<ForeignField>) {
    if let Shape::Foreign(schema) = schema.shape {
        let path = path.to_owned();
        found.push(ForeignField { path, schema });
    }
    for part in parts(schema) {
        find(part.schema, &part.segment.below(path), found);
    }
}
