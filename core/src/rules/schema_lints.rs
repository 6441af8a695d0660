//! Lints of schemas: mistakes that the server accepts.

use alloc::{collections::BTreeSet, string::ToString};

use crate::{
    json::Json,
    path::SchemaStep,
    rules::{NodeReport, junctors, junctors::NodeRole, report_at_node},
    schema::SchemaProps,
    violation::{Arg, Text, Violation},
    walk::Node,
};

rules! {
    X11 Lint [Validate] "An object has fields, or preserves unknown ones.";
    X12 Lint [Validate] "A value in a branch is also described outside of all branches.";
    X13 Lint [Validate] "The values of a map have no default.";
    X14 Lint [Validate] "An integer or a string has no `type`.";
    X15 Lint [Validate] "No entry of `required` and `enum` is repeated.";
    X16 Lint [Validate] "Each value of the `enum` has the type of the schema.";
    X17 Lint [Validate] "A field that a branch requires exists.";
}

/// Checks the family at one node.
pub(super) fn check_node(node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
    let schema = node.schema;
    match NodeRole::of(node) {
        NodeRole::Structure => {
            let mut check = |result| report_at_node(node, result, report);
            if !is_metadata(node) {
                check(object_has_fields(schema));
            }
            if let Some(SchemaStep::Values) = node.step() {
                check(map_values_have_no_default(schema.default.is_some()));
            }
            check(int_or_string_has_no_type(schema.int_or_string, schema.type_name()));
        }
        NodeRole::Branch => {
            branch(node, report);
        }
        NodeRole::Unread => return,
    }
    let mut seen = BTreeSet::new();
    for name in schema.required.iter().filter(|name| !seen.insert(*name)) {
        report(node, &repeated_entry("required", name));
    }
    let values = schema.enum_.as_deref().unwrap_or_default();
    let mut seen = BTreeSet::new();
    for value in values.iter().filter(|value| !seen.insert(value.to_string())) {
        report(node, &repeated_entry("enum", value));
    }
    let type_ = schema.type_name().unwrap_or_default();
    let is_of_type = |value: &&Json<'_>| value.has_type(type_);
    if !type_.is_empty() && values.iter().any(|value| is_of_type(&value)) {
        let is_dead = |value: &&Json<'_>| !is_of_type(value) && !value.is_null(); // null is dropped, or X3
        for value in values.iter().filter(is_dead) {
            report(node, &enum_value_of_other_type(type_, value)); // of all of them: X2
        }
    }
}

fn branch(node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
    junctors::undescribed(node, &mut |holder, _, _, by_root| {
        if !by_root && !keeps_all(holder) {
            report(node, &undescribed_value());
        }
    });
    junctors::counterpart(node, &mut |_, value| {
        let Some(value) = value.filter(|value| !keeps_all(value)) else {
            return;
        };
        for name in &node.schema.required {
            if value.has_properties() && value.property(name).is_none() {
                report(node, &unknown_required_field(name));
            }
        }
    });
}

/// Whether the schema preserves unknown fields.
fn keeps_all(schema: &SchemaProps<'_>) -> bool {
    schema.preserves_unknown_fields() || schema.additional_properties.is_some()
}

/// Whether the node is `metadata` of a resource, which the server describes.
fn is_metadata(node: &Node<'_, '_>) -> bool {
    let of_resource = |parent: &Node<'_, '_>| parent.is_root() || parent.schema.embedded_resource;
    node.step() == Some(SchemaStep::Property("metadata")) && node.parent.is_some_and(of_resource)
}

/// [`X11`].
pub fn object_has_fields<'a>(schema: &SchemaProps<'_>) -> Result<(), Violation<'a>> {
    if schema.type_name() != Some("object")
        || schema.has_properties()
        || schema.embedded_resource // S7
        || keeps_all(schema)
    {
        return Ok(());
    }
    let message = Text::literal(
        "the object has no fields, and the server drops unknown ones: mark it `x-kubernetes-preserve-unknown-fields` \
         unless it is always empty",
    );
    Err(Violation::new(&X11, message))
}

/// [`X12`].
pub const fn undescribed_value<'a>() -> Violation<'a> {
    let message = Text::literal(
        "the value is described only in this branch, so the server drops it before it evaluates the branches: \
         describe it, with its type, outside of the branches",
    );
    Violation::new(&X12, message)
}

