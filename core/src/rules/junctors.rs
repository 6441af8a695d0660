//! Branches of `allOf`, `anyOf`, `oneOf` and `not`: they can validate a value, but not describe its structure.

use crate::{
    path::{Path, SchemaStep},
    rules::{NodeReport, report_at_node},
    schema::{AdditionalProperties, SchemaProps},
    violation::{Arg, ErrorType, ServerError, Text, Violation},
    walk::Node,
};

rules! {
    J1 Error [Const, Validate] "No branch has a type.";
    J2 Error [Validate] "No branch describes the values of a map.";
    J3 Error [Validate] "No branch has a default.";
    J4 Error [Validate] "No branch has a title or a description.";
    J5 Error [Validate] "No branch is nullable.";
    J6 Error [Validate] "No branch preserves unknown fields, is an embedded resource, or is an integer or a string.";
    J7 Error [Validate] "No branch sets how a list or a map is merged.";
    J8 Error [Const, Validate] "No branch has rules in CEL.";
    J9 Error [Const, Validate] "No branch describes `metadata`.";
    J10 Error [Validate] "A value in a branch of the root is also described outside of all branches.";
    S11 Error [Never("it is the exception of J1")]
        "The branches of an integer or a string have types only as `anyOf: [{type: integer}, {type: string}]`.";
}

/// The role of a node in the structural schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeRole {
    /// It describes a value.
    Structure,
    /// It validates a value.
    Branch,
    /// None, because the server rejects its parent.
    Unread,
}

impl NodeRole {
    pub(super) fn of(node: &Node<'_, '_>) -> Self {
        let Some(parent) = node.parent else {
            return Self::Structure;
        };
        match (Self::of(parent), node.step()) {
            (Self::Unread, _) | (_, Some(SchemaStep::Item(_))) | (Self::Branch, Some(SchemaStep::Values)) => {
                Self::Unread
            }
            (_, Some(step)) if step.is_junctor() => Self::Branch,
            (part, _) => part,
        }
    }
}

/// Checks the family at one node.
pub(super) fn check_node(node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
    let NodeRole::Branch = NodeRole::of(node) else {
        return;
    };
    let schema = node.schema;
    let mut check = |result| report_at_node(node, result, report);
    if !is_int_or_string(node) {
        check(type_of_branch(node));
    }
    check(branch_has_no_map_values(schema.additional_properties.as_ref()));
    check(branch_has_no_default(schema.default.is_some()));
    for (keyword, text) in [("title", &schema.title), ("description", &schema.description)] {
        check(branch_has_no_documentation(keyword, text.as_deref().is_some_and(|it| !it.is_empty())));
    }
    check(branch_is_not_nullable(schema.nullable));
    for (keyword, is_there) in [
        ("x-kubernetes-preserve-unknown-fields", schema.preserves_unknown_fields()),
        ("x-kubernetes-embedded-resource", schema.embedded_resource),
        ("x-kubernetes-int-or-string", schema.int_or_string),
    ] {
        check(branch_has_no_extension(keyword, is_there));
    }
    for (keyword, is_there) in [
        ("x-kubernetes-list-map-keys", !schema.list_map_keys.is_empty()),
        ("x-kubernetes-list-type", schema.list_type.is_some()),
        ("x-kubernetes-map-type", schema.map_type.is_some()),
    ] {
        check(branch_has_no_merge_strategy(keyword, is_there));
    }
    check(branch_has_no_rules(schema.validations.len()));
    check(branch_has_no_metadata(schema.property("metadata").is_some()));
    undescribed(node, &mut |_, place, field, by_root| {
        if by_root {
            report(place, &undescribed_value(place, field, &node.path));
        }
    });
}

/// No branch has a type. The server allows one form for an integer or a string.
fn type_of_branch<'a>(node: &Node<'_, '_>) -> Result<(), Violation<'a>> {
    let of_either =
        node.parent.is_some_and(|it| it.schema.int_or_string) && matches!(node.step(), Some(SchemaStep::AnyOf(_)));
    if of_either {
        branch_types_have_one_form(node.schema.type_name().is_some())
    } else {
        branch_has_no_type(node.schema.type_name().is_some())
    }
}

