//! Schemas that replace that of a type: `preserve_unknown_fields`, `int_or_string` and `schema = ...`.

use darling::{Error, Result};
use proc_macro2::Span;
use syn::{Expr, Meta, spanned::Spanned};

use super::{
    Errors, items,
    key::{Key, keys},
    text::Text,
    value::BareKey,
};

/// A schema that replaces that of a type.
#[derive(Clone, Debug)]
pub(crate) enum SchemaOverride {
    /// Any value.
    PreserveUnknownFields,
    IntOrString,
    /// An expression of the type `crdkit::schema::Schema`.
    Constant(Expr),
}

keys! {
    OverrideKey {
        PreserveUnknownFields = "preserve_unknown_fields",
        IntOrString = "int_or_string",
        Schema = "schema",
    }
}

/// The schema that an attribute selects, with the span.
#[derive(Default)]
pub(crate) struct SchemaOverrideAttrs {
    selected: Option<(SchemaOverride, Span)>,
}

impl SchemaOverrideAttrs {
    /// Parses an item, of which there can be only one.
    pub(crate) fn parse_item(&mut self, key: OverrideKey, item: &Meta, errors: &mut Errors) {
        match &self.selected {
            Some((selected, _)) if selected.key() == key => errors.push(items::duplicate(item)),
            Some((selected, _)) => errors.push(
                Error::custom(format!("`{}` conflicts with `{}`; remove one", key.name(), selected.name()))
                    .with_span(item),
            ),
            None => {
                let schema = errors.handle(parse(key, item));
                self.selected = schema.map(|schema| (schema, item.span()));
            }
        }
    }

    pub(crate) fn get(&self) -> Option<&SchemaOverride> {
        self.selected.as_ref().map(|(schema, _)| schema)
    }

    pub(crate) fn span(&self) -> Option<Span> {
        self.selected.as_ref().map(|(_, span)| *span)
    }
}

impl SchemaOverride {
    pub(crate) fn name(&self) -> &'static str {
        self.key().name()
    }

    fn key(&self) -> OverrideKey {
        match self {
            Self::PreserveUnknownFields => OverrideKey::PreserveUnknownFields,
            Self::IntOrString => OverrideKey::IntOrString,
            Self::Constant(_) => OverrideKey::Schema,
        }
    }
}

fn parse(key: OverrideKey, item: &Meta) -> Result<SchemaOverride> {
    use darling::FromMeta;
    match key {
        OverrideKey::PreserveUnknownFields => BareKey::from_meta(item).map(|_| SchemaOverride::PreserveUnknownFields),
        OverrideKey::IntOrString => BareKey::from_meta(item).map(|_| SchemaOverride::IntOrString),
        OverrideKey::Schema => constant(item).map(SchemaOverride::Constant),
    }
}

fn constant(item: &Meta) -> Result<Expr> {
    const EXPECTED: &str = "expected a constant, as in `schema = Schema::string()`; `with = \"Type\"` and \
                            `schema_with = \"function\"` belong in `#[schemars(...)]`";
    match item {
        Meta::NameValue(value) if Text::literal(&value.value).is_none() => Ok(value.value.clone()),
        Meta::NameValue(value) => Err(Error::custom(EXPECTED).with_span(&value.value)),
        _ => Err(Error::custom(EXPECTED).with_span(item)),
    }
}
