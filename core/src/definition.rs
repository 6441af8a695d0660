//! Finished CustomResourceDefinitions.

use alloc::{borrow::Cow, vec::Vec};

use crate::schema::SchemaProps;

/// A CustomResourceDefinition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definition<'a> {
    /// `metadata`.
    pub metadata: Metadata<'a>,
    /// `spec.group`.
    pub group: Cow<'a, str>,
    /// `spec.scope`.
    pub scope: Cow<'a, str>,
    /// `spec.names`.
    pub names: Names<'a>,
    /// `spec.versions`.
    pub versions: Vec<Version<'a>>,
    /// `spec.conversion`.
    pub conversion: Option<Conversion<'a>>,
    /// `spec.preserveUnknownFields`.
    pub preserve_unknown_fields: Option<bool>,
}

/// `metadata`, with the fields that rules use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata<'a> {
    /// `name`.
    pub name: Option<Cow<'a, str>>,
    /// `generateName`.
    pub generate_name: Option<Cow<'a, str>>,
    /// `labels`.
    pub labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// `annotations`.
    pub annotations: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// `finalizers`.
    pub finalizers: Vec<Cow<'a, str>>,
    /// `ownerReferences`.
    pub owner_references: Vec<OwnerReference<'a>>,
}

/// An entry of `metadata.ownerReferences`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnerReference<'a> {
    /// `apiVersion`.
    pub api_version: Cow<'a, str>,
    /// `kind`.
    pub kind: Cow<'a, str>,
    /// `name`.
    pub name: Cow<'a, str>,
    /// `uid`.
    pub uid: Cow<'a, str>,
    /// `controller`.
    pub controller: bool,
}

/// `spec.names`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names<'a> {
    /// `plural`.
    pub plural: Cow<'a, str>,
    /// `singular`.
    pub singular: Option<Cow<'a, str>>,
    /// `kind`.
    pub kind: Cow<'a, str>,
    /// `listKind`.
    pub list_kind: Option<Cow<'a, str>>,
    /// `shortNames`.
    pub short_names: Vec<Cow<'a, str>>,
    /// `categories`.
    pub categories: Vec<Cow<'a, str>>,
}

/// An entry of `spec.versions`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Version<'a> {
    /// `name`.
    pub name: Cow<'a, str>,
    /// `served`.
    pub served: bool,
    /// `storage`.
    pub storage: bool,
    /// `deprecated`.
    pub deprecated: bool,
    /// `deprecationWarning`.
    pub deprecation_warning: Option<Cow<'a, str>>,
    /// `schema.openAPIV3Schema`.
    pub schema: Option<SchemaProps<'a>>,
    /// Whether `subresources.status` is present.
    pub status: bool,
    /// `subresources.scale`.
    pub scale: Option<Scale<'a>>,
    /// `additionalPrinterColumns`.
    pub columns: Vec<Column<'a>>,
    /// `selectableFields[*].jsonPath`.
    pub selectable_fields: Vec<Cow<'a, str>>,
}

/// `subresources.scale`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scale<'a> {
    /// `specReplicasPath`.
    pub spec_replicas_path: Cow<'a, str>,
    /// `statusReplicasPath`.
    pub status_replicas_path: Cow<'a, str>,
    /// `labelSelectorPath`.
    pub label_selector_path: Option<Cow<'a, str>>,
}

/// An entry of `additionalPrinterColumns`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column<'a> {
    /// `name`.
    pub name: Cow<'a, str>,
    /// `type`.
    pub type_: Cow<'a, str>,
    /// `format`.
    pub format: Option<Cow<'a, str>>,
    /// `jsonPath`.
    pub json_path: Cow<'a, str>,
    /// `priority`; 0 if it is absent.
    pub priority: i32,
    /// `description`.
    pub description: Cow<'a, str>,
}

/// `spec.conversion`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversion<'a> {
    /// `strategy`.
    pub strategy: Cow<'a, str>,
    /// `webhook`.
    pub webhook: Option<Webhook<'a>>,
}

/// `spec.conversion.webhook`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Webhook<'a> {
    /// `clientConfig`.
    pub client_config: Option<ClientConfig<'a>>,
    /// `conversionReviewVersions`.
    pub review_versions: Vec<Cow<'a, str>>,
}

/// `spec.conversion.webhook.clientConfig`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientConfig<'a> {
    /// `url`.
    pub url: Option<Cow<'a, str>>,
    /// `service`.
    pub service: Option<Service<'a>>,
    /// `caBundle`.
    pub ca_bundle: Option<&'a [u8]>,
}

/// `spec.conversion.webhook.clientConfig.service`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service<'a> {
    /// `namespace`.
    pub namespace: Cow<'a, str>,
    /// `name`.
    pub name: Cow<'a, str>,
    /// `path`.
    pub path: Option<Cow<'a, str>>,
    /// `port`.
    pub port: Option<i32>,
}
