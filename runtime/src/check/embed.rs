//! What `embed` asks of the type that it is written on.

use super::{
    Message,
    walk::{has_mistakes, peel},
};
use crate::schema::{Schema, Shape};

/// The type is one of Kubernetes, as far as its schema is known.
pub const fn of_kubernetes(type_: Option<&'static Schema>) -> Result<(), Message> {
    let Some(schema) = type_ else {
        return Ok(());
    };
    let inner = peel(schema);
    match inner.shape {
        Shape::List(inner) | Shape::Map(inner) => of_kubernetes(Some(inner)),
        Shape::Foreign(_) => Ok(()),
        _ if inner.of_kubernetes || has_mistakes(inner) => Ok(()),
        _ if inner.name.is_empty() => Err(Message::of(&[
            "the field is no type of Kubernetes, and `embed` says how one is written: remove it",
        ])),
        _ => Err(Message::of(&[
            "`",
            schema.name,
            "` is no type of Kubernetes, and `embed` says how one is written: remove it",
        ])),
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
    }
}
