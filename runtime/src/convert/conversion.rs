//! Conversions as constant data.

use std::{fmt, marker::PhantomData};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Convert, Spoke};
use crate::{
    json::json_value::to_value,
    resource::definition::Definition,
    schema::{Schema, Tagging, walk::equal},
};

/// Which way an object is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a spoke to the hub.
    ToHub,
    /// From the hub to a spoke.
    FromHub,
}

impl Direction {
    pub(super) const fn reversed(self) -> Self {
        match self {
            Self::ToHub => Self::FromHub,
            Self::FromHub => Self::ToHub,
        }
    }
}

/// How the values of a type convert.
#[derive(Clone, Copy, Debug)]
pub enum ConversionNode {
    /// They stay the same.
    Same,
    /// Field by field.
    Object(&'static ObjectConversion),
    /// Variant by variant.
    Enum(&'static EnumConversion),
    /// As another type.
    Of(&'static ConversionNode),
    /// The items of a list.
    Items(&'static ConversionNode),
    /// The values of a map.
    Values(&'static ConversionNode),
}

/// How a kind converts: a spoke and its hub.
#[derive(Clone, Copy, Debug)]
pub struct KindConversion {
    /// The definition of the spoke.
    pub spoke: &'static Definition,
    /// The definition of the hub.
    pub hub: &'static Definition,
    /// How the spec converts.
    pub spec: ConversionNode,
    /// How the status converts.
    pub status: ConversionNode,
}

/// How an object of a spoke converts to an object of the hub.
#[derive(Clone, Copy, Debug)]
pub struct ObjectConversion {
    /// The type in the spoke.
    pub spoke: &'static Schema,
    /// The type in the hub.
    pub hub: &'static Schema,
    /// All fields of the spoke.
    pub fields: &'static [FieldConversion],
    /// Values of required fields that only the hub has.
    pub hub_defaults: &'static [HubDefault],
    /// Whether other types set the rest of the hub's fields.
    pub is_partial: bool,
}

impl ObjectConversion {
    /// Whether a field of the spoke sets a field of the hub, or a part of it, in the hub's object at `prefix`. `unknown` is the answer
    /// if the fields of a flattened type are unknown.
    pub(crate) const fn sets(&self, prefix: &[&str], name: &str, unknown: bool) -> bool {
        let mut at = 0;
        while at < self.fields.len() {
            let field = &self.fields[at];
            let is_it = match field.object() {
                Some(inner) if field.is_flattened() => inner.sets(prefix, name, unknown),
                _ if field.is_flattened() => unknown,
                _ => field.leads_into(prefix, name, 0),
            };
            if is_it {
                return true;
            }
            at += 1;
        }
        false
    }

    /// Whether a field of the spoke leads into a field of the hub's object at a prefix of this length.
    pub(crate) fn leads_below(&self, prefix: usize) -> bool {
        self.fields.iter().any(|field| match field.object() {
            Some(inner) if field.is_flattened() => inner.leads_below(prefix),
            _ => field.hub.is_some_and(|path| path.len() > prefix + 1),
        })
    }

    /// Returns the path of a field of the spoke that leads into a field of the hub's object at `prefix`.
    pub(crate) const fn path_through(&self, prefix: &[&str], name: &str) -> Option<&'static [&'static str]> {
        let mut at = 0;
        while at < self.fields.len() {
            let field = &self.fields[at];
            let path = match field.object() {
                Some(inner) if field.is_flattened() => inner.path_through(prefix, name),
                _ if field.leads_into(prefix, name, 1) => field.hub,
                _ => None,
            };
            if path.is_some() {
                return path;
            }
            at += 1;
        }
        None
    }
}

impl FieldConversion {
    /// Whether the fields of the value are fields of the hub's object.
    const fn is_flattened(&self) -> bool {
        matches!(self.hub, Some([]))
    }

    /// Returns how the fields of the value convert, if that is known.
    const fn object(&self) -> Option<&'static ObjectConversion> {
        match &self.node {
            ConversionNode::Object(inner) | ConversionNode::Of(ConversionNode::Object(inner)) => Some(inner),
            _ => None,
        }
    }

    /// Whether the path in the hub starts with a prefix and a name, and has further steps, at least `more`.
    const fn leads_into(&self, prefix: &[&str], name: &str, more: usize) -> bool {
        let Some(path) = self.hub else { return false };
        if path.len() < prefix.len() + 1 + more {
            return false;
        }
        let mut at = 0;
        while at < prefix.len() {
            if !equal(path[at], prefix[at]) {
                return false;
            }
            at += 1;
        }
        equal(path[at], name)
    }
}

/// How a field converts.
#[derive(Clone, Copy, Debug)]
pub struct FieldConversion {
    /// The JSON name in the spoke; empty if its type is flattened.
    pub name: &'static str,
    /// The path in the hub; empty if the fields of the value are fields of the hub's object. `None` if the hub has no such
    /// field.
    pub hub: Option<&'static [&'static str]>,
    /// The functions that convert the value.
    pub with: Option<With>,
    /// The value in the spoke if the hub has none.
    pub default: Option<fn() -> Value>,
    /// How the value converts.
    pub node: ConversionNode,
}

/// A pair of functions, each other's inverse.
#[derive(Clone, Copy)]
pub struct With {
    /// From the spoke to the hub.
    pub to_hub: fn(&Value) -> Result<Value, String>,
    /// From the hub to the spoke.
    pub from_hub: fn(&Value) -> Result<Value, String>,
    /// The value of the spoke as its type serializes it: the functions do not get what JSON adds to it, such as nulls.
    pub canonical: fn(&Value) -> Result<Value, String>,
}

impl fmt::Debug for With {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("With")
    }
}

/// The value of a field that only the hub has.
#[derive(Clone, Copy, Debug)]
pub struct HubDefault {
    /// The path in the hub's object.
    pub path: &'static [&'static str],
    /// Returns the value.
    pub value: fn() -> Value,
}

