//! The selectable fields of a kind.

use std::marker::PhantomData;

use kube_core::Resource;

use crate::resource::definition::{CustomResource, Definition};

/// A kind with known selectable fields.
///
/// It is implemented for the roots of custom resources, from their definitions, and for Kubernetes' own types, from a
/// table. For all other types, [`selector!`](crate::selector) supports `metadata.name` and `metadata.namespace`.
///
/// ```
/// # use k8s_openapi::{NamespaceResourceScope, apimachinery::pkg::apis::meta::v1::ObjectMeta};
/// # use std::borrow::Cow;
/// use crdkit::client::selector::{FieldKind, Selectable, SelectableField, SelectableFields};
///
/// struct Certificate {
///     // ...
/// #    metadata: ObjectMeta,
/// }
/// # impl crdkit::Resource for Certificate {
/// #     type DynamicType = ();
/// #     type Scope = NamespaceResourceScope;
/// #     fn kind(_: &()) -> Cow<'_, str> { "Certificate".into() }
/// #     fn group(_: &()) -> Cow<'_, str> { "example.com".into() }
/// #     fn version(_: &()) -> Cow<'_, str> { "v1".into() }
/// #     fn plural(_: &()) -> Cow<'_, str> { "certificates".into() }
/// #     fn meta(&self) -> &ObjectMeta { &self.metadata }
/// #     fn meta_mut(&mut self) -> &mut ObjectMeta { &mut self.metadata }
/// # }
///
/// impl SelectableFields for Certificate {
///     const SELECTABLE: Selectable = Selectable::Listed(&[
///         SelectableField::new("metadata.name", FieldKind::String),
///         SelectableField::new("spec.isCA", FieldKind::Boolean),
///     ]);
/// }
///
/// let authorities = crdkit::selector!(Certificate, spec.isCA == true);
/// assert_eq!(authorities.to_string(), "spec.isCA=true");
/// ```
pub trait SelectableFields: Resource {
    /// The selectable fields.
    const SELECTABLE: Selectable;
}

#[diagnostic::do_not_recommend]
impl<K: CustomResource> SelectableFields for K {
    const SELECTABLE: Selectable = Selectable::Declared(const { &K::DEFINITION });
}

/// The selectable fields of a kind.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Selectable {
    /// The fields that the definition declares, and `metadata.name` and `metadata.namespace`.
    Declared(&'static Definition),
    /// Only these fields.
    Listed(&'static [SelectableField]),
}

/// A field that the API server supports in selectors.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SelectableField {
    /// The path, such as `status.phase`.
    pub path: &'static str,
    /// The type of its values.
    pub kind: FieldKind,
}

impl SelectableField {
    /// Creates a field with a path such as `status.phase`.
    pub const fn new(path: &'static str, kind: FieldKind) -> Self {
        Self { path, kind }
    }

    /// The name, and then the namespace.
    pub(crate) const METADATA_FIELDS: &'static [Self] =
        &[Self::new("metadata.name", FieldKind::String), Self::new("metadata.namespace", FieldKind::String)];
}

/// The type of the values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// Text.
    String,
    /// A number without a fraction.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// Any of these: the schema is not known at compile time.
    Any,
}

/// Selects the fields of a kind by method resolution: its constant takes precedence over that of [`AnyKind`].
pub struct KindOf<K>(PhantomData<K>);

impl<K: SelectableFields> KindOf<K> {
    /// The selectable fields.
    pub const SELECTABLE: Selectable = K::SELECTABLE;
}

/// The fallback of [`KindOf`].
pub trait AnyKind {
    /// The name and the namespace, which the API server supports for all kinds.
    const SELECTABLE: Selectable = Selectable::Listed(SelectableField::METADATA_FIELDS);
}

impl<K> AnyKind for KindOf<K> {}

/// A type whose objects can be selected.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind",
    label = "not the type of an object",
    note = "for a custom resource, use its root type, which has `metadata`"
)]
pub trait Kind {}

#[diagnostic::do_not_recommend]
impl<K: Resource> Kind for K {}

/// Requires that objects of the type can be selected.
pub const fn is_kind<K: Kind>() {}
