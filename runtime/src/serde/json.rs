//! JSON text as a source.
//!
//! A text is decoded only if the result is certainly the one of serde_json. In all other cases (keys with escapes, duplicate keys,
//! mismatched types) decoding fails, and serde_json reads the same text and returns the value or the error.

mod key;
mod kubernetes;

use super::{
    fault::Fault,
    known::{
        Condition, CowStr, IgnoredAny, IntOrString, ManagedFieldsEntry, MicroTime, ObjectMeta, OwnerReference,
        Quantity, Time, Value,
    },
    shape::{Fields, Seen, Variants},
    source::{Decoded, EachEntry, EachField, EachVariant, EntryPart, Inner, Source, Step, VariantSource},
};
use crate::json::parser::Parser;
use key::Key;

/// Decodes a text that contains one value; returns `None` if only serde_json can decode it.
pub(crate) fn read<'de>(text: &'de str, decode: Inner<'_, 'de>) -> Option<()> {
    read_with(Parser::new(text), decode)
}

/// The same, unless the text has a value of a type that only serde knows: defaults of the schema may be missing in it.
pub(super) fn read_own<'de>(text: &'de str, decode: Inner<'_, 'de>) -> Option<()> {
    let mut parser = Parser::new(text);
    parser.has_foreign = false;
    read_with(parser, decode)
}

fn read_with<'de>(mut parser: Parser<'de>, decode: Inner<'_, 'de>) -> Option<()> {
    decode(&mut parser).ok()?;
    parser.end()
}

/// A value that is certain.
#[inline]
fn certain<T>(value: Option<T>) -> Decoded<T> {
    value.ok_or(Fault::REPORTED)
}

macro_rules! numbers {
    ($($method:ident: $by:ident, $type:ty;)*) => {$(
        fn $method(&mut self) -> Decoded<$type> {
            certain(self.$by())
        }
    )*};
}

/// Methods that functions of a module read.
macro_rules! by {
    ($module:ident; $($method:ident: $type:ty;)*) => {$(
        fn $method(&mut self) -> Decoded<$type> {
            certain($module::$method(self))
        }
    )*};
}

