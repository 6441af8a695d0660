//! `descriptions` and `embed`: how much of a schema is written.

use crdkit_core::suggest::suggestion;
use darling::{Error, Result};
use proc_macro2::Span;
use syn::Meta;

use super::{
    Errors, items,
    text::{FromText, Text, from_text},
};

pub(crate) const KEYS: &[&str] = &["descriptions", "embed"];

/// What a field says of how much of it is written.
#[derive(Default)]
pub(crate) struct SizeAttrs {
    pub(crate) descriptions: Option<Descriptions>,
    pub(crate) embed: Option<Embed>,
}

/// Which descriptions are written.
#[derive(Clone)]
pub(crate) struct Descriptions {
    /// The name of the variant.
    pub(crate) name: &'static str,
    pub(crate) span: Span,
}

/// How a type of Kubernetes is written.
#[derive(Clone)]
pub(crate) struct Embed {
    pub(crate) form: EmbedForm,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmbedForm {
    /// An object of which nothing is known.
    Opaque,
    Lean,
    Full,
}

impl SizeAttrs {
    pub(crate) fn read(&mut self, item: &Meta, errors: &mut Errors) {
        match items::name(item).as_str() {
            "descriptions" => items::parse_once(&mut self.descriptions, item, errors),
            _ => items::parse_once(&mut self.embed, item, errors),
        }
    }

    pub(crate) fn is_opaque(&self) -> bool {
        self.embed.as_ref().is_some_and(|embed| embed.form == EmbedForm::Opaque)
    }

    /// Takes `embed` away where something else says what stands there.
    pub(crate) fn reject_embed(&mut self, other: &str, errors: &mut Errors) {
        if let Some(embed) = self.embed.take() {
            errors.push(
                Error::custom(format!("`embed` and `{other}` both say what stands here: keep one of them"))
                    .with_span(&embed.span),
            );
        }
    }

    /// A type that is written without descriptions has none that could be chosen.
    pub(crate) fn check(&self, errors: &mut Errors) {
        if let (Some(descriptions), Some(embed)) = (&self.descriptions, &self.embed)
            && embed.form == EmbedForm::Lean
        {
            errors.push(
                Error::custom("`embed = \"lean\"` leaves out all descriptions of the type: keep one of them")
                    .with_span(&descriptions.span),
            );
        }
    }

    /// Where each of them is written.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> {
        let descriptions = self.descriptions.iter().map(|it| it.span);
        descriptions.chain(self.embed.iter().map(|it| it.span))
    }
}

/// A key among those of items or values.
pub(crate) fn key_on_element(item: &Meta) -> Error {
    Error::custom(format!("`{}` reaches into lists and maps: write it on the field itself", items::name(item)))
        .with_span(item.path())
}

impl FromText for Descriptions {
    fn from_text(text: Text) -> Result<Self> {
        const ALL: &[(&str, &str)] =
            &[("all", "All"), ("own", "Own"), ("first_sentence", "FirstSentence"), ("none", "None")];
        let name = parse_choice("choice of descriptions", &text, ALL)?;
        let span = text.span();
        Ok(Self { name, span })
    }
}

impl FromText for Embed {
    fn from_text(text: Text) -> Result<Self> {
        const ALL: &[(&str, EmbedForm)] =
            &[("opaque", EmbedForm::Opaque), ("lean", EmbedForm::Lean), ("full", EmbedForm::Full)];
        let form = parse_choice("way to embed a type", &text, ALL)?;
        let span = text.span();
        Ok(Self { form, span })
    }
}

from_text!(Descriptions, Embed);

/// What a text stands for, or the one that was probably meant.
fn parse_choice<T: Copy>(what: &str, text: &Text, all: &[(&str, T)]) -> Result<T> {
    if let Some((_, chosen)) = all.iter().find(|(name, _)| *name == text.as_str()) {
        return Ok(*chosen);
    }
    let names: Vec<_> = all.iter().map(|(name, _)| *name).collect();
    let message = format!("`{}` is no {what}: {}", text.as_str(), suggestion(text, &names));
    Err(Error::custom(message).with_span(&text.span()))
}
