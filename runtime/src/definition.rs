//! Definitions as constant data: what a custom resource is, besides its fields.

mod printer_column;
mod root;

pub use printer_column::PrinterColumn;
pub use root::{DerivedRoot, RootSchema};

use crate::schema::Descriptions;

/// A type that is the root of a custom resource.
///
/// `#[derive(CustomResource)]` on a spec makes the root and implements this for it. [`attributes`](crate::attributes)
/// describes what the derive can be told.
///
/// ```
/// # use crdkit::KubeSchema;
/// # use serde::{Deserialize, Serialize};
/// use crdkit::CustomResource;
///
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "Foo", shortname = "fo")]
/// struct FooSpec {}
///
/// const SHORT_NAMES: &[&str] = Foo::DEFINITION.short_names; // known while compiling
/// assert_eq!(SHORT_NAMES, ["fo"]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a custom resource",
    label = "not the root of a custom resource",
    note = "`#[derive(CustomResource)]` on a spec makes a root type named after its `kind`: use that one"
)]
pub trait CustomResource: kube_core::Resource<DynamicType = ()> + Sized {
    /// What the user wants.
    type Spec;
    /// What is observed; `()` where no status is declared.
    type Status;
    /// Everything that the CustomResourceDefinition says.
    const DEFINITION: Definition;
}

/// What one version of a CustomResourceDefinition says.
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
    /// Whether the plural was made from a singular that is not the kind in lower case.
    pub plural_from_singular: bool,
    /// Groups of resources for `kubectl get`, such as `all`.
    pub categories: &'static [&'static str],
    /// Whether objects live in namespaces.
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
    /// Columns that are declared on the type, after those that fields declare.
    pub printer_columns: &'static [PrinterColumn],
    /// Paths that are declared on the type, after those that fields declare.
    pub selectable_fields: &'static [&'static str],
    /// Whether there is a status subresource.
    pub status: bool,
    /// Whether there is a scale subresource, and where its paths come from.
    pub scale: Option<Scale>,
    /// The schema of the root.
    pub schema: RootSchema,
    /// Whether others install the definition, so that it needs no approval of its own.
    pub installed_elsewhere: bool,
    /// Which descriptions the schema has, where a field does not say it of itself.
    pub descriptions: Descriptions,
}

/// Whether objects live in namespaces.
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
    /// With the server's own words.
    Default,
    /// With these words.
    Warning(&'static str),
}

/// Where the scale subresource finds its values.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Scale {
    /// At these paths.
    Paths {
        /// `specReplicasPath`.
        spec_replicas: &'static str,
        /// `statusReplicasPath`.
        status_replicas: &'static str,
        /// `labelSelectorPath`.
        label_selector: Option<&'static str>,
    },
    /// At the fields that carry a [`ScaleRole`](crate::schema::ScaleRole).
    Fields,
}

impl Definition {
    /// A cluster-scoped definition that is served and stored, and has no names beyond these.
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

    /// The definition with short names.
    #[must_use]
    pub const fn short_names(mut self, names: &'static [&'static str]) -> Self {
        self.short_names = names;
        self
    }

    /// The definition with categories.
    #[must_use]
    pub const fn categories(mut self, categories: &'static [&'static str]) -> Self {
        self.categories = categories;
        self
    }

    /// The definition with objects in namespaces.
    #[must_use]
    pub const fn namespaced(mut self) -> Self {
        self.scope = Scope::Namespaced;
        self
    }

    /// The definition with a note that its plural comes from its singular.
    #[must_use]
    pub const fn plural_from_singular(mut self) -> Self {
        self.plural_from_singular = true;
        self
    }

    /// The definition with a status subresource.
    #[must_use]
    pub const fn status(mut self) -> Self {
        self.status = true;
        self
    }

    /// The definition of a version that the server does not serve.
    #[must_use]
    pub const fn unserved(mut self) -> Self {
        self.served = false;
        self
    }

    /// The definition of a version that the server does not store.
    #[must_use]
    pub const fn unstored(mut self) -> Self {
        self.storage = false;
        self
    }

    /// The definition of a version whose users are warned.
    #[must_use]
    pub const fn deprecated(mut self, deprecation: Deprecation) -> Self {
        self.deprecated = Some(deprecation);
        self
    }

    /// The definition with labels of the CustomResourceDefinition.
    #[must_use]
    pub const fn labels(mut self, labels: &'static [(&'static str, &'static str)]) -> Self {
        self.labels = labels;
        self
    }

    /// The definition with annotations of the CustomResourceDefinition.
    #[must_use]
    pub const fn annotations(
        mut self,
        annotations: &'static [(&'static str, &'static str)],
    ) -> Self {
        self.annotations = annotations;
        self
    }

    /// The definition with columns, after those of fields.
    #[must_use]
    pub const fn printer_columns(mut self, columns: &'static [PrinterColumn]) -> Self {
        self.printer_columns = columns;
        self
    }

    /// The definition with selectable paths, after those of fields.
    #[must_use]
    pub const fn selectable_fields(mut self, paths: &'static [&'static str]) -> Self {
        self.selectable_fields = paths;
        self
    }

    /// The definition, which others install.
    #[must_use]
    pub const fn installed_elsewhere(mut self) -> Self {
        self.installed_elsewhere = true;
        self
    }

    /// The definition with these descriptions in its schema.
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

    /// The definition with a scale subresource whose paths fields give.
    #[must_use]
    pub const fn scale_by_fields(mut self) -> Self {
        self.scale = Some(Scale::Fields);
        self
    }

    /// The definition with a scale subresource at these paths.
    #[must_use]
    pub const fn scale_by_paths(
        mut self,
        spec_replicas: &'static str,
        status_replicas: &'static str,
        label_selector: Option<&'static str>,
    ) -> Self {
        self.scale = Some(Scale::Paths {
            spec_replicas,
            status_replicas,
            label_selector,
        });
        self
    }
}
