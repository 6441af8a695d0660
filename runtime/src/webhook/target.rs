//! The resources that webhooks are for.

use kube_core::{GroupVersionKind, Resource};

use crate::client::scope::KubeScope;

/// A resource or one of its subresources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReviewedResource {
    pub(super) group: String,
    pub(super) version: String,
    /// The kind of the resource, also for a subresource.
    pub(super) kind: String,
    pub(super) plural: String,
    pub(super) subresource: Option<&'static str>,
    pub(super) is_namespaced: bool,
}

impl ReviewedResource {
    pub(super) fn of<K>(subresource: Option<&'static str>) -> Self
    where
        K: Resource<DynamicType = (), Scope: KubeScope<K>>,
    {
        Self {
            group: K::group(&()).into_owned(),
            version: K::version(&()).into_owned(),
            kind: K::kind(&()).into_owned(),
            plural: K::plural(&()).into_owned(),
            subresource,
            is_namespaced: <K::Scope as KubeScope<K>>::IS_NAMESPACED,
        }
    }

    /// Returns the kind of the objects in reviews.
    pub(super) fn reviewed_kind(&self) -> GroupVersionKind {
        match self.subresource {
            Some("scale") => GroupVersionKind::gvk("autoscaling", "v1", "Scale"),
            _ => GroupVersionKind::gvk(&self.group, &self.version, &self.kind),
        }
    }

    /// Returns the path for a purpose, as controller-runtime: `/validate-infra-example-com-v1-virtualmachine`.
    pub(super) fn path(&self, purpose: &str) -> String {
        let group = self.group.replace('.', "-");
        let kind = self.kind.to_lowercase();
        let path = format!("/{purpose}-{group}-{}-{kind}", self.version);
        match self.subresource {
            Some(subresource) => format!("{path}-{subresource}"),
            None => path,
        }
    }

    /// Returns the name of a webhook, such as `virtualmachines.v1.infra.example.com`, which is how kubectl names the resource.
    pub(super) fn name(&self) -> String {
        let group = if self.group.is_empty() { "core" } else { &self.group };
        let name = format!("{}.{}.{group}", self.plural, self.version);
        match self.subresource {
            Some(subresource) => format!("{subresource}.{name}"),
            None => name,
        }
    }

    /// Returns the resource in rules, such as `virtualmachines/status`.
    pub(super) fn resource(&self) -> String {
        match self.subresource {
            Some(subresource) => format!("{}/{subresource}", self.plural),
            None => self.plural.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::{apps::v1::Deployment, core::v1::Node};

    use super::*;

    #[test]
    fn names_and_paths() {
        let deployment = ReviewedResource::of::<Deployment>(Some("scale"));
        assert_eq!(deployment.path("validate"), "/validate-apps-v1-deployment-scale");
        assert_eq!(deployment.name(), "scale.deployments.v1.apps");
        assert_eq!((deployment.resource().as_str(), deployment.is_namespaced), ("deployments/scale", true));
        let node = ReviewedResource::of::<Node>(None);
        assert_eq!((node.path("mutate").as_str(), node.name().as_str()), ("/mutate--v1-node", "nodes.v1.core"));
        assert!(!node.is_namespaced);
    }
}
