//! Values with all their fields, whatever their `Serialize` leaves out.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::{
    fields::Json,
    value::{json, list, map},
};

/// A type whose parts can be applied.
pub trait Whole {
    /// The fields that tell items of a list apart, by their names in JSON.
    const KEYS: &'static [&'static str] = &[];

    /// The value with all its fields.
    fn whole(&self) -> Json;
}

impl<T: Whole> Whole for Option<T> {
    fn whole(&self) -> Json {
        self.as_ref().map_or(Ok(serde_json::Value::Null), T::whole)
    }
}

impl<T: Whole> Whole for Box<T> {
    fn whole(&self) -> Json {
        T::whole(self)
    }
}

impl<T: Whole> Whole for Vec<T> {
    fn whole(&self) -> Json {
        list(self, T::whole)
    }
}

impl<K: Serialize, T: Whole> Whole for BTreeMap<K, T> {
    fn whole(&self) -> Json {
        map(self, |(key, value)| (key, value.whole()))
    }
}

impl<K: Serialize, T: Whole, S> Whole for HashMap<K, T, S> {
    fn whole(&self) -> Json {
        map(self, |(key, value)| (key, value.whole()))
    }
}

/// A value in an object: the method of this type is found before that of [`Written`].
pub struct Leaf<'a, T: ?Sized>(pub &'a T);

impl<T: Whole + ?Sized> Leaf<'_, T> {
    /// The value with all its fields.
    pub fn json(&self) -> Json {
        self.0.whole()
    }
}

/// What is known of a type whose parts cannot be applied.
pub trait Written {
    /// The value as it is written.
    fn json(&self) -> Json;
}

impl<T: Serialize + ?Sized> Written for Leaf<'_, T> {
    fn json(&self) -> Json {
        json(self.0)
    }
}

/// Asks for the keys of a type: the constant of this type is found before that of [`NoKeys`].
pub struct Keys<T>(std::marker::PhantomData<T>);

impl<T: Whole> Keys<T> {
    /// The keys of a type whose parts can be applied.
    pub const KEYS: Option<&'static [&'static str]> = Some(T::KEYS);
}

/// What is known of a type whose parts cannot be applied.
pub trait NoKeys {
    /// It is applied as a whole, with whatever keys it has.
    const KEYS: Option<&'static [&'static str]> = None;
}

impl<T> NoKeys for Keys<T> {}
