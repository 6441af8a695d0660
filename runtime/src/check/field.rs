//! Checks of attributes against the type of their field.

use crdkit_core::rules::{
    definition_lints::{ScalePath, scale_path_has_type},
    selectable::field_has_selectable_type,
};

use super::{Message, of_rule};
use crate::schema::{
    Schema, Shape,
    walk::{Kind, Value, is_foreign, strip_newtypes},
};

mod validation;

pub use validation::{has_size, is_list, is_number, is_text};

/// Checks that a column can show the field.
pub const fn column(schema: &'static Schema, field: usize) -> Result<(), Message> {
    let value = value(schema, field);
    match value.kind() {
        Kind::Opaque if value.is_any() => Err(Message::concat(&[
            "a column requires a type, but this field can be any value: specify the type on the resource, \
             `printcolumn(name = \"...\", type_ = \"...\", json_path = \"...\")`",
        ])),
        kind @ (Kind::List | Kind::Map | Kind::Object) => {
            Err(Message::concat(&["a column shows a boolean, a number or a string, but this field is ", kind.noun()]))
        }
        _ => Ok(()),
    }
}

/// Checks that the server can select objects by the field.
pub const fn selectable(schema: &'static Schema, field: usize) -> Result<(), Message> {
    let value = value(schema, field);
    selectable_kind(value.kind(), value.is_any())
}

/// Checks that the field can be a replica count.
pub const fn scale_replicas(schema: &'static Schema, field: usize) -> Result<(), Message> {
    of_rule(scale_path_has_type("", ScalePath::Replicas, value(schema, field).kind()))
}

/// Checks that the field can be a label selector.
pub const fn scale_selector(schema: &'static Schema, field: usize) -> Result<(), Message> {
    of_rule(scale_path_has_type("", ScalePath::LabelSelector, value(schema, field).kind()))
}

/// Checks that the server can select by values of this kind. Without `is_any`, an opaque kind is unknown.
pub(super) const fn selectable_kind(kind: Kind, is_any: bool) -> Result<(), Message> {
    match kind {
        Kind::Opaque if !is_any => Ok(()),
        kind => of_rule(field_has_selectable_type("", kind)),
    }
}

/// Checks that the server accepts objects without the field, which serde leaves out because of an attribute. Whether a schema of
/// schemars allows null, which makes it optional, is not known.
pub const fn may_be_left_out(schema: &'static Schema, field: usize, key: &str) -> Result<(), Message> {
    let Shape::Object(fields) = strip_newtypes(schema).shape else {
        return Ok(());
    };
    let field = &fields[field];
    let is_required = if field.flatten {
        !field.schema.optional && has_required_fields(field.schema)
    } else {
        field.is_required() && !is_foreign(field.schema)
    };
    if !is_required {
        return Ok(());
    }
    let what =
        if field.flatten { "fields that the API server requires" } else { "the field, which the API server requires" };
    Err(Message::concat(&[
        "`",
        key,
        "` leaves out ",
        what,
        ": add `default` to the attribute, or make the type an `Option`",
    ]))
}

const fn has_required_fields(schema: &'static Schema) -> bool {
    let Shape::Object(fields) = strip_newtypes(schema).shape else {
        return false;
    };
    let mut at = 0;
    while at < fields.len() {
        if !fields[at].flatten && fields[at].is_required() && !is_foreign(fields[at].schema) {
            return true;
        }
        at += 1;
    }
    false
}

const fn value(schema: &'static Schema, field: usize) -> Value {
    Value::of_field(schema, field, &[])
}