impl<'de> Source<'de> for Parser<'de> {
    numbers! {
        int8: integer, i8;
        int16: integer, i16;
        int32: integer, i32;
        int64: integer, i64;
        int128: deserialize, i128;
        int_size: integer, isize;
        uint8: integer, u8;
        uint16: integer, u16;
        uint32: integer, u32;
        uint64: integer, u64;
        uint128: deserialize, u128;
        uint_size: integer, usize;
        float32: float, f32;
        float64: float, f64;
    }

    fn boolean(&mut self) -> Decoded<bool> {
        certain(self.bool())
    }

    fn character(&mut self) -> Decoded<char> {
        certain(self.deserialize())
    }

    fn text(&mut self) -> Decoded<String> {
        certain(self.string()).map(Into::into)
    }

    fn borrowed_text(&mut self) -> Decoded<CowStr<'de>> {
        certain(self.string()).map(CowStr)
    }

    fn value(&mut self) -> Decoded<Value> {
        certain(self.deserialize())
    }

    fn ignored(&mut self) -> Decoded<IgnoredAny> {
        certain(self.skip()).map(|_| IgnoredAny)
    }

    by! {
        kubernetes;
        metadata: ObjectMeta;
        owner_reference: OwnerReference;
        managed_fields_entry: ManagedFieldsEntry;
        condition: Condition;
        quantity: Quantity;
        int_or_string: IntOrString;
        time: Time;
        micro_time: MicroTime;
    }

    fn option(&mut self, inner: Inner<'_, 'de>) -> Decoded<bool> {
        if self.null() {
            return Ok(false);
        }
        inner(self)?;
        Ok(true)
    }

    fn list(&mut self, item: Inner<'_, 'de>) -> Decoded<()> {
        certain(self.begin_list())?;
        while certain(self.has_item())? {
            item(self)?;
        }
        Ok(())
    }

    fn map(&mut self, entry: EachEntry<'_, 'de>) -> Decoded<()> {
        certain(self.begin_object())?;
        while let Some(key) = certain(self.next_key())? {
            entry(EntryPart::Key, &mut Key(key))?;
            entry(EntryPart::Value, self)?;
        }
        Ok(())
    }

    fn object(&mut self, fields: &'static Fields, each: EachField<'_, 'de>) -> Decoded<()> {
        certain(self.begin_object())?;
        let mut seen = Seen::default();
        let mut next = 0;
        while let Some(key) = certain(self.next_key())? {
            let Some((index, after)) = fields.index(key.as_bytes(), next) else {
                certain((!fields.denies_unknown_fields).then_some(()))?;
                certain(self.skip())?;
                continue;
            };
            certain(seen.insert(index).then_some(()))?;
            // A null may stand for the default of the schema.
            let has_schema_default = fields.schema_defaults.iter().any(|defaulted| usize::from(*defaulted) == index);
            certain((!has_schema_default || !self.at_null()).then_some(()))?;
            next = after;
            each(Step::Field(index, self))?;
        }
        // Filled in where serde decodes the object.
        certain(fields.schema_defaults.iter().all(|index| seen.contains(usize::from(*index))).then_some(()))?;
        each(Step::End)
    }

    fn tuple(&mut self, fields: &'static Fields, each: EachField<'_, 'de>) -> Decoded<()> {
        certain(self.begin_list())?;
        for index in 0..fields.count() {
            // serde_json knows the defaults of a list that ends early.
            certain(self.has_item().filter(|has_item| *has_item))?;
            each(Step::Field(index, self))?;
        }
        certain(self.has_item().filter(|has_item| !has_item))?;
        each(Step::End)
    }

    fn newtype(&mut self, _: &'static str, inner: Inner<'_, 'de>) -> Decoded<()> {
        inner(self)
    }

    fn unit(&mut self, _: &'static str) -> Decoded<()> {
        certain(self.null().then_some(()))
    }

    fn variant(&mut self, variants: &'static Variants, each: EachVariant<'_, 'de>) -> Decoded<()> {
        if self.at_string() {
            let name = certain(self.string())?;
            let index = certain(variants.index(name.as_bytes()))?;
            return each(index, &mut NoContents);
        }
        certain(self.begin_object())?;
        let name = certain(self.next_key().flatten())?;
        let index = certain(variants.index(name.as_bytes()))?;
        each(index, self)?;
        certain(self.next_key().filter(Option::is_none)).map(drop)
    }

    fn foreign(
        &mut self,
        decode: &mut dyn FnMut(&mut dyn erased_serde::Deserializer<'de>) -> Result<(), erased_serde::Error>,
    ) -> Decoded<()> {
        certain(self.has_foreign.then_some(()))?;
        let mut json = serde_json::Deserializer::from_str(certain(self.skip())?);
        certain(decode(&mut <dyn erased_serde::Deserializer>::erase(&mut json)).ok())?;
        certain(json.end().ok())
    }
}

/// The contents of a variant in an object with one member.
impl<'de> VariantSource<'de> for Parser<'de> {
    fn unit(&mut self) -> Decoded<()> {
        certain(self.null().then_some(()))
    }

    fn newtype(&mut self, inner: Inner<'_, 'de>) -> Decoded<()> {
        inner(self)
    }

    fn tuple(&mut self, fields: &'static Fields, each: EachField<'_, 'de>) -> Decoded<()> {
        Source::tuple(self, fields, each)
    }

    fn object(&mut self, fields: &'static Fields, each: EachField<'_, 'de>) -> Decoded<()> {
        Source::object(self, fields, each)
    }
}

/// The contents of a variant that is a string.
struct NoContents;

impl<'de> VariantSource<'de> for NoContents {
    fn unit(&mut self) -> Decoded<()> {
        Ok(())
    }

    fn newtype(&mut self, _: Inner<'_, 'de>) -> Decoded<()> {
        Err(Fault::REPORTED)
    }

    fn tuple(&mut self, _: &'static Fields, _: EachField<'_, 'de>) -> Decoded<()> {
        Err(Fault::REPORTED)
    }

    fn object(&mut self, _: &'static Fields, _: EachField<'_, 'de>) -> Decoded<()> {
        Err(Fault::REPORTED)
    }
}

#[cfg(test)]
mod tests;
