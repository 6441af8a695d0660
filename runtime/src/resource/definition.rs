//! Resource definitions as constant data.

mod printer_column;
mod root;

pub use printer_column::PrinterColumn;
pub use root::{DerivedRoot, RootSchema};

pub(crate) use crate::resource::custom_resource::CustomResource;
use crate::schema::Descriptions;

/// One version of a CustomResourceDefinition.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Definition {
    /// The API group, such as `infra.example.com`.
    pub group: &'static str,
    /// The version, such as `v1alpha1`.
    pub version: &'static str,
    /// The kind, such as `VirtualMachine`.
    pub kind: &'static str,
    /// The name in URLs, such as `virtualmachines`.
    pub plural: &'static str,
    /// The singular name, such as `virtualmachine`.
    pub singular: &'static str,
    /// The kind of lists, such as `VirtualMachineList`.
    pub list_kind: &'static str,
    /// Short names for `kubectl`, such as `vm`.
    pub short_names: &'static [&'static str],
    /// Whether the plural was derived from a singular other than the lowercase kind.
    pub plural_from_singular: bool,
    /// Groups of resources for `kubectl get`, such as `all`.
    pub categories: &'static [&'static str],
    /// Whether objects are namespaced.
    pub scope: Scope,
    /// Whether the server serves the version.
    pub served: bool,
    /// Whether the server stores objects in this version.
    pub storage: bool,
    /// Whether and how users of the version are warned.
    pub deprecated: Option<Deprecation>,
    /// Labels of the CustomResourceDefinition.
    pub labels: &'static [(&'static str, &'static str)],
    /// Annotations of the CustomResourceDefinition.
    pub annotations: &'static [(&'static str, &'static str)],
    /// Printer columns declared on the type. They follow those that fields declare.
    pub printer_columns: &'static [PrinterColumn],
    /// Selectable fields declared on the type by path. They follow those that fields declare.
    pub selectable_fields: &'static [&'static str],
    /// Whether there is a status subresource.
    pub status: bool,
    /// The source of the paths of the scale subresource; `None` if there is no such subresource.
    pub scale: Option<Scale>,
    /// The schema of the root.
    pub schema: RootSchema,
    /// Whether the definition is installed elsewhere, so that no approval annotation is required.
    pub installed_elsewhere: bool,
    /// Which descriptions the schema includes, unless a field overrides this.
    pub descriptions: Descriptions,
}

/// Whether objects are namespaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One object per name in the whole cluster.
    Cluster,
    /// One object per name in each namespace.
    Namespaced,
}

impl Scope {
    /// The value of `spec.scope`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cluster => "Cluster",
            Self::Namespaced => "Namespaced",
        }
    }
}

/// How users of a deprecated version are warned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Deprecation {
    /// With the API server's default message.
    Default,
    /// With this message.
    Warning(&'static str),
}

/// The source of the paths of the scale subresource.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Scale {
    /// Explicit paths.
    Paths {
        /// `specReplicasPath`.
        spec_replicas: &'static str,
        /// `statusReplicasPath`.
        status_replicas: &'static str,
        /// `labelSelectorPath`.
        label_selector: Option<&'static str>,
    },
    /// The fields with a [`ScaleRole`](crate::schema::ScaleRole).
    Fields,
}

impl Definition {
    /// Creates a cluster-scoped definition that is served and stored.
    pub const fn new(
        group: &'static str,
        version: &'static str,
        kind: &'static str,
        plural: &'static str,
        singular: &'static str,
        list_kind: &'static str,
        schema: RootSchema,
    ) -> Self {
        Self {
            group,
            version,
            kind,
            plural,
            singular,
            list_kind,
            short_names: &[],
            plural_from_singular: false,
            categories: &[],
            scope: Scope::Cluster,
            served: true,
            storage: true,
            deprecated: None,
            labels: &[],
            annotations: &[],
            printer_columns: &[],
            selectable_fields: &[],
            status: false,
            scale: None,
            schema,
            installed_elsewhere: false,
            descriptions: Descriptions::All,
        }
    }

