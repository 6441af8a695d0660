//! `list_type`, `list_map_keys`, `map_type` and `struct_type`: how server-side apply merges a value, in the words of a
//! CustomResourceDefinition.

use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Expr, Meta, spanned::Spanned};

use super::{
    Errors, items,
    merge_strategy::{ListMerge, MapMerge, MergeStrategy, each_once},
    text::{Text, one_of},
};

pub(super) const KEYS: &[&str] = &["list_type", "list_map_keys", "map_type", "struct_type"];

/// What is said of how a value is merged.
#[derive(Default)]
pub(super) struct TopologyAttrs {
    list_type: Option<ListType>,
    list_map_keys: Option<ListMapKeys>,
    map_type: Option<MapType>,
}

struct ListType(Text);

struct MapType(Text);

struct ListMapKeys {
    keys: Vec<Text>,
    span: Span,
}

impl TopologyAttrs {
    /// Reads an item; returns whether it says how a value is merged.
    pub(super) fn read(&mut self, item: &Meta, errors: &mut Errors) -> bool {
        match items::name(item).as_str() {
            "list_type" => items::once(&mut self.list_type, item, errors),
            "list_map_keys" => items::once(&mut self.list_map_keys, item, errors),
            "map_type" | "struct_type" => items::once(&mut self.map_type, item, errors),
            _ => return false,
        }
        true
    }

    /// The strategy that is said, and where.
    pub(super) fn strategy(self, errors: &mut Errors) -> Option<(MergeStrategy, Span)> {
        let list = errors
            .handle(list(self.list_type, self.list_map_keys))
            .flatten();
        let map = self.map_type.map(|MapType(text)| {
            let merge = match &*text {
                "atomic" => MapMerge::Atomic,
                _ => MapMerge::Granular,
            };
            (MergeStrategy::Map(merge), text.span())
        });
        match (list, map) {
            (Some(list), Some((_, span))) => {
                let message = "a value is a list or it is none: keep one of the two types";
                errors.push(Error::custom(message).with_span(&span));
                Some(list)
            }
            (list, map) => list.or(map),
        }
    }
}

fn list(
    list_type: Option<ListType>,
    keys: Option<ListMapKeys>,
) -> Result<Option<(MergeStrategy, Span)>> {
    const KEYS_MISSING: &str = "a map list needs the keys that tell its items apart: add \
                                `list_map_keys = [\"name\"]`";
    const KEYS_OF_NO_MAP: &str =
        "only a map list has keys: write `list_type = \"map\"` beside them";
    let Some(ListType(text)) = list_type else {
        return match keys {
            Some(keys) => Err(Error::custom(KEYS_OF_NO_MAP).with_span(&keys.span)),
            None => Ok(None),
        };
    };
    let merge = match (&*text, keys) {
        ("map", Some(keys)) => ListMerge::Map(keys.keys),
        ("map", None) => return Err(Error::custom(KEYS_MISSING).with_span(&text.span())),
        (_, Some(keys)) => return Err(Error::custom(KEYS_OF_NO_MAP).with_span(&keys.span)),
        ("set", None) => ListMerge::Set,
        _ => ListMerge::Atomic,
    };
    Ok(Some((MergeStrategy::List(merge), text.span())))
}

impl FromMeta for ListType {
    fn from_meta(item: &Meta) -> Result<Self> {
        let check = |text: &str| one_of("list type", text, &["atomic", "set", "map"]);
        Text::from_meta(item)?.checked(check).map(Self)
    }
}

impl FromMeta for MapType {
    fn from_meta(item: &Meta) -> Result<Self> {
        let check = |text: &str| one_of("map type", text, &["atomic", "granular"]);
        Text::from_meta(item)?.checked(check).map(Self)
    }
}

impl FromMeta for ListMapKeys {
    fn from_meta(item: &Meta) -> Result<Self> {
        const FORM: &str = "expected `list_map_keys = [\"name\"]`";
        let Meta::NameValue(named) = item else {
            return Err(Error::custom(FORM).with_span(item));
        };
        let keys: Option<Vec<_>> = match &named.value {
            Expr::Array(array) => array.elems.iter().map(Text::literal).collect(),
            _ => None,
        };
        let Some(keys) = keys.filter(|keys| !keys.is_empty()) else {
            return Err(Error::custom(FORM).with_span(&named.value));
        };
        each_once(&keys)?;
        let span = named.value.span();
        Ok(Self { keys, span })
    }
}
