//! A format of serde as a sink: compiled once for each format, and calls what serde's derive calls.

use serde::{
    Serialize, Serializer,
    ser::{
        Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTupleStruct,
        SerializeTupleVariant,
    },
};

use super::{
    fault::Fault,
    sink::{Encode, Encoded, NamedPart, Part, Sink, VariantName, known_to_serde},
};

/// Serializes a value that encodes itself.
///
/// # Errors
///
/// As serde's derive.
pub fn serialize<S: Serializer>(value: &dyn Encode, serializer: S) -> Result<S::Ok, S::Error> {
    let mut sink = FormatSink { serializer: Some(serializer), written: None };
    let encoded = value.encode(&mut sink);
    match (encoded, sink.written) {
        (Ok(()), Some(written)) => written,
        (Ok(()), None) => Err(S::Error::custom("a value is not encoded")),
        (Err(fault), Some(Err(error))) => Err(fault.into_ser_error(Some(error))),
        (Err(fault), _) => Err(fault.into_ser_error(None)),
    }
}

/// A place of a format, and what the format returned.
struct FormatSink<S, W, E> {
    serializer: Option<S>,
    written: Option<Result<W, E>>,
}

impl<S: Serializer> FormatSink<S, S::Ok, S::Error> {
    fn with(&mut self, write: impl FnOnce(S) -> Result<S::Ok, S::Error>) -> Encoded {
        let Some(serializer) = self.serializer.take() else {
            return Err(Fault::custom("a value is encoded twice"));
        };
        let written = write(serializer);
        let is_written = written.is_ok();
        self.written = Some(written);
        if is_written { Ok(()) } else { Err(Fault::REPORTED) }
    }
}

/// A value for a format.
struct Own<'v>(&'v dyn Encode);

impl Serialize for Own<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Part::Own(value) => serialize(*value, serializer),
            Part::Foreign(value) => erased_serde::serialize(*value, serializer),
            Part::Skipped => Err(S::Error::custom("a value is left out")),
        }
    }
}

fn is_written(part: &&NamedPart<'_>) -> bool {
    !matches!(part.1, Part::Skipped)
}

fn written<'p, 'v>(fields: &'p [Part<'v>]) -> impl Iterator<Item = &'p Part<'v>> + Clone {
    fields.iter().filter(|part| !matches!(part, Part::Skipped))
}

impl<S: Serializer> Sink for FormatSink<S, S::Ok, S::Error> {
    known_to_serde!();

    fn text(&mut self, text: &str) -> Encoded {
        self.with(|serializer| serializer.serialize_str(text))
    }

    fn none(&mut self) -> Encoded {
        self.with(S::serialize_none)
    }

    fn some(&mut self, value: &dyn Encode) -> Encoded {
        self.with(|serializer| serializer.serialize_some(&Own(value)))
    }

    fn list(&mut self, count: usize, items: &mut dyn Iterator<Item = &dyn Encode>) -> Encoded {
        self.with(|serializer| {
            let mut list = serializer.serialize_seq(Some(count))?;
            for item in items {
                list.serialize_element(&Own(item))?;
            }
            list.end()
        })
    }

    fn map(&mut self, count: usize, entries: &mut dyn Iterator<Item = (&dyn Encode, &dyn Encode)>) -> Encoded {
        self.with(|serializer| {
            let mut map = serializer.serialize_map(Some(count))?;
            for (key, value) in entries {
                map.serialize_entry(&Own(key), &Own(value))?;
            }
            map.end()
        })
    }

    fn object(&mut self, name: &'static str, fields: &[NamedPart<'_>]) -> Encoded {
        self.with(|serializer| {
            let count = fields.iter().filter(is_written).count();
            let mut object = serializer.serialize_struct(name, count)?;
            for (name, part) in fields {
                match part {
                    Part::Skipped => object.skip_field(name)?,
                    part => object.serialize_field(name, part)?,
                }
            }
            object.end()
        })
    }

    fn tuple(&mut self, name: &'static str, fields: &[Part<'_>]) -> Encoded {
        let (fields, count) = (written(fields), written(fields).count());
        self.with(|serializer| {
            let mut tuple = serializer.serialize_tuple_struct(name, count)?;
            for part in fields {
                tuple.serialize_field(part)?;
            }
            tuple.end()
        })
    }

    fn newtype(&mut self, name: &'static str, field: Part<'_>) -> Encoded {
        self.with(|serializer| serializer.serialize_newtype_struct(name, &field))
    }

    fn unit(&mut self, name: &'static str) -> Encoded {
        self.with(|serializer| serializer.serialize_unit_struct(name))
    }

    fn unit_variant(&mut self, variant: VariantName) -> Encoded {
        self.with(|serializer| serializer.serialize_unit_variant(variant.type_name, variant.index, variant.name))
    }

    fn newtype_variant(&mut self, variant: VariantName, field: Part<'_>) -> Encoded {
        let VariantName { type_name, index, name } = variant;
        self.with(|serializer| serializer.serialize_newtype_variant(type_name, index, name, &field))
    }

    fn tuple_variant(&mut self, variant: VariantName, fields: &[Part<'_>]) -> Encoded {
        let VariantName { type_name, index, name } = variant;
        let (fields, count) = (written(fields), written(fields).count());
        self.with(|serializer| {
            let mut tuple = serializer.serialize_tuple_variant(type_name, index, name, count)?;
            for part in fields {
                tuple.serialize_field(part)?;
            }
            tuple.end()
        })
    }

    fn object_variant(&mut self, variant: VariantName, fields: &[NamedPart<'_>]) -> Encoded {
        let VariantName { type_name, index, name } = variant;
        self.with(|serializer| {
            let count = fields.iter().filter(is_written).count();
            let mut object = serializer.serialize_struct_variant(type_name, index, name, count)?;
            for (name, part) in fields {
                match part {
                    Part::Skipped => object.skip_field(name)?,
                    part => object.serialize_field(name, part)?,
                }
            }
            object.end()
        })
    }

    fn foreign(&mut self, value: &dyn erased_serde::Serialize) -> Encoded {
        self.with(|serializer| erased_serde::serialize(value, serializer))
    }
}
