//! Roots whose types decode themselves: from an object, or from the text of one.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::{Parts, RootShape, by_serde, parts};
use crate::{
    resource::custom_resource::CustomResource,
    serde::{
        deserializer::decode_from,
        json,
        source::{Decode, Inner},
    },
};

/// Decodes an object, or the text of one.
pub(super) struct TextVisitor<'f, 'de> {
    pub(super) shape: &'static RootShape,
    pub(super) decode: Inner<'f, 'de>,
}

impl<'de> Visitor<'de> for TextVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shape.fields.expecting)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        if json::read(text, self.decode).is_some() {
            return Ok(());
        }
        let mut json = serde_json::Deserializer::from_str(text);
        decode_from(&mut json, self.decode).and_then(|()| json.end()).map_err(D::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        decode_from(MapAccessDeserializer::new(map), self.decode)
    }
}

/// The same for an object with defaults, which a text without any of them does not need.
pub(super) struct DefaultedVisitor<K, Spec, Status> {
    pub(super) shape: &'static RootShape,
    pub(super) types: PhantomData<(K, Spec, Status)>,
}

impl<'de, K, Spec, Status> Visitor<'de> for DefaultedVisitor<K, Spec, Status>
where
    K: CustomResource,
    Spec: Decode<'de> + Deserialize<'de>,
    Status: Decode<'de> + Deserialize<'de>,
{
    type Value = Parts<Spec, Status>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shape.fields.expecting)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let mut decoded = None;
        let is_read = json::read_own(text, &mut |source| {
            decoded = Some(parts(source, self.shape)?);
            Ok(())
        });
        if let (Some(()), Some(decoded)) = (is_read, decoded) {
            return Ok(decoded);
        }
        let mut json = serde_json::Deserializer::from_str(text);
        let decoded = by_serde::<K, _, _, _>(&mut json, self.shape).map_err(D::Error::custom)?;
        json.end().map_err(D::Error::custom)?;
        Ok(decoded)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        by_serde::<K, _, _, _>(MapAccessDeserializer::new(map), self.shape)
    }
}
