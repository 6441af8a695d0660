//! Kubernetes' own resources.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinitionNames, CustomResourceDefinitionVersion,
};

use super::resource::{Resource, Version};

pub(super) fn resources() -> Vec<Resource> {
    let resource = |group: &str, kind: &str, plural: &str, is_namespaced| Resource {
        group: group.to_owned(),
        names: CustomResourceDefinitionNames {
            kind: kind.to_owned(),
            plural: plural.to_owned(),
            ..CustomResourceDefinitionNames::default()
        },
        is_namespaced,
        versions: vec![Version {
            spec: CustomResourceDefinitionVersion {
                name: "v1".into(),
                served: true,
                storage: true,
                ..CustomResourceDefinitionVersion::default()
            },
            schema: None,
            verbs: Vec::new(),
        }],
        is_custom: false,
    };
    vec![
        resource("", "Namespace", "namespaces", false),
        resource("", "ConfigMap", "configmaps", true),
        resource("apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", false),
    ]
}
