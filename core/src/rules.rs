//! The rules, one module per family.
//!
//! A family has a table of its rules, and a function for each, named after what must hold: `group_is_given`. Where the caller
//! finds the mistake, the function is named after that, and returns the [`Violation`]: `repeated_map_key`. [`check_definition`]
//! checks all rules of a finished definition.
//!
#![doc = include_str!("rules/catalogue.md")]

use alloc::{borrow::ToOwned, format, string::String};

use crate::{
    Node,
    definition::Definition,
    schema::SchemaProps,
    violation::{Rule, Violation},
    walk,
};

/// Declares the rules of a family: a constant per rule, named after its id, and the table `RULES`.
macro_rules! rules {
    ($($id:ident $severity:ident [$($stage:expr),* $(,)?] $statement:literal;)*) => {
        $(
            #[doc = $statement]
            pub const $id: $crate::Rule = $crate::Rule {
                id: stringify!($id),
                statement: $statement,
                severity: $crate::Severity::$severity,
                #[allow(unused_imports)]
                stages: { use $crate::violation::Stage::*; &[$($stage),*] },
            };
        )*

        /// The rules of the family.
        pub const RULES: &[$crate::Rule] = &[$($id),*];
    };
}

pub mod admission_registration;
pub mod approval;
pub mod cel;
pub mod column_lints;
pub mod columns;
pub mod conversion;
pub mod decode;
pub mod defaults;
pub mod definition_lints;
pub mod junctors;
pub mod metadata;
pub mod name_conflicts;
pub mod names;
pub mod openapi;
mod parts_of_all_versions;
pub mod patterns;
pub mod schema_lints;
mod schema_path;
pub mod selectable;
pub mod sizes;
pub mod structural;
pub mod subresources;
pub mod topology;
pub mod value_constraints;
pub mod versions;
pub mod warnings;

use parts_of_all_versions::SharedParts;

/// All rules, one table per family.
pub const TABLES: &[&[Rule]] = &[
    decode::RULES,
    metadata::RULES,
    approval::RULES,
    names::RULES,
    versions::RULES,
    columns::RULES,
    subresources::RULES,
    selectable::RULES,
    conversion::RULES,
    sizes::RULES,
    name_conflicts::RULES,
    definition_lints::RULES,
    column_lints::RULES,
    openapi::RULES,
    patterns::RULES,
    structural::RULES,
    junctors::RULES,
    topology::RULES,
    defaults::RULES,
    cel::RULES,
    warnings::RULES,
    value_constraints::RULES,
    schema_lints::RULES,
    admission_registration::RULES,
];

/// The location of a broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The path as crdkit writes it: `v1.spec.disks[]`, `spec.names.plural`.
    pub path: String,
    /// The field as the server writes it, without the part that the server's error adds:
    /// `spec.validation.openAPIV3Schema.properties[spec]`.
    pub field: String,
}

/// Receives each broken rule of a definition and its location.
pub type Report<'r> = dyn FnMut(Location, &Violation<'_>) + 'r;

/// Receives each broken rule of a schema and the node that breaks it.
type NodeReport<'r> = dyn FnMut(&Node<'_, '_>, &Violation<'_>) + 'r;

/// Reports the violation, if any, at a node.
fn report_at_node(node: &Node<'_, '_>, result: Result<(), Violation<'_>>, report: &mut NodeReport<'_>) {
    if let Err(violation) = result {
        report(node, &violation);
    }
}

/// Returns the rule with this id.
pub fn find(id: &str) -> Option<&'static Rule> {
    TABLES.iter().copied().flatten().find(|rule| rule.id == id)
}

/// Reports the violation, if any, at crdkit's path and the server's field.
fn report_at_path(path: &str, field: &str, result: Result<(), Violation<'_>>, report: &mut Report<'_>) {
    if let Err(violation) = result {
        let place = Location { path: path.to_owned(), field: field.to_owned() };
        report(place, &violation);
    }
}

/// Reports the violation, if any, at a field whose path is the same for crdkit and for the server.
fn report_at_field(field: &str, result: Result<(), Violation<'_>>, report: &mut Report<'_>) {
    report_at_path(field, field, result, report);
}

