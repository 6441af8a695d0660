//! Structural schemas: every described value has a type.

use crate::{
    merged_keywords::MergedKeywords,
    path::SchemaStep,
    rules::{NodeReport, junctors::NodeRole, report_at_node},
    schema::{AdditionalProperties, Items, SchemaProps, Type},
    violation::{Arg, ErrorType, ServerError, Text, Violation},
    walk::Node,
};

rules! {
    S1 Error [Const, Validate] "A list has a schema for its items.";
    S2 Error [Const, Validate] "Each value has a type, is an integer or a string, or preserves unknown fields.";
    S3 Error [Validate] "The root is an object.";
    S4 Error [Validate] "The root has no `additionalProperties`.";
    S5 Error [Const, Validate] "An embedded resource is an object.";
    S6 Error [Const, Validate] "An embedded resource is not a map.";
    S7 Error [Const, Validate] "An embedded resource has fields, or preserves unknown ones.";
    S8 Error [Const, Validate] "`apiVersion` and `kind` of a resource are strings, `metadata` is an object.";
    S9 Error [Validate] "`metadata` of the root describes at most `name` and `generateName`.";
    S10 Error [Const, Validate] "An integer or a string is not a resource, and does not preserve unknown fields.";
}

/// The position of a value in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The root.
    Root,
    /// An item of a list.
    Item,
    /// A field, or a value of a map.
    Field,
}

/// Checks the family at one node.
pub(super) fn check_node(node: &Node<'_, '_>, report: &mut NodeReport<'_>) {
    let NodeRole::Structure = NodeRole::of(node) else {
        return;
    };
    let schema = node.schema;
    let level = match node.step() {
        None => Level::Root,
        Some(SchemaStep::Items) => Level::Item,
        Some(_) => Level::Field,
    };
    let facts = MergedKeywords::from_schema(schema);
    let mut check = |result| report_at_node(node, result, report);
    check(list_has_items(schema));
    if !schema.is_reference() {
        check(match resource_is_object(&facts) {
            Ok(()) => value_has_type(schema, level),
            broken => broken,
        });
    }
    if level == Level::Root {
        check(root_is_object(schema.type_name()));
        check(root_is_not_map(schema.additional_properties.as_ref()));
        check(schema.property("metadata").map_or(Ok(()), metadata_describes_names));
    }
    check(resource_is_not_map(&facts));
    check(resource_has_fields(&facts));
    for name in ["apiVersion", "kind", "metadata"] {
        if level != Level::Root && !schema.embedded_resource {
            break;
        }
        if let Some(property) = schema.property(name).filter(|it| !it.is_reference()) {
            check(resource_field_has_type(name, property.type_.as_deref().unwrap_or_default()));
        }
    }
    check(int_or_string_has_no_fields(schema));
    if schema.embedded_resource && schema.int_or_string {
        check(Err(no_resource()));
    }
}

/// [`S1`].
pub fn list_has_items<'a>(schema: &SchemaProps<'_>) -> Result<(), Violation<'a>> {
    let has_none = match &schema.items {
        None => true,
        Some(Items::Schemas(all)) => all.is_empty(), // else O5
        Some(Items::Schema(_)) => false,
    };
    if schema.type_name() != Some("array") || !has_none {
        return Ok(());
    }
    let message = Text::literal("a list needs a schema for its items: write `items`");
    let server_error = ServerError::new(ErrorType::Required, ".items", "must be specified");
    Err(Violation::new(&S1, message).with_server_error(server_error))
}

/// [`S2`].
pub fn value_has_type<'a>(schema: &SchemaProps<'_>, level: Level) -> Result<(), Violation<'a>> {
    if schema.type_name().is_some() || schema.int_or_string || schema.preserves_unknown_fields() {
        return Ok(());
    }
    let message = Text::literal(
        "the value has no type: write `type`, or mark the field `#[crd(preserve_unknown_fields)]` if it may be anything",
    );
    let detail = match level {
        Level::Root => "must not be empty at the root",
        Level::Item => "must not be empty for specified array items",
        Level::Field => "must not be empty for specified object fields",
    };
    let server_error = ServerError::new(ErrorType::Required, ".type", detail);
    Err(Violation::new(&S2, message).with_server_error(server_error))
}

/// [`S3`].
pub fn root_is_object(type_: Option<&str>) -> Result<(), Violation<'_>> {
    let Some(type_) = type_.filter(|it| *it != "object") else {
        return Ok(());
    };
    let message =
        Text::new("the root of the schema must be an object, not `{}`: write `type: object`", &[Arg::Text(type_)]);
    let server_error = ServerError::new(ErrorType::Invalid, ".type", "must be object at the root");
    Err(Violation::new(&S3, message).with_server_error(server_error.with_value(Arg::Quoted(type_))))
}

