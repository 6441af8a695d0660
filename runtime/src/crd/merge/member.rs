//! The members of a kind: its types, and definitions without a type.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::{
    crd::{
        merge::{NamedCrd, TypeRenderError, Warning},
        structural::foreign_places::lost_keywords,
    },
    resource::definition::{CustomResource, Definition},
    schema::Descriptions,
};

/// A type or a definition with versions of a kind.
#[derive(Clone, Debug)]
pub(super) enum Member {
    Type { name: &'static str, definition: &'static Definition },
    Crd(Box<NamedCrd>),
}

impl Member {
    pub(super) fn of_type<K: CustomResource>() -> Self {
        Self::Type { name: std::any::type_name::<K>(), definition: crate::resource::custom_resource::definition::<K>() }
    }

    pub(super) fn of_crd(name: String, crd: CustomResourceDefinition) -> Self {
        Self::Crd(Box::new(NamedCrd::new(name, crd)))
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Type { name, .. } => name,
            Self::Crd(source) => &source.type_name,
        }
    }

    /// The group and the kind.
    pub(super) fn group_kind(&self) -> (&str, &str) {
        match self {
            Self::Type { definition, .. } => (definition.group, definition.kind),
            Self::Crd(source) => (&source.crd.spec.group, &source.crd.spec.names.kind),
        }
    }

    /// Returns a warning for each keyword of a schemars schema that the definition cannot express.
    pub(super) fn lost_keywords(&self) -> Vec<Warning> {
        let Self::Type { name, definition } = self else {
            return Vec::new();
        };
        let warning = |message| Warning::LostKeyword { type_name: (*name).to_owned(), message };
        lost_keywords(definition).into_iter().map(warning).collect()
    }

    /// Renders the definition with these descriptions, or with those that the type selects.
    pub(super) fn source(&self, chosen: Option<Descriptions>) -> Result<NamedCrd, TypeRenderError> {
        match self {
            Self::Crd(source) => Ok((**source).clone()),
            Self::Type { name, definition } => {
                let chosen = chosen.unwrap_or(definition.descriptions);
                NamedCrd::of_definition(name, &definition.descriptions(chosen))
            }
        }
    }
}
