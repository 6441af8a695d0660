//! A format of serde as a source: compiled once for each format, and asks it for what serde's derive asks.

mod names;

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor},
};

use super::{
    fault::Fault,
    shape::{Fields, Seen, Variants},
    source::{
        Decode, Decoded, EachEntry, EachField, EachVariant, EntryPart, Inner, Source, Step, VariantSource,
        known_by_serde,
    },
};
use names::{FieldSeed, VariantSeed};

/// Deserializes a type that decodes itself.
///
/// # Errors
///
/// As serde's derive.
pub fn deserialize<'de, T: Decode<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut decoded = None;
    decode_from(deserializer, &mut |source| {
        decoded = Some(T::decode(source)?);
        Ok(())
    })?;
    decoded.ok_or_else(|| D::Error::custom("the format has no value"))
}

pub(super) fn decode_from<'de, D: Deserializer<'de>>(deserializer: D, decode: Inner<'_, 'de>) -> Result<(), D::Error> {
    let mut source = FormatSource { deserializer: Some(deserializer), error: None };
    decode(&mut source).map_err(|fault| fault.into_de_error(source.error))
}

/// A value of a format, and the error of the format.
struct FormatSource<D, E> {
    deserializer: Option<D>,
    error: Option<E>,
}

impl<'de, D: Deserializer<'de>> FormatSource<D, D::Error> {
    fn with<T>(&mut self, read: impl FnOnce(D) -> Result<T, D::Error>) -> Decoded<T> {
        let Some(deserializer) = self.deserializer.take() else {
            return Err(Fault::custom("a value is decoded twice"));
        };
        read(deserializer).map_err(|error| {
            self.error = Some(error);
            Fault::REPORTED
        })
    }

    fn by_serde<T: Deserialize<'de>>(&mut self) -> Decoded<T> {
        self.with(T::deserialize)
    }
}

impl<'de, D: Deserializer<'de>> Source<'de> for FormatSource<D, D::Error> {
    known_by_serde!();

    fn option(&mut self, inner: Inner<'_, 'de>) -> Decoded<bool> {
        self.with(|deserializer| deserializer.deserialize_option(OptionVisitor { inner }))
    }

    fn list(&mut self, item: Inner<'_, 'de>) -> Decoded<()> {
        self.with(|deserializer| deserializer.deserialize_seq(ListVisitor { item }))
    }

    fn map(&mut self, entry: EachEntry<'_, 'de>) -> Decoded<()> {
        self.with(|deserializer| deserializer.deserialize_map(MapVisitor { entry }))
    }

    fn object(&mut self, fields: &'static Fields, each: EachField<'_, 'de>) -> Decoded<()> {
        let visitor = ObjectVisitor { fields, each };
        self.with(|deserializer| deserializer.deserialize_struct(fields.name, fields.names, visitor))
    }

    fn tuple(&mut self, fields: &'static Fields, each: EachField<'_, 'de>) -> Decoded<()> {
        let (visitor, count) = (ElementsVisitor { fields, each }, fields.count());
        self.with(|deserializer| deserializer.deserialize_tuple_struct(fields.name, count, visitor))
    }

    fn newtype(&mut self, name: &'static str, inner: Inner<'_, 'de>) -> Decoded<()> {
        self.with(|deserializer| deserializer.deserialize_newtype_struct(name, NewtypeVisitor { name, inner }))
    }

    fn unit(&mut self, name: &'static str) -> Decoded<()> {
        self.with(|deserializer| deserializer.deserialize_unit_struct(name, UnitVisitor { name }))
    }

    fn variant(&mut self, variants: &'static Variants, each: EachVariant<'_, 'de>) -> Decoded<()> {
        let visitor = EnumVisitor { variants, each };
        self.with(|deserializer| deserializer.deserialize_enum(variants.name, variants.names, visitor))
    }

    fn foreign(
        &mut self,
        decode: &mut dyn FnMut(&mut dyn erased_serde::Deserializer<'de>) -> Result<(), erased_serde::Error>,
    ) -> Decoded<()> {
        self.with(|deserializer| {
            decode(&mut <dyn erased_serde::Deserializer>::erase(deserializer)).map_err(D::Error::custom)
        })
    }
}

/// Decodes a value of a list or a map.
struct Seed<'f, 'de>(Inner<'f, 'de>);

impl<'de> DeserializeSeed<'de> for Seed<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        decode_from(deserializer, self.0)
    }
}

struct OptionVisitor<'f, 'de> {
    inner: Inner<'f, 'de>,
}

impl<'de> Visitor<'de> for OptionVisitor<'_, 'de> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("option")
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_none<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        decode_from(deserializer, self.inner)?;
        Ok(true)
    }
}

struct ListVisitor<'f, 'de> {
    item: Inner<'f, 'de>,
}

