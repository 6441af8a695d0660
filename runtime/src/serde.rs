//! serde's traits, with derives that compile faster.

mod deserializer;
mod fault;
mod generated;
mod missing;
mod probe;
mod serializer;
mod shape;
mod sink;
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
        generated::{by_serde, converted, decoded, encode_part, no_variant, not_encoded, required, unit_variant},
        probe::{ForeignDecode, ForeignEncode, Probe},
        serializer::serialize,
        shape::{FieldShape, Fields, Variants},
        sink::{Encode, Encoded, Part, Sink, VariantName},
        source::{Decode, Decoded, Source, Step},
    };
}
