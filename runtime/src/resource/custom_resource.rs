//! The trait of custom resources.

use crate::resource::definition::Definition;

/// The root type of a custom resource.
///
/// `#[derive(CustomResource)]` on a spec generates the root type and implements this trait for it. The derive supports
/// the [`attributes`](crate::attributes).
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
/// const SHORT_NAMES: &[&str] = Foo::DEFINITION.short_names; // a constant
/// assert_eq!(SHORT_NAMES, ["fo"]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a custom resource",
    label = "not the root of a custom resource",
    note = "`#[derive(CustomResource)]` on a spec makes a root type named after its `kind`: use that one"
)]
pub trait CustomResource: kube_core::Resource<DynamicType = ()> + Sized {
    /// The desired state.
    type Spec;
    /// The observed state; `()` if no status is declared.
    type Status;
    /// The content of the CustomResourceDefinition.
    const DEFINITION: Definition;
}

/// Returns the definition of `K`, as one constant for all checks.
pub const fn definition<K: CustomResource>() -> &'static Definition {
    const { &K::DEFINITION }
}
