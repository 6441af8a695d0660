//! Traversal of finished schemas.

use crate::{
    path::{Path, SchemaStep},
    schema::{AdditionalProperties, Items, SchemaProps},
};

/// A schema nested in another schema, and its position.
#[derive(Clone, Copy, Debug)]
pub struct Node<'n, 's> {
    /// The schema.
    pub schema: &'n SchemaProps<'s>,
    /// The enclosing schema; `None` at the root.
    pub parent: Option<&'n Node<'n, 's>>,
    /// The path from the root.
    pub path: Path<'n>,
    /// The server's name for the root, such as `spec.validation.openAPIV3Schema`.
    pub root_field: &'n str,
    /// Whether the schema is within `allOf`, `anyOf`, `oneOf` or `not`, at any depth.
    pub in_junctor: bool,
    /// Whether the server can correlate the value with its old value: not below the items of a list, except in lists with
    /// the list type `map`.
    pub is_correlatable: bool,
}

impl<'n, 's> Node<'n, 's> {
    /// The root of a schema.
    pub const fn root(schema: &'n SchemaProps<'s>) -> Self {
        Self { schema, parent: None, path: Path::ROOT, root_field: "", in_junctor: false, is_correlatable: true }
    }

    /// Sets the server's name for the root.
    #[must_use]
    pub const fn called(mut self, field: &'n str) -> Self {
        self.root_field = field;
        self
    }

    /// Returns the last step of the path; `None` at the root.
    pub const fn step(&self) -> Option<SchemaStep<'n>> {
        match self.path.last() {
            Some((_, step)) => Some(step),
            None => None,
        }
    }

    /// Whether this is the root.
    pub const fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Whether the schema is within the values of a map, at any depth.
    pub fn is_in_map(&self) -> bool {
        self.step() == Some(SchemaStep::Values) || self.parent.is_some_and(Node::is_in_map)
    }

    /// Whether server-side apply treats the schema as arbitrary JSON, as it does within `items` and `additionalProperties`.
    pub fn is_untyped_to_apply(&self) -> bool {
        let is_untyped = matches!(self.step(), Some(SchemaStep::Items | SchemaStep::Item(_) | SchemaStep::Values));
        is_untyped || self.parent.is_some_and(Node::is_untyped_to_apply)
    }

    /// Calls `visit` for each schema directly within this one.
    pub fn children(&self, visit: &mut dyn FnMut(&Node<'_, 's>)) {
        let schema = self.schema;
        for (name, property) in schema.properties.iter().flatten() {
            self.child(SchemaStep::Property(name), property, visit);
        }
        match &schema.items {
            Some(Items::Schema(items)) => self.child(SchemaStep::Items, items, visit),
            Some(Items::Schemas(all)) => {
                for (at, item) in all.iter().enumerate() {
                    self.child(SchemaStep::Item(at), item, visit);
                }
            }
            None => {}
        }
        if let Some(AdditionalProperties::Schema(values)) = &schema.additional_properties {
            self.child(SchemaStep::Values, values, visit);
        }
        self.branches(&schema.all_of, SchemaStep::AllOf, visit);
        self.branches(&schema.any_of, SchemaStep::AnyOf, visit);
        self.branches(&schema.one_of, SchemaStep::OneOf, visit);
        if let Some(branch) = &schema.not {
            self.child(SchemaStep::Not, branch, visit);
        }
    }

    fn branches(
        &self,
        branches: &[SchemaProps<'s>],
        step: fn(usize) -> SchemaStep<'static>,
        visit: &mut dyn FnMut(&Node<'_, 's>),
    ) {
        for (at, branch) in branches.iter().enumerate() {
            self.child(step(at), branch, visit);
        }
    }

    fn child(&self, step: SchemaStep<'_>, schema: &SchemaProps<'s>, visit: &mut dyn FnMut(&Node<'_, 's>)) {
        let keys_tell_apart = self.schema.list_type.as_deref() == Some("map");
        visit(&Node {
            schema,
            parent: Some(self),
            path: self.path.then(step),
            root_field: self.root_field,
            in_junctor: self.in_junctor || step.is_junctor(),
            is_correlatable: self.is_correlatable
                && (keys_tell_apart || !matches!(step, SchemaStep::Items | SchemaStep::Item(_))),
        });
    }
}

impl SchemaStep<'_> {
    /// Whether the step enters `allOf`, `anyOf`, `oneOf` or `not`.
    pub const fn is_junctor(self) -> bool {
        matches!(self, Self::AllOf(_) | Self::AnyOf(_) | Self::OneOf(_) | Self::Not)
    }
}

/// Calls `visit` for the node and all nodes below it, parents first.
pub fn walk<'s>(node: &Node<'_, 's>, visit: &mut dyn FnMut(&Node<'_, 's>)) {
    visit(node);
    node.children(&mut |child| walk(child, visit));
}

#[cfg(test)]
mod tests {
    use alloc::{boxed::Box, string::String, vec, vec::Vec};

    use super::*;

    #[test]
    fn every_node_is_visited() {
        let leaf = || SchemaProps::default();
        let list = SchemaProps { items: Some(Items::Schema(Box::new(leaf()))), ..leaf() };
        let schema = SchemaProps {
            properties: Some(vec![("a".into(), list)]),
            any_of: vec![leaf()],
            not: Some(Box::new(leaf())),
            ..leaf()
        };
        let mut seen: Vec<(String, bool, bool)> = Vec::new();
        walk(&Node::root(&schema), &mut |node| {
            seen.push((node.path.field(), node.in_junctor, node.is_correlatable));
        });
        let paths = [
            ("", false, true),
            (".properties[a]", false, true),
            (".properties[a].items", false, false),
            (".anyOf[0]", true, true),
            (".not", true, true),
        ];
        let expected = paths.map(|(path, junctor, correlatable)| (path.into(), junctor, correlatable));
        assert_eq!(seen, expected);
    }
}