impl<'de> Visitor<'de> for ListVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Seed(self.item))?.is_some() {}
        Ok(())
    }
}

struct MapVisitor<'f, 'de> {
    entry: EachEntry<'f, 'de>,
}

impl<'de> Visitor<'de> for MapVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while entries.next_key_seed(Seed(&mut |source| (self.entry)(EntryPart::Key, source)))?.is_some() {
            entries.next_value_seed(Seed(&mut |source| (self.entry)(EntryPart::Value, source)))?;
        }
        Ok(())
    }
}

struct ObjectVisitor<'f, 'de> {
    fields: &'static Fields,
    each: EachField<'f, 'de>,
}

impl<'de> Visitor<'de> for ObjectVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.fields.expecting)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        elements(self.fields, self.each, items)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut seen = Seen::default();
        let mut next = 0;
        while let Some(field) = members.next_key_seed(FieldSeed { fields: self.fields, next: &mut next })? {
            let Some(index) = field else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            if !seen.insert(index) {
                return Err(A::Error::duplicate_field(self.fields.name(index)));
            }
            members.next_value_seed(Seed(&mut |source| (self.each)(Step::Field(index, source))))?;
        }
        (self.each)(Step::End).map_err(|fault| fault.into_de_error(None))
    }
}

struct ElementsVisitor<'f, 'de> {
    fields: &'static Fields,
    each: EachField<'f, 'de>,
}

impl<'de> Visitor<'de> for ElementsVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.fields.expecting)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        elements(self.fields, self.each, items)
    }
}

fn elements<'de, A: SeqAccess<'de>>(
    fields: &'static Fields,
    each: EachField<'_, 'de>,
    mut items: A,
) -> Result<(), A::Error> {
    if fields.denies_lists {
        return Err(A::Error::invalid_type(Unexpected::Seq, &fields.expecting));
    }
    for index in 0..fields.count() {
        let item = items.next_element_seed(Seed(&mut |source| each(Step::Field(index, source))))?;
        if item.is_none() && !fields.has_default(index) {
            return Err(A::Error::invalid_length(index, &&*fields.expecting_elements()));
        }
    }
    each(Step::End).map_err(|fault| fault.into_de_error(None))
}

struct NewtypeVisitor<'f, 'de> {
    name: &'static str,
    inner: Inner<'f, 'de>,
}

impl<'de> Visitor<'de> for NewtypeVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tuple struct {}", self.name)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        decode_from(deserializer, self.inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        if items.next_element_seed(Seed(self.inner))?.is_none() {
            let expected = format!("tuple struct {} with 1 element", self.name);
            return Err(A::Error::invalid_length(0, &&*expected));
        }
        Ok(())
    }
}

struct UnitVisitor {
    name: &'static str,
}

impl Visitor<'_> for UnitVisitor {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unit struct {}", self.name)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

struct EnumVisitor<'f, 'de> {
    variants: &'static Variants,
    each: EachVariant<'f, 'de>,
}

impl<'de> Visitor<'de> for EnumVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.variants.expecting)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        let (index, contents) = access.variant_seed(VariantSeed(self.variants))?;
        let mut source = FormatVariant { contents: Some(contents), error: None, marker: PhantomData };
        (self.each)(index, &mut source).map_err(|fault| fault.into_de_error(source.error))
    }
}

/// The contents of a variant of a format, and the error of the format.
struct FormatVariant<'de, A, E> {
    contents: Option<A>,
    error: Option<E>,
    marker: PhantomData<&'de ()>,
}

impl<'de, A: VariantAccess<'de>> FormatVariant<'de, A, A::Error> {
    fn with<T>(&mut self, read: impl FnOnce(A) -> Result<T, A::Error>) -> Decoded<T> {
        let Some(contents) = self.contents.take() else {
            return Err(Fault::custom("a variant is decoded twice"));
        };
        read(contents).map_err(|error| {
            self.error = Some(error);
            Fault::REPORTED
        })
    }
}

impl<'de, A: VariantAccess<'de>> VariantSource<'de> for FormatVariant<'de, A, A::Error> {
    fn unit(&mut self) -> Decoded<()> {
        self.with(A::unit_variant)
    }

    fn newtype(&mut self, inner: Inner<'_, 'de>) -> Decoded<()> {
        self.with(|contents| contents.newtype_variant_seed(Seed(inner)))
    }

    fn tuple(&mut self, fields: &'static Fields, each: EachField<'_, 'de>) -> Decoded<()> {
        self.with(|contents| contents.tuple_variant(fields.count(), ElementsVisitor { fields, each }))
    }

    fn object(&mut self, fields: &'static Fields, each: EachField<'_, 'de>) -> Decoded<()> {
        self.with(|contents| contents.struct_variant(fields.names, ObjectVisitor { fields, each }))
    }
}
