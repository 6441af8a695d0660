//! What `embed` asks of the type that it is written on.

use super::Message;
use crate::schema::walk::{references_error, strip_newtypes};
use crate::schema::{Schema, Shape};

/// The type is one of Kubernetes, as far as its schema is known.
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
            "the field is no type of Kubernetes, and `embed` says how one is written: remove it",
        ])),
        _ => Err(Message::concat(&[
            "`",
            schema.name,
            "` is no type of Kubernetes, and `embed` says how one is written: remove it",
        ])),
    }
}

/// The type is one of Kubernetes, and an object: what is opaque is one.
pub const fn can_be_opaque(type_: Option<&'static Schema>) -> Result<(), Message> {
    match type_ {
        Some(schema) if matches!(strip_newtypes(schema).shape, Shape::List(_) | Shape::Map(_)) => {
            Err(Message::concat(&[
                "the type is a list or a map under another name, and an opaque value is an object: write it as \
                 `Vec<...>` or `BTreeMap<String, ...>`, of which the items are opaque",
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
