//! `items(...)` and `values(...)`.

use darling::{Error, Result};
use proc_macro2::Span;
use syn::{Meta, spanned::Spanned};

use super::{KeywordAttrs, KeywordKey};
use crate::attrs::{
    Errors,
    default::DefaultAttr,
    items,
    key::{Key, keys},
    relations::FieldRelationKey,
    rule::{Rule, reject_duplicate_rules},
    schema_override::{OverrideKey, SchemaOverrideAttrs},
    schema_size::{self, SizeKey},
};

keys! {
    ElementKey { Keyword(KeywordKey), Override(OverrideKey), Validation = "validation", Default = "default" }
}

/// The keywords of the items of a list or of the values of a map.
pub(crate) struct ElementAttrs {
    pub(crate) key: &'static str,
    pub(crate) span: Span,
    pub(crate) keywords: Box<KeywordAttrs>,
    /// The schema that replaces theirs.
    pub(crate) schema_override: SchemaOverrideAttrs,
    pub(crate) rules: Vec<Rule>,
    /// The value that the API server sets in place of null.
    pub(crate) default: Option<DefaultAttr>,
}

pub(super) fn parse(slot: &mut Option<ElementAttrs>, key: &'static str, item: &Meta) -> Result<()> {
    if slot.is_some() {
        return Err(Error::custom(format!("`{key}(...)` is given twice: combine the two")).with_span(item));
    }
    let Meta::List(list) = item else {
        return Err(Error::custom(format!("expected keywords, as in `{key}(max_length = 63)`")).with_span(item));
    };
    let mut errors = Error::accumulator();
    let mut inner = ElementAttrs {
        key,
        span: item.path().span(),
        keywords: Box::default(),
        schema_override: SchemaOverrideAttrs::default(),
        rules: Vec::new(),
        default: None,
    };
    for nested in &items::parse_list(list, &mut errors) {
        inner.parse_item(nested, &mut errors);
    }
    inner.keywords.finish(&mut errors);
    reject_duplicate_rules(&inner.rules, &mut errors);
    *slot = Some(inner);
    errors.finish()
}

impl ElementAttrs {
    fn parse_item(&mut self, item: &Meta, errors: &mut Errors) {
        match ElementKey::of(item) {
            Some(ElementKey::Keyword(key)) => self.keywords.parse_item(key, item, errors),
            Some(ElementKey::Override(key)) => self.schema_override.parse_item(key, item, errors),
            Some(ElementKey::Validation) => items::parse_repeated(&mut self.rules, item, errors),
            Some(ElementKey::Default) => items::parse_once(&mut self.default, item, errors),
            None if SizeKey::of(item).is_some() => errors.push(schema_size::key_on_element(item)),
            None if FieldRelationKey::of(item) == Some(FieldRelationKey::Immutable) => errors.push(
                Error::custom(
                    "`immutable` does not apply to the contents of lists and maps: write it on their type, or on the \
                     field",
                )
                .with_span(item.path()),
            ),
            None => errors.push(items::unknown(item, &ElementKey::names())),
        }
    }
}