/// How an enum converts.
#[derive(Clone, Copy, Debug)]
pub struct EnumConversion {
    /// The type in the spoke.
    pub spoke: &'static Schema,
    /// The type in the hub.
    pub hub: &'static Schema,
    /// How JSON identifies the variant in the spoke.
    pub tagging: Tagging,
    /// How JSON identifies the variant in the hub.
    pub hub_tagging: Tagging,
    /// All variants of the spoke.
    pub variants: &'static [VariantConversion],
    /// Variants that only the hub has, each with the variant of the spoke that stands for it.
    pub only_in_hub: &'static [(&'static str, &'static str)],
}

/// How a variant converts.
#[derive(Clone, Copy, Debug)]
pub struct VariantConversion {
    /// The JSON name in the spoke.
    pub name: &'static str,
    /// The JSON name in the hub.
    pub hub: &'static str,
    /// Whether it has data.
    pub has_data: bool,
    /// Whether it has data in the hub.
    pub hub_has_data: bool,
    /// How its data converts.
    pub node: ConversionNode,
}

/// The conversion of a type: `NodeOf::<T>::NODE`. If `T` implements [`Convert`], the inherent constant takes precedence over
/// that of [`NoConversion`].
pub struct NodeOf<T: ?Sized>(PhantomData<T>);

impl<T: Convert + ?Sized> NodeOf<T> {
    /// How its values convert.
    pub const NODE: ConversionNode = T::NODE;
}

/// The fallback of [`NodeOf`].
pub trait NoConversion {
    /// Values stay the same.
    const NODE: ConversionNode = ConversionNode::Same;
}

impl<T: ?Sized> NoConversion for NodeOf<T> {}

/// The hub of a version: `HubOf::<K>::HUB`. If `K` implements [`Spoke`], the inherent constant takes precedence over that of
/// [`NoHub`].
pub struct HubOf<K>(PhantomData<K>);

impl<K: Spoke> HubOf<K> {
    /// The definition of its hub.
    pub const HUB: Option<&'static Definition> = Some(K::CONVERSION.hub);
}

/// The fallback of [`HubOf`].
pub trait NoHub {
    /// It is no spoke.
    const HUB: Option<&'static Definition> = None;
}

impl<K> NoHub for HubOf<K> {}

/// Applies a function to a JSON value.
pub fn apply<A: DeserializeOwned, B: Serialize>(value: &Value, function: impl Fn(A) -> B) -> Result<Value, String> {
    try_apply(value, |argument| Ok::<_, String>(function(argument)))
}

/// Applies a function that can fail to a JSON value.
pub fn try_apply<A: DeserializeOwned, B: Serialize, E: fmt::Display>(
    value: &Value,
    function: impl Fn(A) -> Result<B, E>,
) -> Result<Value, String> {
    let argument = A::deserialize(value).map_err(|error| error.to_string())?;
    let converted = function(argument).map_err(|error| error.to_string())?;
    to_value(&converted).map_err(|error| error.to_string())
}

/// Returns a JSON value as its type serializes it.
pub fn canonical<T: DeserializeOwned + Serialize>(value: &Value) -> Result<Value, String> {
    apply::<T, T>(value, |value| value)
}

/// Returns a default as JSON; null if it cannot be serialized.
pub fn value_of<T: Serialize>(value: T) -> Value {
    to_value(&value).unwrap_or_default()
}
