//! Parts of OpenAPI that a CustomResourceDefinition cannot have at any node.

use crate::{
    path::{Path, SchemaStep},
    rules::{NodeReport, report_at_node},
    schema::{AdditionalProperties, Items, SchemaProps, Type, Unsupported},
    violation::{Arg, ErrorType, ServerError, Text, Violation},
    walk::Node,
};

rules! {
    O1 Error [Validate] "The root is not nullable.";
    O2 Error [Const, Validate] "A type is `array`, `boolean`, `integer`, `number`, `object` or `string`.";
    O3 Error [Validate] "No schema has a reference or keywords of other JSON Schema dialects.";
    O4 Error [Validate] "No schema has `$schema`.";
    O5 Error [Const, Validate] "A list has one schema for all items.";
    O6 Error [Validate] "No list has `uniqueItems`.";
    O7 Error [Const, Validate] "An object has either named fields or arbitrary entries.";
    O8 Error [Validate] "`x-kubernetes-preserve-unknown-fields` is not false.";
    O9 Error [Validate] "No resource is embedded in the `metadata`, `kind` or `apiVersion` of a resource.";
    O11 Error [Never("no known definition breaks only this rule")] "The server can build a validator of the schema.";
}

const TYPES: &str = "supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\"";

/// Checks the family at one node.
pub(super) fn check_node(node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
    let schema = node.schema;
    if schema.unsupported.contains(&Unsupported::Schema) {
        report(&root_of(node), &dollar_schema(&node.path));
    }
    let mut check = |result| report_at_node(node, result, report);
    check(root_is_not_nullable(node.is_root(), schema.nullable));
    check(type_is_supported(schema.type_name()));
    for keyword in &schema.unsupported {
        if *keyword != Unsupported::Schema {
            check(Err(unsupported_keyword(*keyword)));
        }
    }
    for keyword in [Unsupported::Ref, Unsupported::Dependencies] {
        if schema.empty.contains(keyword.keyword()) {
            check(Err(unsupported_keyword(keyword)));
        }
    }
    check(list_has_one_schema(schema.items.as_ref()));
    check(list_has_no_unique_items(schema.unique_items));
    check(object_has_fields_or_entries(schema.has_properties(), schema.additional_properties.as_ref()));
    check(preserving_is_not_false(schema.preserve_unknown_fields));
    check(resource_is_not_in_metadata(schema, is_in_metadata(node)));
}

/// [`O1`].
pub const fn root_is_not_nullable<'a>(is_root: bool, nullable: bool) -> Result<(), Violation<'a>> {
    if !is_root || !nullable {
        return Ok(());
    }
    let message = Text::literal("the root of the schema cannot be nullable: remove `nullable`");
    let detail = "nullable cannot be true at the root";
    let server_error = ServerError::new(ErrorType::Forbidden, ".nullable", detail);
    Err(Violation::new(&O1, message).with_server_error(server_error))
}

/// [`O2`].
pub fn type_is_supported(type_: Option<&str>) -> Result<(), Violation<'_>> {
    let Some(name) = type_ else {
        return Ok(());
    };
    if !matches!(Type::from_name(type_), Type::Other) {
        return Ok(());
    }
    let message = match name {
        "null" => Text::literal("`null` is not a type: write the type of the value, and `nullable`"),
        _ => Text::new(
            "`{}` is not a type: write `array`, `boolean`, `integer`, `number`, `object` or `string`",
            &[Arg::Text(name)],
        ),
    };
    let server_error = ServerError::new(ErrorType::NotSupported, ".type", TYPES).with_value(Arg::Quoted(name));
    Err(Violation::new(&O2, message).with_server_error(server_error))
}

/// [`O3`].
pub const fn unsupported_keyword<'a>(keyword: Unsupported) -> Violation<'a> {
    let message = match keyword {
        Unsupported::Ref => Text::literal(
            "a schema cannot refer to another one: write it out; where a type contains itself, mark the field \
             `#[crd(preserve_unknown_fields)]`",
        ),
        keyword => {
            Text::new("`{}` is not supported in a CustomResourceDefinition: remove it", &[Arg::Text(keyword.keyword())])
        }
    };
    let mut server_error = ServerError::new(ErrorType::Forbidden, "", "");
    server_error.field = Text::new(".{}", &[Arg::Text(keyword.keyword())]);
    server_error.detail = Text::new("{} is not supported", &[Arg::Text(keyword.keyword())]);
    Violation::new(&O3, message).with_server_error(server_error)
}

/// [`O4`], with the path of the schema.
pub const fn dollar_schema<'a>(path: &'a Path<'_>) -> Violation<'a> {
    let message =
        Text::new("`{}.$schema` is not supported in a CustomResourceDefinition: remove it", &[Arg::Display(path)]);
    let detail = "OpenAPIV3Schema 'schema' is not supported";
    let server_error = ServerError::new(ErrorType::Invalid, "", detail).with_value(Arg::Quoted(""));
    Violation::new(&O4, message).with_server_error(server_error)
}

/// [`O5`].
pub fn list_has_one_schema<'a>(items: Option<&Items<'_>>) -> Result<(), Violation<'a>> {
    match items {
        Some(Items::Schemas(all)) if !all.is_empty() => {}
        _ => return Ok(()),
    }
    let message = Text::literal("the items have separate schemas: write one schema for all items of the list");
    let detail = "items must be a schema object and not an array";
    let server_error = ServerError::new(ErrorType::Forbidden, ".items", detail);
    Err(Violation::new(&O5, message).with_server_error(server_error))
}

