//! Types of printer columns.

use crdkit_core::rules::column_lints::{ColumnValue, type_shows_value};

use super::{Target, resolve};
use crate::{
    check::{Message, of_rule},
    resource::definition::{Definition, DerivedRoot, RootSchema},
    schema::walk::{Kind, PathStep, references_error},
};

/// Returns the type of a printer column without `type_`. If it cannot be inferred, the check of the column fails.
pub const fn inferred_column_type(definition: &Definition, steps: &[PathStep]) -> &'static str {
    match resolve(definition, steps) {
        Ok(target) => target.column_value().column_type(),
        Err(_) => "string",
    }
}

/// Checks that the target has the type of a printer column.
pub const fn has_column_type(definition: &Definition, target: Target) -> Result<(), Message> {
    let found = match target {
        Target { any: Some(_), .. } => "any value",
        Target { kind: Kind::Opaque, .. } => "a value whose type is not known while compiling",
        Target { kind: Kind::List | Kind::Map | Kind::Object, .. } => target.kind.noun(),
        _ => return Ok(()),
    };
    if derive_failed(definition) {
        return Ok(());
    }
    Err(Message::concat(&[
        "the type of the column cannot be inferred, as the path leads to ",
        found,
        ": add `type_ = \"string\"`, or another type",
    ]))
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

/// Checks that a printer column of this type can show the target.
pub const fn column_type(target: Target, type_: &str, path: &str) -> Result<(), Message> {
    of_rule(type_shows_value(type_, path, target.column_value()))
}

impl Target {
    const fn column_value(&self) -> ColumnValue<'static> {
        ColumnValue { kind: self.kind, format: self.format }
    }
}

/// Checks that the status has conditions.
pub const fn condition(definition: &Definition) -> Result<(), Message> {
    const fn to(last: &'static str) -> [PathStep; 4] {
        [PathStep::Field("status"), PathStep::Field("conditions"), PathStep::Items, PathStep::Field(last)]
    }
    match (resolve(definition, &to("type")), resolve(definition, &to("status"))) {
        (Ok(_), Ok(_)) => Ok(()),
        (Err(message), _) | (_, Err(message)) => {
            Err(message
                .then(". A condition column requires the field `status.conditions` of the type `Vec<Condition>`"))
        }
    }
}
