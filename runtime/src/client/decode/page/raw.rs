//! A page with undecoded items.

use std::{fmt, marker::PhantomData};

use kube_core::{ListMeta, Resource};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, DeserializeSeed, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{ItemSeed, ManagedFields, Page, nameless_item};
use crate::{
    client::{
        decode::{Failure, ResponseError, depth, explain, has_name},
        response_kind::{ExpectedTypes, ListHeader, NotExpected},
    },
    json::cow_str::CowStr,
};

/// A page with undecoded items.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawPage<'a> {
    #[serde(borrow, default)]
    api_version: Option<CowStr<'a>>,
    #[serde(borrow, default)]
    kind: Option<CowStr<'a>>,
    #[serde(default)]
    metadata: Option<ListMeta>,
    /// Present even if it is `null`.
    #[serde(borrow, default, deserialize_with = "some")]
    items: Option<&'a RawValue>,
}

fn some<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl<'a> RawPage<'a> {
    /// Parses a list, after checking that it is of the expected kind.
    pub(super) fn read(json: &'a str, expected: &ExpectedTypes) -> Result<Self, ResponseError> {
        let page: Self = match serde_json::from_str(json) {
            Ok(page) => page,
            // A parser error would be useless for input that is not an object.
            Err(error) => match expected.check_text(json) {
                Err(NotExpected::Mismatch(mismatch)) => {
                    return Err(ResponseError::Unexpected(mismatch));
                }
                _ => return Err(Failure::from(error).into()),
            },
        };
        match expected.check_list(page.header(), || page.items()) {
            Ok(()) => Ok(page),
            Err(mismatch) => Err(ResponseError::Unexpected(mismatch)),
        }
    }

    /// Decodes the items one by one: each may be nested as deeply as an object outside a list.
    pub(super) fn decode<T: Resource + DeserializeOwned>(
        self,
        expected: &ExpectedTypes,
        managed_fields: ManagedFields,
        depth: usize,
    ) -> Result<Page<T>, ResponseError> {
        let read = |json: &str| {
            if !has_name(json) {
                return Err(nameless_item(expected));
            }
            depth::check(json, depth)?;
            let seed = ItemSeed { managed_fields, item: PhantomData };
            let mut deserializer = serde_json::Deserializer::from_str(json);
            let item = seed.deserialize(&mut deserializer);
            item.map_err(|source| explain::<T>(json, source).named(json).into())
        };
        let items = self.items().into_iter().map(read).collect::<Result<_, ResponseError>>()?;
        Ok(Page {
            api_version: self.api_version.map(|CowStr(text)| text.into_owned()),
            kind: self.kind.map(|CowStr(text)| text.into_owned()),
            has_items: self.items.is_some(),
            metadata: self.metadata.unwrap_or_default(),
            items,
        })
    }

    fn header(&self) -> ListHeader<'_> {
        let metadata = self.metadata.as_ref();
        ListHeader {
            api_version: self.api_version.as_deref(),
            kind: self.kind.as_deref(),
            resource_version: metadata.and_then(|metadata| metadata.resource_version.as_deref()),
            has_items: self.items.is_some(),
        }
    }

    /// Returns the items up to the first without a name. The rest is not needed.
    pub(super) fn items(&self) -> Vec<&'a str> {
        let items = self.items.map_or("null", RawValue::get);
        let mut named = NamedItems(Vec::new());
        // An error ends the required part.
        let _ = serde_json::Deserializer::from_str(items).deserialize_any(&mut named);
        named.0
    }
}

/// Items, of which the last may lack a name.
struct NamedItems<'a>(Vec<&'a str>);

impl<'de> Visitor<'de> for &mut NamedItems<'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(item) = seq.next_element::<&RawValue>()? {
            self.0.push(item.get());
            if !has_name(item.get()) {
                break;
            }
        }
        Ok(())
    }
}
