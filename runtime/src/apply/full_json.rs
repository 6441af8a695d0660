//! Values with all their fields, whatever their `Serialize` leaves out.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::{
    fields::Json,
    value::{json, list, map},
};

/// A type whose parts can be applied.
pub trait ToFullJson {
    /// The fields that tell items of a list apart, by their names in JSON.
    const KEYS: &'static [&'static str] = &[];

    /// The value with all its fields.
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

/// A value in an object: the method of this type is found before that of [`SerializedJson`].
pub struct FieldJson<'a, T: ?Sized>(pub &'a T);

impl<T: ToFullJson + ?Sized> FieldJson<'_, T> {
    /// The value with all its fields.
    pub fn json(&self) -> Json {
        self.0.to_full_json()
    }
}

/// What is known of a type whose parts cannot be applied.
pub trait SerializedJson {
    /// The value as it is written.
    fn json(&self) -> Json;
}

impl<T: Serialize + ?Sized> SerializedJson for FieldJson<'_, T> {
    fn json(&self) -> Json {
        json(self.0)
    }
}

/// Asks for the keys of a type: the constant of this type is found before that of [`NoListKeys`].
pub struct ListKeys<T>(std::marker::PhantomData<T>);

impl<T: ToFullJson> ListKeys<T> {
    /// The keys of a type whose parts can be applied.
    pub const KEYS: Option<&'static [&'static str]> = Some(T::KEYS);
}

/// What is known of a type whose parts cannot be applied.
pub trait NoListKeys {
    /// It is applied as a to_full_json, with whatever keys it has.
    const KEYS: Option<&'static [&'static str]> = None;
}

impl<T> NoListKeys for ListKeys<T> {}
