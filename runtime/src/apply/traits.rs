//! The trait of values that can be applied.

use serde::Serialize;
use serde_json::Value;

/// A part of an object of `K` that can be applied: it serializes only the fields that are set.
///
/// [`derive(Apply)`](derive@crate::Apply) generates types that implement it. Kubernetes' own types, such as `ConfigMap`
/// and `Deployment`, implement it for themselves: with the feature `client` they can be applied directly, because they
/// serialize only the fields that are set. An object of a derived `K` does not implement it: it serializes all its
/// fields, and applying it would claim fields that are empty or have their defaults. `serde_json::Value` implements it,
/// and so does any other type in [`Unchecked`](super::Unchecked).
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

/// A value that is applied as it is serialized: its `Serialize` must omit fields that are not set.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub struct Unchecked<T>(pub T);

impl<K, T: Serialize> Apply<K> for Unchecked<T> {}
