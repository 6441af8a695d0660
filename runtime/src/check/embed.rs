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