/// [`S4`].
pub const fn root_is_not_map<'a>(additional: Option<&AdditionalProperties<'_>>) -> Result<(), Violation<'a>> {
    if additional.is_none() {
        return Ok(());
    }
    let message =
        Text::literal("the root of the schema cannot have `additionalProperties`: move the entries into a field");
    let field = ".additionalProperties";
    let server_error = ServerError::new(ErrorType::Forbidden, field, "must not be used at the root");
    Err(Violation::new(&S4, message).with_server_error(server_error))
}

/// [`S5`].
pub const fn resource_is_object<'a>(facts: &MergedKeywords<'a>) -> Result<(), Violation<'a>> {
    const DETAIL: &str = "must be object if x-kubernetes-embedded-resource is true";
    if !facts.embedded_resource {
        return Ok(());
    }
    let server_error = match facts.type_ {
        Type::Object | Type::Unknown => return Ok(()),
        Type::Missing => ServerError::new(ErrorType::Required, ".type", DETAIL),
        _ => ServerError::new(ErrorType::Invalid, ".type", DETAIL).with_value(Arg::Quoted(facts.type_name)),
    };
    let message = Text::new(
        "an embedded resource must be an object, but this is {}: write `type: object`",
        &[Arg::Text(facts.kind.noun())],
    );
    Err(Violation::new(&S5, message).with_server_error(server_error))
}

/// [`S6`].
pub const fn resource_is_not_map<'a>(facts: &MergedKeywords<'_>) -> Result<(), Violation<'a>> {
    if !facts.embedded_resource || !facts.has_values {
        return Ok(());
    }
    let message = Text::literal("an embedded resource cannot be a map: give it fields, or make it any value");
    let detail = "must not be used if x-kubernetes-embedded-resource is set";
    let server_error = ServerError::new(ErrorType::Forbidden, ".additionalProperties", detail);
    Err(Violation::new(&S6, message).with_server_error(server_error))
}

/// [`S7`].
pub const fn resource_has_fields<'a>(facts: &MergedKeywords<'_>) -> Result<(), Violation<'a>> {
    if !facts.embedded_resource
        || facts.has_properties
        || facts.preserves_unknown_fields
        || matches!(facts.type_, Type::Unknown)
    {
        return Ok(());
    }
    let message = Text::literal(
        "the embedded resource has no fields, so the server would drop its content: describe its fields, or preserve \
         unknown ones",
    );
    let detail = "must not be empty if x-kubernetes-embedded-resource is true without \
                  x-kubernetes-preserve-unknown-fields";
    let server_error = ServerError::new(ErrorType::Required, ".properties", detail);
    Err(Violation::new(&S7, message).with_server_error(server_error))
}

/// [`S8`].
pub const fn resource_field_has_type<'a>(name: &'a str, type_: &'a str) -> Result<(), Violation<'a>> {
    let (expected, detail) = match name.as_bytes() {
        b"metadata" => ("object", "must be object"),
        b"apiVersion" | b"kind" => ("string", "must be string"),
        _ => return Ok(()),
    };
    if crate::text::equal(type_, expected) {
        return Ok(());
    }
    let message = if type_.is_empty() {
        Text::new(
            "`{}` of a resource must have the type `{}`, but it has no type here",
            &[Arg::Text(name), Arg::Text(expected)],
        )
    } else {
        Text::new(
            "`{}` of a resource must have the type `{}`, but it has the type `{}` here",
            &[Arg::Text(name), Arg::Text(expected), Arg::Text(type_)],
        )
    };
    let mut server_error = ServerError::new(ErrorType::Invalid, "", detail).with_value(Arg::Quoted(type_));
    server_error.field = Text::new(".properties[{}].type", &[Arg::Text(name)]);
    Err(Violation::new(&S8, message).with_server_error(server_error))
}

/// [`S9`], and has no keyword other than `type`.
pub fn metadata_describes_names<'a>(metadata: &SchemaProps<'_>) -> Result<(), Violation<'a>> {
    let of_name = |(name, _): &(_, _)| matches!(AsRef::<str>::as_ref(name), "name" | "generateName");
    let properties = metadata.properties.as_deref().unwrap_or_default();
    if properties.iter().all(of_name) && metadata.is_bare() {
        return Ok(());
    }
    let message = Text::literal(
        "the server describes `metadata` of a resource: write only `type: object` and at most the fields `name` and \
         `generateName`, without a description",
    );
    let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    let server_error = ServerError::new(ErrorType::Forbidden, ".properties[metadata]", detail);
    Err(Violation::new(&S9, message).with_server_error(server_error))
}

/// [`S10`].
pub fn int_or_string_has_no_fields<'a>(schema: &SchemaProps<'_>) -> Result<(), Violation<'a>> {
    if !schema.int_or_string || !schema.preserves_unknown_fields() {
        return Ok(());
    }
    let message = Text::literal(
        "an integer or a string has no fields: remove `x-kubernetes-int-or-string` or \
         `x-kubernetes-preserve-unknown-fields`",
    );
    Err(Violation::new(&S10, message)
        .with_server_error(not_with_int_or_string(".x-kubernetes-preserve-unknown-fields")))
}