/// [`X13`].
pub const fn map_values_have_no_default<'a>(has_default: bool) -> Result<(), Violation<'a>> {
    if !has_default {
        return Ok(());
    }
    let message = Text::literal(
        "a default of map values only replaces null entries, and the server does not validate it: remove it",
    );
    Err(Violation::new(&X13, message))
}

/// [`X14`].
pub fn int_or_string_has_no_type(int_or_string: bool, type_: Option<&str>) -> Result<(), Violation<'_>> {
    let Some(type_) = type_.filter(|_| int_or_string) else {
        return Ok(());
    };
    let message = Text::new(
        "the server ignores the type `{}` beside `x-kubernetes-int-or-string`: remove one of them",
        &[Arg::Text(type_)],
    );
    Err(Violation::new(&X14, message))
}

/// [`X15`].
pub const fn repeated_entry<'a>(keyword: &'a str, what: &'a dyn crate::violation::ArgDisplay) -> Violation<'a> {
    let message = Text::new("`{}` lists {} twice", &[Arg::Text(keyword), Arg::Display(what)]);
    Violation::new(&X15, message)
}

/// [`X16`].
pub const fn enum_value_of_other_type<'a>(type_: &'a str, value: &'a Json<'a>) -> Violation<'a> {
    let message = Text::new(
        "the value {} of the `enum` never matches: it is not of the type `{}`",
        &[Arg::Display(value), Arg::Text(type_)],
    );
    Violation::new(&X16, message)
}

/// [`X17`].
pub const fn unknown_required_field(name: &str) -> Violation<'_> {
    let message = Text::new("the branch requires `{}`, which is not a field, so no object has it", &[Arg::Text(name)]);
    Violation::new(&X17, message)
}

#[cfg(test)]
mod tests {
    use alloc::{boxed::Box, format, vec};

    use super::*;
    use crate::{
        rules::tests::{broken, object, of, typed},
        schema::AdditionalProperties,
    };

    /// Compared in pairs, they would take most of a minute.
    #[test]
    fn one_of_many_values_is_repeated() {
        let mut schema = typed("string");
        let values = (0..50_000).chain([7]).map(|number| Json::String(format!("v{number}").into()));
        schema.enum_ = Some(values.collect());
        assert_eq!(broken(&object("a", schema)), ["X15 .a"]);
    }

    #[test]
    fn objects() {
        assert_eq!(broken(&object("a", typed("object"))), ["X11 .a"]);
        assert_eq!(broken(&object("metadata", typed("object"))), [""; 0]);
        let map = |values| SchemaProps {
            additional_properties: Some(AdditionalProperties::Schema(Box::new(values))),
            ..typed("object")
        };
        assert_eq!(broken(&object("a", map(typed("string")))), [""; 0]);
        let with_default = SchemaProps { default: Some(Json::Integer(1)), ..typed("integer") };
        assert_eq!(broken(&object("a", map(with_default))), ["X13 .a[*]"]);
    }

    #[test]
    fn lists_of_values() {
        let twice = SchemaProps { required: vec!["b".into(), "b".into()], ..object("b", typed("string")) };
        assert_eq!(broken(&object("a", twice)), ["X15 .a"]);
        let values = SchemaProps {
            enum_: Some(vec![Json::Integer(1), Json::Integer(1), Json::Null, Json::Bool(true)]),
            ..typed("integer")
        };
        assert_eq!(broken(&object("a", values)), ["X15 .a", "X16 .a"]);
        let either = SchemaProps { int_or_string: true, ..typed("string") };
        assert_eq!(broken(&object("a", either)), ["X14 .a"]);
    }

    #[test]
    fn branches_below_the_root() {
        let branch = |name| SchemaProps {
            any_of: vec![of(|it| {
                it.required = vec![name];
                it.properties = object("c", of(|_| ())).properties;
            })],
            ..object("b", typed("string"))
        };
        let found = broken(&object("a", branch("b".into())));
        assert_eq!(found, ["X12 .a.anyOf[0].c"]);
        let found = broken(&object("a", branch("c".into())));
        assert_eq!(found, ["X17 .a.anyOf[0]", "X12 .a.anyOf[0].c"]);
        let open = SchemaProps { preserve_unknown_fields: Some(true), ..branch("c".into()) };
        assert_eq!(broken(&object("a", open)), [""; 0]);
    }
}
