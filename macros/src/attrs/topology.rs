//! `list_type`, `list_map_keys`, `map_type` and `struct_type`: how server-side apply merges a value, under the names
//! that a CustomResourceDefinition has for it.

use crdkit_core::{merged_keywords::MergedKeywords, rules::topology as rules, schema::Type};
use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Expr, Meta, spanned::Spanned};

use super::{
    Errors, items,
    key::keys,
    merge_strategy::{ListMerge, MapMerge, MergeStrategy, RuleResult, repeated_key},
    text::Text,
};

keys! {
    TopologyKey {
        ListType = "list_type",
        ListMapKeys = "list_map_keys",
        MapType = "map_type",
        StructType = "struct_type",
    }
}

/// How server-side apply merges a value.
#[derive(Default)]
pub(super) struct TopologyAttrs {
    list_type: Option<ListType>,
    list_map_keys: Option<ListMapKeys>,
    map_type: Option<MapType>,
    /// Whether a list type or keys had errors.
    has_errors: bool,
}

struct ListType(Text);

struct MapType(Text);

struct ListMapKeys {
    keys: Vec<Text>,
    span: Span,
}

impl TopologyAttrs {
    pub(super) fn parse_item(&mut self, key: TopologyKey, item: &Meta, errors: &mut Errors) {
        match key {
            TopologyKey::ListType => {
                items::parse_once(&mut self.list_type, item, errors);
                self.has_errors |= self.list_type.is_none();
            }
            TopologyKey::ListMapKeys => {
                items::parse_once(&mut self.list_map_keys, item, errors);
                self.has_errors |= self.list_map_keys.is_none();
            }
            TopologyKey::MapType | TopologyKey::StructType => items::parse_once(&mut self.map_type, item, errors),
        }
    }

    /// The merge strategy, with its span.
    pub(super) fn strategy(self, errors: &mut Errors) -> Option<(MergeStrategy, Span)> {
        if self.has_errors {
            return None; // an error was reported; do not report others that result from it
        }
        let list = list(self.list_type, self.list_map_keys, errors);
        let map = self.map_type.map(|MapType(text)| {
            let merge = match &*text {
                "atomic" => MapMerge::Atomic,
                _ => MapMerge::Granular,
            };
            (MergeStrategy::Map(merge), text.span())
        });
        match (list, map) {
            (Some(list), Some((_, span))) => {
                let message = "a value cannot be both a list and a map; remove one of the two types";
                errors.push(Error::custom(message).with_span(&span));
                Some(list)
            }
            (list, map) => list.or(map),
        }
    }
}

fn list(list_type: Option<ListType>, keys: Option<ListMapKeys>, errors: &mut Errors) -> Option<(MergeStrategy, Span)> {
    let key_count = keys.as_ref().map_or(0, |attr| attr.keys.len());
    let list_type_name = list_type.as_ref().map(|ListType(text)| &**text);
    let span = keys.as_ref().map(|attr| attr.span);
    let mut check = |result: RuleResult<'_>, span: Option<Span>| {
        let error = result.map_err(|violation| Error::custom(violation.message));
        let span = span.unwrap_or_else(Span::call_site);
        errors.handle(error.map_err(|error| error.with_span(&span)))
    };
    check(rules::keyed_list_is_map(list_type_name, key_count), span)?;
    let ListType(text) = list_type.as_ref()?;
    check(rules::list_map_has_keys(list_type_name, key_count), span.or(Some(text.span())))?;
    let keys = keys.map(|attr| attr.keys).unwrap_or_default();
    if let Some((key, violation)) = repeated_key(&keys) {
        check(Err(violation), Some(key.span()))?;
    }
    let merge = match &**text {
        "map" => ListMerge::Map(keys),
        "set" => ListMerge::Set,
        _ => ListMerge::Atomic,
    };
    Some((MergeStrategy::List(merge), text.span()))
}

impl FromMeta for ListType {
    fn from_meta(item: &Meta) -> Result<Self> {
        let check = |text: &str| rules::list_type_is_supported(text).map_err(|it| it.message.to_string());
        Text::from_meta(item)?.checked(check).map(Self)
    }
}

impl FromMeta for MapType {
    fn from_meta(item: &Meta) -> Result<Self> {
        let check = |text: &str| {
            let mut facts = MergedKeywords::from_type(Type::Unknown);
            facts.map_type = Some(text);
            rules::map_type_is_supported(&facts).map_err(|it| it.message.to_string())
        };
        Text::from_meta(item)?.checked(check).map(Self)
    }
}

impl FromMeta for ListMapKeys {
    fn from_meta(item: &Meta) -> Result<Self> {
        const EXPECTED: &str = "expected `list_map_keys = [\"name\"]`";
        let Meta::NameValue(key_count) = item else {
            return Err(Error::custom(EXPECTED).with_span(item));
        };
        let keys: Option<Vec<_>> = match &key_count.value {
            Expr::Array(array) => array.elems.iter().map(Text::literal).collect(),
            _ => None,
        };
        let Some(keys) = keys else {
            return Err(Error::custom(EXPECTED).with_span(&key_count.value));
        };
        let span = key_count.value.span();
        Ok(Self { keys, span })
    }
}
