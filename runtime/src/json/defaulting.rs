//! Defaults that are filled in while an object is deserialized, as the API server fills them in.
//!
//! A derive cannot change what serde's derive generates. Instead, [`DefaultingDeserializer`] wraps the deserializer of
//! an object, and passes each field with a default that the object lacks to serde, as if the object had it. The types
//! without such fields are deserialized without the wrapper.

mod access;
mod deserializer;
mod fields;
#[cfg(feature = "informer")]
mod probe;

use std::sync::OnceLock;

use serde::{Deserialize, Deserializer};

use crate::{
    resource::{
        custom_resource::CustomResource,
        definition::{DerivedRoot, RootSchema},
    },
    schema::{KubeSchema, Schema},
};
pub(crate) use access::ValueSeed;
pub(crate) use deserializer::DefaultingDeserializer;
pub(crate) use fields::DefaultedFields;
#[cfg(feature = "informer")]
pub(crate) use probe::fills_in_defaults;

/// The name with which resources are deserialized that fill in defaults.
pub(crate) const DEFAULTED_RESOURCE: &str = "$crdkit::private::DefaultedResource";

/// The same for resources whose types decode themselves.
pub(crate) const DEFAULTED_TEXT_RESOURCE: &str = "$crdkit::private::DefaultedTextResource";

/// Deserializes a type, and fills in the fields with `#[crd(default = ...)]` that the input lacks.
///
/// A resource fills them in itself, also with `serde_json::from_str`. This function does so for a type without a
/// resource around it, and can be used in `#[serde(deserialize_with = "...")]`.
///
/// ```
/// use crdkit::KubeSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(KubeSchema, Serialize, Deserialize)]
/// struct Limits {
///     #[crd(default = 100)]
///     connections: i32,
/// }
///
/// let mut json = serde_json::Deserializer::from_str("{}");
/// let limits: Limits = crdkit::deserialize_with_defaults(&mut json)?;
/// assert_eq!(limits.connections, 100);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the type cannot be deserialized from the input with its defaults.
pub fn deserialize_with_defaults<'de, T: KubeSchema + Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    if const { T::SCHEMA.summary.defaults } {
        let fields = DefaultedFields::of_type(&T::SCHEMA, true);
        T::deserialize(DefaultingDeserializer::new(deserializer, fields.as_ref()))
    } else {
        T::deserialize(deserializer)
    }
}

/// Whether a resource has fields with defaults to fill in.
pub(crate) const fn has_defaults<K: CustomResource>() -> bool {
    match K::DEFINITION.schema {
        RootSchema::Derived(root) => root.spec.summary.defaults || has_status_defaults(root.status),
        RootSchema::Manual(_) | RootSchema::Disabled => false,
    }
}

const fn has_status_defaults(status: Option<&Schema>) -> bool {
    match status {
        Some(status) => status.summary.defaults,
        None => false,
    }
}

/// The fields of a resource with defaults, which are collected at the first use.
pub(crate) struct ResourceDefaults {
    schema: fn() -> RootSchema,
    fields: OnceLock<RootFields>,
}

#[derive(Default)]
pub(crate) struct RootFields {
    pub(crate) spec: Option<DefaultedFields>,
    pub(crate) status: Option<DefaultedFields>,
    /// The fields of both, if those of the spec are at the root.
    pub(crate) flat: Option<DefaultedFields>,
}

impl ResourceDefaults {
    /// The defaults of a resource.
    pub(crate) const fn of<K: CustomResource>() -> Self {
        Self { schema: || K::DEFINITION.schema, fields: OnceLock::new() }
    }

    pub(crate) fn fields(&self) -> &RootFields {
        self.fields.get_or_init(|| match (self.schema)() {
            RootSchema::Derived(root) => RootFields::of(&root),
            RootSchema::Manual(_) | RootSchema::Disabled => RootFields::default(),
        })
    }
}

impl RootFields {
    fn of(root: &DerivedRoot) -> Self {
        let spec = DefaultedFields::of_type(root.spec, root.nullable);
        let status = root.status.and_then(|status| DefaultedFields::of_type(status, root.nullable));
        if root.flatten_spec {
            Self { flat: Some(DefaultedFields::flat(spec, status)), ..Self::default() }
        } else {
            Self { spec, status, flat: None }
        }
    }
}

#[cfg(test)]
mod tests;
