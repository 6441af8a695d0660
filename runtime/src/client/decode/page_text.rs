//! Splits the text of a page of a list into the texts of its items.

use std::{borrow::Cow, fmt};

use kube_core::ListMeta;
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{client::response_kind::ListHeader, json::scan::Scan};

/// A page of a list, with undecoded items.
#[derive(Debug)]
pub(crate) struct PageText<'a> {
    pub(crate) api_version: Option<Cow<'a, str>>,
    pub(crate) kind: Option<Cow<'a, str>>,
    /// `None` if the field is missing. Old API servers write `null` for an empty list.
    pub(crate) items: Option<Vec<&'a str>>,
    pub(crate) metadata: ListMeta,
}

impl<'a> PageText<'a> {
    /// Returns the type and metadata of the list.
    pub(crate) fn header(&self) -> ListHeader<'_> {
        ListHeader {
            api_version: self.api_version.as_deref(),
            kind: self.kind.as_deref(),
            resource_version: self.metadata.resource_version.as_deref(),
            has_items: self.items.is_some(),
        }
    }

    /// Splits a page.
    ///
    /// # Errors
    ///
    /// Fails if the page is not a JSON object, or an item is not terminated. Other errors within an item are found when
    /// it is decoded.
    pub(crate) fn read(json: &'a str) -> serde_json::Result<Self> {
        let members = match scan_members(json) {
            Some(members) => members,
            None => serde_json::from_str::<Raw<'_>>(json)?.into_members(),
        };
        let metadata: Option<ListMeta> = serde_json::from_str(members.metadata.unwrap_or("null"))?;
        Ok(Self {
            api_version: members.api_version,
            kind: members.kind,
            items: members.items,
            metadata: metadata.unwrap_or_default(),
        })
    }
}

#[derive(Default)]
struct Members<'a> {
    api_version: Option<Cow<'a, str>>,
    kind: Option<Cow<'a, str>>,
    items: Option<Vec<&'a str>>,
    metadata: Option<&'a str>,
}

fn scan_members(json: &str) -> Option<Members<'_>> {
    let mut members = Members::default();
    let mut scan = Scan::new(json);
    scan.object(|scan, key| {
        match key {
            "items" if members.items.is_none() => members.items = Some(items(scan)?),
            "metadata" if members.metadata.is_none() => members.metadata = Some(scan.skip()?),
            "apiVersion" if members.api_version.is_none() => members.api_version = Some(scan.text()?),
            "kind" if members.kind.is_none() => members.kind = Some(scan.text()?),
            "items" | "metadata" | "apiVersion" | "kind" => return None,
            _ => drop(scan.value()?),
        }
        Some(())
    })?;
    scan.end()?;
    Some(members)
}

fn items<'a>(scan: &mut Scan<'a>) -> Option<Vec<&'a str>> {
    let mut items = Items::default();
    if !scan.null() {
        scan.list(|scan| items.push(scan.skip()?))?;
    }
    Some(items.texts)
}

/// The items of a page, as text.
#[derive(Default)]
struct Items<'a> {
    texts: Vec<&'a str>,
    bytes: usize,
}

impl<'a> Items<'a> {
    /// The length of the shortest object with a name.
    const SHORTEST: usize = r#"{"metadata":{"name":"a"}}"#.len();

    /// Number of items that are accepted at any length.
    const MIN_COUNT: usize = 1000;

    /// Adds an item; `None` if the items are too short for objects, and so would take more memory than their text.
    fn push(&mut self, item: &'a str) -> Option<()> {
        self.bytes += item.len();
        self.texts.push(item);
        let fits = self.bytes / Self::SHORTEST >= self.texts.len() || self.texts.len() <= Self::MIN_COUNT;
        fits.then_some(())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Items<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ItemsVisitor)
    }
}

struct ItemsVisitor;

impl<'de> Visitor<'de> for ItemsVisitor {
    type Value = Items<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut items = Items::default();
        while let Some(item) = list.next_element::<&RawValue>()? {
            let fits = items.push(item.get());
            fits.ok_or_else(|| A::Error::custom("the items of the list are too short for objects"))?;
        }
        Ok(items)
    }
}

/// The members of a page, for serde.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw<'a> {
    #[serde(borrow)]
    api_version: Option<Cow<'a, str>>,
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    /// Distinguishes `null`, which old API servers write for no items, from a missing field.
    #[serde(borrow, default, deserialize_with = "present")]
    items: Option<Option<Items<'a>>>,
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
}

impl<'a> Raw<'a> {
    fn into_members(self) -> Members<'a> {
        let items = |items: Option<Items<'a>>| items.unwrap_or_default().texts;
        Members {
            api_version: self.api_version,
            kind: self.kind,
            items: self.items.map(items),
            metadata: self.metadata.map(RawValue::get),
        }
    }
}

fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests;