/// Whether the branch has the one form that allows a type.
fn is_int_or_string(node: &Node<'_, '_>) -> bool {
    let (Some(SchemaStep::AnyOf(_)), Some(parent)) = (node.step(), node.parent) else {
        return false;
    };
    let is_structure = |node: &Node<'_, '_>| NodeRole::of(node) == NodeRole::Structure;
    let stands_well = match (parent.step(), parent.parent) {
        _ if is_structure(parent) => true,
        (Some(SchemaStep::AllOf(0)), Some(parent)) => is_structure(parent),
        _ => false,
    };
    stands_well
        && matches!(
            parent.schema.any_of.as_slice(),
            [integer, string] if integer.is_only("integer") && string.is_only("string")
        )
}

const fn forbidden<'a>(
    rule: &'static crate::Rule,
    keyword: &'a str,
    message: Text<'a>,
    detail: &'static str,
) -> Violation<'a> {
    let mut server_error = ServerError::new(ErrorType::Forbidden, "", detail);
    server_error.field = Text::new(".{}", &[Arg::Text(keyword)]);
    Violation::new(rule, message).with_server_error(server_error)
}

const EMPTY: &str = "must be empty to be structural";
const UNDEFINED: &str = "must be undefined to be structural";
const FALSE: &str = "must be false to be structural";

/// [`J1`].
pub const fn branch_has_no_type<'a>(has_type: bool) -> Result<(), Violation<'a>> {
    if !has_type {
        return Ok(());
    }
    let message = Text::literal("a branch cannot have a `type`: move it to the value itself");
    Err(forbidden(&J1, "type", message, EMPTY))
}

const fn branch_types_have_one_form<'a>(has_type: bool) -> Result<(), Violation<'a>> {
    if !has_type {
        return Ok(());
    }
    let message = Text::literal(
        "branches can have types only as `anyOf: [{type: integer}, {type: string}]`, in this order and without other \
         keywords: write exactly this, or remove the types, as `x-kubernetes-int-or-string` is enough",
    );
    Err(forbidden(&J1, "type", message, EMPTY))
}

/// [`J2`].
pub const fn branch_has_no_map_values<'a>(additional: Option<&AdditionalProperties<'_>>) -> Result<(), Violation<'a>> {
    let (None | Some(AdditionalProperties::Bool(false))) = additional else {
        let message = Text::literal(
            "the values of a map cannot be described in a branch: move `additionalProperties` to the value itself",
        );
        return Err(forbidden(&J2, "additionalProperties", message, UNDEFINED));
    };
    Ok(())
}

/// [`J3`].
pub const fn branch_has_no_default<'a>(has_default: bool) -> Result<(), Violation<'a>> {
    if !has_default {
        return Ok(());
    }
    let message = Text::literal("a branch cannot have a `default`: move it to the value itself");
    Err(forbidden(&J3, "default", message, UNDEFINED))
}

/// [`J4`].
pub const fn branch_has_no_documentation(keyword: &str, is_there: bool) -> Result<(), Violation<'_>> {
    if !is_there {
        return Ok(());
    }
    let message = Text::new("a branch cannot have a `{}`: move it to the value itself", &[Arg::Text(keyword)]);
    Err(forbidden(&J4, keyword, message, EMPTY))
}

/// [`J5`].
pub const fn branch_is_not_nullable<'a>(nullable: bool) -> Result<(), Violation<'a>> {
    if !nullable {
        return Ok(());
    }
    let message = Text::literal("a branch cannot be nullable: move `nullable` to the value itself");
    Err(forbidden(&J5, "nullable", message, FALSE))
}

/// [`J6`].
pub const fn branch_has_no_extension(keyword: &str, is_there: bool) -> Result<(), Violation<'_>> {
    if !is_there {
        return Ok(());
    }
    let message = Text::new("a branch cannot have `{}`: move it to the value itself", &[Arg::Text(keyword)]);
    Err(forbidden(&J6, keyword, message, FALSE))
}

/// [`J7`].
pub const fn branch_has_no_merge_strategy(keyword: &str, is_there: bool) -> Result<(), Violation<'_>> {
    if !is_there {
        return Ok(());
    }
    let message =
        Text::new("a branch cannot change how a value is merged: move `{}` to the value itself", &[Arg::Text(keyword)]);
    let detail = match keyword.as_bytes() {
        b"x-kubernetes-list-map-keys" => EMPTY,
        _ => UNDEFINED,
    };
    Err(forbidden(&J7, keyword, message, detail))
}

