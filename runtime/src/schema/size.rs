//! Options that affect the size of schemas.

/// Which descriptions a schema includes. Descriptions make up most of a large CustomResourceDefinition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Descriptions {
    /// All of them.
    #[default]
    All,
    /// The descriptions of types that derive [`KubeSchema`](crate::KubeSchema), but not those of Kubernetes types and of
    /// types whose schema comes from schemars.
    Own,
    /// The first sentence of each.
    FirstSentence,
    /// None.
    None,
}

/// How much of the schema of a Kubernetes type, such as `PodTemplateSpec`, is included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KubernetesTypeDetail {
    /// The structure, without descriptions.
    Lean,
    /// The structure, with the defaults, list types and map types of the Kubernetes API.
    Full,
}
