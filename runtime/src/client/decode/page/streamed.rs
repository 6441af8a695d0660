//! Decodes a page of objects that serde reads, as one text: a deserializer keeps its buffer from item to item.

use std::{fmt, marker::PhantomData};

use kube_core::{ListMeta, Resource};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use super::{ManagedFields, Page};
use crate::client::{
    decode::{depth, without_managed_fields::WithoutManagedFields},
    response_kind::{ExpectedTypes, ListHeader},
};

/// The list and its `items` enclose each item.
const AROUND_ITEMS: usize = 2;

/// Decodes a page; `None` if anything is wrong with it, which reading it item by item describes.
pub(super) fn page<T: Resource + DeserializeOwned>(
    json: &str,
    expected: &ExpectedTypes,
    managed_fields: ManagedFields,
    depth: usize,
) -> Option<Page<T>> {
    depth::check(json, depth + AROUND_ITEMS).ok()?;
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let page = PageSeed { managed_fields, items: PhantomData::<T> }.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    let header = ListHeader {
        api_version: page.api_version.as_deref(),
        kind: page.kind.as_deref(),
        resource_version: page.metadata.resource_version.as_deref(),
        has_items: page.has_items,
    };
    // A list of another kind than expected may be right if its items are, which are not kept.
    expected.check_list(header, Vec::new).ok()?;
    Some(Page { metadata: page.metadata, items: page.items })
}

struct StreamedPage<T> {
    api_version: Option<String>,
    kind: Option<String>,
    has_items: bool,
    metadata: ListMeta,
    items: Vec<T>,
}

struct PageSeed<T> {
    managed_fields: ManagedFields,
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

impl<'de, T: Resource + Deserialize<'de>> DeserializeSeed<'de> for PageSeed<T> {
    type Value = StreamedPage<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<StreamedPage<T>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Resource + Deserialize<'de>> Visitor<'de> for PageSeed<T> {
    type Value = StreamedPage<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StreamedPage<T>, A::Error> {
        let mut page = StreamedPage {
            api_version: None,
            kind: None,
            has_items: false,
            metadata: ListMeta::default(),
            items: Vec::new(),
        };
        while let Some(key) = map.next_key()? {
            match key {
                Key::ApiVersion => page.api_version = map.next_value()?,
                Key::Kind => page.kind = map.next_value()?,
                Key::Metadata => page.metadata = map.next_value::<Option<_>>()?.unwrap_or_default(),
                Key::Items => {
                    page.has_items = true;
                    let items = ItemsSeed { managed_fields: self.managed_fields, items: &mut page.items };
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
