//! Splits lists into items.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Malformed, scan::Scan};

/// A part of a list, its items not decoded.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page<'a> {
    pub(crate) items: Vec<&'a str>,
    /// How to ask for the next part, where there is one.
    pub(crate) continue_token: Option<String>,
    pub(crate) resource_version: Option<String>,
}

/// Splits the answer of a list.
///
/// # Errors
///
/// If it is no JSON object, or items do not end. Otherwise what is wrong within an item is left for who decodes it.
pub(crate) fn page(json: &str) -> Result<Page<'_>, Malformed> {
    let parts = match quick(json) {
        Some(parts) => parts,
        None => serde_json::from_str::<Raw<'_>>(json)?.into_parts(),
    };
    let metadata: Option<Metadata<'_>> = serde_json::from_str(parts.metadata.unwrap_or("null"))?;
    let metadata = metadata.unwrap_or_default();
    Ok(Page {
        items: parts.items.unwrap_or_default(),
        continue_token: given(metadata.continue_token),
        resource_version: given(metadata.resource_version),
    })
}

#[derive(Default)]
struct Parts<'a> {
    items: Option<Vec<&'a str>>,
    metadata: Option<&'a str>,
}

fn quick(json: &str) -> Option<Parts<'_>> {
    let mut parts = Parts::default();
    let mut scan = Scan::new(json);
    scan.object(|scan, key| {
        match key {
            "items" if parts.items.is_none() => parts.items = Some(items(scan)?),
            "metadata" if parts.metadata.is_none() => parts.metadata = Some(scan.skip()?),
            "items" | "metadata" => return None,
            _ => drop(scan.value()?),
        }
        Some(())
    })?;
    scan.end()?;
    Some(parts)
}

fn items<'a>(scan: &mut Scan<'a>) -> Option<Vec<&'a str>> {
    let mut items = Vec::new();
    if !scan.null() {
        scan.list(|scan| {
            items.push(scan.skip()?);
            Some(())
        })?;
    }
    Some(items)
}

/// Those of the whole list that serde understands.
#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
}

impl<'a> Raw<'a> {
    fn into_parts(self) -> Parts<'a> {
        let items = self.items.into_iter().flatten();
        Parts {
            items: Some(items.map(RawValue::get).collect()),
            metadata: self.metadata.map(RawValue::get),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    #[serde(borrow, rename = "continue")]
    continue_token: Option<Cow<'a, str>>,
    #[serde(borrow)]
    resource_version: Option<Cow<'a, str>>,
}

fn given(text: Option<Cow<'_, str>>) -> Option<String> {
    text.filter(|text| !text.is_empty()).map(Cow::into_owned)
}

#[cfg(test)]
mod tests;
