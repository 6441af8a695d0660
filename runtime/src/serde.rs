//! serde's traits, with derives that compile faster.

mod deserializer;
mod fault;
mod missing;
mod probe;
mod serializer;
mod shape;
mod sink;
mod source;
mod standard;

pub use serde::{Deserialize, Serialize};

/// What generated code uses.
#[doc(hidden)]
pub mod __private {
    pub use super::{
        deserializer::deserialize,
        fault::Fault,
        probe::{ForeignDecode, ForeignEncode, Probe},
        serializer::serialize,
        shape::{FieldShape, Fields, Variants},
        sink::{Encode, Encoded, Part, Sink, VariantName},
        source::{Decode, Decoded, Source},
    };
}
