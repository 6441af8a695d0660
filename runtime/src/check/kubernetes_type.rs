//! Checks of `embed` against the type of its field.

use super::Message;
use crate::schema::walk::{references_error, strip_newtypes};
use crate::schema::{Schema, Shape};

/// Checks that the type belongs to the Kubernetes API, if its schema is known.
pub const fn of_kubernetes(type_: Option<&'static Schema>) -> Result<(), Message> {
    let Some(schema) = type_ else {
        return Ok(());
    };
    let inner = strip_newtypes(schema);
    match inner.shape {
        Shape::List(inner) | Shape::Map(inner) => of_kubernetes(Some(inner)),
        Shape::Foreign(_) => Ok(()),
        _ if inner.of_kubernetes || references_error(inner) => Ok(()),
        _ if inner.name.is_empty() => Err(Message::concat(&[
            "`embed` applies to Kubernetes types, and the type of this field is not one: remove it",
        ])),
        _ => Err(Message::concat(&[
            "`embed` applies to Kubernetes types, and `",
            schema.name,
            "` is not one: remove it",
        ])),
    }
}

/// Checks that the type belongs to the Kubernetes API and is an object.
pub const fn can_be_opaque(type_: Option<&'static Schema>) -> Result<(), Message> {
    match type_ {
        Some(schema) if matches!(strip_newtypes(schema).shape, Shape::List(_) | Shape::Map(_)) => {
            Err(Message::concat(&[
                "an opaque value is an object, but this type is an alias of a list or a map: write it as `Vec<...>` or \
                 `BTreeMap<String, ...>`, whose items are then opaque",
            ]))
        }
        type_ => of_kubernetes(type_),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_maps_of_types_of_kubernetes() {
        const SPEC: Schema = Schema::object(&[]).of_kubernetes();
        const LIST: Schema = Schema::list(&SPEC);
        const MAP: Schema = Schema::map(&LIST);
        const TEXTS: Schema = Schema::list(&Schema::string());
        for schema in [&SPEC, &LIST, &MAP] {
            assert!(of_kubernetes(Some(schema)).is_ok(), "{schema:?}");
        }
        assert!(of_kubernetes(Some(&TEXTS)).is_err());
        assert!(can_be_opaque(Some(&SPEC)).is_ok());
        assert!(can_be_opaque(Some(&LIST)).is_err());
    }
}