    /// Sets the short names.
    #[must_use]
    pub const fn short_names(mut self, names: &'static [&'static str]) -> Self {
        self.short_names = names;
        self
    }

    /// Sets the categories.
    #[must_use]
    pub const fn categories(mut self, categories: &'static [&'static str]) -> Self {
        self.categories = categories;
        self
    }

    /// Makes the resource namespaced.
    #[must_use]
    pub const fn namespaced(mut self) -> Self {
        self.scope = Scope::Namespaced;
        self
    }

    /// Records that the plural was derived from the singular.
    #[must_use]
    pub const fn plural_from_singular(mut self) -> Self {
        self.plural_from_singular = true;
        self
    }

    /// Adds a status subresource.
    #[must_use]
    pub const fn status(mut self) -> Self {
        self.status = true;
        self
    }

    /// Marks the version as not served.
    #[must_use]
    pub const fn unserved(mut self) -> Self {
        self.served = false;
        self
    }

    /// Marks the version as not the storage version.
    #[must_use]
    pub const fn unstored(mut self) -> Self {
        self.storage = false;
        self
    }

    /// Marks the version as deprecated.
    #[must_use]
    pub const fn deprecated(mut self, deprecation: Deprecation) -> Self {
        self.deprecated = Some(deprecation);
        self
    }

    /// Sets the labels of the CustomResourceDefinition.
    #[must_use]
    pub const fn labels(mut self, labels: &'static [(&'static str, &'static str)]) -> Self {
        self.labels = labels;
        self
    }

    /// Sets the annotations of the CustomResourceDefinition.
    #[must_use]
    pub const fn annotations(mut self, annotations: &'static [(&'static str, &'static str)]) -> Self {
        self.annotations = annotations;
        self
    }

    /// Sets the printer columns that follow those of fields.
    #[must_use]
    pub const fn printer_columns(mut self, columns: &'static [PrinterColumn]) -> Self {
        self.printer_columns = columns;
        self
    }

    /// Sets the selectable fields that follow those of the schema's fields.
    #[must_use]
    pub const fn selectable_fields(mut self, paths: &'static [&'static str]) -> Self {
        self.selectable_fields = paths;
        self
    }

    /// Records that the definition is installed elsewhere.
    #[must_use]
    pub const fn installed_elsewhere(mut self) -> Self {
        self.installed_elsewhere = true;
        self
    }

    /// Selects the descriptions that the schema includes.
    ///
    /// ```
    /// use crdkit::{CustomResource, KubeSchema, schema::Descriptions};
    /// # use serde::{Deserialize, Serialize};
    /// /// Runs a command, once.
    /// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "example.com", version = "v1", kind = "At")]
    /// struct AtSpec {
    ///     /// When to run.
    ///     schedule: String,
    /// }
    ///
    /// let bare = At::DEFINITION.descriptions(Descriptions::None);
    /// assert!(!serde_json::to_string(&bare.render()?)?.contains("run"));
    /// assert!(serde_json::to_string(&At::DEFINITION.render()?)?.contains("When to run."));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn descriptions(mut self, descriptions: Descriptions) -> Self {
        self.descriptions = descriptions;
        self
    }

    /// Adds a scale subresource with the paths of the fields that have a role in it.
    #[must_use]
    pub const fn scale_by_fields(mut self) -> Self {
        self.scale = Some(Scale::Fields);
        self
    }

    /// Adds a scale subresource with explicit paths.
    #[must_use]
    pub const fn scale_by_paths(
        mut self,
        spec_replicas: &'static str,
        status_replicas: &'static str,
        label_selector: Option<&'static str>,
    ) -> Self {
        self.scale = Some(Scale::Paths { spec_replicas, status_replicas, label_selector });
        self
    }
}
