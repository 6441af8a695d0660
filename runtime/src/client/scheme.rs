//! Types by their kinds: reads objects of which only the object itself says what they are.
//!
//! ```
//! use crdkit::client::Scheme;
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
mod yaml;

use std::{
    any::{TypeId, type_name},
    collections::HashMap,
};

use crdkit_core::suggest::nearest_by;
use kube_core::{GroupVersionKind, Resource};

use decoded::Decode;
pub use decoded::Decoded;
pub use error::{DecodeError, DuplicateKind, Place, TypeMismatch};

use super::{dynamic::Unstructured, gvk, resources::Object};

/// The types that objects are read as, by their kinds.
#[derive(Clone, Debug, Default)]
pub struct Scheme {
    types: HashMap<GroupVersionKind, Registered>,
    keeps_unknown: bool,
}

#[derive(Clone, Copy, Debug)]
struct Registered {
    id: TypeId,
    name: &'static str,
    decode: Decode,
}

impl Scheme {
    /// No types.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type for its kind. To add it again changes nothing.
    ///
    /// # Errors
    ///
    /// If another type is registered for the kind.
    pub fn register<K>(mut self) -> Result<Self, DuplicateKind>
    where
        K: Object + Resource<DynamicType = ()>,
    {
        let gvk = gvk::of::<K>();
        let new = Registered {
            id: TypeId::of::<K>(),
            name: type_name::<K>(),
            decode: decoded::decode::<K>,
        };
        match self.types.get(&gvk) {
            Some(old) if old.id != new.id => Err(DuplicateKind {
                gvk,
                registered: old.name,
                rejected: new.name,
            }),
            _ => {
                self.types.insert(gvk, new);
                Ok(self)
            }
        }
    }

    /// Objects of kinds that are not registered are read as [`Unstructured`], where they would be errors otherwise.
    #[must_use]
    pub fn keep_unknown(mut self) -> Self {
        self.keeps_unknown = true;
        self
    }

    /// Whether there is a type for the kind.
    pub fn knows(&self, kind: &GroupVersionKind) -> bool {
        self.types.contains_key(kind)
    }

    /// The kind that a type is registered for.
    pub fn kind_of<K: 'static>(&self) -> Option<&GroupVersionKind> {
        let mut types = self.types.iter();
        let (kind, _) = types.find(|(_, registered)| registered.id == TypeId::of::<K>())?;
        Some(kind)
    }

    /// The kinds that are registered, in no order.
    pub fn kinds(&self) -> impl Iterator<Item = &GroupVersionKind> {
        self.types.keys()
    }

    /// Reads one object.
    ///
    /// # Errors
    ///
    /// If it is no JSON, says no kind, is a list, does not fit its type, or is of a kind that is not registered, unless
    /// these are [kept](Self::keep_unknown).
    pub fn decode(&self, json: &[u8]) -> Result<Decoded, DecodeError> {
        let mut objects = self.decode_all(json)?;
        match objects.pop() {
            Some(only) if objects.is_empty() => Ok(only),
            _ => Err(DecodeError::List {
                place: Place::default(),
            }),
        }
    }

    /// Reads an object, or the objects of a list.
    ///
    /// # Errors
    ///
    /// As for [`decode`](Self::decode), of the first object that cannot be read.
    pub fn decode_all(&self, json: &[u8]) -> Result<Vec<Decoded>, DecodeError> {
        let mut objects = Vec::new();
        self.decode_document(json, &Place::default(), &mut objects)?;
        Ok(objects)
    }

    /// Reads the objects of a text of many documents, and those of lists among them. As for kubectl, `yes` and `on` are
    /// booleans, and `0644` is octal.
    ///
    /// # Errors
    ///
    /// As for [`decode`](Self::decode), of the first object that cannot be read, with the number and line of its document.
    pub fn decode_yaml(&self, yaml: &str) -> Result<Vec<Decoded>, DecodeError> {
        let mut objects = Vec::new();
        for (place, json) in yaml::documents(yaml)? {
            self.decode_document(&json, &place, &mut objects)?;
        }
        Ok(objects)
    }

    fn unknown(&self, gvk: GroupVersionKind, place: &Place) -> DecodeError {
        let nearest = self.nearest(&gvk).cloned().map(Box::new);
        DecodeError::Unregistered {
            place: place.clone(),
            gvk: Box::new(gvk),
            nearest,
        }
    }

    /// The registered kind that may have been meant: of the same name if there is one.
    fn nearest(&self, wanted: &GroupVersionKind) -> Option<&GroupVersionKind> {
        let mut kinds: Vec<_> = self.kinds().collect();
        // Of those as near as each other the one of the same group comes first, whatever the map's order.
        kinds.sort_by_key(|kind| (kind.group != wanted.group, &kind.group, &kind.version));
        nearest_by(&wanted.kind, kinds, |kind| &kind.kind)
    }

    fn decoder(&self, gvk: &GroupVersionKind) -> Option<Decode> {
        let registered = self.types.get(gvk).map(|registered| registered.decode);
        registered.or(self
            .keeps_unknown
            .then_some(decoded::decode::<Unstructured>))
    }
}

#[cfg(test)]
mod tests;