/// [`J8`].
pub const fn branch_has_no_rules<'a>(rules: usize) -> Result<(), Violation<'a>> {
    if rules == 0 {
        return Ok(());
    }
    let message = Text::literal("a branch cannot have rules in CEL: move them to the value itself");
    Err(forbidden(&J8, "x-kubernetes-validations", message, EMPTY))
}

/// [`J9`].
pub const fn branch_has_no_metadata<'a>(has_metadata: bool) -> Result<(), Violation<'a>> {
    if !has_metadata {
        return Ok(());
    }
    let message = Text::literal(
        "a branch cannot describe a field `metadata`, at any depth: write a rule in CEL, or rename the \
                       field",
    );
    let detail = "must not be specified in a nested context";
    Err(forbidden(&J9, "properties[metadata]", message, detail))
}

fn undescribed_value<'a>(place: &Node<'a, '_>, field: &'a str, path: &'a Path<'a>) -> Violation<'a> {
    let message = Text::new(
        "the value is described only in `{}`: describe it, with its type, outside of the branches",
        &[Arg::Display(path)],
    );
    let mut server_error = ServerError::new(ErrorType::Required, "", "");
    server_error.detail = Text::new("because it is defined in {}{}", &[Arg::Text(place.root_field), Arg::Text(field)]);
    Violation::new(&J10, message).with_server_error(server_error)
}

/// Calls `report` if the value of a branch is not described outside of the branches, with the schema that should describe it, the
/// node, the path of the branch as the server writes it, and whether the branches are those of the root.
pub(super) fn undescribed(node: &Node<'_, '_>, report: &mut dyn FnMut(&SchemaProps<'_>, &Node<'_, '_>, &str, bool)) {
    let (Some(parent), Some(step)) = (node.parent, node.step()) else {
        return;
    };
    if step.is_junctor() || step == SchemaStep::Property("metadata") {
        return; // of the same value, or J9
    }
    counterpart(parent, &mut |path, holder| {
        let Some(holder) = holder else { return };
        if within(holder, step).is_none() {
            let place = Node { path: path.then(step), parent: Some(parent), in_junctor: false, ..*node };
            report(holder, &place, &node.path.field(), is_of_root(node));
        }
    });
}

/// Whether the first branch on the path to the node is one of the root.
fn is_of_root(node: &Node<'_, '_>) -> bool {
    match node.parent {
        Some(parent) if parent.in_junctor => is_of_root(parent),
        Some(parent) => parent.is_root() && node.in_junctor,
        None => false,
    }
}

/// Calls `with` with the path and the schema of a node's value outside of all branches.
pub(super) fn counterpart<'s>(node: &Node<'_, 's>, with: &mut dyn FnMut(&Path<'_>, Option<&SchemaProps<'s>>)) {
    let (true, Some(parent), Some(step)) = (node.in_junctor, node.parent, node.step()) else {
        return with(&node.path, Some(node.schema));
    };
    counterpart(parent, &mut |path, holder| {
        if step.is_junctor() {
            with(path, holder);
        } else {
            with(&path.then(step), holder.and_then(|holder| within(holder, step)));
        }
    });
}

