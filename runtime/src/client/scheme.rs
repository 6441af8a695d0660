//! Maps kinds to Rust types, to decode objects whose kind is only specified in the object itself.
//!
//! ```
//! use crdkit::client::scheme::Scheme;
//! use k8s_openapi::api::core::v1::{ConfigMap, Secret};
//!
//! let scheme = Scheme::new().register::<ConfigMap>()?.register::<Secret>()?;
//! let manifest = "
//! apiVersion: v1
//! kind: ConfigMap
//! metadata: { name: web }
//! data: { size: small }
//! ---
//! apiVersion: v1
//! kind: Secret
//! metadata: { name: key }
//! ";
//! for object in scheme.decode_yaml(manifest)? {
//!     if let Some(config) = object.downcast_ref::<ConfigMap>() {
//!         assert_eq!(config.data.as_ref().unwrap()["size"], "small");
//!     } else if let Some(secret) = object.downcast_ref::<Secret>() {
//!         assert_eq!(secret.metadata.name.as_deref(), Some("key"));
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decoded;
mod document;
mod error;
mod kinds;
mod yaml;

use std::{
    any::{TypeId, type_name},
    collections::HashMap,
};

use crdkit_core::suggest::nearest_by;
use kube_core::{GroupVersionKind, Resource};

use decoded::Decode;
pub use decoded::Decoded;
pub use error::{DecodeError, DuplicateKind, Position, TypeMismatch};
pub use kinds::Kinds;

use super::{dynamic::Unstructured, gvk, kubernetes::kinds::for_each_kind, resources::Object};

/// Inserts Kubernetes' types into a scheme.
macro_rules! insert {
    ([$scheme:ident] $($module:ident)::+ => $($kinds:tt)+) => {{
        use $($module)::+ as types;
        insert!(@ $scheme $($kinds)+);
    }};
    (@ $scheme:ident unapplied $kind:ident; $($rest:tt)*) => {
        insert!(@ $scheme $kind; $($rest)*);
    };
    (@ $scheme:ident $kind:ident; $($rest:tt)*) => {
        $scheme.insert::<types::$kind>();
        insert!(@ $scheme $($rest)*);
    };
    (@ $scheme:ident) => {};
}

/// The registered Rust types by their kinds.
#[derive(Clone, Debug, Default)]
pub struct Scheme {
    types: HashMap<GroupVersionKind, Registered>,
    allows_unknown: bool,
}

#[derive(Clone, Copy, Debug)]
struct Registered {
    id: TypeId,
    name: &'static str,
    decode: Decode,
}

