//! The supertrait of traits that are only bounds, so that methods can be added to them in any version.

use kube_core::{ClusterResourceScope, DynamicResourceScope, NamespaceResourceScope};

/// A type of this crate, or one for which this crate implements a trait.
pub trait Sealed {}

impl Sealed for ClusterResourceScope {}
impl Sealed for DynamicResourceScope {}
impl Sealed for NamespaceResourceScope {}

impl Sealed for () {}
impl<T, E> Sealed for Result<T, E> {}
impl<T: Sealed + ?Sized> Sealed for &T {}
