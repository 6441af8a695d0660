//! Serialization and deserialization shared by all root types of custom resources.

mod by_serde;
mod text;

use std::marker::PhantomData;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, IgnoredAny},
    ser::SerializeStruct,
};

use super::{
    fault::Fault,
    shape::Fields,
    source::{Decode, Decoded, Inner, Source, Step},
};
use crate::{
    json::{
        cow_str::CowStr,
        defaulting::{DEFAULTED_TEXT_RESOURCE, ResourceDefaults, has_defaults},
    },
    resource::custom_resource::CustomResource,
};
use by_serde::by_serde;
pub use by_serde::{FlatParts, decode_flat};
use text::{DefaultedVisitor, TextVisitor};

/// The name of a struct that is a root whose types decode themselves. The deserializer of an object's text calls
/// [`visit_newtype_struct`](Visitor::visit_newtype_struct) with it, which no other deserializer does for a struct.
pub(crate) const TEXT_RESOURCE: &str = "$crdkit::private::TextResource";

/// The `apiVersion` and `kind` of an object.
pub struct TypeMeta {
    /// Such as `infra.example.com/v1`.
    pub api_version: &'static str,
    /// Such as `VirtualMachine`.
    pub kind: &'static str,
}

/// The status type of a resource that declares none: any value is ignored.
pub type NoStatus = IgnoredAny;

/// What is known of a root type.
pub struct RootShape {
    /// The `apiVersion` and `kind` of an object, if they are checked.
    expected: Option<TypeMeta>,
    fields: Fields,
    defaults: ResourceDefaults,
}

impl RootShape {
    /// Errors say that an object is `expecting`, such as `a VirtualMachine of infra.example.com/v1`.
    pub const fn new<K: CustomResource>(expected: Option<TypeMeta>, expecting: &'static str) -> Self {
        let fields = Fields {
            name: "CustomResource",
            expecting,
            names: NAMES,
            aliases: None,
            defaults: &[0, 1, 4],
            denies_unknown_fields: false,
            denies_lists: true,
            schema_defaults: &[],
        };
        Self { expected, fields, defaults: ResourceDefaults::of::<K>() }
    }

    fn check<E: Error>(&self, api_version: Option<&str>, kind: Option<&str>) -> Result<(), E> {
        self.expected.as_ref().map_or(Ok(()), |expected| expected.check(api_version, kind))
    }
}

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

/// The choice between a root whose types decode themselves, and one with types that only serde knows.
///
/// The inherent function takes precedence over that of [`RootBySerde`].
pub struct RootProbe<'de, K, Spec, Status>(PhantomData<(&'de (), K, Spec, Status)>);

impl<'de, K, Spec, Status> RootProbe<'de, K, Spec, Status>
where
    K: CustomResource,
    Spec: Decode<'de> + Deserialize<'de>,
    Status: Decode<'de> + Deserialize<'de>,
{
    /// Deserializes an object, from its text if the deserializer provides it.
    ///
    /// # Errors
    ///
    /// As [`RootBySerde::decode`].
    pub fn decode<D: Deserializer<'de>>(
        deserializer: D,
        shape: &'static RootShape,
    ) -> Result<Parts<Spec, Status>, D::Error> {
        if const { has_defaults::<K>() } {
            let visitor = DefaultedVisitor::<K, _, _> { shape, types: PhantomData };
            return deserializer.deserialize_struct(DEFAULTED_TEXT_RESOURCE, NAMES, visitor);
        }
        let mut decoded = None;
        let decode: Inner<'_, 'de> = &mut |source| {
            decoded = Some(parts(source, shape)?);
            Ok(())
        };
        deserializer.deserialize_struct(TEXT_RESOURCE, NAMES, TextVisitor { shape, decode })?;
        decoded.ok_or_else(|| D::Error::custom("the format has no object"))
    }
}

/// Deserializes roots with types that only serde knows.
pub trait RootBySerde<'de, K, Spec, Status> {
    /// Deserializes an object.
    ///
    /// # Errors
    ///
    /// If the object has another `apiVersion` or `kind` than expected, or if a field cannot be deserialized.
    fn decode<D: Deserializer<'de>>(deserializer: D, shape: &'static RootShape) -> Result<Parts<Spec, Status>, D::Error>
    where
        K: CustomResource,
        Spec: Deserialize<'de>,
        Status: Deserialize<'de>,
    {
        by_serde::<K, _, _, _>(deserializer, shape)
    }
}

impl<'de, K, Spec, Status> RootBySerde<'de, K, Spec, Status> for RootProbe<'de, K, Spec, Status> {}

/// The names of the fields of a root, as [`parts`] counts them.
const NAMES: &[&str] = &["apiVersion", "kind", "metadata", "spec", "status"];

/// The `apiVersion` and `kind` that an object states.
#[derive(Default)]
struct StatedType<'de> {
    api_version: Option<CowStr<'de>>,
    kind: Option<CowStr<'de>>,
}

impl StatedType<'_> {
    fn check(&self, shape: &RootShape) -> Decoded<()> {
        shape
            .check(self.api_version.as_deref(), self.kind.as_deref())
            .map_err(|error: serde::de::value::Error| Fault::custom(error))
    }
}

/// Decodes the parts of an object.
pub(super) fn parts<'de, Spec: Decode<'de>, Status: Decode<'de>>(
    source: &mut dyn Source<'de>,
    shape: &'static RootShape,
) -> Decoded<Parts<Spec, Status>> {
    let mut stated = StatedType::default();
    let (mut metadata, mut spec, mut status) = (None, None, None);
    source.object(&shape.fields, &mut |step| {
        match step {
            Step::Field(0, source) => stated.api_version = Decode::decode(source)?,
            Step::Field(1, source) => stated.kind = Decode::decode(source)?,
            Step::Field(2, source) => metadata = Some(ObjectMeta::decode(source)?),
            Step::Field(3, source) => {
                // Checked before the spec is read, because a spec of another kind may fail with a less helpful error.
                stated.check(shape)?;
                spec = Some(Spec::decode(source)?);
            }
            Step::Field(_, source) => status = Decode::decode(source)?,
            Step::End => {
                stated.check(shape)?;
                if metadata.is_none() {
                    return Err(Fault::missing_field("metadata"));
                }
                if spec.is_none() {
                    return Err(Fault::missing_field("spec"));
                }
            }
        }
        Ok(())
    })?;
    let (Some(metadata), Some(spec)) = (metadata, spec) else {
        return Err(Fault::custom("the format has no object"));
    };
    Ok(Parts { metadata, spec, status })
}
