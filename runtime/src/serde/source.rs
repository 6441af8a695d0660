//! What a type is decoded from: an object-safe view of any format, so that generated code is compiled once.

use super::{
    fault::Fault,
    shape::{Fields, Variants},
};

/// The result of decoding.
pub type Decoded<T> = Result<T, Fault>;

/// Decodes the fields of a struct or a variant, one after the other.
pub(super) type EachField<'f, 'de> = &'f mut dyn FnMut(Step<'_, 'de>) -> Decoded<()>;

/// A step of decoding fields.
pub enum Step<'s, 'de> {
    /// The field with an index.
    Field(usize, &'s mut dyn Source<'de>),
    /// There are no more fields. What is wrong with them all is reported now, while the format knows its position.
    End,
}

/// Decodes a key or a value of a map.
pub(super) type EachEntry<'f, 'de> = &'f mut dyn FnMut(EntryPart, &mut dyn Source<'de>) -> Decoded<()>;

/// A part of an entry of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryPart {
    /// The key, which comes first.
    Key,
    /// The value.
    Value,
}

/// Decodes the value inside another one.
pub(super) type Inner<'f, 'de> = &'f mut dyn FnMut(&mut dyn Source<'de>) -> Decoded<()>;

/// Decodes the contents of the variant with an index.
pub(super) type EachVariant<'f, 'de> = &'f mut dyn FnMut(usize, &mut dyn VariantSource<'de>) -> Decoded<()>;

/// A type that decodes itself from a source.
pub trait Decode<'de>: Sized {
    /// Decodes a value.
    ///
    /// # Errors
    ///
    /// As serde's derive.
    fn decode(source: &mut dyn Source<'de>) -> Decoded<Self>;

    /// Returns the value of a field that is missing.
    ///
    /// # Errors
    ///
    /// If the field may not be missing.
    fn missing(field: &'static str) -> Decoded<Self> {
        Err(Fault::missing_field(field))
    }
}

macro_rules! known_types {
    ($(#[doc = $doc:literal] $method:ident: $type:ty;)*) => {
        /// One value of a format, which is decoded at most once.
        pub trait Source<'de> {
            $(#[doc = $doc] fn $method(&mut self) -> Decoded<$type>;)*

            /// Decodes a value that may be null; `inner` is called unless it is. Returns whether it was called.
            fn option(&mut self, inner: Inner<'_, 'de>) -> Decoded<bool>;

            /// Decodes a list.
            fn list(&mut self, item: Inner<'_, 'de>) -> Decoded<()>;

            /// Decodes a map.
            fn map(&mut self, entry: EachEntry<'_, 'de>) -> Decoded<()>;

            /// Decodes a struct with named fields. Each field is decoded at most once; missing ones are left to the caller.
            fn object(&mut self, fields: &'static Fields, each: EachField<'_, 'de>) -> Decoded<()>;

            /// Decodes a struct without names.
            fn tuple(&mut self, fields: &'static Fields, each: EachField<'_, 'de>) -> Decoded<()>;

            /// Decodes a struct with one field without a name.
            fn newtype(&mut self, name: &'static str, inner: Inner<'_, 'de>) -> Decoded<()>;

            /// Decodes a struct without fields.
            fn unit(&mut self, name: &'static str) -> Decoded<()>;

            /// Decodes a variant, whose name is outside of its contents.
            fn variant(&mut self, variants: &'static Variants, each: EachVariant<'_, 'de>) -> Decoded<()>;

            /// Decodes a type that only serde knows.
            fn foreign(
                &mut self,
                decode: &mut dyn FnMut(&mut dyn erased_serde::Deserializer<'de>) -> Result<(), erased_serde::Error>,
            ) -> Decoded<()>;
        }

        $(
            impl<'de> Decode<'de> for $type {
                fn decode(source: &mut dyn Source<'de>) -> Decoded<Self> {
                    source.$method()
                }
            }
        )*

        /// The methods for types that a format knows, each by serde's own implementation.
        macro_rules! known_by_serde {
            () => {
                $(
                    fn $method(&mut self) -> Decoded<$type> {
                        self.by_serde()
                    }
                )*
            };
        }
        pub(super) use known_by_serde;
    };
}

known_types! {
    /// Decodes a boolean.
    boolean: bool;
    /// Decodes an integer.
    int8: i8;
    /// Decodes an integer.
    int16: i16;
    /// Decodes an integer.
    int32: i32;
    /// Decodes an integer.
    int64: i64;
    /// Decodes an integer.
    int128: i128;
    /// Decodes an integer.
    int_size: isize;
    /// Decodes an integer.
    uint8: u8;
    /// Decodes an integer.
    uint16: u16;
    /// Decodes an integer.
    uint32: u32;
    /// Decodes an integer.
    uint64: u64;
    /// Decodes an integer.
    uint128: u128;
    /// Decodes an integer.
    uint_size: usize;
    /// Decodes a number.
    float32: f32;
    /// Decodes a number.
    float64: f64;
    /// Decodes a character.
    character: char;
    /// Decodes a string.
    text: String;
    /// Decodes a string, which is borrowed if it can be.
    borrowed_text: crate::serde::known::CowStr<'de>;
    /// Decodes any value.
    value: crate::serde::known::Value;
    /// Skips a value.
    ignored: crate::serde::known::IgnoredAny;
    /// Decodes the metadata of an object.
    metadata: crate::serde::known::ObjectMeta;
    /// Decodes an owner of an object.
    owner_reference: crate::serde::known::OwnerReference;
    /// Decodes the fields that a manager owns.
    managed_fields_entry: crate::serde::known::ManagedFieldsEntry;
    /// Decodes a condition of a status.
    condition: crate::serde::known::Condition;
    /// Decodes a quantity.
    quantity: crate::serde::known::Quantity;
    /// Decodes a number or a string.
    int_or_string: crate::serde::known::IntOrString;
    /// Decodes a time in seconds.
    time: crate::serde::known::Time;
    /// Decodes a time in microseconds.
    micro_time: crate::serde::known::MicroTime;
}

/// The contents of a variant.
pub trait VariantSource<'de> {
    /// Decodes no contents.
    fn unit(&mut self) -> Decoded<()>;
    /// Decodes one value.
    fn newtype(&mut self, inner: Inner<'_, 'de>) -> Decoded<()>;
    /// Decodes several values.
    fn tuple(&mut self, fields: &'static Fields, each: EachField<'_, 'de>) -> Decoded<()>;
    /// Decodes named fields.
    fn object(&mut self, fields: &'static Fields, each: EachField<'_, 'de>) -> Decoded<()>;
}