/// An integer or a string is not a resource.
fn no_resource<'a>() -> Violation<'a> {
    let message = Text::literal(
        "an integer or a string cannot be a resource: remove `x-kubernetes-int-or-string` or \
         `x-kubernetes-embedded-resource`",
    );
    Violation::new(&S10, message).with_server_error(not_with_int_or_string(".x-kubernetes-embedded-resource"))
}

fn not_with_int_or_string<'a>(field: &'static str) -> ServerError<'a> {
    let detail = "must be false if x-kubernetes-int-or-string is true";
    ServerError::new(ErrorType::Invalid, field, detail).with_value(Arg::Text("true"))
}

impl SchemaProps<'_> {
    /// Whether the schema has no keywords other than a type, a default, properties and those that the server ignores.
    fn is_bare(&self) -> bool {
        let is_read = |keyword: &str| !matches!(keyword, "type" | "default" | "properties");
        let empty = ["required", "x-kubernetes-list-map-keys", "x-kubernetes-validations"];
        !self.keywords().any(is_read) && !empty.iter().any(|it| self.empty.contains(it))
    }

    /// Whether a branch has this type and no other keywords, except those that the server ignores.
    pub(super) fn is_only(&self, type_: &str) -> bool {
        let is_allowed =
            |additional: &AdditionalProperties<'_>| matches!(additional, AdditionalProperties::Bool(false));
        self.type_name() == Some(type_)
            && self.default.is_none()
            && self.properties.is_none()
            && self.additional_properties.as_ref().is_none_or(is_allowed)
            && SchemaProps { additional_properties: None, ..self.clone() }.is_bare()
    }
}

#[cfg(test)]
mod tests {
    use alloc::{boxed::Box, vec};

    use super::*;
    use crate::{
        json::Json,
        rules::tests::{broken, object, of, typed},
    };

    #[test]
    fn types() {
        assert_eq!(broken(&of(|_| ())), ["S2 "]);
        assert_eq!(broken(&typed("string")), ["S3 "]);
        assert_eq!(broken(&object("a", of(|_| ()))), ["S2 .a"]);
        assert_eq!(broken(&object("a", typed("array"))), ["S1 .a"]);
        let list = SchemaProps { items: Some(Items::Schema(Box::new(of(|_| ())))), ..typed("array") };
        assert_eq!(broken(&object("a", list)), ["S2 .a[]"]);
        let empty_tuple = SchemaProps { items: Some(Items::Schemas(vec![])), ..typed("array") };
        assert_eq!(broken(&object("a", empty_tuple)), ["S1 .a"]);
        assert_eq!(broken(&object("a", of(|it| it.int_or_string = true))), [""; 0]);
    }

    #[test]
    fn entries_of_the_root() {
        let root = SchemaProps { additional_properties: Some(AdditionalProperties::Bool(false)), ..typed("object") };
        assert_eq!(broken(&root), ["S4 "]);
    }

    #[test]
    fn embedded_resources() {
        let embedded = |schema| SchemaProps { embedded_resource: true, ..schema };
        let any = || of(|it| it.preserve_unknown_fields = Some(true));
        assert_eq!(broken(&object("a", embedded(any()))), ["S5 .a"]);
        assert_eq!(broken(&object("a", embedded(typed("object")))), ["S7 .a"]);
        let map = SchemaProps {
            additional_properties: Some(AdditionalProperties::Schema(Box::new(typed("string")))),
            ..embedded(typed("object"))
        };
        assert_eq!(broken(&object("a", map)), ["S6 .a", "S7 .a"]);
        let kind = embedded(object("kind", typed("integer")));
        assert_eq!(broken(&object("a", kind)), ["S8 .a"]);
    }

    #[test]
    fn integers_or_strings() {
        let both = of(|it| {
            it.int_or_string = true;
            it.preserve_unknown_fields = Some(true);
        });
        assert_eq!(broken(&object("a", both)), ["S10 .a"]);
    }

    #[test]
    fn metadata() {
        let metadata = |change: fn(&mut SchemaProps<'static>)| {
            let mut metadata = typed("object");
            change(&mut metadata);
            broken(&object("metadata", metadata))
        };
        assert_eq!(metadata(|_| ()), [""; 0]);
        assert_eq!(metadata(|it| it.properties = object("name", typed("string")).properties), [""; 0]);
        assert_eq!(metadata(|it| it.description = Some("".into())), [""; 0]);
        let changes: [fn(&mut SchemaProps<'static>); 5] = [
            |it| it.description = Some("x".into()),
            |it| it.required = vec!["name".into()],
            |it| it.empty = crate::schema::EmptyKeywords(vec!["required"]),
            |it| it.properties = object("labels", object("a", typed("string"))).properties,
            |it| it.example = Some(Json::Bool(true)),
        ];
        for change in changes {
            assert_eq!(metadata(change)[0], "S9 ");
        }
        let root = object("metadata", typed("string"));
        assert_eq!(broken(&root), ["S8 "]);
        let defaulted = metadata(|it| it.default = Some(Json::Object(vec![])));
        assert!(!defaulted.iter().any(|it| it.starts_with("S9")));
    }
}
