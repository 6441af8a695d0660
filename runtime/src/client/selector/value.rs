//! What fields are compared with.

use std::{borrow::Cow, marker::PhantomData};

use serde::Serialize;
use serde_json::Value as Json;

use super::declared::FieldKind;
use crate::client::{dynamic::type_of, error::JsonError};

/// Why a value is nothing that a field can be compared with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` cannot be compared with the value: {reason}")]
#[non_exhaustive]
pub struct FieldValueError {
    /// The path of the field.
    pub path: &'static str,
    /// What is wrong with the value.
    pub reason: String,
}

impl FieldValueError {
    pub(in crate::client) fn new(path: &'static str, source: &JsonError) -> Self {
        Self {
            path,
            reason: source.to_string(),
        }
    }
}

/// Strings.
pub enum StringField {}
/// Integers.
pub enum IntegerField {}
/// Booleans.
pub enum BooleanField {}
/// Anything: the schema is not known while compiling.
pub enum AnyField {}

/// A number for each kind of field, as constants are turned into types only by numbers.
pub struct Tag<const KIND: u8>;

/// The number of a kind of field.
pub const fn tag(kind: FieldKind) -> u8 {
    match kind {
        FieldKind::String => 0,
        FieldKind::Integer => 1,
        FieldKind::Boolean => 2,
        FieldKind::Any => 3,
    }
}

/// The type for a number.
pub trait Tagged {
    /// The kind of field.
    type Field: Field;
}

/// A kind of field.
pub trait Field {
    /// What it is called.
    const NAME: &'static str;
    /// Whether it may be this.
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

/// A value that stands beside a field: the method of this type is found before that of [`OtherValue`].
pub struct Value<F, T> {
    value: T,
    field: PhantomData<F>,
}

impl<F, T> Value<F, T> {
    /// The value beside a field of the kind `F`.
    pub fn new(value: T) -> Self {
        Self {
            value,
            field: PhantomData,
        }
    }
}

impl<F, T: Plain> Value<F, T> {
    /// The text of the value.
    pub fn text(self) -> Result<String, JsonError>
    where
        T: Fits<F>,
    {
        Ok(self.value.to_text())
    }
}

/// The text of a value whose type says nothing about what it is in JSON.
pub trait OtherValue {
    /// The text, if the value is what the field can be.
    fn text(self) -> Result<String, JsonError>;
}

impl<F: Field, T: Serialize> OtherValue for Value<F, T> {
    fn text(self) -> Result<String, JsonError> {
        let value = serde_json::to_value(self.value)?;
        match value {
            value if !F::accepts(&value) => Err(JsonError::plain(format!(
                "the field is {}, and the value is {} in JSON",
                F::NAME,
                type_of(&value)
            ))),
            Json::String(text) => Ok(text),
            value => Ok(value.to_string()),
        }
    }
}

/// A type of which everybody knows what it is in JSON.
pub trait Plain {
    /// The value in a selector.
    fn to_text(&self) -> String;
}

/// A type whose values a field can have.
#[diagnostic::on_unimplemented(
    message = "a field of the kind `{F}` is never a `{Self}`",
    label = "no value of this field"
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

// No field is one of these.
plain!(f32, f64);

impl<T: Plain + ?Sized> Plain for &T {
    fn to_text(&self) -> String {
        (**self).to_text()
    }
}

impl<F, T: Fits<F> + ?Sized> Fits<F> for &T {}