/// [`O6`].
pub const fn list_has_no_unique_items<'a>(unique_items: bool) -> Result<(), Violation<'a>> {
    if !unique_items {
        return Ok(());
    }
    let message = Text::literal(
        "`uniqueItems` is not allowed: for unique items, use the list type `set` (`x-kubernetes-list-type: set`)",
    );
    let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    let server_error = ServerError::new(ErrorType::Forbidden, ".uniqueItems", detail);
    Err(Violation::new(&O6, message).with_server_error(server_error))
}

/// [`O7`]. One with fields does not forbid unknown ones either.
pub const fn object_has_fields_or_entries<'a>(
    has_properties: bool,
    additional: Option<&AdditionalProperties<'_>>,
) -> Result<(), Violation<'a>> {
    let message = match additional {
        Some(AdditionalProperties::Schema(_)) if has_properties => {
            "an object cannot have both named fields and entries of its own: move the entries into a field, or mark the \
             object `x-kubernetes-preserve-unknown-fields`"
        }
        Some(AdditionalProperties::Bool(false)) if has_properties => {
            "unknown fields of an object cannot be forbidden, because the server drops them: remove \
             `additionalProperties`"
        }
        _ => return Ok(()),
    };
    let detail = "additionalProperties and properties are mutual exclusive";
    let server_error = ServerError::new(ErrorType::Forbidden, ".additionalProperties", detail);
    Err(Violation::new(&O7, Text::literal(message)).with_server_error(server_error))
}

/// [`O8`].
pub const fn preserving_is_not_false<'a>(preserve: Option<bool>) -> Result<(), Violation<'a>> {
    let Some(false) = preserve else {
        return Ok(());
    };
    let message = Text::literal("`x-kubernetes-preserve-unknown-fields` cannot be false: remove it");
    let field = ".x-kubernetes-preserve-unknown-fields";
    let server_error =
        ServerError::new(ErrorType::Invalid, field, "must be true or undefined").with_value(Arg::Text("false"));
    Err(Violation::new(&O8, message).with_server_error(server_error))
}

/// [`O9`].
pub const fn resource_is_not_in_metadata<'a>(
    schema: &SchemaProps<'_>,
    is_in_metadata: bool,
) -> Result<(), Violation<'a>> {
    if !is_in_metadata || !schema.embedded_resource {
        return Ok(());
    }
    let message = Text::literal(
        "a resource cannot be embedded in the `metadata`, `kind` or `apiVersion` of another one: remove \
         `x-kubernetes-embedded-resource`",
    );
    let field = ".x-kubernetes-embedded-resource";
    let server_error = ServerError::new(ErrorType::Forbidden, field, "must not be used inside of resource meta");
    Err(Violation::new(&O9, message).with_server_error(server_error))
}

/// Returns the root of the schema that contains a node.
fn root_of<'n, 's>(node: &Node<'n, 's>) -> Node<'n, 's> {
    node.parent.map_or(*node, root_of)
}

/// Whether the node is within `metadata`, `kind` or `apiVersion` of the root or of an embedded resource.
fn is_in_metadata(node: &Node<'_, '_>) -> bool {
    let Some(parent) = node.parent else {
        return false;
    };
    let is_resource = parent.is_root() || parent.schema.embedded_resource;
    let is_meta = matches!(node.step(), Some(SchemaStep::Property("metadata" | "kind" | "apiVersion")));
    is_resource && is_meta || is_in_metadata(parent)
}

#[cfg(test)]
mod tests {
    use alloc::{boxed::Box, vec};

    use super::*;
    use crate::rules::tests::{broken, object, of, typed};

    #[test]
    fn keywords_of_other_dialects() {
        for (schema, rule) in [
            (of(|it| it.unsupported = vec![Unsupported::Ref]), "O3"),
            (SchemaProps { unsupported: vec![Unsupported::Dependencies], ..typed("string") }, "O3"),
            (SchemaProps { unsupported: vec![Unsupported::Schema], ..typed("string") }, "O4"),
            (typed("null"), "O2"),
            (typed("file"), "O2"),
            (SchemaProps { items: Some(Items::Schemas(vec![SchemaProps::default()])), ..typed("array") }, "O5"),
            (SchemaProps { unique_items: true, ..typed("string") }, "O6"),
            (
                SchemaProps {
                    additional_properties: Some(AdditionalProperties::Bool(false)),
                    ..object("a", typed("string"))
                },
                "O7",
            ),
            (SchemaProps { preserve_unknown_fields: Some(false), ..object("a", typed("string")) }, "O8"),
        ] {
            let found = broken(&object("a", schema));
            let place = if rule == "O4" { "" } else { ".a" }; // the server has it at the root
            assert_eq!(found, [alloc::format!("{rule} {place}")]);
        }
    }

    #[test]
    fn entries_beside_fields() {
        let values = |values| SchemaProps { additional_properties: Some(values), ..object("a", typed("string")) };
        let map = values(AdditionalProperties::Schema(Box::new(typed("string"))));
        assert_eq!(broken(&object("a", map)), ["O7 .a"]);
        assert!(object_has_fields_or_entries(true, Some(&AdditionalProperties::Bool(true))).is_ok());
        assert!(object_has_fields_or_entries(false, Some(&AdditionalProperties::Bool(false))).is_ok());
    }

    #[test]
    fn resources_in_metadata() {
        let embedded =
            || SchemaProps { embedded_resource: true, preserve_unknown_fields: Some(true), ..typed("object") };
        let within = |name: &'static str| SchemaProps {
            preserve_unknown_fields: None,
            properties: Some(vec![(name.into(), object("a", embedded()))]),
            ..embedded()
        };
        assert_eq!(broken(&object("x", within("metadata"))), ["O9 .x.metadata.a"]);
        assert_eq!(broken(&object("x", within("spec"))), [""; 0]);
        let found = broken(&object("metadata", embedded()));
        assert_eq!(found, ["S9 ", "O9 .metadata"]);
    }
}
