//! Splits pages of lists into items.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{Malformed, scan::Scan};
use crate::client::response_kind::ListHeader;

/// A page of a list, with undecoded items.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page<'a> {
    pub(crate) api_version: Option<Cow<'a, str>>,
    pub(crate) kind: Option<Cow<'a, str>>,
    /// `None` if the field is missing. Old API servers write `null` for an empty list.
    pub(crate) items: Option<Vec<&'a str>>,
    /// The token for the next page, if there is one.
    pub(crate) continue_token: Option<String>,
    pub(crate) resource_version: Option<String>,
}

impl Page<'_> {
    /// Returns the type and metadata of the list.
    pub(crate) fn header(&self) -> ListHeader<'_> {
        ListHeader {
            api_version: self.api_version.as_deref(),
            kind: self.kind.as_deref(),
            resource_version: self.resource_version.as_deref(),
            has_items: self.items.is_some(),
        }
    }
}

/// Splits a page into its items.
///
/// # Errors
///
/// Fails if the page is not a JSON object, or an item is not terminated. Other errors within an item are found when it
/// is decoded.
pub(crate) fn page(json: &str) -> Result<Page<'_>, Malformed> {
    let members = match scan_members(json) {
        Some(members) => members,
        None => serde_json::from_str::<Raw<'_>>(json)?.into_members(),
    };
    let metadata =
        serde_json::from_str::<Option<ListMetadata<'_>>>(members.metadata.unwrap_or("null"))?.unwrap_or_default();
    Ok(Page {
        api_version: members.api_version,
        kind: members.kind,
        items: members.items,
        continue_token: non_empty(metadata.continue_token),
        resource_version: non_empty(metadata.resource_version),
    })
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

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListMetadata<'a> {
    #[serde(borrow, rename = "continue")]
    continue_token: Option<Cow<'a, str>>,
    #[serde(borrow)]
    resource_version: Option<Cow<'a, str>>,
}

fn non_empty(text: Option<Cow<'_, str>>) -> Option<String> {
    text.filter(|text| !text.is_empty()).map(Cow::into_owned)
}

#[cfg(test)]
mod tests;
