use kube_core::Resource;

use crate::{client::Object, informer::StaticScope};

/// A kind that is known at compile time. It is implemented for all types that satisfy the bounds, such as derived custom
/// resources and Kubernetes' own types.
pub trait StaticKind: Object + Resource<DynamicType = (), Scope: StaticScope<Self>> {}

impl<K> StaticKind for K where K: Object + Resource<DynamicType = (), Scope: StaticScope<K>> {}

/// The namespace of the objects of `C` that belong to an object in `namespace`, or in their own namespace if that is
/// cluster-scoped.
pub(super) fn namespace_of_child<'a, C: StaticKind>(owner: Option<&'a str>, own: Option<&'a str>) -> Option<&'a str> {
    owner.or(own).filter(|_| <C::Scope as StaticScope<C>>::IN_NAMESPACE)
}
