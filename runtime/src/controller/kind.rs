use std::{cell::Cell, sync::Arc};

use kube_core::{ApiResource, Resource};
use serde::{
    Deserializer,
    de::{DeserializeSeed, Error as _, IntoDeserializer, MapAccess, Visitor, value::Error},
    forward_to_deserialize_any,
};

use super::requirements::RequiredKind;
use crate::{
    Client,
    client::{Object, discovery::ServedResource, endpoint::Endpoint},
    informer::{StaticScope, queue::owners::OwnerKind},
};

/// A kind that a [controller](super::Controller) reconciles: one that is known at compile time ([`StaticKind`]), or at run time, such as
/// [`Unstructured`](crate::client::dynamic::Unstructured). It is implemented for all types that satisfy the bounds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind of objects",
    label = "objects are not of this type",
    note = "`#[derive(CustomResource)]` on `FooSpec` generates the kind `Foo`, whose objects have a `FooSpec`"
)]
pub trait ReconciledKind: Object + Resource<DynamicType: Clone + Send + Sync + 'static> {}

impl<K> ReconciledKind for K where K: Object + Resource<DynamicType: Clone + Send + Sync + 'static> {}

/// A kind that is known at compile time. It is implemented for all types that satisfy the bounds, such as derived custom
/// resources and Kubernetes' own types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind of objects",
    label = "objects are not of this type",
    note = "`#[derive(CustomResource)]` on `FooSpec` generates the kind `Foo`, whose objects have a `FooSpec`"
)]
pub trait StaticKind: ReconciledKind + Resource<DynamicType = (), Scope: StaticScope<Self>> {}

impl<K> StaticKind for K where K: Object + Resource<DynamicType = (), Scope: StaticScope<K>> {}

/// A kind as data: that of a type, or one that is known at run time.
pub(super) struct KindData<K: Resource>(Arc<KindFacts<K>>);

struct KindFacts<K: Resource> {
    dynamic: K::DynamicType,
    is_namespaced: bool,
    has_status: bool,
}

impl<K: StaticKind> KindData<K> {
    pub(super) fn of_type() -> Self {
        let (is_namespaced, has_status) = (is_namespaced::<K>(), has_status::<K>());
        Self(Arc::new(KindFacts { dynamic: (), is_namespaced, has_status }))
    }
}

impl<K: Resource<DynamicType = ApiResource>> KindData<K> {
    /// Returns a kind that an API server serves.
    pub(super) fn served(kind: &ServedResource) -> Self {
        Self(Arc::new(KindFacts {
            dynamic: kind.api_resource(),
            is_namespaced: kind.is_namespaced(),
            has_status: kind.subresource("status").is_some(),
        }))
    }
}

impl<K: ReconciledKind> KindData<K> {
    pub(super) fn dynamic(&self) -> &K::DynamicType {
        &self.0.dynamic
    }

    pub(super) fn is_namespaced(&self) -> bool {
        self.0.is_namespaced
    }

    pub(super) fn has_status(&self) -> bool {
        self.0.has_status
    }

    pub(super) fn name(&self) -> String {
        K::kind(self.dynamic()).into_owned()
    }

    pub(super) fn required(&self) -> RequiredKind {
        RequiredKind::of_kind::<K>(self.dynamic(), self.is_namespaced())
    }

    pub(super) fn owner(&self) -> OwnerKind<'static> {
        OwnerKind {
            group: K::group(self.dynamic()).into_owned().into(),
            kind: self.name().into(),
            is_namespaced: self.is_namespaced(),
        }
    }

    /// Returns the endpoint of the objects in a namespace, or in the cluster.
    pub(super) fn endpoint(&self, client: &Client, namespace: Option<&str>) -> Endpoint<K> {
        Endpoint::new(client.clone(), self.dynamic().clone()).at(namespace)
    }
}

impl<K: Resource> Clone for KindData<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// The API groups of Kubernetes itself that have a domain.
const KUBERNETES_GROUPS: &[&str] = &[
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "metrics.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// Whether a group is one of custom resources.
pub(super) fn is_custom(group: &str) -> bool {
    group.contains('.') && !KUBERNETES_GROUPS.contains(&group)
}

pub(super) const fn is_namespaced<K: StaticKind>() -> bool {
    <K::Scope as StaticScope<K>>::IN_NAMESPACE
}

/// The namespace of the objects of `C` that belong to an object in `namespace`, or in their own namespace if that is
/// cluster-scoped.
pub(super) fn namespace_of_child<'a, C: StaticKind>(owner: Option<&'a str>, own: Option<&'a str>) -> Option<&'a str> {
    owner.or(own).filter(|_| is_namespaced::<C>())
}

/// Whether objects of a kind have a status, by the fields that their deserialization reads.
pub(super) fn has_status<K: StaticKind>() -> bool {
    let is_read = Cell::new(false);
    let _ = K::deserialize(ObjectProbe(&is_read));
    is_read.get()
}

/// An object that has only a status.
struct ObjectProbe<'a>(&'a Cell<bool>);

impl<'de> Deserializer<'de> for ObjectProbe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(FieldProbe { is_read: self.0, is_last: false })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct FieldProbe<'a> {
    is_read: &'a Cell<bool>,
    is_last: bool,
}

impl<'de> MapAccess<'de> for FieldProbe<'_> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        if std::mem::replace(&mut self.is_last, true) {
            Ok(None)
        } else {
            seed.deserialize("status".into_deserializer()).map(Some)
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(ValueProbe { is_read: self.is_read, is_declared: false })
    }
}

/// The value of the status. It is read if a field is declared: catch-all fields buffer any value, and unknown fields ignore it.
struct ValueProbe<'a> {
    is_read: &'a Cell<bool>,
    is_declared: bool,
}

impl<'de> Deserializer<'de> for ValueProbe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        self.is_read.set(self.is_declared);
        Err(Error::custom("this is no value"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(Self { is_declared: true, ..self })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        Self { is_declared: true, ..self }.deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct
        seq tuple tuple_struct map enum identifier
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Pod};
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::{CustomResource, KubeSchema};

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "With", status = "State")]
    struct WithSpec {
        #[crd(default = 3)]
        size: i32,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    struct State {
        phase: String,
    }

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Without")]
    struct WithoutSpec {
        #[crd(default = 3)]
        size: i32,
    }

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Flat", no_spec)]
    struct FlatSpec {
        size: i32,
    }

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "FlatWith", no_spec, status = "State")]
    struct FlatWithSpec {
        size: i32,
    }

    #[test]
    fn kinds_have_a_status_if_they_declare_it() {
        assert!(has_status::<Pod>() && has_status::<With>() && has_status::<FlatWith>());
        assert!(!has_status::<ConfigMap>() && !has_status::<Without>() && !has_status::<Flat>());
    }

    #[test]
    fn groups_of_kubernetes_are_not_custom() {
        let own = ["", "apps", "rbac.authorization.k8s.io"];
        let custom = ["infra.example.com", "cluster.x-k8s.io", "gateway.networking.k8s.io"];
        assert!(!own.iter().any(|group| is_custom(group)) && custom.iter().all(|group| is_custom(group)));
    }
}
