//! Types of printer columns.

use super::{Target, resolve};
use crate::{
    check::Message,
    definition::{Definition, DerivedRoot, RootSchema},
    schema::walk::{Kind, Step, equal, references_error},
};

/// Returns the type of a printer column without `type_`. If it cannot be inferred, the check of the column fails.
pub const fn inferred_column_type(definition: &Definition, steps: &[Step]) -> &'static str {
    match resolve(definition, steps) {
        Ok(target) => fitting_column_type(target),
        Err(_) => "string",
    }
}

/// Checks that the target has the type of a printer column.
pub const fn has_column_type(definition: &Definition, target: Target) -> Result<(), Message> {
    let found = match target {
        Target { any: Some(_), .. } => "any value",
        Target { kind: Kind::Opaque, .. } => "a value whose type is not known while compiling",
        Target { kind: Kind::List | Kind::Map | Kind::Object, .. } => target.kind.name(),
        _ => return Ok(()),
    };
    match derive_failed(definition) {
        true => Ok(()),
        false => Err(Message::concat(&[
            "the type of the column cannot be inferred, as the path leads to ",
            found,
            ": add `type_ = \"string\"`, or another type",
        ])),
    }
}

/// Returns whether the derive of the spec or of the status has reported an error.
const fn derive_failed(definition: &Definition) -> bool {
    match &definition.schema {
        RootSchema::Derived(DerivedRoot { spec, status: Some(status), .. }) => {
            references_error(spec) || references_error(status)
        }
        RootSchema::Derived(DerivedRoot { spec, .. }) => references_error(spec),
        _ => false,
    }
}

const fn fitting_column_type(target: Target) -> &'static str {
    match target.kind {
        Kind::Boolean => "boolean",
        Kind::Integer => "integer",
        Kind::Number => "number",
        Kind::String if is_time(target.format) => "date",
        _ => "string",
    }
}

/// Checks that a printer column of this type can show the target.
pub const fn column_type(target: Target, type_: &str) -> Result<(), Message> {
    if equal(type_, "string") || shows(type_, target) {
        return Ok(());
    }
    Err(Message::concat(&[
        "a column of type `",
        type_,
        "` cannot show the value at this path, which is ",
        target.kind.name(),
        ": use `",
        fitting_column_type(target),
        "`",
    ]))
}

/// Whether the server's table converter shows the value in a column of this type.
const fn shows(type_: &str, target: Target) -> bool {
    match target.kind {
        Kind::Opaque => true,
        Kind::Boolean => equal(type_, "boolean"),
        Kind::Integer => equal(type_, "integer") || equal(type_, "number"),
        // In an integer column, the server truncates the fraction.
        Kind::Number => equal(type_, "number") || equal(type_, "integer"),
        Kind::String => equal(type_, "date") && (target.format.is_none() || is_time(target.format)),
        _ => false,
    }
}

const fn is_time(format: Option<&str>) -> bool {
    match format {
        Some(format) => equal(format, "date-time"),
        None => false,
    }
}

/// Checks that the status has conditions.
pub const fn condition(definition: &Definition) -> Result<(), Message> {
    const fn to(last: &'static str) -> [Step; 4] {
        [Step::Field("status"), Step::Field("conditions"), Step::Items, Step::Field(last)]
    }
    match (resolve(definition, &to("type")), resolve(definition, &to("status"))) {
        (Ok(_), Ok(_)) => Ok(()),
        (Err(message), _) | (_, Err(message)) => {
            Err(message
                .then(". A condition column requires the field `status.conditions` of the type `Vec<Condition>`"))
        }
    }
}
