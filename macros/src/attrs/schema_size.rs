//! `descriptions` and `embed`: how much of a schema is rendered.

use crdkit_core::suggest::suggestion;
use darling::{Error, Result};
use proc_macro2::Span;
use syn::Meta;

use super::{
    Errors, items,
    key::keys,
    text::{FromText, Text, from_text},
};

keys! {
    SizeKey { Descriptions = "descriptions", Embed = "embed" }
}

/// The attributes of a field that decide how much of its schema is rendered.
#[derive(Default)]
pub(crate) struct SizeAttrs {
    pub(crate) descriptions: Option<Descriptions>,
    pub(crate) embed: Option<Embed>,
}

/// Which descriptions are rendered.
#[derive(Clone)]
pub(crate) struct Descriptions {
    /// The name of the variant.
    pub(crate) name: &'static str,
    pub(crate) span: Span,
}

/// How the schema of a Kubernetes type is rendered.
#[derive(Clone)]
pub(crate) struct Embed {
    pub(crate) mode: EmbedMode,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmbedMode {
    /// An object with unknown fields.
    Opaque,
    Lean,
    Full,
}

impl SizeAttrs {
    pub(crate) fn parse_item(&mut self, key: SizeKey, item: &Meta, errors: &mut Errors) {
        match key {
            SizeKey::Descriptions => items::parse_once(&mut self.descriptions, item, errors),
            SizeKey::Embed => items::parse_once(&mut self.embed, item, errors),
        }
    }

    pub(crate) fn is_opaque(&self) -> bool {
        self.embed.as_ref().is_some_and(|embed| embed.mode == EmbedMode::Opaque)
    }

    /// Removes and reports `embed` beside another attribute that replaces the schema.
    pub(crate) fn reject_embed(&mut self, other: &str, errors: &mut Errors) {
        if let Some(embed) = self.embed.take() {
            errors.push(Error::custom(format!("`embed` conflicts with `{other}`; remove one")).with_span(&embed.span));
        }
    }

    /// Reports `descriptions` beside an `embed` that omits them all.
    pub(crate) fn check(&self, errors: &mut Errors) {
        if let (Some(descriptions), Some(embed)) = (&self.descriptions, &self.embed)
            && embed.mode == EmbedMode::Lean
        {
            errors.push(
                Error::custom(
                    "has no effect with `embed = \"lean\"`, which omits all descriptions of the type; \
                               remove one",
                )
                .with_span(&descriptions.span),
            );
        }
    }

    /// The spans of all attributes.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> {
        let descriptions = self.descriptions.iter().map(|it| it.span);
        descriptions.chain(self.embed.iter().map(|it| it.span))
    }
}

/// The error for a key within `items(...)` or `values(...)`.
pub(crate) fn key_on_element(item: &Meta) -> Error {
    Error::custom(format!(
        "`{}` also applies to the contents of lists and maps: write it on the field itself",
        items::name(item)
    ))
    .with_span(item.path())
}

impl FromText for Descriptions {
    fn from_text(text: Text) -> Result<Self> {
        const ALL: &[(&str, &str)] =
            &[("all", "All"), ("own", "Own"), ("first_sentence", "FirstSentence"), ("none", "None")];
        let name = parse_choice("descriptions", &text, ALL)?;
        let span = text.span();
        Ok(Self { name, span })
    }
}

impl FromText for Embed {
    fn from_text(text: Text) -> Result<Self> {
        const ALL: &[(&str, EmbedMode)] =
            &[("opaque", EmbedMode::Opaque), ("lean", EmbedMode::Lean), ("full", EmbedMode::Full)];
        let mode = parse_choice("embed", &text, ALL)?;
        let span = text.span();
        Ok(Self { mode, span })
    }
}

from_text!(Descriptions, Embed);

/// The value with the given name, or an error with a suggestion.
fn parse_choice<T: Copy>(key: &str, text: &Text, all: &[(&str, T)]) -> Result<T> {
    if let Some((_, chosen)) = all.iter().find(|(name, _)| *name == text.as_str()) {
        return Ok(*chosen);
    }
    let names: Vec<_> = all.iter().map(|(name, _)| *name).collect();
    let message = format!("`{}` is not a value of `{key}`: {}", text.as_str(), suggestion(text, &names));
    Err(Error::custom(message).with_span(&text.span()))
}