fn within<'n, 's>(holder: &'n SchemaProps<'s>, step: SchemaStep<'_>) -> Option<&'n SchemaProps<'s>> {
    match step {
        SchemaStep::Property(name) => holder.property(name),
        SchemaStep::Items => holder.items(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use alloc::{
        boxed::Box,
        string::{String, ToString},
        vec,
        vec::Vec,
    };

    use super::*;
    use crate::{
        json::Json,
        rules::{
            check_schema,
            tests::{broken, object, of, typed},
        },
        schema::{Items, ValidationRule},
    };

    /// The rules that an `anyOf` with this branch breaks at `.a`, a list of strings.
    fn branch(branch: SchemaProps<'static>) -> Vec<String> {
        let list = SchemaProps {
            items: Some(Items::Schema(Box::new(typed("string")))),
            any_of: vec![branch],
            ..typed("array")
        };
        broken(&object("a", list))
    }

    #[test]
    fn keywords_of_branches() {
        type Change = fn(&mut SchemaProps<'static>);
        let changes: [(Change, &str); 11] = [
            (|it| it.type_ = Some("array".into()), "J1"),
            (|it| it.additional_properties = Some(AdditionalProperties::Bool(true)), "J2"),
            (|it| it.default = Some(Json::Integer(1)), "J3"),
            (|it| it.title = Some("x".into()), "J4"),
            (|it| it.description = Some("x".into()), "J4"),
            (|it| it.nullable = true, "J5"),
            (|it| it.preserve_unknown_fields = Some(true), "J6"),
            (|it| it.embedded_resource = true, "J6"),
            (|it| it.int_or_string = true, "J6"),
            (
                |it| {
                    it.validations = vec![ValidationRule { rule: "true".into(), ..ValidationRule::default() }];
                },
                "J8",
            ),
            (|it| it.not = Some(Box::new(typed("string"))), "J1"),
        ];
        for (change, rule) in changes {
            let found = branch(of(change));
            assert_eq!(found.len(), 1, "{rule}: {found:?}");
            assert!(found[0].starts_with(rule), "{rule}: {found:?}");
        }
        let mergings: [(Change, [&str; 2]); 3] = [
            (|it| it.list_type = Some("atomic".into()), ["J7", "L1"]),
            (|it| it.map_type = Some("atomic".into()), ["J7", "L14"]),
            (|it| it.list_map_keys = vec!["a".into()], ["J7", "L3"]),
        ];
        for (change, rules) in mergings {
            let rules = rules.map(|rule| alloc::format!("{rule} .a.anyOf[0]"));
            assert_eq!(branch(of(change)), rules);
        }
        let changes: [Change; 4] = [
            |it| it.min_items = Some(1),
            |it| it.additional_properties = Some(AdditionalProperties::Bool(false)),
            |it| it.description = Some("".into()),
            |it| it.items = Some(Items::Schema(Box::new(of(|it| it.max_length = Some(1))))),
        ];
        for change in changes {
            assert_eq!(branch(of(change)), [""; 0]);
        }
    }

    #[test]
    fn what_is_below_values_of_a_branch_is_not_read() {
        let values = of(|it| {
            it.additional_properties = Some(AdditionalProperties::Schema(Box::new(typed("string"))));
        });
        assert_eq!(branch(values), ["J2 .a.anyOf[0]"]);
    }

    #[test]
    fn integers_or_strings() {
        let either = |branches: Vec<SchemaProps<'static>>| SchemaProps {
            int_or_string: true,
            any_of: branches,
            ..SchemaProps::default()
        };
        let (integer, string) = (|| typed("integer"), || typed("string"));
        let good = || either(vec![integer(), string()]);
        assert_eq!(broken(&object("a", good())), [""; 0]);
        let twice = ["J1 .a.anyOf[0]", "J1 .a.anyOf[1]"];
        assert_eq!(broken(&object("a", either(vec![string(), integer()]))), twice);
        let pattern = SchemaProps { pattern: Some("a".into()), ..string() };
        assert_eq!(broken(&object("a", either(vec![integer(), pattern]))), twice);
        let in_all = SchemaProps {
            int_or_string: true,
            all_of: vec![SchemaProps { int_or_string: false, ..good() }, of(|it| it.minimum = Some(1.0))],
            ..SchemaProps::default()
        };
        assert_eq!(broken(&object("a", in_all.clone())), [""; 0]);
        let second = SchemaProps { all_of: in_all.all_of.iter().rev().cloned().collect(), ..in_all };
        assert_eq!(broken(&object("a", second)).len(), 2);
    }

    #[test]
    fn branches_of_the_root_speak_of_what_is_described() {
        let names = |name: &'static str| of(|it| it.properties = object(name, of(|_| ())).properties);
        let root = |branch| SchemaProps { any_of: vec![branch], ..object("spec", object("a", typed("string"))) };
        assert_eq!(broken(&root(names("spec"))), [""; 0]);
        let spec =
            |name| SchemaProps { properties: Some(vec![("spec".into(), names(name))]), ..SchemaProps::default() };
        assert_eq!(broken(&root(spec("a"))), [""; 0]);
        assert_eq!(broken(&root(spec("b"))), ["J10 .spec.b"]);
        assert_eq!(broken(&root(names("metadata"))), ["J9 .anyOf[0]"]);

        let mut answers = Vec::new();
        check_schema(&root(names("x")), "root", &mut |node, violation| {
            let server_error = violation.server_error.unwrap();
            answers.push(alloc::format!("{}: {server_error}", node.path.field()));
            assert!(violation.message.to_string().contains("`.anyOf[0].x`"));
        });
        let expected = ".properties[x]: Required value: because it is defined in root.anyOf[0].properties[x]";
        assert_eq!(answers, [expected]);
    }
}
