use std::{any::Any, fmt::Debug};

use kube_core::{GroupVersionKind, ObjectMeta};

use crate::client::{
    decode::{self, Failure},
    error::JsonError,
    resources::Object,
};

/// A decoded object, which can be downcast to its Rust type.
#[derive(Debug)]
pub struct Decoded {
    gvk: GroupVersionKind,
    object: Box<dyn AnyObject>,
}

/// The decoder of one type.
pub(super) type Decode = fn(&[u8]) -> Result<Box<dyn AnyObject>, Failure>;

pub(super) trait AnyObject: Any + Debug + Send + Sync {
    fn metadata(&self) -> &ObjectMeta;
    fn to_json(&self) -> Result<serde_json::Value, serde_json::Error>;
    fn boxed_clone(&self) -> Box<dyn AnyObject>;
}

impl<K: Object> AnyObject for K {
    fn metadata(&self) -> &ObjectMeta {
        self.meta()
    }

    fn to_json(&self) -> Result<serde_json::Value, serde_json::Error> {
        crate::json::json_value::to_value(self)
    }

    fn boxed_clone(&self) -> Box<dyn AnyObject> {
        Box::new(self.clone())
    }
}

pub(super) fn decode<K: Object>(json: &[u8]) -> Result<Box<dyn AnyObject>, Failure> {
    Ok(Box::new(decode::object::<K>(json)?))
}

impl Decoded {
    pub(super) fn new(gvk: GroupVersionKind, object: Box<dyn AnyObject>) -> Self {
        Self { gvk, object }
    }

    /// Returns the group, version and kind in the object.
    pub fn gvk(&self) -> &GroupVersionKind {
        &self.gvk
    }

    /// Returns the metadata.
    pub fn metadata(&self) -> &ObjectMeta {
        self.object.metadata()
    }

    /// Returns whether the object is a `K`. An object of an unregistered kind is an
    /// [`Unstructured`](crate::client::dynamic::Unstructured).
    pub fn is<K: 'static>(&self) -> bool {
        self.downcast_ref::<K>().is_some()
    }

    /// Returns the object if it is a `K`.
    pub fn downcast_ref<K: 'static>(&self) -> Option<&K> {
        let object: &dyn Any = &*self.object;
        object.downcast_ref()
    }

    /// Returns the object for modification if it is a `K`.
    pub fn downcast_mut<K: 'static>(&mut self) -> Option<&mut K> {
        let object: &mut dyn Any = &mut *self.object;
        object.downcast_mut()
    }

    /// Returns the object as a `K`.
    ///
    /// # Errors
    ///
    /// The unchanged [`Decoded`] if it is not a `K`.
    pub fn downcast<K: 'static>(self) -> Result<K, Self> {
        if !self.is::<K>() {
            return Err(self);
        }
        let any: Box<dyn Any> = self.object;
        let object = any.downcast().expect("the type was just checked");
        Ok(*object)
    }

    /// Serializes the object as JSON.
    ///
    /// # Errors
    ///
    /// The error of its `Serialize` implementation.
    pub fn to_json(&self) -> Result<serde_json::Value, JsonError> {
        Ok(self.object.to_json()?)
    }
}

impl Clone for Decoded {
    fn clone(&self) -> Self {
        Self { gvk: self.gvk.clone(), object: self.object.boxed_clone() }
    }
}
