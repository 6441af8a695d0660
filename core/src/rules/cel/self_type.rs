//! The type of a value in CEL rules, which can depend on rules on its parents.

use crate::{
    ErrorType, Node, ServerError, Text, Violation,
    cel::RuleScope,
    literal::cel::escaped,
    path::SchemaStep,
    schema::{AdditionalProperties, SchemaProps},
};

use super::{C13, RULES_FIELD};

/// The type of `self` for the rules on a value.
#[derive(Clone, Debug)]
pub(super) enum SelfType {
    /// The type of its own schema.
    Own,
    /// Another type, which rules on a parent determine.
    Other(RuleScope),
    /// None: the value can have any type.
    Anything,
    /// None: a parent with rules can have any type.
    Within,
    /// None: for rules on a parent, the value that holds this one is not a list, map or object.
    Untyped,
    /// The same, and the server panics when it looks up the type.
    Crash,
}

impl SelfType {
    /// Determines the type for the rules on a node.
    pub(super) fn of(node: &Node<'_, '_>) -> Self {
        let own = if is_declared(node.schema) { Self::Own } else { Self::Anything };
        let around = node.parent.filter(|parent| is_in_scope(parent));
        let Some((parent, step)) = around.zip(node.step()) else {
            return own;
        };
        let name = match step {
            SchemaStep::Property(name) => Some(name),
            _ => None,
        };
        let is_reached = name.is_none_or(|name| escaped(name).is_some());
        match Self::of(parent) {
            Self::Anything | Self::Within => Self::Within,
            Self::Crash => Self::Crash,
            Self::Untyped if is_reached => Self::Crash,
            Self::Untyped => own,
            Self::Other(around) => match name {
                Some(name) => around.field(name).map_or(own, Self::Other),
                None => around.elements().map_or(Self::Untyped, Self::Other),
            },
            Self::Own if is_usual(parent, step) => own,
            Self::Own => {
                let is_root = parent.is_root() || parent.schema.embedded_resource;
                let around = RuleScope::of(parent.schema, is_root);
                match name {
                    Some(name) => around.and_then(|it| it.field(name)).map_or(own, Self::Other),
                    None => around.and_then(|it| it.elements()).map_or(Self::Untyped, Self::Other),
                }
            }
        }
    }

    /// Returns the scope for compiling rules, if the value has a type.
    pub(super) fn value(self, node: &Node<'_, '_>) -> Option<RuleScope> {
        match self {
            Self::Own => RuleScope::of(node.schema, node.is_root() || node.schema.embedded_resource),
            Self::Other(value) => Some(value),
            Self::Anything | Self::Within | Self::Untyped | Self::Crash => None,
        }
    }

    pub(super) fn value_has_type(&self, node: &Node<'_, '_>) -> Result<(), Violation<'static>> {
        let (text, detail) = match self {
            Self::Other(_) => return Ok(()),
            Self::Own | Self::Anything => return super::value_has_type(node.schema),
            Self::Within => (
                "a parent with rules has no type, so that its fields have none in CEL: give the parent a `type`, or \
                 remove its rules",
                Some(super::UNDECLARED),
            ),
            Self::Untyped if is_of_metadata(node) => (
                "for rules on a parent, `metadata` of an embedded resource has the type of all metadata, in which the \
                 values of maps have no type: put the rule on a field outside of `metadata`",
                Some("failed to convert to declType for CEL validation rules"),
            ),
            Self::Untyped => (
                "for rules on a parent, the value that holds this one has neither fields nor items, so that this one \
                 has no type in CEL: remove the keyword that describes it, or give its parent the matching type",
                Some("failed to convert to declType for CEL validation rules"),
            ),
            Self::Crash => (
                "for rules on a parent, the value that holds this one has neither fields nor items, and the server \
                 panics when it looks up the type of this one: remove the rule",
                None,
            ),
        };
        let violation = Violation::new(&C13, Text::literal(text));
        Err(match detail {
            Some(detail) => violation.with_server_error(ServerError::new(ErrorType::Internal, RULES_FIELD, detail)),
            None => violation,
        })
    }
}

/// Whether the schema by itself has a type in CEL.
fn is_declared(schema: &SchemaProps<'_>) -> bool {
    if schema.int_or_string {
        return true;
    }
    match schema.type_.as_deref().unwrap_or_default() {
        "array" => schema.items().is_some_and(is_declared),
        "object" => match &schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) => is_declared(values),
            _ => true,
        },
        type_ => matches!(type_, "string" | "boolean" | "number" | "integer"),
    }
}

/// Whether a node or one of its parents has rules.
fn is_in_scope(node: &Node<'_, '_>) -> bool {
    !node.schema.validations.is_empty() || node.parent.is_some_and(is_in_scope)
}

/// Whether the parent's type matches its keywords, so that rules on the parent use the value's own schema.
fn is_usual(node: &Node<'_, '_>, step: SchemaStep<'_>) -> bool {
    let schema = node.schema;
    let is_map = matches!(schema.additional_properties, Some(AdditionalProperties::Schema(_)));
    let is_resource = node.is_root() || schema.embedded_resource;
    match (schema.type_.as_deref(), step) {
        _ if schema.int_or_string => false,
        // The server gives these fields of a resource other types.
        (Some("object"), SchemaStep::Property("apiVersion" | "kind" | "metadata")) if is_resource => false,
        (Some("object"), SchemaStep::Property(_)) => !is_map,
        (Some("object"), SchemaStep::Values) => is_map,
        (Some("array"), SchemaStep::Items) => true,
        _ => false,
    }
}

/// Whether the value is a map value in the metadata of an embedded resource.
fn is_of_metadata(node: &Node<'_, '_>) -> bool {
    let metadata = node.parent.filter(|_| node.step() == Some(SchemaStep::Values));
    metadata.is_some_and(|it| {
        it.step() == Some(SchemaStep::Property("metadata"))
            && it.parent.is_some_and(|parent| parent.schema.embedded_resource)
    })
}
