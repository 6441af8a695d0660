use std::{
    fmt,
    hash::{BuildHasher, Hash},
    sync::{Arc, LazyLock},
};

use hashbrown::{DefaultHashBuilder, Equivalent};

use crate::informer::CacheObject;

/// The namespace and name of an object.
///
/// Keys are cheap to clone, and ordered by namespace, then name.
///
/// ```
/// use crdkit::informer::ObjectKey;
///
/// let key = ObjectKey::new("prod", "web");
/// assert_eq!((key.namespace(), key.name()), (Some("prod"), "web"));
/// assert_eq!(key.to_string(), "prod/web");
/// assert_eq!(ObjectKey::new(None, "node-1").to_string(), "node-1");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    namespace: Option<Arc<str>>,
    name: Arc<str>,
}

impl ObjectKey {
    /// Creates a key from a namespace, or `None` for cluster-scoped kinds, and a name.
    pub fn new<'a>(namespace: impl Into<Option<&'a str>>, name: &str) -> Self {
        Self { namespace: namespace.into().map(Arc::from), name: name.into() }
    }

    /// Returns the key of an object.
    pub fn of<K: CacheObject>(object: &K) -> Self {
        Self::new(object.namespace(), object.name())
    }

    /// Returns a hash of the namespace, by which keys take turns.
    pub(in crate::informer) fn hash_of_namespace(&self) -> u64 {
        static HASHER: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);
        HASHER.hash_one(&self.namespace)
    }

    /// Returns the namespace; `None` for cluster-scoped kinds.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A borrowed key, for lookups.
#[derive(Hash)]
pub(in crate::informer) struct KeyRef<'a> {
    pub(in crate::informer) namespace: Option<&'a str>,
    pub(in crate::informer) name: &'a str,
}

impl Equivalent<ObjectKey> for KeyRef<'_> {
    fn equivalent(&self, key: &ObjectKey) -> bool {
        (self.namespace, self.name) == (key.namespace(), key.name())
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(namespace) = &self.namespace {
            write!(formatter, "{namespace}/")?;
        }
        formatter.write_str(&self.name)
    }
}

/// The same as `Display`, because keys mostly appear in logs.
impl fmt::Debug for ObjectKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
