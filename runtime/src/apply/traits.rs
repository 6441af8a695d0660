//! The trait of values that can be applied.

use serde::Serialize;
use serde_json::Value;

/// A part of an object of `K` that can be applied: it is written with what is to be set and nothing else.
///
/// [`derive(Apply)`](derive@crate::Apply) makes types that are one. Kubernetes' own types, such as `ConfigMap` and
/// `Deployment`, are parts of themselves: with the feature `client` they can be applied as they are, since they are written
/// with what is set and nothing else. An object of a derived `K` itself is none: it is written with all its fields, and
/// applying it would claim those that are empty or have their defaults. `serde_json::Value` is one, as is any other type
/// within [`Unchecked`](super::Unchecked).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a part of a `{K}` that can be applied",
    label = "no part of a `{K}` with nothing but what is set",
    note = "`#[derive(Apply)]` on the spec of a `{K}` makes a type that is one, which writes only what is set; a \
            `serde_json::Value` such as `json!({{ \"spec\": ... }})` is another, as is a value of any type whose \
            `Serialize` leaves out what is not set, within `Unchecked(...)`"
)]
pub trait Apply<K>: Serialize {}

impl<K> Apply<K> for Value {}
impl<K, T: Apply<K> + ?Sized> Apply<K> for &T {}

/// A value that is applied as it is written: its `Serialize` must leave out what is not set.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub struct Unchecked<T>(pub T);

impl<K, T: Serialize> Apply<K> for Unchecked<T> {}
