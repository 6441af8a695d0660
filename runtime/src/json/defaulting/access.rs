//! The parts of a value: the entries of a map, the items of a sequence, the data of a variant.

use std::{borrow::Cow, fmt};

use serde::{
    Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
        value::CowStrDeserializer,
    },
};
use serde_json::Value;

use crate::json::{
    cow_str::CowStr,
    defaulting::{
        DefaultedFields, DefaultingDeserializer,
        deserializer::DefaultingVisitor,
        fields::{DefaultSource, DefaultedField},
    },
};

/// Deserializes a value whose type has these fields with defaults.
pub(crate) struct ValueSeed<'f, S> {
    pub(crate) seed: S,
    pub(crate) fields: Option<&'f DefaultedFields>,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for ValueSeed<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.seed.deserialize(DefaultingDeserializer::new(deserializer, self.fields))
    }
}

/// Deserializes the value of a field with a default, which replaces null.
struct FieldSeed<'f, S> {
    seed: S,
    field: &'f DefaultedField,
    default: DefaultSource,
}

impl<'de, S: DeserializeSeed<'de>> FieldSeed<'_, S> {
    fn null<E: Error>(self) -> Result<S::Value, E> {
        let value = if self.field.nullable { None } else { self.default.value().map_err(E::custom)? };
        deserialize_default(self.seed, value.unwrap_or(Value::Null), self.field)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for FieldSeed<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de, S: DeserializeSeed<'de>> Visitor<'de> for FieldSeed<'_, S> {
    type Value = S::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value of the field `{}`", self.field.name)
    }

    fn visit_none<E: Error>(self) -> Result<S::Value, E> {
        self.null()
    }

    fn visit_unit<E: Error>(self) -> Result<S::Value, E> {
        self.null()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.seed.deserialize(DefaultingDeserializer::new(deserializer, self.field.inner.as_ref()))
    }
}

fn deserialize_default<'de, S: DeserializeSeed<'de>, E: Error>(
    seed: S,
    value: Value,
    field: &DefaultedField,
) -> Result<S::Value, E> {
    let value = DefaultingDeserializer::new(value, field.inner.as_ref());
    seed.deserialize(value).map_err(|error| E::custom(format_args!("the default of `{}`: {error}", field.name)))
}

/// The entries of a map, followed by the missing fields with a default.
pub(super) struct DefaultingMap<'f, A> {
    inner: A,
    fields: Option<&'f DefaultedFields>,
    /// The positions of the fields that the map has.
    present: Vec<usize>,
    next: NextValue<'f>,
    /// Where the search for the next missing field starts, after the last entry.
    missing_from: Option<usize>,
}

/// The value of the last key.
enum NextValue<'f> {
    /// Of a field.
    Field(&'f DefaultedField),
    /// Of a missing field.
    Default(&'f DefaultedField, Value),
    /// Of another key.
    Other,
}

impl<'f, A> DefaultingMap<'f, A> {
    pub(super) fn new(inner: A, fields: Option<&'f DefaultedFields>) -> Self {
        Self { inner, fields, present: Vec::new(), next: NextValue::Other, missing_from: None }
    }

    /// Returns the next missing field that has a default, with the default.
    fn next_missing(&mut self, fields: &'f DefaultedFields) -> serde_json::Result<Option<(&'f DefaultedField, Value)>> {
        let mut at = self.missing_from.unwrap_or(0);
        while let Some(field) = fields.get(at) {
            let is_present = self.present.contains(&at);
            at += 1;
            self.missing_from = Some(at);
            if let Some(default) = field.default.filter(|_| !is_present)
                && let Some(value) = default.value()?
            {
                return Ok(Some((field, value)));
            }
        }
        Ok(None)
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for DefaultingMap<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let Some(fields) = self.fields.filter(|fields| fields.has_names()) else {
            return self.inner.next_key_seed(seed);
        };
        if self.missing_from.is_none()
            && let Some(CowStr(key)) = self.inner.next_key()?
        {
            self.next = match fields.position(&key) {
                Some(at) => {
                    self.present.push(at);
                    fields.get(at).map_or(NextValue::Other, NextValue::Field)
                }
                None => NextValue::Other,
            };
            return seed.deserialize(name(key)).map(Some);
        }
        match self.next_missing(fields).map_err(A::Error::custom)? {
            Some((field, value)) => {
                self.next = NextValue::Default(field, value);
                seed.deserialize(name(Cow::Borrowed(field.name))).map(Some)
            }
            None => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        match std::mem::replace(&mut self.next, NextValue::Other) {
            NextValue::Default(field, value) => deserialize_default(seed, value, field),
            NextValue::Field(field) => match field.default {
                Some(default) => self.inner.next_value_seed(FieldSeed { seed, field, default }),
                None => self.inner.next_value_seed(ValueSeed { seed, fields: field.inner.as_ref() }),
            },
            NextValue::Other => {
                let fields = self.fields.and_then(|fields| fields.elements.as_deref());
                self.inner.next_value_seed(ValueSeed { seed, fields })
            }
        }
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

fn name<E>(name: Cow<'_, str>) -> CowStrDeserializer<'_, E>
where
    E: Error,
{
    name.into_deserializer()
}

/// The items of a sequence.
pub(super) struct DefaultingSeq<'f, A> {
    inner: A,
    items: Option<&'f DefaultedFields>,
}

impl<'f, A> DefaultingSeq<'f, A> {
    pub(super) fn new(inner: A, items: Option<&'f DefaultedFields>) -> Self {
        Self { inner, items }
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for DefaultingSeq<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_element_seed(ValueSeed { seed, fields: self.items })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// A variant of an enum, whose data is a field with the variant's name.
pub(super) struct DefaultingEnum<'f, A> {
    inner: A,
    fields: Option<&'f DefaultedFields>,
}

impl<'f, A> DefaultingEnum<'f, A> {
    pub(super) fn new(inner: A, fields: Option<&'f DefaultedFields>) -> Self {
        Self { inner, fields }
    }
}

impl<'de, 'f, A: EnumAccess<'de>> EnumAccess<'de> for DefaultingEnum<'f, A> {
    type Error = A::Error;
    type Variant = DefaultingVariant<'f, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let Some(fields) = self.fields else {
            let (variant, inner) = self.inner.variant_seed(seed)?;
            return Ok((variant, DefaultingVariant { inner, fields: None }));
        };
        let (CowStr(variant), inner) = self.inner.variant()?;
        let field = fields.position(&variant).and_then(|at| fields.get(at));
        let variant = seed.deserialize(name(variant))?;
        Ok((variant, DefaultingVariant { inner, fields: field.and_then(|field| field.inner.as_ref()) }))
    }
}

/// The data of a variant.
pub(super) struct DefaultingVariant<'f, A> {
    inner: A,
    fields: Option<&'f DefaultedFields>,
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for DefaultingVariant<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.newtype_variant_seed(ValueSeed { seed, fields: self.fields })
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.inner.tuple_variant(len, DefaultingVisitor { inner: visitor, fields: self.fields })
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.inner.struct_variant(fields, DefaultingVisitor { inner: visitor, fields: self.fields })
    }
}