/// Checks all rules of a finished definition.
pub fn check_definition(definition: &Definition<'_>, report: &mut Report<'_>) {
    let hoisted = SharedParts::of(definition);
    metadata::check(definition, report);
    approval::check(definition, report);
    names::check(definition, report);
    versions::check(definition, report);
    columns::check(definition, hoisted, report);
    subresources::check(definition, hoisted, report);
    selectable::check(definition, hoisted, report);
    conversion::check(definition, report);
    sizes::check(definition, report);
    definition_lints::check(definition, hoisted, report);
    column_lints::check(definition, hoisted, report);
    for (at, version) in definition.versions.iter().enumerate() {
        let Some((field, schema)) = hoisted.schema(at).zip(version.schema.as_ref()) else {
            continue;
        };
        check_schema(schema, &field, &mut |node, violation| {
            // The server reports no path.
            let below = if violation.rule.id == openapi::O4.id { String::new() } else { node.path.field() };
            let path = format!("{}{}", version.name, node.path.text());
            report(Location { path, field: format!("{field}{below}") }, violation);
        });
    }
}

/// Receives each schema of a definition: the index of the version, a function that returns the location, and the node.
pub type SchemaVisitor<'v> = dyn FnMut(usize, &dyn Fn() -> Location, &Node<'_, '_>) + 'v;

/// Calls `visit` for each schema of a definition.
pub fn visit_schemas(definition: &Definition<'_>, visit: &mut SchemaVisitor<'_>) {
    let hoisted = SharedParts::of(definition);
    for (at, version) in definition.versions.iter().enumerate() {
        let Some((field, schema)) = hoisted.schema(at).zip(version.schema.as_ref()) else {
            continue;
        };
        walk(&Node::root(schema).called(&field), &mut |node| {
            let location = || Location {
                path: format!("{}{}", version.name, node.path.text()),
                field: format!("{field}{}", node.path.field()),
            };
            visit(at, &location, node);
        });
    }
}

/// Checks the rules across several definitions. `report` receives the index of the definition, the location and the
/// violation.
pub fn check_definitions(definitions: &[Definition<'_>], report: &mut dyn FnMut(usize, Location, &Violation<'_>)) {
    name_conflicts::check(definitions, report);
}

/// Checks all rules of a schema and its nested schemas. `field` is the server's name for the schema.
fn check_schema(schema: &SchemaProps<'_>, field: &str, report: &mut NodeReport<'_>) {
    let root = Node::root(schema).called(field);
    let mut costs = cel::Costs::default();
    walk(&root, &mut |node| {
        openapi::check_node(node, report);
        patterns::check_node(node, report);
        structural::check_node(node, report);
        junctors::check_node(node, report);
        topology::check_node(node, report);
        defaults::check_node(node, report);
        cel::check_node(node, field, &mut costs, report);
        warnings::check_node(node, report);
        value_constraints::check_node(node, report);
        schema_lints::check_node(node, report);
    });
    costs.check_total(&root, report);
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec::Vec};

    use super::*;

    /// The ids of the rules that `schema` breaks, of all families, each with the node.
    pub(super) fn broken(schema: &SchemaProps<'_>) -> Vec<String> {
        let mut found = Vec::new();
        check_schema(schema, "root", &mut |node, violation| {
            assert!(!violation.message.to_string().contains("{}"));
            let server_error = violation.server_error.map(|it| it.to_string()).unwrap_or_default();
            assert!(!server_error.contains("{}"), "{server_error}");
            found.push(format!("{} {}", violation.rule.id, node.path.text()));
        });
        found
    }

    /// A schema of nothing but a type.
    pub(super) fn typed(type_: &'static str) -> SchemaProps<'static> {
        of(|it| it.type_ = Some(type_.into()))
    }

    /// An object with one field.
    pub(super) fn object(name: &'static str, field: SchemaProps<'static>) -> SchemaProps<'static> {
        SchemaProps { properties: Some(alloc::vec![(name.into(), field)]), ..typed("object") }
    }

    /// A schema that this makes of an empty one.
    pub(super) fn of(change: impl FnOnce(&mut SchemaProps<'static>)) -> SchemaProps<'static> {
        let mut schema = SchemaProps::default();
        change(&mut schema);
        schema
    }

    #[test]
    fn each_id_is_given_once() {
        let mut ids: Vec<_> = TABLES.iter().copied().flatten().map(|it| it.id).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
        assert_eq!(find("L6").map(|it| it.id), Some("L6"));
        assert_eq!(find("L0"), None);
    }
}
