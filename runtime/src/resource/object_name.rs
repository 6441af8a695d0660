use kube_core::Resource;

/// The name of an object, without a copy of it: [`ResourceExt::name_any`](crate::prelude::ResourceExt::name_any) returns a `String`.
///
/// `CacheObject` of informers has the same method, and those of `ResourceExt` without copies. It is for code that
/// is generic over what informers store: do not import it beside this trait.
pub trait ObjectName {
    /// Returns the name, which is unique for the kind within its namespace.
    ///
    /// It is empty if the object has none. Objects from the API server always have one.
    fn name(&self) -> &str;
}

impl<K: Resource> ObjectName for K {
    fn name(&self) -> &str {
        self.meta().name.as_deref().unwrap_or_default()
    }
}
