//! Conversion of definitions and schemas to the Kubernetes API types.

use std::collections::BTreeMap;

use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        CustomResourceDefinition, CustomResourceDefinitionNames, CustomResourceDefinitionSpec,
        CustomResourceDefinitionVersion, CustomResourceSubresourceScale, CustomResourceSubresourceStatus,
        CustomResourceSubresources, CustomResourceValidation, JSONSchemaProps, SelectableField,
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use serde_json::json;

use crate::{
    crd::structural,
    resource::definition::{CustomResource, Definition, Deprecation, RootSchema, Scale},
};

mod additional_fields;
mod bounds;
mod columns;
mod field_markers;
mod flatten_rules;
mod flattened_group;
mod keywords;
pub(crate) mod kubernetes_types;
mod map;
mod members;
mod nullable;
mod options;
mod relations;
mod schema;
mod sentence;
mod transforms;
mod variants;

pub use crate::error::RenderError;
use field_markers::Markers;
pub(crate) use schema::render_closed;
pub use schema::render_schema;

/// Renders the CustomResourceDefinition of `K`, with one version.
///
/// # Errors
///
/// If a schema that is available only at run time, such as that of a foreign type, cannot be expressed in a
/// CustomResourceDefinition.
pub fn render<K: CustomResource>() -> Result<CustomResourceDefinition, RenderError> {
    K::DEFINITION.render()
}

/// Returns the CustomResourceDefinition of `K`.
///
/// # Panics
///
/// If it cannot be rendered, which the generated test of `K` reports first.
#[doc(hidden)]
pub fn crd<K: CustomResource>() -> CustomResourceDefinition {
    let definition = &K::DEFINITION;
    definition.render().unwrap_or_else(|error| panic!("the definition of {} is invalid: {error}", definition.kind))
}

/// Renders the schema of a root; `None` if it is disabled.
pub(crate) fn render_root(definition: &Definition) -> Result<Option<JSONSchemaProps>, RenderError> {
    let mut props = match &definition.schema {
        RootSchema::Derived(root) => schema::root(root, definition.descriptions)?,
        RootSchema::Manual(foreign) => {
            let mut props = structural::foreign_root(foreign)?;
            options::limit_descriptions(&mut props, definition.descriptions);
            props
        }
        RootSchema::Disabled => return Ok(None),
    };
    structural::strip_internal_marks(&mut props);
    structural::shorten_floats(&mut props);
    Ok(Some(props))
}

impl Definition {
    /// Renders the CustomResourceDefinition, with one version.
    ///
    /// # Errors
    ///
    /// The errors of [`render`].
    pub fn render(&self) -> Result<CustomResourceDefinition, RenderError> {
        let schema = render_root(self)?;
        let markers = match (&self.schema, &schema) {
            (RootSchema::Derived(root), Some(props)) => field_markers::collect(root, props)?,
            _ => Markers::default(),
        };
        Ok(CustomResourceDefinition {
            metadata: self.metadata(),
            spec: CustomResourceDefinitionSpec {
                group: self.group.to_owned(),
                names: self.names(),
                scope: self.scope.as_str().to_owned(),
                versions: vec![self.version(schema, markers)],
                ..CustomResourceDefinitionSpec::default()
            },
            status: None,
        })
    }

    fn metadata(&self) -> ObjectMeta {
        ObjectMeta {
            name: Some(format!("{}.{}", self.plural, self.group)),
            labels: map(self.labels),
            annotations: map(self.annotations),
            ..ObjectMeta::default()
        }
    }

    fn names(&self) -> CustomResourceDefinitionNames {
        CustomResourceDefinitionNames {
            kind: self.kind.to_owned(),
            plural: self.plural.to_owned(),
            singular: Some(self.singular.to_owned()),
            list_kind: Some(self.list_kind.to_owned()),
            short_names: list(self.short_names),
            categories: list(self.categories),
        }
    }

    fn version(&self, schema: Option<JSONSchemaProps>, markers: Markers) -> CustomResourceDefinitionVersion {
        CustomResourceDefinitionVersion {
            name: self.version.to_owned(),
            served: self.served,
            storage: self.storage,
            deprecated: self.deprecated.map(|_| true),
            deprecation_warning: match self.deprecated {
                Some(Deprecation::Warning(warning)) => Some(warning.to_owned()),
                _ => None,
            },
            subresources: self.subresources(&markers),
            additional_printer_columns: columns::render(markers.columns, self.printer_columns),
            selectable_fields: self.all_selectable_fields(markers.selectable),
            schema: Some(CustomResourceValidation { open_api_v3_schema: schema }),
        }
    }

    fn all_selectable_fields(&self, mut paths: Vec<String>) -> Option<Vec<SelectableField>> {
        paths.extend(self.selectable_fields.iter().map(|path| (*path).to_owned()));
        let fields = paths.into_iter().map(|json_path| SelectableField { json_path });
        none_if_empty(fields.collect())
    }

    fn subresources(&self, markers: &Markers) -> Option<CustomResourceSubresources> {
        let scale = self.scale.as_ref().and_then(|scale| match scale {
            Scale::Paths { spec_replicas, status_replicas, label_selector } => Some(CustomResourceSubresourceScale {
                spec_replicas_path: (*spec_replicas).to_owned(),
                status_replicas_path: (*status_replicas).to_owned(),
                label_selector_path: label_selector.map(ToOwned::to_owned),
            }),
            Scale::Fields => markers.scale(),
        });
        let status = self.status.then(|| CustomResourceSubresourceStatus(json!({})));
        (scale.is_some() || status.is_some()).then_some(CustomResourceSubresources { scale, status })
    }
}

fn map(pairs: &[(&str, &str)]) -> Option<BTreeMap<String, String>> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    (!pairs.is_empty()).then(|| pairs.iter().map(owned).collect())
}

fn list(texts: &[&str]) -> Option<Vec<String>> {
    none_if_empty(texts.iter().map(|text| (*text).to_owned()).collect())
}

fn none_if_empty<T>(items: Vec<T>) -> Option<Vec<T>> {
    (!items.is_empty()).then_some(items)
}
