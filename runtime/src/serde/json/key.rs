//! A key of an object as a source.

use serde::{Deserialize, de::value::BorrowedStrDeserializer};

use super::NoContents;
use crate::serde::{
    fault::Fault,
    shape::{Fields, Variants},
    source::{Decoded, EachEntry, EachField, EachVariant, Inner, Source, known_by_serde},
};

/// A key without escapes. Keys that are numbers or truth values are left to serde_json.
pub(super) struct Key<'de>(pub(super) &'de str);

impl<'de> Key<'de> {
    fn deserializer(&self) -> BorrowedStrDeserializer<'de, serde::de::value::Error> {
        BorrowedStrDeserializer::new(self.0)
    }

    fn by_serde<T: Deserialize<'de>>(&self) -> Decoded<T> {
        T::deserialize(self.deserializer()).map_err(|_| Fault::REPORTED)
    }
}

impl<'de> Source<'de> for Key<'de> {
    known_by_serde!();

    fn option(&mut self, inner: Inner<'_, 'de>) -> Decoded<bool> {
        inner(self)?;
        Ok(true)
    }

    fn newtype(&mut self, _: &'static str, inner: Inner<'_, 'de>) -> Decoded<()> {
        inner(self)
    }

    fn variant(&mut self, variants: &'static Variants, each: EachVariant<'_, 'de>) -> Decoded<()> {
        let index = variants.index(self.0.as_bytes()).ok_or(Fault::REPORTED)?;
        each(index, &mut NoContents)
    }

    fn foreign(
        &mut self,
        decode: &mut dyn FnMut(&mut dyn erased_serde::Deserializer<'de>) -> Result<(), erased_serde::Error>,
    ) -> Decoded<()> {
        decode(&mut <dyn erased_serde::Deserializer>::erase(self.deserializer())).map_err(|_| Fault::REPORTED)
    }

    fn list(&mut self, _: Inner<'_, 'de>) -> Decoded<()> {
        Err(Fault::REPORTED)
    }

    fn map(&mut self, _: EachEntry<'_, 'de>) -> Decoded<()> {
        Err(Fault::REPORTED)
    }

    fn object(&mut self, _: &'static Fields, _: EachField<'_, 'de>) -> Decoded<()> {
        Err(Fault::REPORTED)
    }

    fn tuple(&mut self, _: &'static Fields, _: EachField<'_, 'de>) -> Decoded<()> {
        Err(Fault::REPORTED)
    }

    fn unit(&mut self, _: &'static str) -> Decoded<()> {
        Err(Fault::REPORTED)
    }
}
