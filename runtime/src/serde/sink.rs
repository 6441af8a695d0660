//! What a type is encoded to: an object-safe view of any format, so that generated code is compiled once.

use super::fault::Fault;

/// The result of encoding.
pub type Encoded = Result<(), Fault>;

/// A type that encodes itself to a sink.
pub trait Encode {
    /// Encodes the value.
    ///
    /// # Errors
    ///
    /// As serde's derive.
    fn encode(&self, sink: &mut dyn Sink) -> Encoded;
}

/// A value that is encoded.
#[derive(Clone, Copy)]
pub enum Part<'v> {
    /// Its type encodes itself.
    Own(&'v dyn Encode),
    /// Only serde knows its type.
    Foreign(&'v dyn erased_serde::Serialize),
    /// It is left out.
    Skipped,
}

/// A field, with its name.
pub(super) type NamedPart<'v> = (&'static str, Part<'v>);

/// A variant: the name of the enum, its index and its name.
#[derive(Clone, Copy, Debug)]
pub struct VariantName {
    /// The name of the enum.
    pub type_name: &'static str,
    /// The index of the variant.
    pub index: u32,
    /// The name of the variant.
    pub name: &'static str,
}

macro_rules! known_types {
    (scalars { $($method:ident: $type:ty, $serialize:ident;)* } others { $($known:ident: $known_type:ty;)* }) => {
        /// A place for one value of a format, which is encoded exactly once.
        pub trait Sink {
            $(
                /// Encodes a scalar.
                fn $method(&mut self, value: $type) -> Encoded;
            )*

            $(
                /// Encodes a value of a type that all formats know.
                fn $known(&mut self, value: &$known_type) -> Encoded;
            )*

            /// Encodes a string.
            fn text(&mut self, text: &str) -> Encoded;

            /// Encodes an absent value.
            fn none(&mut self) -> Encoded;

            /// Encodes a value that may be absent.
            fn some(&mut self, value: &dyn Encode) -> Encoded;

            /// Encodes a list with a number of items.
            fn list(&mut self, count: usize, items: &mut dyn Iterator<Item = &dyn Encode>) -> Encoded;

            /// Encodes a map with a number of entries.
            fn map(&mut self, count: usize, entries: &mut dyn Iterator<Item = (&dyn Encode, &dyn Encode)>) -> Encoded;

            /// Encodes a struct with named fields.
            fn object(&mut self, name: &'static str, fields: &[NamedPart<'_>]) -> Encoded;

            /// Encodes a struct without names.
            fn tuple(&mut self, name: &'static str, fields: &[Part<'_>]) -> Encoded;

            /// Encodes a struct with one field without a name.
            fn newtype(&mut self, name: &'static str, field: Part<'_>) -> Encoded;

            /// Encodes a struct without fields.
            fn unit(&mut self, name: &'static str) -> Encoded;

            /// Encodes a variant without contents.
            fn unit_variant(&mut self, variant: VariantName) -> Encoded;

            /// Encodes a variant with one value.
            fn newtype_variant(&mut self, variant: VariantName, field: Part<'_>) -> Encoded;

            /// Encodes a variant with several values.
            fn tuple_variant(&mut self, variant: VariantName, fields: &[Part<'_>]) -> Encoded;

            /// Encodes a variant with named fields.
            fn object_variant(&mut self, variant: VariantName, fields: &[NamedPart<'_>]) -> Encoded;

            /// Encodes a value of a type that only serde knows.
            fn foreign(&mut self, value: &dyn erased_serde::Serialize) -> Encoded;
        }

        $(
            impl Encode for $type {
                fn encode(&self, sink: &mut dyn Sink) -> Encoded {
                    sink.$method(*self)
                }
            }
        )*

        $(
            impl Encode for $known_type {
                fn encode(&self, sink: &mut dyn Sink) -> Encoded {
                    sink.$known(self)
                }
            }
        )*

        /// The methods for types that a format knows, each by a method of serde.
        macro_rules! known_to_serde {
            () => {
                $(
                    fn $method(&mut self, value: $type) -> Encoded {
                        self.with(|serializer| serializer.$serialize(value as _))
                    }
                )*

                $(
                    fn $known(&mut self, value: &$known_type) -> Encoded {
                        self.with(|serializer| value.serialize(serializer))
                    }
                )*
            };
        }
        pub(super) use known_to_serde;
    };
}

known_types! {
    scalars {
        boolean: bool, serialize_bool;
        int8: i8, serialize_i8;
        int16: i16, serialize_i16;
        int32: i32, serialize_i32;
        int64: i64, serialize_i64;
        int128: i128, serialize_i128;
        int_size: isize, serialize_i64;
        uint8: u8, serialize_u8;
        uint16: u16, serialize_u16;
        uint32: u32, serialize_u32;
        uint64: u64, serialize_u64;
        uint128: u128, serialize_u128;
        uint_size: usize, serialize_u64;
        float32: f32, serialize_f32;
        float64: f64, serialize_f64;
        character: char, serialize_char;
    }
    others {
        value: crate::serde::known::Value;
        metadata: crate::serde::known::ObjectMeta;
        owner_reference: crate::serde::known::OwnerReference;
        managed_fields_entry: crate::serde::known::ManagedFieldsEntry;
        condition: crate::serde::known::Condition;
        quantity: crate::serde::known::Quantity;
        int_or_string: crate::serde::known::IntOrString;
        time: crate::serde::known::Time;
        micro_time: crate::serde::known::MicroTime;
    }
}

impl Encode for str {
    fn encode(&self, sink: &mut dyn Sink) -> Encoded {
        sink.text(self)
    }
}

impl Encode for String {
    fn encode(&self, sink: &mut dyn Sink) -> Encoded {
        sink.text(self)
    }
}
