//! By which fields the API server selects.

use std::marker::PhantomData;

use kube_core::Resource;

use crate::definition::{CustomResource, Definition};

/// A kind of which it is known by which fields the API server selects its objects.
///
/// The roots of custom resources have it from their definitions, and Kubernetes' own types from a table. Of all other
/// types [`selector!`](crate::selector) knows `metadata.name` and `metadata.namespace`.
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
    /// The fields.
    const SELECTABLE: Selectable;
}

#[diagnostic::do_not_recommend]
impl<K: CustomResource> SelectableFields for K {
    const SELECTABLE: Selectable = Selectable::Declared(const { &K::DEFINITION });
}

/// By which fields the API server selects the objects of a kind.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Selectable {
    /// By those that the definition declares, and by names.
    Declared(&'static Definition),
    /// By these alone.
    Listed(&'static [SelectableField]),
}

/// A field by which the API server selects objects.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SelectableField {
    /// The path, such as `status.phase`.
    pub path: &'static str,
    /// What the field is compared with.
    pub kind: FieldKind,
}

impl SelectableField {
    /// The field at a path such as `status.phase`.
    pub const fn new(path: &'static str, kind: FieldKind) -> Self {
        Self { path, kind }
    }

    /// The name, and then the namespace.
    pub(crate) const OF_METADATA: &'static [Self] = &[
        Self::new("metadata.name", FieldKind::String),
        Self::new("metadata.namespace", FieldKind::String),
    ];
}

/// What a field is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// Text.
    String,
    /// A number without a fraction.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// Any of these: the schema is not known while compiling.
    Any,
}

/// Asks for the fields of a kind: the constant of this type is found before that of [`AnyKind`].
pub struct KindOf<K>(PhantomData<K>);

impl<K: SelectableFields> KindOf<K> {
    /// The fields are known.
    pub const SELECTABLE: Selectable = K::SELECTABLE;
}

/// What is known of a kind that [`KindOf`] knows nothing about.
pub trait AnyKind {
    /// The name and the namespace, by which the API server selects all objects.
    const SELECTABLE: Selectable = Selectable::Listed(SelectableField::OF_METADATA);
}

impl<K> AnyKind for KindOf<K> {}

/// A type whose objects can be asked for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no kind of objects",
    label = "not the type of an object",
    note = "of a custom resource, name its root, which has `metadata`"
)]
pub trait Kind {}

#[diagnostic::do_not_recommend]
impl<K: Resource> Kind for K {}

/// Says that the type is one whose objects can be asked for.
pub const fn is_kind<K: Kind>() {}
