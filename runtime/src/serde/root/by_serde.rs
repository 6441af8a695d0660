//! Roots with types that only serde knows.

use std::{fmt, marker::PhantomData};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor},
};

use super::{NAMES, Parts, RootShape};
use crate::{
    json::{
        cow_str::CowStr,
        defaulting::{DEFAULTED_RESOURCE, DefaultingDeserializer, ValueSeed, has_defaults},
    },
    resource::custom_resource::CustomResource,
};

/// Deserializes an object of the kind `K` with serde.
///
/// If `K` has no defaults, no code is generated for filling them in.
pub(super) fn by_serde<
    'de,
    K: CustomResource,
    Spec: Deserialize<'de>,
    Status: Deserialize<'de>,
    D: Deserializer<'de>,
>(
    deserializer: D,
    shape: &'static RootShape,
) -> Result<Parts<Spec, Status>, D::Error> {
    let visitor = PartsVisitor::<K, _, _> { shape, types: PhantomData };
    let name = if const { has_defaults::<K>() } { DEFAULTED_RESOURCE } else { "CustomResource" };
    deserializer.deserialize_struct(name, NAMES, visitor)
}

struct PartsVisitor<K, Spec, Status> {
    shape: &'static RootShape,
    types: PhantomData<(K, Spec, Status)>,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Key {
    ApiVersion,
    Kind,
    Metadata,
    Spec,
    Status,
    #[serde(other)]
    Unknown,
}

impl<'de, K: CustomResource, Spec: Deserialize<'de>, Status: Deserialize<'de>> Visitor<'de>
    for PartsVisitor<K, Spec, Status>
{
    type Value = Parts<Spec, Status>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shape.fields.expecting)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut api_version: Option<Option<CowStr<'de>>> = None;
        let mut kind: Option<Option<CowStr<'de>>> = None;
        let (mut metadata, mut spec, mut status) = (None, None, None);
        while let Some(key) = map.next_key()? {
            match key {
                Key::ApiVersion => read(&mut api_version, "apiVersion", &mut map)?,
                Key::Kind => read(&mut kind, "kind", &mut map)?,
                Key::Metadata => read(&mut metadata, "metadata", &mut map)?,
                Key::Spec => {
                    // Checked before the spec is read, because a spec of another kind may fail with a less helpful
                    // error.
                    self.shape.check(stated(&api_version), stated(&kind))?;
                    if const { has_defaults::<K>() } {
                        let fields = self.shape.defaults.fields().spec.as_ref();
                        read_with(ValueSeed { seed: PhantomData, fields }, &mut spec, "spec", &mut map)?;
                    } else {
                        read(&mut spec, "spec", &mut map)?;
                    }
                }
                Key::Status if const { has_defaults::<K>() } => {
                    let fields = self.shape.defaults.fields().status.as_ref();
                    read_with(ValueSeed { seed: PhantomData, fields }, &mut status, "status", &mut map)?;
                }
                Key::Status => read(&mut status, "status", &mut map)?,
                Key::Unknown => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        self.shape.check(stated(&api_version), stated(&kind))?;
        Ok(Parts {
            metadata: metadata.ok_or_else(|| Error::missing_field("metadata"))?,
            spec: spec.ok_or_else(|| Error::missing_field("spec"))?,
            status: status.flatten(),
        })
    }
}

fn stated<'a>(text: &'a Option<Option<CowStr<'_>>>) -> Option<&'a str> {
    text.as_ref()?.as_deref()
}

fn read<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    slot: &mut Option<T>,
    name: &'static str,
    map: &mut A,
) -> Result<(), A::Error> {
    read_with(PhantomData, slot, name, map)
}

fn read_with<'de, S: DeserializeSeed<'de>, A: MapAccess<'de>>(
    seed: S,
    slot: &mut Option<S::Value>,
    name: &'static str,
    map: &mut A,
) -> Result<(), A::Error> {
    if slot.is_some() {
        return Err(Error::duplicate_field(name));
    }
    *slot = Some(map.next_value_seed(seed)?);
    Ok(())
}

/// The fields of a root type whose spec is flattened into its root.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FlatParts<'a, Spec, Status> {
    #[serde(borrow)]
    api_version: Option<CowStr<'a>>,
    #[serde(borrow)]
    kind: Option<CowStr<'a>>,
    /// `metadata`.
    pub metadata: ObjectMeta,
    /// All other fields.
    #[serde(flatten)]
    pub spec: Spec,
    /// `status`.
    #[serde(default = "Option::default")]
    pub status: Option<Status>,
}

/// Deserializes an object of the kind `K` whose spec is flattened into the root.
///
/// # Errors
///
/// As [`RootBySerde::decode`](super::RootBySerde::decode).
pub fn decode_flat<'de, K: CustomResource, Spec: Deserialize<'de>, Status: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
    shape: &'static RootShape,
) -> Result<FlatParts<'de, Spec, Status>, D::Error> {
    let parts = if const { has_defaults::<K>() } {
        let fields = shape.defaults.fields().flat.as_ref();
        FlatParts::<Spec, Status>::deserialize(DefaultingDeserializer::new(deserializer, fields))?
    } else {
        FlatParts::<Spec, Status>::deserialize(deserializer)?
    };
    shape.check(parts.api_version.as_deref(), parts.kind.as_deref())?;
    Ok(parts)
}
