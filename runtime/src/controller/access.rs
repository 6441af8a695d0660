use std::borrow::Cow;

use super::{
    StaticKind,
    permissions::{PermissionScope, Permissions},
    requirements::RequiredKind,
};
use crate::client::Verb;

/// Requests of a program that its controllers do not show, for [`ControllerBuilder::requires`] and [`Manager::requires`].
///
/// It adds permissions to the [roles](super::Rbac) of the manager, and to what is [checked](super::Manager#preflight) at the start.
///
/// ```
/// use crdkit::{client::Verb, controller::Access, k8s_openapi::api::core::v1::{Pod, Secret}};
///
/// let certificate = Access::to::<Secret>([Verb::Get, Verb::Update]).in_namespace("webhooks").named("certificate");
/// let eviction = Access::to::<Pod>([Verb::Create]).subresource("eviction");
/// ```
///
/// [`ControllerBuilder::requires`]: super::ControllerBuilder::requires
/// [`Manager::requires`]: super::Manager::requires
#[derive(Clone, Debug)]
#[must_use = "pass it to `requires`"]
#[doc(alias("kubebuilder:rbac", "PolicyRule"))]
pub struct Access {
    group: String,
    plural: String,
    /// The kind, if it has a type.
    kind: Option<RequiredKind>,
    subresource: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    verbs: Vec<Verb>,
}

impl Access {
    /// Creates the access to the objects of a kind.
    ///
    /// Server-side apply requires `Patch`, and `Create` for objects that may not exist.
    pub fn to<K: StaticKind>(verbs: impl IntoIterator<Item = Verb>) -> Self {
        Self { kind: Some(RequiredKind::of::<K>()), ..Self::to_resource(&K::group(&()), &K::plural(&()), verbs) }
    }

    /// Creates the access to objects of a resource without a type, by its API group and its plural name.
    pub fn to_resource(group: &str, plural: &str, verbs: impl IntoIterator<Item = Verb>) -> Self {
        Self {
            group: group.to_owned(),
            plural: plural.to_owned(),
            kind: None,
            subresource: None,
            namespace: None,
            name: None,
            verbs: verbs.into_iter().collect(),
        }
    }

    /// Selects a subresource, such as `eviction`, instead of the objects themselves.
    pub fn subresource(self, subresource: &str) -> Self {
        Self { subresource: Some(subresource.to_owned()), ..self }
    }

    /// Selects the objects of one namespace, so that a Role is sufficient.
    ///
    /// By default, these are the namespaces of the controller's own kind, and for a manager all.
    pub fn in_namespace(self, namespace: &str) -> Self {
        Self { namespace: Some(namespace.to_owned()), ..self }
    }

    /// Selects one object by its name. The API server does not check the name when an object is created.
    pub fn named(self, name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..self }
    }

    /// Returns the kind, with the subresource, if it has a type.
    pub(super) fn kind(&self) -> Option<RequiredKind> {
        let mut kind = self.kind.clone()?;
        kind.subresources.extend(self.subresource.clone());
        Some(kind)
    }

    /// Adds the permissions, in the given places unless a namespace is selected.
    pub(super) fn allow(&self, places: &[PermissionScope], permissions: &mut Permissions) {
        let is_namespaced = self.kind.as_ref().is_none_or(|kind| kind.is_namespaced);
        let places = match &self.namespace {
            _ if !is_namespaced => vec![PermissionScope::Cluster],
            Some(namespace) => vec![PermissionScope::Namespace(namespace.clone())],
            None => places.to_vec(),
        };
        let resource = match &self.subresource {
            Some(subresource) => Cow::Owned(format!("{}/{subresource}", self.plural)),
            None => Cow::Borrowed(&*self.plural),
        };
        let (unnamed, named): (Vec<_>, Vec<_>) =
            self.verbs.iter().copied().partition(|verb| self.name.is_none() || *verb == Verb::Create);
        permissions.allow(&places, &self.group, &resource, &unnamed);
        permissions.allow_named(&places, &self.group, &resource, self.name.as_deref(), &named);
    }
}
