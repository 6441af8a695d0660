//! Decodes the root of a custom resource from its JSON text, if the deserializer provides it.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::json::{
    decode::{Decode, Parser, read},
    root::{Parts, TypeMeta},
};

/// The name of a newtype struct that requests the JSON text of an object.
///
/// When an informer decodes an object, its deserializer passes the text to
/// [`visit_borrowed_str`](Visitor::visit_borrowed_str). Any other deserializer calls
/// [`visit_newtype_struct`](Visitor::visit_newtype_struct), as for every newtype.
///
/// The text is the received object, possibly without `metadata.managedFields`. Only its UTF-8 has been checked.
pub(crate) const OBJECT_TEXT: &str = "$crdkit::private::ObjectText";

/// An object with a decoder. Serde decodes it if the decoder returns `None`.
pub trait Root: Decode {
    /// Deserializes an object with serde alone.
    fn by_serde<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// Deserializes an object, from its text if the deserializer provides it.
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

    /// Called by deserializers that ignore newtypes.
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

/// Decodes the parts of an object, which must be of the kind `expected` if that is specified.
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
        expected.is_none_or(|expected| expected == text).then_some(())
    };
    parser.object()?;
    while let Some(key) = parser.key()? {
        match key {
            "apiVersion" => parser.once(&mut api_version, |parser| fits(expected.map(|it| it.api_version), parser))?,
            "kind" => parser.once(&mut kind, |parser| fits(expected.map(|it| it.kind), parser))?,
            "metadata" => parser.once(&mut metadata, Decode::decode)?,
            "spec" => parser.once(&mut spec, &decode_spec)?,
            "status" => parser.once(&mut status, &decode_status)?,
            _ => parser.skip()?,
        }
    }
    Some(Parts { metadata: metadata?, spec: spec?, status: status.flatten() })
}
