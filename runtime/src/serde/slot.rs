//! The fields of a struct or a variant while it is decoded: generated code lists them, and has no code of its own for each.

use serde::Deserialize;

use super::{
    fault::Fault,
    generated::{by_serde, missing_by_serde},
    shape::Fields,
    source::{Decode, Decoded, Source, Step, VariantSource},
};

/// A field of any type.
pub trait Slot<'de> {
    /// Decodes the value.
    ///
    /// # Errors
    ///
    /// As the type of the field.
    fn decode(&mut self, source: &mut dyn Source<'de>) -> Decoded<()>;

    /// Sets the value of a missing field, unless there is one.
    ///
    /// # Errors
    ///
    /// If the field may not be missing.
    fn fill(&mut self, name: &'static str) -> Decoded<()>;
}

/// A field of a type that decodes itself.
pub struct Own<T>(pub Option<T>);

impl<'de, T: Decode<'de>> Slot<'de> for Own<T> {
    fn decode(&mut self, source: &mut dyn Source<'de>) -> Decoded<()> {
        self.0 = Some(T::decode(source)?);
        Ok(())
    }

    fn fill(&mut self, name: &'static str) -> Decoded<()> {
        if self.0.is_none() {
            self.0 = Some(T::missing(name)?);
        }
        Ok(())
    }
}

/// A field of a type that only serde knows. It has functions instead of a bound, because an error about the type is reported where the
/// field is made, and shall not be reported again where it is used.
pub struct Foreign<'de, T>(pub Option<T>, ForeignFunctions<'de, T>);

struct ForeignFunctions<'de, T> {
    decode: fn(&mut dyn Source<'de>) -> Decoded<T>,
    missing: fn(&'static str) -> Decoded<T>,
}

impl<'de, T: Deserialize<'de>> Foreign<'de, T> {
    pub(super) fn new() -> Self {
        let decode =
            |source: &mut dyn Source<'de>| by_serde(source, |deserializer| erased_serde::deserialize(deserializer));
        Self(None, ForeignFunctions { decode, missing: missing_by_serde })
    }
}

impl<'de, T> Slot<'de> for Foreign<'de, T> {
    fn decode(&mut self, source: &mut dyn Source<'de>) -> Decoded<()> {
        self.0 = Some((self.1.decode)(source)?);
        Ok(())
    }

    fn fill(&mut self, name: &'static str) -> Decoded<()> {
        if self.0.is_none() {
            self.0 = Some((self.1.missing)(name)?);
        }
        Ok(())
    }
}

/// A field that a function decodes.
pub struct With<T, F>(pub Option<T>, F);

/// Returns the field of a function.
pub fn with<'de, T, F>(function: F) -> With<T, F>
where
    F: Fn(&mut dyn erased_serde::Deserializer<'de>) -> Result<T, erased_serde::Error>,
{
    With(None, function)
}

impl<'de, T, F> Slot<'de> for With<T, F>
where
    F: Fn(&mut dyn erased_serde::Deserializer<'de>) -> Result<T, erased_serde::Error>,
{
    fn decode(&mut self, source: &mut dyn Source<'de>) -> Decoded<()> {
        self.0 = Some(by_serde(source, &self.1)?);
        Ok(())
    }

    fn fill(&mut self, name: &'static str) -> Decoded<()> {
        if self.0.is_some() { Ok(()) } else { Err(Fault::missing_field(name)) }
    }
}

/// Returns the value of a field that was decoded, or filled in.
///
/// # Panics
///
/// If a source succeeds without `Step::End`.
pub fn value<T>(field: Option<T>) -> T {
    field.expect("a source ends each struct that it decodes")
}

/// Decodes a struct with named fields.
///
/// # Errors
///
/// As serde's derive.
pub fn object<'de>(
    source: &mut dyn Source<'de>,
    fields: &'static Fields,
    slots: &mut [&mut dyn Slot<'de>],
) -> Decoded<()> {
    source.object(fields, &mut |step| take(step, fields, slots))
}

/// Decodes a struct without names.
///
/// # Errors
///
/// As serde's derive.
pub fn tuple<'de>(
    source: &mut dyn Source<'de>,
    fields: &'static Fields,
    slots: &mut [&mut dyn Slot<'de>],
) -> Decoded<()> {
    source.tuple(fields, &mut |step| take(step, fields, slots))
}

/// Decodes a struct with one field without a name.
///
/// # Errors
///
/// As serde's derive.
pub fn newtype<'de>(source: &mut dyn Source<'de>, name: &'static str, slot: &mut dyn Slot<'de>) -> Decoded<()> {
    source.newtype(name, &mut |source| slot.decode(source))
}

/// Decodes a variant with named fields.
///
/// # Errors
///
/// As serde's derive.
pub fn object_variant<'de>(
    contents: &mut dyn VariantSource<'de>,
    fields: &'static Fields,
    slots: &mut [&mut dyn Slot<'de>],
) -> Decoded<()> {
    contents.object(fields, &mut |step| take(step, fields, slots))
}

/// Decodes a variant with several values.
///
/// # Errors
///
/// As serde's derive.
pub fn tuple_variant<'de>(
    contents: &mut dyn VariantSource<'de>,
    fields: &'static Fields,
    slots: &mut [&mut dyn Slot<'de>],
) -> Decoded<()> {
    contents.tuple(fields, &mut |step| take(step, fields, slots))
}

/// Decodes a variant with one value.
///
/// # Errors
///
/// As serde's derive.
pub fn newtype_variant<'de>(contents: &mut dyn VariantSource<'de>, slot: &mut dyn Slot<'de>) -> Decoded<()> {
    contents.newtype(&mut |source| slot.decode(source))
}

#[inline]
fn take<'de>(step: Step<'_, 'de>, fields: &'static Fields, slots: &mut [&mut dyn Slot<'de>]) -> Decoded<()> {
    match step {
        Step::Field(index, source) => slots[index].decode(source),
        Step::End => {
            for (index, slot) in slots.iter_mut().enumerate() {
                if !fields.has_default(index) {
                    slot.fill(fields.name(index))?;
                }
            }
            Ok(())
        }
    }
}
