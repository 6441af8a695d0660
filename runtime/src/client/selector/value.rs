//! The values with which fields are compared.

use std::{borrow::Cow, marker::PhantomData};

use serde::Serialize;
use serde_json::Value as Json;

use super::declared::FieldKind;
use crate::{
    client::{dynamic::type_of, error::JsonError},
    json::json_value::to_value,
};

/// Why a value cannot be compared with a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` cannot be compared with the value: {reason}")]
#[non_exhaustive]
pub struct FieldValueError {
    /// The path of the field.
    pub path: &'static str,
    /// Why the value is invalid.
    pub reason: String,
}

impl FieldValueError {
    pub(in crate::client) fn new(path: &'static str, source: &JsonError) -> Self {
        Self { path, reason: source.to_string() }
    }
}

/// A field with strings.
pub enum StringField {}
/// A field with integers.
pub enum IntegerField {}
/// A field with booleans.
pub enum BooleanField {}
/// A field with any of these: the schema is not known at compile time.
pub enum AnyField {}

/// The number of a field kind, because only numbers can convert constants to types.
pub struct Tag<const KIND: u8>;

/// Returns the number of a field kind.
pub const fn tag(kind: FieldKind) -> u8 {
    match kind {
        FieldKind::String => 0,
        FieldKind::Integer => 1,
        FieldKind::Boolean => 2,
        FieldKind::Any => 3,
    }
}

/// Converts the number of a field kind to its type.
pub trait Tagged {
    /// The field kind.
    type Field: Field;
}

/// A field kind.
pub trait Field {
    /// Its name in messages.
    const NAME: &'static str;
    /// Returns whether a field of this kind can have the value.
    fn accepts(value: &Json) -> bool;
}

macro_rules! fields {
    ($($number:literal $field:ident $name:literal $accepts:expr;)+) => {$(
        impl Tagged for Tag<$number> {
            type Field = $field;
        }
        impl Field for $field {
            const NAME: &'static str = $name;
            fn accepts(value: &Json) -> bool {
                let accepts: fn(&Json) -> bool = $accepts;
                accepts(value)
            }
        }
    )+};
}

fields! {
    0 StringField "a string" Json::is_string;
    1 IntegerField "an integer" |value| value.is_i64() || value.is_u64();
    2 BooleanField "a boolean" Json::is_boolean;
    3 AnyField "a string, an integer or a boolean"
        |value| value.is_string() || value.is_i64() || value.is_u64() || value.is_boolean();
}

/// A value that is compared with a field: its inherent method takes precedence over that of [`OtherValue`].
pub struct Value<F, T> {
    value: T,
    field: PhantomData<F>,
}

impl<F, T> Value<F, T> {
    /// Wraps a value for a field of the kind `F`.
    pub fn new(value: T) -> Self {
        Self { value, field: PhantomData }
    }
}

impl<F, T: Plain> Value<F, T> {
    /// Returns the text of the value.
    pub fn text(self) -> Result<String, JsonError>
    where
        T: Fits<F>,
    {
        Ok(self.value.to_text())
    }
}

/// The fallback for a value whose JSON form is not known from its type.
pub trait OtherValue {
    /// Returns the text if a field of the kind can have the value.
    fn text(self) -> Result<String, JsonError>;
}

impl<F: Field, T: Serialize> OtherValue for Value<F, T> {
    fn text(self) -> Result<String, JsonError> {
        let value = to_value(&self.value)?;
        match value {
            value if !F::accepts(&value) => {
                Err(JsonError::plain(format!("the field is {}, but the value is {} in JSON", F::NAME, type_of(&value))))
            }
            Json::String(text) => Ok(text),
            value => Ok(value.to_string()),
        }
    }
}

/// A type with a well-known JSON form.
pub trait Plain {
    /// Returns the value as in a selector.
    fn to_text(&self) -> String;
}

/// A type whose values a field can have.
#[diagnostic::on_unimplemented(
    message = "a field of the kind `{F}` cannot be a `{Self}`",
    label = "not a value of this field"
)]
pub trait Fits<F> {}

macro_rules! plain {
    ($($type:ty),+) => {$(
        impl Plain for $type {
            fn to_text(&self) -> String {
                self.to_string()
            }
        }
    )+};
}

macro_rules! fits {
    ($($field:ty: $($type:ty),+;)+) => {$($(
        plain!($type);
        impl Fits<$field> for $type {}
        impl Fits<AnyField> for $type {}
    )+)+};
}

fits! {
    StringField: str, String, Cow<'_, str>;
    IntegerField: i8, i16, i32, i64, isize, u8, u16, u32, u64, usize;
    BooleanField: bool;
}

// No field has these types.
plain!(f32, f64);

impl<T: Plain + ?Sized> Plain for &T {
    fn to_text(&self) -> String {
        (**self).to_text()
    }
}

impl<F, T: Fits<F> + ?Sized> Fits<F> for &T {}
