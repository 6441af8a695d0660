//! Serialization and deserialization shared by all root types of custom resources.

use std::{fmt, marker::PhantomData};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor},
    ser::SerializeStruct,
};

pub use crate::json::defaulting::ResourceDefaults;
use crate::{
    json::{
        cow_str::CowStr,
        defaulting::{DEFAULTED_RESOURCE, DefaultingDeserializer, ValueSeed, has_defaults},
    },
    resource::custom_resource::CustomResource,
};

/// The `apiVersion` and `kind` of an object.
pub struct TypeMeta {
    /// Such as `infra.example.com/v1`.
    pub api_version: &'static str,
    /// Such as `VirtualMachine`.
    pub kind: &'static str,
}

/// The status type of a resource that declares none: any value is ignored.
pub type NoStatus = IgnoredAny;

/// The fields of a root type.
pub struct Parts<Spec, Status> {
    /// `metadata`.
    pub metadata: ObjectMeta,
    /// `spec`.
    pub spec: Spec,
    /// `status`.
    pub status: Option<Status>,
}

/// Serializes an object.
pub fn serialize<S: Serializer>(
    serializer: S,
    name: &'static str,
    type_meta: &TypeMeta,
    metadata: &ObjectMeta,
    spec: &impl Serialize,
    status: Option<&impl Serialize>,
) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_struct(name, 4 + usize::from(status.is_some()))?;
    object.serialize_field("apiVersion", type_meta.api_version)?;
    object.serialize_field("kind", type_meta.kind)?;
    object.serialize_field("metadata", metadata)?;
    object.serialize_field("spec", spec)?;
    match status {
        Some(status) => object.serialize_field("status", status)?,
        None => object.skip_field("status")?,
    }
    object.end()
}

/// Serializes an object whose spec is flattened into its root.
pub fn serialize_flat<S: Serializer>(
    serializer: S,
    _name: &'static str,
    type_meta: &TypeMeta,
    metadata: &ObjectMeta,
    spec: &impl Serialize,
    status: Option<&impl Serialize>,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Flat<'a, Spec, Status> {
        api_version: &'static str,
        kind: &'static str,
        metadata: &'a ObjectMeta,
        #[serde(flatten)]
        spec: &'a Spec,
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<&'a Status>,
    }
    Flat { api_version: type_meta.api_version, kind: type_meta.kind, metadata, spec, status }.serialize(serializer)
}

impl TypeMeta {
    fn check<E: Error>(&self, api_version: Option<&str>, kind: Option<&str>) -> Result<(), E> {
        let api_version_fits = api_version.is_none_or(|stated| stated == self.api_version);
        let kind_fits = kind.is_none_or(|stated| stated == self.kind);
        if api_version_fits && kind_fits {
            return Ok(());
        }
        Err(E::custom(format_args!(
            "the object is a {} of {}, expected a {} of {}",
            kind.unwrap_or(self.kind),
            api_version.unwrap_or(self.api_version),
            self.kind,
            self.api_version,
        )))
    }
}

/// Deserializes an object of the kind `K`. Fails if the object has another `apiVersion` or `kind` than `expected`.
///
/// If `K` has no defaults, no code is generated for filling them in.
pub fn decode<'de, K: CustomResource, Spec: Deserialize<'de>, Status: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
    expected: Option<&'static TypeMeta>,
    defaults: &'static ResourceDefaults,
) -> Result<Parts<Spec, Status>, D::Error> {
    const FIELDS: &[&str] = &["apiVersion", "kind", "metadata", "spec", "status"];
    let visitor = PartsVisitor::<K, _, _> { expected, defaults, types: PhantomData };
    let name = if const { has_defaults::<K>() } { DEFAULTED_RESOURCE } else { "CustomResource" };
    deserializer.deserialize_struct(name, FIELDS, visitor)
}

struct PartsVisitor<K, Spec, Status> {
    expected: Option<&'static TypeMeta>,
    defaults: &'static ResourceDefaults,
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
        match self.expected {
            Some(type_meta) => write!(f, "a {} of {}", type_meta.kind, type_meta.api_version),
            None => f.write_str("a custom resource"),
        }
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
                    check(self.expected, &api_version, &kind)?;
                    if const { has_defaults::<K>() } {
                        let fields = self.defaults.fields().spec.as_ref();
                        read_with(ValueSeed { seed: PhantomData, fields }, &mut spec, "spec", &mut map)?;
                    } else {
                        read(&mut spec, "spec", &mut map)?;
                    }
                }
                Key::Status if const { has_defaults::<K>() } => {
                    let fields = self.defaults.fields().status.as_ref();
                    read_with(ValueSeed { seed: PhantomData, fields }, &mut status, "status", &mut map)?;
                }
                Key::Status => read(&mut status, "status", &mut map)?,
                Key::Unknown => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        check(self.expected, &api_version, &kind)?;
        Ok(Parts {
            metadata: metadata.ok_or_else(|| Error::missing_field("metadata"))?,
            spec: spec.ok_or_else(|| Error::missing_field("spec"))?,
            status: status.flatten(),
        })
    }
}

fn check<E: Error>(
    expected: Option<&TypeMeta>,
    api_version: &Option<Option<CowStr<'_>>>,
    kind: &Option<Option<CowStr<'_>>>,
) -> Result<(), E> {
    match expected {
        Some(expected) => expected.check(stated(api_version), stated(kind)),
        None => Ok(()),
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

/// Like [`decode`], for a spec that is flattened into the root.
pub fn decode_flat<'de, K: CustomResource, Spec: Deserialize<'de>, Status: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
    expected: Option<&'static TypeMeta>,
    defaults: &'static ResourceDefaults,
) -> Result<FlatParts<'de, Spec, Status>, D::Error> {
    let parts = if const { has_defaults::<K>() } {
        let fields = defaults.fields().flat.as_ref();
        FlatParts::<Spec, Status>::deserialize(DefaultingDeserializer::new(deserializer, fields))?
    } else {
        FlatParts::<Spec, Status>::deserialize(deserializer)?
    };
    if let Some(expected) = expected {
        expected.check(parts.api_version.as_deref(), parts.kind.as_deref())?;
    }
    Ok(parts)
}
