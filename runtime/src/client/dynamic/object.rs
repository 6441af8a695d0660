//! Untyped objects.

use std::{borrow::Cow, fmt};

use kube_core::{ApiResource, DynamicObject, DynamicResourceScope, GroupVersionKind, ObjectMeta, Resource, TypeMeta};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::{Map, Value};

use crate::{
    client::error::JsonError,
    json::json_value::to_value,
    resource::subresource::{ScaleSubresource, StatusSubresource},
};

/// An object of any kind: typed metadata, and JSON values.
///
/// ```
/// use crdkit::client::dynamic::{Optional, Unstructured};
/// use serde_json::json;
///
/// let mut vm: Unstructured = serde_json::from_value(json!({
///     "apiVersion": "infra.example.com/v1",
///     "kind": "VirtualMachine",
///     "metadata": { "name": "web" },
///     "spec": { "image": "debian", "disks": [{ "name": "boot", "size": "10Gi" }] },
/// }))?;
///
/// assert_eq!(vm.get_str("spec.image")?, "debian");
/// assert_eq!(vm.get_str("spec.disks[0].size")?, "10Gi");
/// assert_eq!(vm.get_i64("spec.replicas").optional()?, None);
/// vm.set("spec.replicas", 3)?;
/// vm.remove("spec.disks")?;
///
/// let error = vm.get_str("spec.replicas").unwrap_err();
/// assert_eq!(error.to_string(), "`spec.replicas` is an integer, expected a string");
/// let error = vm.get_str("spec.disks").unwrap_err();
/// let message = "`spec.disks` does not exist: `spec` has no `disks`, only `image`, `replicas`";
/// assert_eq!(error.to_string(), message);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("DynamicObject"))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unstructured {
    /// `apiVersion` and `kind`. Clients and informers add them to the items of lists of built-in kinds, from which the
    /// API server omits them.
    pub types: Option<TypeMeta>,
    /// `metadata`.
    pub metadata: ObjectMeta,
    /// `status`.
    pub status: Option<Value>,
    /// All other fields, such as `spec`.
    pub fields: Map<String, Value>,
}

impl Unstructured {
    /// Creates an object of a kind, with only a name.
    pub fn new(name: &str, kind: &GroupVersionKind) -> Self {
        Self {
            types: Some(TypeMeta { api_version: kind.api_version(), kind: kind.kind.clone() }),
            metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
            ..Self::default()
        }
    }

    /// Sets the namespace.
    #[must_use]
    pub fn within(mut self, namespace: &str) -> Self {
        self.metadata.namespace = Some(namespace.to_owned());
        self
    }

    /// Returns the kind in the object, if there is one.
    pub fn gvk(&self) -> Option<GroupVersionKind> {
        self.types.as_ref()?.try_into().ok()
    }

    /// Converts a typed object.
    ///
    /// # Errors
    ///
    /// If the object cannot be serialized as a Kubernetes object.
    pub fn from_typed(object: &impl Serialize) -> Result<Self, JsonError> {
        Ok(serde_json::from_value(to_value(object)?)?)
    }

    /// Converts the object to a typed one.
    ///
    /// # Errors
    ///
    /// If the object does not match the type.
    pub fn into_typed<K: DeserializeOwned>(self) -> Result<K, JsonError> {
        Ok(serde_json::from_value(serde_json::to_value(self)?)?)
    }
}

impl Resource for Unstructured {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn group(kind: &ApiResource) -> Cow<'_, str> {
        kind.group.as_str().into()
    }

    fn version(kind: &ApiResource) -> Cow<'_, str> {
        kind.version.as_str().into()
    }

    fn kind(kind: &ApiResource) -> Cow<'_, str> {
        kind.kind.as_str().into()
    }

    fn api_version(kind: &ApiResource) -> Cow<'_, str> {
        kind.api_version.as_str().into()
    }

    fn plural(kind: &ApiResource) -> Cow<'_, str> {
        kind.plural.as_str().into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// Only the API server can determine whether the kind has a status subresource.
impl StatusSubresource for Unstructured {
    type Status = Value;

    fn status(&self) -> Option<&Value> {
        self.status.as_ref()
    }

    fn status_mut(&mut self) -> &mut Option<Value> {
        &mut self.status
    }
}

/// Only the API server can determine whether the kind has a scale subresource.
impl ScaleSubresource for Unstructured {}

impl From<DynamicObject> for Unstructured {
    fn from(object: DynamicObject) -> Self {
        let mut fields = match object.data {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Self {
            types: object.types,
            metadata: object.metadata,
            status: fields.remove("status").filter(|status| !status.is_null()),
            fields,
        }
    }
}

impl From<Unstructured> for DynamicObject {
    fn from(object: Unstructured) -> Self {
        let status = object.status.map(|status| ("status".to_owned(), status));
        Self { types: object.types, metadata: object.metadata, data: object.fields.into_iter().chain(status).collect() }
    }
}

impl Serialize for Unstructured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        if let Some(types) = &self.types {
            object.serialize_entry("apiVersion", &types.api_version)?;
            object.serialize_entry("kind", &types.kind)?;
        }
        object.serialize_entry("metadata", &self.metadata)?;
        for (key, value) in &self.fields {
            object.serialize_entry(key, value)?;
        }
        if let Some(status) = &self.status {
            object.serialize_entry("status", status)?;
        }
        object.end()
    }
}

impl<'de> Deserialize<'de> for Unstructured {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Unstructured;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a Kubernetes object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unstructured, A::Error> {
        let mut object = Unstructured::default();
        let mut types = TypeMeta::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "apiVersion" => types.api_version = map.next_value()?,
                "kind" => types.kind = map.next_value()?,
                "metadata" => {
                    let metadata: Option<ObjectMeta> = map.next_value()?;
                    object.metadata = metadata.unwrap_or_default();
                }
                "status" => object.status = map.next_value()?,
                _ => {
                    object.fields.insert(key, map.next_value()?);
                }
            }
        }
        object.types = Some(types).filter(|types| *types != TypeMeta::default());
        Ok(object)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conversions_are_lossless() {
        let json = json!({
            "apiVersion": "infra.example.com/v1", "kind": "VirtualMachine",
            "metadata": { "name": "web", "labels": { "app": "web" } },
            "spec": { "image": "debian" }, "status": { "phase": "Running" }, "extra": [1, null],
        });
        let object: Unstructured = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(object.status, Some(json!({ "phase": "Running" })));
        assert_eq!(object.gvk().unwrap().kind, "VirtualMachine");
        assert_eq!(serde_json::to_value(&object).unwrap(), json);
        let kubes = DynamicObject::from(object.clone());
        assert_eq!(serde_json::to_value(&kubes).unwrap(), json);
        assert_eq!(Unstructured::from(kubes), object);
    }

    #[test]
    fn items_of_lists_have_no_kind() {
        let object: Unstructured = serde_json::from_value(json!({ "metadata": null })).unwrap();
        assert_eq!(object, Unstructured::default());
        assert_eq!(serde_json::to_value(object).unwrap(), json!({ "metadata": {} }));
    }
}
