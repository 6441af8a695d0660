//! The members of a set.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::{
    definition::{CustomResource, Definition},
    merge::{Source, TypeRenderError, Warning},
    schema::Descriptions,
    testing::foreign::lost_keywords,
};

/// A type or a definition that was added to a set.
#[derive(Clone, Debug)]
pub(super) struct CrdSource {
    pub(super) group: String,
    pub(super) kind: String,
    origin: Origin,
}

#[derive(Clone, Debug)]
enum Origin {
    Type { name: &'static str, definition: &'static Definition },
    Crd(Box<Source>),
}

impl CrdSource {
    pub(super) fn of_type<K: CustomResource>() -> Self {
        let definition = crate::__private::definition::<K>();
        Self {
            group: definition.group.to_owned(),
            kind: definition.kind.to_owned(),
            origin: Origin::Type { name: std::any::type_name::<K>(), definition },
        }
    }

    pub(super) fn of_crd(name: String, crd: CustomResourceDefinition) -> Self {
        Self {
            group: crd.spec.group.clone(),
            kind: crd.spec.names.kind.clone(),
            origin: Origin::Crd(Box::new(Source::new(name, crd))),
        }
    }

    /// Returns a warning for each keyword of a schemars schema that the definition cannot express.
    pub(super) fn lost_keywords(&self) -> Vec<Warning> {
        let Origin::Type { name, definition } = &self.origin else {
            return Vec::new();
        };
        let warning = |message| Warning::LostKeyword { type_name: (*name).to_owned(), message };
        lost_keywords(definition).into_iter().map(warning).collect()
    }

    /// Renders the definition with these descriptions, or with those that the type selects.
    pub(super) fn source(&self, descriptions: Option<Descriptions>) -> Result<Source, TypeRenderError> {
        match &self.origin {
            Origin::Crd(source) => Ok((**source).clone()),
            Origin::Type { name, definition } => {
                let descriptions = descriptions.unwrap_or(definition.descriptions);
                Source::of_definition(name, &definition.descriptions(descriptions))
            }
        }
    }
}
