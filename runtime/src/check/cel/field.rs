//! Fields of objects and entries of maps.

use crdkit_core::{cel::Scalar, literal::cel::UnescapedName};

use super::{
    report::Report,
    types::{CelType, Holder, Inner},
};
use crate::{
    check::{Message, path, suggest::missing},
    resource::definition::Definition,
    schema::walk::{Location, Member, Value, equal, field},
};

/// Returns the type of a field, by its name in CEL.
pub(super) const fn selected(
    of: &CelType,
    name: &str,
    is_optional: bool,
    report: Report<'_>,
) -> Result<CelType, Message> {
    let (target, was_optional) = match of.opened() {
        Some((Holder::Optional, target)) => (target, true),
        _ => (*of, false),
    };
    let found = match field_of(&target, name) {
        Ok(found) => found,
        Err(message) => return Err(report.message(message)),
    };
    Ok(if is_optional || was_optional { found.held_by(Holder::Optional) } else { found })
}

const fn field_of(target: &CelType, name: &str) -> Result<CelType, Message> {
    match target.opened() {
        Some((Holder::Map(_), value)) => return Ok(value),
        Some((Holder::List, _)) => {
            return Err(Message::concat(&[
                "a list has no field `",
                name,
                "`: use an index, or a macro over its items such as `all`",
            ]));
        }
        Some((Holder::Optional, _)) => return Ok(CelType::UNKNOWN),
        None => {}
    }
    match UnescapedName::of(name) {
        UnescapedName::Same => named(target, name),
        UnescapedName::Other(name) => named(target, name.as_str()),
        UnescapedName::Invalid => Ok(CelType::UNKNOWN),
    }
}

/// Returns the type of a field, by its name in the schema.
const fn named(target: &CelType, name: &str) -> Result<CelType, Message> {
    match &target.inner {
        Inner::Unknown => Ok(CelType::UNKNOWN),
        Inner::Scalar(scalar) => {
            Err(Message::concat(&[scalar.article(), " ", scalar.name(), " has no field `", name, "`"]))
        }
        Inner::Object(value) => of_object(value, name),
        Inner::Resource(definition) => of_resource(definition, name),
        Inner::Metadata if equal(name, "name") || equal(name, "generateName") => Ok(CelType::scalar(Scalar::String)),
        Inner::Metadata => Err(Message::concat(&[
            "rules cannot see `",
            name,
            "` of the metadata of a resource: they see `name` and `generateName`",
        ])),
    }
}

const fn of_object(object: &Value, name: &str) -> Result<CelType, Message> {
    match field(object, name) {
        Location::At(member) => of_member(&member, name),
        Location::Missing(object) => Err(missing(object, name)),
        _ => Ok(CelType::UNKNOWN),
    }
}

const fn of_resource(definition: &'static Definition, name: &str) -> Result<CelType, Message> {
    if equal(name, "metadata") {
        return Ok(CelType::of(Inner::Metadata));
    }
    match path::from_root(definition, name) {
        Location::At(member) => of_member(&member, name),
        Location::Missing(object) => Err(missing(object, name)),
        Location::MissingAtRoot => Err(path::missing_at_root(definition, name)),
        _ => Ok(CelType::UNKNOWN),
    }
}

const fn of_member(member: &Member, name: &str) -> Result<CelType, Message> {
    if !member.is_certain || member.data_of.is_some() {
        return Ok(CelType::UNKNOWN);
    }
    if !member.value.may_be_visible() {
        return Err(Message::concat(&[
            "`",
            name,
            "` can be any value and is therefore not visible to rules: give it a type",
        ]));
    }
    let type_ = CelType::of_value(&member.value);
    // Variants share a field if its kind is the same in all of them.
    match type_.as_scalar() {
        None | Some(Scalar::String) if member.variant.is_some() => Ok(CelType::UNKNOWN),
        _ => Ok(type_),
    }
}
