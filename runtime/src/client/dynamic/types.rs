//! Type information of untyped objects.

use std::any::Any;

use kube_core::{DynamicObject, Resource, TypeMeta};

use super::Unstructured;

/// Returns the `apiVersion` and `kind` of an object whose kind is specified at run time, and `None` for any other
/// object.
fn types_of<T: 'static>(object: &mut T) -> Option<&mut Option<TypeMeta>> {
    let object: &mut dyn Any = object;
    if object.is::<Unstructured>() {
        return object.downcast_mut::<Unstructured>().map(|it| &mut it.types);
    }
    object.downcast_mut::<DynamicObject>().map(|it| &mut it.types)
}

/// Adds a missing `apiVersion` and `kind`: the API server omits them from the items of lists of built-in kinds, and
/// sends them everywhere else.
pub(crate) fn add_types<T: 'static, K: Resource>(object: &mut T, kind: &K::DynamicType) {
    if let Some(types) = types_of(object) {
        types.get_or_insert_with(|| TypeMeta {
            api_version: K::api_version(kind).into_owned(),
            kind: K::kind(kind).into_owned(),
        });
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube_core::ApiResource;

    use super::*;

    #[test]
    fn missing_types_are_added() {
        let kind = ApiResource::erase::<ConfigMap>(&());
        let mut object = Unstructured::default();
        add_types::<_, Unstructured>(&mut object, &kind);
        let types = object.types.clone().unwrap();
        assert_eq!((types.api_version.as_str(), types.kind.as_str()), ("v1", "ConfigMap"));
        let other = ApiResource { kind: "Other".to_owned(), ..kind.clone() };
        add_types::<_, Unstructured>(&mut object, &other);
        assert_eq!(object.types, Some(types));

        let mut config = ConfigMap::default();
        add_types::<_, Unstructured>(&mut config, &kind);
        assert_eq!(config, ConfigMap::default());
    }
}
