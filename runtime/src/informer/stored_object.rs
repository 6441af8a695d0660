//! Objects of any kind, as caches have them.
//!
//! What an informer does does not depend on the type of its objects: it is compiled once, here, and not again in each program for each
//! kind. Types come back at the edges: in listers, subscriptions, filters, indexes and transforms.

use std::{any::Any, fmt, sync::Arc};

use super::{
    CacheObject, Event, ObjectKey, Owner,
    store::{self, ErasedTable},
};

/// An object of a cache.
pub(crate) type Stored = dyn StoredObject;

/// An object of any type: the methods of [`CacheObject`] that can be called without the type.
pub(crate) trait StoredObject: Any + Send + Sync {
    fn namespace(&self) -> Option<&str>;
    fn name(&self) -> &str;
    fn uid(&self) -> Option<&str>;
    fn resource_version(&self) -> Option<&str>;
    fn generation(&self) -> Option<i64>;
    fn is_terminating(&self) -> bool;
    fn labels(&self) -> Vec<(&str, &str)>;
    fn annotations(&self) -> Vec<(&str, &str)>;
    fn finalizers(&self) -> Vec<&str>;
    fn owners(&self) -> Vec<Owner<'_>>;
    /// Returns the owner that is the managing controller.
    fn controller(&self) -> Option<Owner<'_>>;
    fn has_undecodable_part(&self) -> bool;
    /// Returns a table for objects of its type.
    fn empty_table(&self) -> Box<dyn ErasedTable>;
}

impl<K: CacheObject> StoredObject for K {
    fn namespace(&self) -> Option<&str> {
        CacheObject::namespace(self)
    }

    fn name(&self) -> &str {
        CacheObject::name(self)
    }

    fn uid(&self) -> Option<&str> {
        CacheObject::uid(self)
    }

    fn resource_version(&self) -> Option<&str> {
        CacheObject::resource_version(self)
    }

    fn generation(&self) -> Option<i64> {
        CacheObject::generation(self)
    }

    fn is_terminating(&self) -> bool {
        CacheObject::is_terminating(self)
    }

    fn labels(&self) -> Vec<(&str, &str)> {
        CacheObject::labels(self).collect()
    }

    fn annotations(&self) -> Vec<(&str, &str)> {
        CacheObject::annotations(self).collect()
    }

    fn finalizers(&self) -> Vec<&str> {
        CacheObject::finalizers(self).collect()
    }

    fn owners(&self) -> Vec<Owner<'_>> {
        CacheObject::owners(self).collect()
    }

    fn controller(&self) -> Option<Owner<'_>> {
        CacheObject::owners(self).find(|owner| owner.controller)
    }

    fn has_undecodable_part(&self) -> bool {
        CacheObject::has_undecodable_part(self)
    }

    fn empty_table(&self) -> Box<dyn ErasedTable> {
        store::empty_table::<K>()
    }
}

/// Without values of the object.
impl fmt::Debug for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StoredObject").field(&self.key()).finish()
    }
}

impl Stored {
    pub(crate) fn key(&self) -> ObjectKey {
        ObjectKey::new(self.namespace(), self.name())
    }
}

/// The objects of a cache are all of the type of its informer.
pub(crate) const OF_ONE_TYPE: &str = "the objects of a cache are of its type";

/// Returns an object with its type.
pub(crate) fn typed<K: CacheObject>(object: Arc<Stored>) -> Arc<K> {
    let object: Arc<dyn Any + Send + Sync> = object;
    object.downcast().expect(OF_ONE_TYPE)
}

/// Returns a reference to an object with its type.
pub(crate) fn typed_ref<K: CacheObject>(object: &Stored) -> &K {
    let object: &dyn Any = object;
    object.downcast_ref().expect(OF_ONE_TYPE)
}

impl Event<Stored> {
    /// Returns the event with the type of its objects.
    pub(crate) fn typed<K: CacheObject>(self) -> Event<K> {
        match self {
            Self::Added(object) => Event::Added(typed(object)),
            Self::Updated { old, new } => Event::Updated { old: typed(old), new: typed(new) },
            Self::Deleted(object) => Event::Deleted(typed(object)),
            Self::Synced => Event::Synced,
        }
    }
}
