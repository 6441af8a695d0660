//! Options of rendering.

use std::borrow::Cow;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use crate::{
    crd::{
        render::{RenderError, kubernetes_types, sentence},
        structural,
    },
    schema::{Descriptions, ForeignSchema, Keyword, KubernetesTypeDetail, Schema},
};

/// Options for a value and its parts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RenderOptions {
    pub(super) descriptions: Descriptions,
    /// How much of a Kubernetes type's schema is included, for the value and the elements of a list or map.
    pub(super) embed: Option<KubernetesTypeDetail>,
}

impl RenderOptions {
    pub(super) fn of(descriptions: Descriptions) -> Self {
        Self { descriptions, embed: None }
    }

    /// Applies the keywords that set options.
    pub(super) fn with(mut self, keywords: &[Keyword]) -> Self {
        for keyword in keywords {
            match *keyword {
                Keyword::Descriptions(descriptions) => self.descriptions = descriptions,
                Keyword::Embed(embed) => self.embed = Some(embed),
                _ => {}
            }
        }
        self
    }

    /// Returns the options for a type.
    pub(super) fn of_type(self, schema: &Schema) -> Self {
        let mut options = self.with(schema.keywords);
        if schema.of_kubernetes {
            options.descriptions = options.third_party_descriptions();
        }
        options
    }

    /// Returns the options for the members of a value, to which `embed` does not apply.
    pub(super) fn of_members(self) -> Self {
        Self::of(self.descriptions)
    }

    /// Returns which descriptions of third-party types are included.
    fn third_party_descriptions(self) -> Descriptions {
        match (self.descriptions, self.embed) {
            (Descriptions::Own, _) | (_, Some(KubernetesTypeDetail::Lean)) => Descriptions::None,
            (descriptions, _) => descriptions,
        }
    }

    /// Adds the keywords of lists of a foreign type.
    pub(super) fn merge_list_of(self, foreign: &ForeignSchema, props: &mut JSONSchemaProps) {
        if self.embed == Some(KubernetesTypeDetail::Full) {
            kubernetes_types::merge_list(props, foreign);
        }
    }

    /// Renders a foreign type.
    pub(super) fn foreign(self, foreign: &ForeignSchema) -> Result<JSONSchemaProps, RenderError> {
        let mut props = structural::foreign(foreign)?;
        if self.embed == Some(KubernetesTypeDetail::Full) {
            kubernetes_types::complete(&mut props, foreign)?;
        }
        limit_descriptions(&mut props, self.third_party_descriptions());
        Ok(props)
    }
}

/// Reduces the descriptions in a schema to the selected ones.
pub(super) fn limit_descriptions(props: &mut JSONSchemaProps, descriptions: Descriptions) {
    if !matches!(descriptions, Descriptions::All | Descriptions::Own) {
        structural::describe_all(props, &|text| descriptions.of(text).map(Cow::into_owned));
    }
}

impl Descriptions {
    /// Returns the included part of a description.
    pub(super) fn of<'a>(self, text: impl Into<Cow<'a, str>>) -> Option<Cow<'a, str>> {
        match self {
            Self::All | Self::Own => Some(text.into()),
            Self::FirstSentence => Some(sentence::first_sentences(&text.into()).into()),
            Self::None => None,
        }
    }
}