impl Scheme {
    /// Creates a scheme without types.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a scheme with the types of Kubernetes: all kinds of its API of which `k8s-openapi` has a type, in the version that
    /// crdkit is compiled with.
    ///
    /// A program that calls this contains the code that decodes each of them.
    ///
    /// ```
    /// use crdkit::client::scheme::Scheme;
    /// use k8s_openapi::api::apps::v1::Deployment;
    /// # use kube_core::GroupVersionKind;
    ///
    /// let scheme = Scheme::kubernetes();
    /// let manifest = "{ apiVersion: apps/v1, kind: Deployment, metadata: { name: web } }";
    /// let objects = scheme.decode_yaml(manifest)?;
    /// assert!(objects[0].is::<Deployment>());
    /// # for (group, version, kind) in [
    /// #     ("", "v1", "Pod"),
    /// #     ("authentication.k8s.io", "v1", "TokenReview"),
    /// #     ("rbac.authorization.k8s.io", "v1", "ClusterRole"),
    /// #     ("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
    /// #     ("apiregistration.k8s.io", "v1", "APIService"),
    /// # ] {
    /// #     assert!(scheme.recognizes(&GroupVersionKind::gvk(group, version, kind)), "{kind}");
    /// # }
    /// # assert!(scheme.register::<Deployment>().is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn kubernetes() -> Self {
        let mut scheme = Self::new();
        for_each_kind!(insert scheme);
        scheme
    }

    /// Registers several types, each as [`register`](Self::register) does: a tuple of up to 16.
    ///
    /// ```
    /// use crdkit::{CustomResource, KubeSchema, client::scheme::Scheme};
    /// # use serde::{Deserialize, Serialize};
    ///
    /// #[crdkit::group_version(group = "example.com", version = "v1")]
    /// mod v1 {
    /// #   use super::*;
    ///     #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    ///     pub struct DatabaseSpec {}
    ///
    ///     #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    ///     pub struct BackupSpec {}
    ///
    ///     pub type Kinds = (Database, Backup);
    /// }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///
    /// let scheme = Scheme::kubernetes().register_all::<v1::Kinds>()?;
    /// assert!(scheme.kind_of::<v1::Backup>().is_some());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If another type is registered for one of the kinds.
    pub fn register_all<T: Kinds>(self) -> Result<Self, DuplicateKind> {
        T::register(self)
    }

    /// Registers a type for its kind. Registering it again has no effect.
    ///
    /// # Errors
    ///
    /// If another type is registered for the kind.
    pub fn register<K>(mut self) -> Result<Self, DuplicateKind>
    where
        K: Object + Resource<DynamicType = ()>,
    {
        let gvk = gvk::of::<K>();
        match self.types.get(&gvk) {
            Some(old) if old.id != TypeId::of::<K>() => {
                Err(DuplicateKind { gvk, registered: old.name, rejected: type_name::<K>() })
            }
            _ => {
                self.insert::<K>();
                Ok(self)
            }
        }
    }

    fn insert<K>(&mut self)
    where
        K: Object + Resource<DynamicType = ()>,
    {
        let new = Registered { id: TypeId::of::<K>(), name: type_name::<K>(), decode: decoded::decode::<K> };
        self.types.insert(gvk::of::<K>(), new);
    }

    /// Decodes objects of unregistered kinds as [`Unstructured`], instead of returning an error.
    #[must_use]
    pub fn allow_unknown(mut self) -> Self {
        self.allows_unknown = true;
        self
    }

    /// Returns whether a type is registered for the kind.
    pub fn recognizes(&self, kind: &GroupVersionKind) -> bool {
        self.types.contains_key(kind)
    }

    /// Returns the kind for which a type is registered.
    pub fn kind_of<K: 'static>(&self) -> Option<&GroupVersionKind> {
        let mut types = self.types.iter();
        let (kind, _) = types.find(|(_, registered)| registered.id == TypeId::of::<K>())?;
        Some(kind)
    }

    /// Returns the registered kinds, in arbitrary order.
    pub fn kinds(&self) -> impl Iterator<Item = &GroupVersionKind> {
        self.types.keys()
    }

    /// Decodes one object.
    ///
    /// # Errors
    ///
    /// If the input is not JSON, has no kind, is a list, does not match its type, or is of an unregistered kind, unless
    /// these are [allowed](Self::allow_unknown).
    pub fn decode(&self, json: &[u8]) -> Result<Decoded, DecodeError> {
        let mut objects = self.decode_all(json)?;
        match objects.pop() {
            Some(only) if objects.is_empty() => Ok(only),
            _ => Err(DecodeError::List { position: Position::default() }),
        }
    }

    /// Decodes an object, or the objects of a list.
    ///
    /// # Errors
    ///
    /// The same as for [`decode`](Self::decode), for the first object that cannot be decoded.
    pub fn decode_all(&self, json: &[u8]) -> Result<Vec<Decoded>, DecodeError> {
        let mut objects = Vec::new();
        self.decode_document(json, &Position::default(), &mut objects)?;
        Ok(objects)
    }

    /// Decodes the objects of a text with any number of YAML documents, including the items of lists.
    ///
    /// As in kubectl, `yes` and `on` are booleans, and `0644` is octal.
    ///
    /// # Errors
    ///
    /// The same as for [`decode`](Self::decode), for the first object that cannot be decoded, with the number and line
    /// of its document.
    pub fn decode_yaml(&self, yaml: &str) -> Result<Vec<Decoded>, DecodeError> {
        let mut objects = Vec::new();
        for (position, json) in yaml::documents(yaml)? {
            self.decode_document(&json, &position, &mut objects)?;
        }
        Ok(objects)
    }

    fn unknown(&self, gvk: GroupVersionKind, position: &Position) -> DecodeError {
        let nearest = self.nearest(&gvk).cloned().map(Box::new);
        DecodeError::Unregistered { position: position.clone(), gvk: Box::new(gvk), nearest }
    }

    /// Returns the registered kind that is most similar, preferably one with the same name.
    fn nearest(&self, expected: &GroupVersionKind) -> Option<&GroupVersionKind> {
        let mut kinds: Vec<_> = self.kinds().collect();
        // Among equally similar kinds, those of the same group come first, whatever the order of the map.
        kinds.sort_by_key(|kind| (kind.group != expected.group, &kind.group, &kind.version));
        nearest_by(&expected.kind, kinds, |kind| &kind.kind)
    }

    fn decoder(&self, gvk: &GroupVersionKind) -> Option<Decode> {
        let registered = self.types.get(gvk).map(|registered| registered.decode);
        registered.or(self.allows_unknown.then_some(decoded::decode::<Unstructured>))
    }
}

#[cfg(test)]
mod tests;
