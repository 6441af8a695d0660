#![doc = include_str!("docs/own_serde.md")]

mod deserializer;
mod fault;
mod generated;
pub(crate) mod json;
mod known;
mod missing;
#[cfg(any(feature = "client", feature = "webhook"))]
pub(crate) mod object_text;
mod probe;
pub(crate) mod root;
mod serializer;
mod shape;
mod sink;
mod slot;
mod source;
mod standard;

pub use crdkit_macros::{Deserialize, Serialize};
pub use serde::{de::Deserialize, ser::Serialize};

/// What generated code uses.
#[doc(hidden)]
pub mod __private {
    pub use serde;

    pub use super::{
        deserializer::deserialize,
        fault::Fault,
        generated::{
            by_serde, converted, decoded, encode_part, missing_by_serde, no_variant, not_encoded, unit_variant,
        },
        probe::{ForeignDecode, ForeignEncode, Probe},
        serializer::serialize,
        shape::{Aliases, Fields, Variants},
        sink::{Encode, Encoded, Part, Sink, VariantName},
        slot::{Slot, newtype, newtype_variant, object, object_variant, tuple, tuple_variant, value, with},
        source::{Decode, Decoded, Source},
    };
}
