//! What makes schemas small or large: how much of the descriptions is written, and how much of the types of Kubernetes.

/// Which descriptions stand in a schema. They are most of a large CustomResourceDefinition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Descriptions {
    /// All of them.
    #[default]
    All,
    /// Those that are written with types that derive [`KubeSchema`](crate::KubeSchema), and none of the types of Kubernetes
    /// and of others whose schema comes from schemars.
    Own,
    /// The first sentence of each.
    FirstSentence,
    /// None.
    None,
}

/// How much is written of a type of Kubernetes, such as `PodTemplateSpec`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Embed {
    /// Its structure, without descriptions.
    Lean,
    /// Its structure, with the defaults, list types and map types that it has in Kubernetes' own API.
    Full,
}
