//! How much of a schema is written.

use std::borrow::Cow;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use super::{RenderError, embed, sentence};
use crate::{
    schema::{Descriptions, Embed, ForeignSchema, Keyword, Schema},
    structural,
};

/// How much is written of a value and of what is in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RenderOptions {
    pub(super) descriptions: Descriptions,
    /// How the type of Kubernetes is written that the value is, or that is in the list or map that it is.
    pub(super) embed: Option<Embed>,
}

impl RenderOptions {
    pub(super) fn of(descriptions: Descriptions) -> Self {
        Self { descriptions, embed: None }
    }

    /// The options where these keywords are written.
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

    /// The options of a type.
    pub(super) fn of_type(self, schema: &Schema) -> Self {
        let mut options = self.with(schema.keywords);
        if schema.of_kubernetes {
            options.descriptions = options.third_party_descriptions();
        }
        options
    }

    /// The options of what a value is made of: how the value itself is embedded says nothing of it.
    pub(super) fn of_members(self) -> Self {
        Self::of(self.descriptions)
    }

    /// What is written of the descriptions of types that others made.
    fn third_party_descriptions(self) -> Descriptions {
        match (self.descriptions, self.embed) {
            (Descriptions::Own, _) | (_, Some(Embed::Lean)) => Descriptions::None,
            (descriptions, _) => descriptions,
        }
    }

    /// A list of values of a type that only schemars knows.
    pub(super) fn merge_list_of(self, foreign: &ForeignSchema, props: &mut JSONSchemaProps) {
        if self.embed == Some(Embed::Full) {
            embed::merge_list(props, foreign);
        }
    }

    /// A type that only schemars knows.
    pub(super) fn foreign(self, foreign: &ForeignSchema) -> Result<JSONSchemaProps, RenderError> {
        let mut props = structural::foreign(foreign)?;
        if self.embed == Some(Embed::Full) {
            embed::complete(&mut props, foreign)?;
        }
        limit_descriptions(&mut props, self.third_party_descriptions());
        Ok(props)
    }
}

/// Writes no more of the descriptions in a schema than is asked for.
pub(super) fn limit_descriptions(props: &mut JSONSchemaProps, descriptions: Descriptions) {
    if !matches!(descriptions, Descriptions::All | Descriptions::Own) {
        structural::describe_all(props, &|text| descriptions.of(text).map(Cow::into_owned));
    }
}

impl Descriptions {
    /// What is written of a description.
    pub(super) fn of<'a>(self, text: impl Into<Cow<'a, str>>) -> Option<Cow<'a, str>> {
        match self {
            Self::All | Self::Own => Some(text.into()),
            Self::FirstSentence => Some(sentence::first_sentences(&text.into()).into()),
            Self::None => None,
        }
    }
}
