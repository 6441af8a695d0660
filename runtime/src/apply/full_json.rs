//! Values with all their fields, including those that `Serialize` omits.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::{
    fields::Json,
    value::{json, list, map},
};

/// A type whose parts can be applied.
pub trait ToFullJson {
    /// The JSON names of the fields that identify the items of a list.
    const KEYS: &'static [&'static str] = &[];

    /// Returns the value with all its fields.
    fn to_full_json(&self) -> Json;
}

impl<T: ToFullJson> ToFullJson for Option<T> {
    fn to_full_json(&self) -> Json {
        self.as_ref().map_or(Ok(serde_json::Value::Null), T::to_full_json)
    }
}

impl<T: ToFullJson> ToFullJson for Box<T> {
    fn to_full_json(&self) -> Json {
        T::to_full_json(self)
    }
}

impl<T: ToFullJson> ToFullJson for Vec<T> {
    fn to_full_json(&self) -> Json {
        list(self, T::to_full_json)
    }
}

impl<K: Serialize, T: ToFullJson> ToFullJson for BTreeMap<K, T> {
    fn to_full_json(&self) -> Json {
        map(self, |(key, value)| (key, value.to_full_json()))
    }
}

impl<K: Serialize, T: ToFullJson, S> ToFullJson for HashMap<K, T, S> {
    fn to_full_json(&self) -> Json {
        map(self, |(key, value)| (key, value.to_full_json()))
    }
}

/// A value in an object: the inherent method takes precedence over that of [`SerializedJson`].
pub struct FieldJson<'a, T: ?Sized>(pub &'a T);

impl<T: ToFullJson + ?Sized> FieldJson<'_, T> {
    /// Returns the value with all its fields.
    pub fn json(&self) -> Json {
        self.0.to_full_json()
    }
}

/// The fallback for a type without `Apply`.
pub trait SerializedJson {
    /// Returns the serialized value.
    fn json(&self) -> Json;
}

impl<T: Serialize + ?Sized> SerializedJson for FieldJson<'_, T> {
    fn json(&self) -> Json {
        json(self.0)
    }
}

/// Looks up the keys of a type: the inherent constant takes precedence over that of [`NoListKeys`].
pub struct ListKeys<T>(std::marker::PhantomData<T>);

impl<T: ToFullJson> ListKeys<T> {
    /// The keys of a type with `Apply`.
    pub const KEYS: Option<&'static [&'static str]> = Some(T::KEYS);
}

/// The fallback for a type without `Apply`.
pub trait NoListKeys {
    /// `None`: the value is applied as a whole, and its keys are not checked.
    const KEYS: Option<&'static [&'static str]> = None;
}

impl<T> NoListKeys for ListKeys<T> {}
