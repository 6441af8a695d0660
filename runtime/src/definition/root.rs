//! The schema of a root, from its parts.

use crate::schema::{ForeignSchema, Keyword, Schema};

/// The schema of a root type.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum RootSchema {
    /// Made from the schemas of spec and status.
    Derived(DerivedRoot),
    /// Made by the root type's own implementation of `schemars::JsonSchema`.
    Manual(ForeignSchema),
    /// Left out: the CustomResourceDefinition belongs to somebody else.
    Disabled,
}

/// The parts of a derived root schema.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DerivedRoot {
    /// The schema of the spec.
    pub spec: &'static Schema,
    /// Whether the fields of the spec stand at the root of the object (`no_spec`).
    pub flatten_spec: bool,
    /// The schema of the status.
    pub status: Option<&'static Schema>,
    /// Description and rules of the root.
    pub keywords: &'static [Keyword],
    /// Whether fields that may be left out because their type is an `Option` may be null, too.
    pub nullable: bool,
}

impl DerivedRoot {
    /// A root with a spec.
    pub const fn new(spec: &'static Schema) -> Self {
        Self {
            spec,
            flatten_spec: false,
            status: None,
            keywords: &[],
            nullable: true,
        }
    }

    /// The root with the fields of the spec in place of `spec`.
    #[must_use]
    pub const fn flatten_spec(mut self) -> Self {
        self.flatten_spec = true;
        self
    }

    /// The root with a status.
    #[must_use]
    pub const fn status(mut self, status: &'static Schema) -> Self {
        self.status = Some(status);
        self
    }

    /// The root with a description and rules.
    #[must_use]
    pub const fn with(mut self, keywords: &'static [Keyword]) -> Self {
        self.keywords = keywords;
        self
    }

    /// The root without `nullable` on fields that may be left out: the server drops null from them.
    #[must_use]
    pub const fn not_nullable(mut self) -> Self {
        self.nullable = false;
        self
    }
}
