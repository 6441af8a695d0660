//! Decodes a page of a list item by item, without an intermediate representation.

mod raw;

use std::{cell::Cell, fmt, marker::PhantomData};

use kube_core::{ListMeta, Resource};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use raw::RawPage;

use super::{Failure, ResponseError, depth, explain, has_name, text, without_managed_fields::WithoutManagedFields};
use crate::client::{
    error::{JsonError, Mismatch, is_too_deep},
    response_kind::{ExpectedTypes, ListHeader},
};

/// The list and its `items` enclose each item.
const AROUND_ITEMS: usize = 2;

/// A page of a list.
#[derive(Debug)]
pub(crate) struct Page<T> {
    api_version: Option<String>,
    kind: Option<String>,
    has_items: bool,
    pub(crate) metadata: ListMeta,
    pub(crate) items: Vec<T>,
}

impl<T> Page<T> {
    fn check(&self, json: &str, expected: &ExpectedTypes) -> Result<(), Mismatch> {
        let header = ListHeader {
            api_version: self.api_version.as_deref(),
            kind: self.kind.as_deref(),
            resource_version: self.metadata.resource_version.as_deref(),
            has_items: self.has_items,
        };
        let items = || serde_json::from_str::<RawPage<'_>>(json).map(|page| page.items());
        expected.check_list(header, || items().unwrap_or_default())
    }
}

/// How `metadata.managedFields`, often the larger part of an object, is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ManagedFields {
    Retained,
    Dropped,
}

/// Decodes a page, after checking that it is a list of the expected kind.
pub(crate) fn page<T: Resource + DeserializeOwned>(
    json: &[u8],
    expected: &ExpectedTypes,
    managed_fields: ManagedFields,
    depth: usize,
) -> Result<Page<T>, ResponseError> {
    let json = text(json).map_err(Failure::from)?;
    if depth::check(json, depth + AROUND_ITEMS).is_err() {
        RawPage::read(json, expected)?;
        return Err(Failure::from(JsonError::too_deep(depth)).into());
    }
    let read = Cell::new(0);
    let seed = PageSeed { managed_fields, read: &read, items: PhantomData };
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let page = seed.deserialize(&mut deserializer).and_then(|page| deserializer.end().map(|()| page));
    match page {
        Ok(page) => match page.check(json, expected) {
            Ok(()) => Ok(page),
            Err(mismatch) => Err(ResponseError::Unexpected(mismatch)),
        },
        Err(source) => diagnose(json, expected, managed_fields, depth, read.get(), source),
    }
}

/// Decodes a page again to report the error: it is not the expected list, or an item does not match the type. `read` is
/// the number of valid items.
fn diagnose<T: Resource + DeserializeOwned>(
    json: &str,
    expected: &ExpectedTypes,
    managed_fields: ManagedFields,
    depth: usize,
    read: usize,
    source: serde_json::Error,
) -> Result<Page<T>, ResponseError> {
    let page = RawPage::read(json, expected)?;
    if is_too_deep(&source) {
        return page.decode(expected, managed_fields, depth);
    }
    let failure = match page.items().get(read) {
        Some(item) if !has_name(item) => return Err(nameless_item(expected)),
        Some(item) => explain::<T>(item, source).named(item),
        None => source.into(),
    };
    Err(failure.into())
}

fn nameless_item(expected: &ExpectedTypes) -> ResponseError {
    let found = "a list with an item that is not a named object";
    ResponseError::Unexpected(expected.mismatch(found.to_owned()))
}

struct PageSeed<'a, T> {
    managed_fields: ManagedFields,
    /// The number of items read so far.
    read: &'a Cell<usize>,
    items: PhantomData<T>,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Key {
    ApiVersion,
    Kind,
    Metadata,
    Items,
    #[serde(other)]
    Other,
}

impl<'de, T: Resource + Deserialize<'de>> DeserializeSeed<'de> for PageSeed<'_, T> {
    type Value = Page<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Page<T>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Resource + Deserialize<'de>> Visitor<'de> for PageSeed<'_, T> {
    type Value = Page<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Page<T>, A::Error> {
        let mut page =
            Page { api_version: None, kind: None, has_items: false, metadata: ListMeta::default(), items: Vec::new() };
        while let Some(key) = map.next_key()? {
            match key {
                Key::ApiVersion => page.api_version = map.next_value()?,
                Key::Kind => page.kind = map.next_value()?,
                Key::Metadata => page.metadata = map.next_value::<Option<_>>()?.unwrap_or_default(),
                Key::Items => {
                    page.has_items = true;
                    let items =
                        ItemsSeed { managed_fields: self.managed_fields, read: self.read, items: &mut page.items };
                    map.next_value_seed(items)?;
                }
                Key::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(page)
    }
}

struct ItemsSeed<'a, T> {
    managed_fields: ManagedFields,
    read: &'a Cell<usize>,
    items: &'a mut Vec<T>,
}

impl<'de, T: Resource + Deserialize<'de>> DeserializeSeed<'de> for ItemsSeed<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Resource + Deserialize<'de>> Visitor<'de> for ItemsSeed<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("objects")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let item = || ItemSeed { managed_fields: self.managed_fields, item: PhantomData };
        while let Some(item) = seq.next_element_seed(item())? {
            self.items.push(item);
            self.read.set(self.items.len());
        }
        Ok(())
    }
}

struct ItemSeed<T> {
    managed_fields: ManagedFields,
    item: PhantomData<T>,
}

impl<'de, T: Resource + Deserialize<'de>> DeserializeSeed<'de> for ItemSeed<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        let item = match self.managed_fields {
            ManagedFields::Retained => T::deserialize(deserializer),
            ManagedFields::Dropped => T::deserialize(WithoutManagedFields::object(deserializer)),
        }?;
        // Every stored object has a name. A page of empty objects would take many times its size.
        match item.meta().name.as_deref() {
            None | Some("") => Err(D::Error::custom("an object without a name")),
            Some(_) => Ok(item),
        }
    }
}

#[cfg(test)]
mod tests;
