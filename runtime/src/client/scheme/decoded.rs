use std::{any::Any, fmt::Debug};

use kube_core::{GroupVersionKind, ObjectMeta};

use crate::client::{
    decode::{self, Failure},
    error::JsonError,
    resources::Object,
};

/// An object of a type that is found out by asking.
#[derive(Debug)]
pub struct Decoded {
    gvk: GroupVersionKind,
    object: Box<dyn AnyObject>,
}

/// How an object of one type is read.
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
        serde_json::to_value(self)
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

    /// What the object says that it is.
    pub fn gvk(&self) -> &GroupVersionKind {
        &self.gvk
    }

    /// The metadata.
    pub fn metadata(&self) -> &ObjectMeta {
        self.object.metadata()
    }

    /// Whether the object is of a type. One of a kind that was not registered is of
    /// [`Unstructured`](crate::client::Unstructured).
    pub fn is<K: 'static>(&self) -> bool {
        self.downcast_ref::<K>().is_some()
    }

    /// The object if it is of a type.
    pub fn downcast_ref<K: 'static>(&self) -> Option<&K> {
        let object: &dyn Any = &*self.object;
        object.downcast_ref()
    }

    /// The object, to be changed, if it is of a type.
    pub fn downcast_mut<K: 'static>(&mut self) -> Option<&mut K> {
        let object: &mut dyn Any = &mut *self.object;
        object.downcast_mut()
    }

    /// The object out of its wrapping.
    ///
    /// # Errors
    ///
    /// The wrapped object if it is of another type.
    pub fn downcast<K: 'static>(self) -> Result<K, Self> {
        if !self.is::<K>() {
            return Err(self);
        }
        let object: Box<dyn Any> = self.object;
        let object = object.downcast().expect("it was just seen to be");
        Ok(*object)
    }

    /// The object as JSON.
    ///
    /// # Errors
    ///
    /// What its `Serialize` says.
    pub fn to_json(&self) -> Result<serde_json::Value, JsonError> {
        Ok(self.object.to_json()?)
    }
}

impl Clone for Decoded {
    fn clone(&self) -> Self {
        Self {
            gvk: self.gvk.clone(),
            object: self.object.boxed_clone(),
        }
    }
}
