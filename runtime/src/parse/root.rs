//! The root of a custom resource, decoded from its text where that is at hand.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::{Decode, Parser, read};
use crate::root::{Parts, TypeMeta};

/// Types that ask for a newtype struct of this name are given the text of their object, as
/// [`visit_borrowed_str`](Visitor::visit_borrowed_str), if an informer decodes them. Any other deserializer calls
/// [`visit_newtype_struct`](Visitor::visit_newtype_struct), as for every newtype.
///
/// The text is that of an object as it came, perhaps without `metadata.managedFields`. Nothing but its UTF-8 has been
/// checked.
pub(crate) const OBJECT_TEXT: &str = "$crdkit::private::ObjectText";

/// An object that has a decoder, and is read by serde where the decoder is not sure.
pub trait Root: Decode {
    /// Reads an object as if it had no decoder.
    fn by_serde<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// Reads an object, from its text if the deserializer gives it.
pub fn deserialize<'de, T: Root, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_newtype_struct(OBJECT_TEXT, RootVisitor(PhantomData))
}

struct RootVisitor<T>(PhantomData<T>);

impl<'de, T: Root> Visitor<'de> for RootVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a custom resource")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<T, E> {
        match read(text) {
            Some(object) => Ok(object),
            None => by_serde(text).map_err(E::custom),
        }
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::by_serde(deserializer)
    }

    /// From deserializers that make nothing of newtypes.
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::by_serde(MapAccessDeserializer::new(map))
    }
}

#[cold]
fn by_serde<T: Root>(text: &str) -> Result<T, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let object = T::by_serde(&mut deserializer)?;
    deserializer.end()?;
    Ok(object)
}

/// Decodes the parts of an object, which is of the kind `expected` if that is given.
pub fn root<Spec, Status>(
    parser: &mut Parser<'_>,
    expected: Option<&TypeMeta>,
    decode_spec: impl Fn(&mut Parser<'_>) -> Option<Spec>,
    decode_status: impl Fn(&mut Parser<'_>) -> Option<Option<Status>>,
) -> Option<Parts<Spec, Status>> {
    let (mut api_version, mut kind) = (None, None);
    let (mut metadata, mut spec, mut status) = (None, None, None);
    let fits = |expected: Option<&str>, parser: &mut Parser<'_>| {
        if parser.null() {
            return Some(());
        }
        let text = parser.text()?;
        expected
            .is_none_or(|expected| expected == text)
            .then_some(())
    };
    parser.object()?;
    while let Some(key) = parser.key()? {
        match key {
            "apiVersion" => parser.once(&mut api_version, |parser| {
                fits(expected.map(|it| it.api_version), parser)
            })?,
            "kind" => parser.once(&mut kind, |parser| fits(expected.map(|it| it.kind), parser))?,
            "metadata" => parser.once(&mut metadata, Decode::decode)?,
            "spec" => parser.once(&mut spec, &decode_spec)?,
            "status" => parser.once(&mut status, &decode_status)?,
            _ => parser.skip()?,
        }
    }
    Some(Parts {
        metadata: metadata?,
        spec: spec?,
        status: status.flatten(),
    })
}
