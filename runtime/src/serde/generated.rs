//! What generated code calls, so that there is less of it.

use std::fmt;

use serde::Deserialize;

use super::{
    fault::Fault,
    missing::MissingField,
    shape::Variants,
    sink::{Encoded, Part, Sink},
    source::{Decoded, Source},
};

/// Returns a value that was decoded.
///
/// # Errors
///
/// If the format did not decode it.
pub fn decoded<T>(value: Option<T>) -> Decoded<T> {
    value.ok_or_else(|| Fault::custom("the format has no value"))
}

/// Converts a decoded value.
///
/// # Errors
///
/// If the conversion fails.
pub fn converted<T, U: TryFrom<T>>(value: T) -> Decoded<U>
where
    U::Error: fmt::Display,
{
    U::try_from(value).map_err(Fault::custom)
}

/// Decodes a variant of an enum whose variants are all units, to its index.
///
/// # Errors
///
/// As serde's derive.
pub fn unit_variant(source: &mut dyn Source<'_>, variants: &'static Variants) -> Decoded<usize> {
    let mut found = None;
    source.variant(variants, &mut |index, contents| {
        found = Some(index);
        contents.unit()
    })?;
    decoded(found)
}

/// The result for a variant that is not there.
///
/// # Errors
///
/// Always.
#[cold]
pub fn no_variant<T>() -> Decoded<T> {
    Err(Fault::custom("no such variant"))
}

/// The result for a variant that is not encoded.
///
/// # Errors
///
/// Always.
#[cold]
pub fn not_encoded(message: &str) -> Encoded {
    Err(Fault::custom(message))
}

/// Encodes a value in the place of another one.
///
/// # Errors
///
/// As serde's derive.
pub fn encode_part(part: Part<'_>, sink: &mut dyn Sink) -> Encoded {
    match part {
        Part::Own(value) => value.encode(sink),
        Part::Foreign(value) => sink.foreign(value),
        Part::Skipped => Err(Fault::custom("a value is left out")),
    }
}

/// Returns the value of a missing field, of a type that serde reads.
///
/// # Errors
///
/// If the field may not be missing.
pub fn missing_by_serde<'de, T: Deserialize<'de>>(field: &'static str) -> Decoded<T> {
    T::deserialize(MissingField(field)).map_err(Fault::from)
}

/// Decodes a type whose code is serde's.
///
/// # Errors
///
/// As `deserialize`.
pub fn by_serde<'de, T>(
    source: &mut dyn Source<'de>,
    deserialize: impl Fn(&mut dyn erased_serde::Deserializer<'de>) -> Result<T, erased_serde::Error>,
) -> Decoded<T> {
    let mut value = None;
    source.foreign(&mut |deserializer| {
        value = Some(deserialize(deserializer)?);
        Ok(())
    })?;
    decoded(value)
}
