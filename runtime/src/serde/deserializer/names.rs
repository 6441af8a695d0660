//! The names of fields and variants in a format, which are decoded to indexes.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, Unexpected, Visitor},
};

use crate::serde::shape::{Fields, Variants};

/// Decodes the name of a field to its index; `None` for one that is ignored.
pub(super) struct FieldSeed<'n> {
    pub(super) fields: &'static Fields,
    /// The position of the name that is expected.
    pub(super) next: &'n mut usize,
}

impl<'de> DeserializeSeed<'de> for FieldSeed<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl FieldSeed<'_> {
    fn index<E: Error>(self, name: &[u8]) -> Result<Option<usize>, E> {
        if let Some((index, next)) = self.fields.index(name, *self.next) {
            *self.next = next;
            return Ok(Some(index));
        }
        if self.fields.denies_unknown_fields {
            return Err(E::unknown_field(&String::from_utf8_lossy(name), self.fields.names));
        }
        Ok(None)
    }
}

impl Visitor<'_> for FieldSeed<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("field identifier")
    }

    fn visit_u64<E: Error>(self, index: u64) -> Result<Option<usize>, E> {
        let count = self.fields.count() as u64;
        if index < count {
            return Ok(usize::try_from(index).ok());
        }
        if self.fields.denies_unknown_fields {
            let expected = format!("field index 0 <= i < {count}");
            return Err(E::invalid_value(Unexpected::Unsigned(index), &&*expected));
        }
        Ok(None)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Option<usize>, E> {
        self.index(name.as_bytes())
    }

    fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<Option<usize>, E> {
        self.index(name)
    }
}

/// Decodes the name of a variant to its index.
pub(super) struct VariantSeed(pub(super) &'static Variants);

impl<'de> DeserializeSeed<'de> for VariantSeed {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl VariantSeed {
    fn index<E: Error>(&self, name: &[u8]) -> Result<usize, E> {
        let index = self.0.index(name);
        index.ok_or_else(|| E::unknown_variant(&String::from_utf8_lossy(name), self.0.names))
    }
}

impl Visitor<'_> for VariantSeed {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("variant identifier")
    }

    fn visit_u64<E: Error>(self, index: u64) -> Result<usize, E> {
        let count = self.0.count() as u64;
        let known = usize::try_from(index).ok().filter(|_| index < count);
        known.or(self.0.other.map(usize::from)).ok_or_else(|| {
            let expected = format!("variant index 0 <= i < {count}");
            E::invalid_value(Unexpected::Unsigned(index), &&*expected)
        })
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<usize, E> {
        self.index(name.as_bytes())
    }

    fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<usize, E> {
        self.index(name)
    }
}
