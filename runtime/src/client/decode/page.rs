//! Reads a page of a list item by item, without anything in between.

use std::{cell::Cell, fmt, marker::PhantomData};

use kube_core::ListMeta;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{Unusable, explain, text, trimmed::Trimmed};
use crate::client::{
    error::Mismatch,
    expected::{ExpectedTypes, ListHeader, NotExpected, Text},
};

/// A part of a list.
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

/// What becomes of `metadata.managedFields`, often the larger part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ManagedFields {
    Kept,
    Dropped,
}

/// Reads a page, if it says that it is a list of what is expected.
pub(crate) fn page<T: DeserializeOwned>(
    json: &[u8],
    expected: &ExpectedTypes,
    managed_fields: ManagedFields,
) -> Result<Page<T>, Unusable> {
    let json = text(json).map_err(|error| Unusable::Unfit(error.into()))?;
    let read = Cell::new(0);
    let seed = PageSeed {
        managed_fields,
        read: &read,
        items: PhantomData,
    };
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let page = seed.deserialize(&mut deserializer);
    let page = page.and_then(|page| deserializer.end().map(|()| page));
    match page {
        Ok(page) => match page.check(json, expected) {
            Ok(()) => Ok(page),
            Err(mismatch) => Err(Unusable::Unexpected(mismatch)),
        },
        Err(source) => Err(explain_page::<T>(json, expected, read.get(), source)),
    }
}

/// Says what is wrong: it is another list or none, or an item does not fit. `read` is the number of those that do.
fn explain_page<T: DeserializeOwned>(
    json: &str,
    expected: &ExpectedTypes,
    read: usize,
    source: serde_json::Error,
) -> Unusable {
    let page = match serde_json::from_str::<RawPage<'_>>(json) {
        Ok(page) => page,
        // What is no object at all is not worth the words of a parser.
        Err(_) => match expected.check_text(json) {
            Err(NotExpected::Mismatch(mismatch)) => return Unusable::Unexpected(mismatch),
            _ => return Unusable::Unfit(source.into()),
        },
    };
    if let Err(mismatch) = expected.check_list(page.header(), || page.items()) {
        return Unusable::Unexpected(mismatch);
    }
    Unusable::Unfit(match page.items().get(read) {
        Some(item) => explain::<T>(item, source),
        None => source.into(),
    })
}

/// A page whose items are not looked at.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawPage<'a> {
    #[serde(borrow, default)]
    api_version: Option<Text<'a>>,
    #[serde(borrow, default)]
    kind: Option<Text<'a>>,
    #[serde(default)]
    metadata: Option<ListMeta>,
    /// There even if it is `null`.
    #[serde(borrow, default, deserialize_with = "some")]
    items: Option<&'a RawValue>,
}

fn some<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl<'a> RawPage<'a> {
    fn header(&self) -> ListHeader<'_> {
        let metadata = self.metadata.as_ref();
        ListHeader {
            api_version: self.api_version.as_deref(),
            kind: self.kind.as_deref(),
            resource_version: metadata.and_then(|metadata| metadata.resource_version.as_deref()),
            has_items: self.items.is_some(),
        }
    }

    fn items(&self) -> Vec<&'a str> {
        let items = self.items.map_or("null", RawValue::get);
        let items = serde_json::from_str::<Option<Vec<&RawValue>>>(items);
        let items = items.ok().flatten().unwrap_or_default();
        items.into_iter().map(RawValue::get).collect()
    }
}

struct PageSeed<'a, T> {
    managed_fields: ManagedFields,
    /// How many items have been read.
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

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for PageSeed<'_, T> {
    type Value = Page<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Page<T>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for PageSeed<'_, T> {
    type Value = Page<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Page<T>, A::Error> {
        let mut page = Page {
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
                    let items = ItemsSeed {
                        managed_fields: self.managed_fields,
                        read: self.read,
                        items: &mut page.items,
                    };
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

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for ItemsSeed<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ItemsSeed<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("objects")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let item = || ItemSeed {
            managed_fields: self.managed_fields,
            item: PhantomData,
        };
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

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for ItemSeed<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        match self.managed_fields {
            ManagedFields::Kept => T::deserialize(deserializer),
            ManagedFields::Dropped => T::deserialize(Trimmed::object(deserializer)),
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube_core::{DynamicObject, PartialObjectMeta};
    use serde_json::{Value, json};

    use super::{super::Failure, *};

    fn list() -> Value {
        let item = |name: &str| {
            json!({
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {
                    "name": name,
                    "managedFields": [{ "manager": "m", "operation": "Apply", "fieldsV1": { "f:data": {} } }],
                    "labels": { "a\"b": "c" },
                },
                "data": { "metadata": "kept", "managedFields": "kept" },
            })
        };
        json!({
            "apiVersion": "v1",
            "items": [item("a"), item("b")],
            "kind": "ConfigMapList",
            "metadata": { "resourceVersion": "7", "continue": "c", "remainingItemCount": 3 },
        })
    }

    fn configs() -> ExpectedTypes {
        ExpectedTypes::of::<ConfigMap>(&())
    }

    fn read<T: DeserializeOwned>(managed_fields: ManagedFields) -> Page<T> {
        page(list().to_string().as_bytes(), &configs(), managed_fields).unwrap()
    }

    fn unfit(json: &str) -> Failure {
        match page::<ConfigMap>(json.as_bytes(), &configs(), ManagedFields::Dropped) {
            Err(Unusable::Unfit(failure)) => failure,
            other => panic!("{other:?}"),
        }
    }

    fn mismatch(json: &str) -> Mismatch {
        match page::<ConfigMap>(json.as_bytes(), &configs(), ManagedFields::Dropped) {
            Err(Unusable::Unexpected(mismatch)) => mismatch,
            other => panic!("{json}: {other:?}"),
        }
    }

    #[test]
    fn pages_have_items_and_metadata() {
        let page = read::<ConfigMap>(ManagedFields::Kept);
        let names: Vec<_> = page
            .items
            .iter()
            .map(|item| item.metadata.name.as_deref())
            .collect();
        assert_eq!(names, [Some("a"), Some("b")]);
        assert!(page.items[0].metadata.managed_fields.is_some());
        let metadata = page.metadata;
        assert_eq!(metadata.resource_version.as_deref(), Some("7"));
        assert_eq!(metadata.remaining_item_count, Some(3));
    }

    #[test]
    fn only_managed_fields_are_dropped() {
        let kept = read::<ConfigMap>(ManagedFields::Kept).items;
        let dropped = read::<ConfigMap>(ManagedFields::Dropped).items;
        for (mut kept, dropped) in kept.into_iter().zip(dropped) {
            kept.metadata.managed_fields = None;
            assert_eq!(kept, dropped);
        }
    }

    #[test]
    fn types_with_flattened_fields_are_trimmed_too() {
        let objects = read::<DynamicObject>(ManagedFields::Dropped).items;
        assert_eq!(objects[0].metadata.managed_fields, None);
        assert_eq!(objects[0].types.as_ref().unwrap().kind, "ConfigMap");
        assert_eq!(objects[0].data["data"]["managedFields"], "kept");
        let partial = read::<PartialObjectMeta>(ManagedFields::Dropped).items;
        assert_eq!(partial[1].metadata.managed_fields, None);
        assert_eq!(partial[1].metadata.labels.as_ref().unwrap()["a\"b"], "c");
    }

    #[test]
    fn values_are_trimmed_as_text_is() {
        let values = read::<Value>(ManagedFields::Dropped).items;
        let mut whole = list()["items"].take();
        for item in whole.as_array_mut().unwrap() {
            item["metadata"]
                .as_object_mut()
                .unwrap()
                .remove("managedFields");
        }
        assert_eq!(Value::from(values), whole);
    }

    #[test]
    fn a_list_of_nothing_is_empty() {
        for items in ["null", "[]"] {
            let json = format!(
                r#"{{"kind":"ConfigMapList","apiVersion":"v1","items":{items},"metadata":{{"resourceVersion":"7"}}}}"#
            );
            let page = page::<ConfigMap>(json.as_bytes(), &configs(), ManagedFields::Dropped);
            assert!(page.unwrap().items.is_empty());
        }
    }

    #[test]
    fn what_is_no_list_of_the_kind_is_not_taken_for_an_empty_one() {
        for odd in [
            "{}",
            "[]",
            "",
            "ok",
            "<html></html>",
            r#"{"status":"ok"}"#,
            r#"{"kind":"Status","apiVersion":"v1","status":"Failure","code":502}"#,
            r#"{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}"#,
            r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"}}"#,
            r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}"#,
            r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":null,"items":[]}"#,
            r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":""},"items":[]}"#,
            // Nor is one of another kind whose items do not fit.
            r#"{"items":[{"data":{"a":1}}],"kind":"SecretList","apiVersion":"v1","metadata":{}}"#,
        ] {
            mismatch(odd);
        }
    }

    #[test]
    fn the_item_at_fault_is_named() {
        let mut list = list();
        list["items"][1]["data"]["size"] = json!(1);
        list["items"][1]["metadata"]["namespace"] = json!("prod");
        let failure = unfit(&list.to_string());
        assert_eq!(failure.name.as_deref(), Some("b"));
        assert_eq!(failure.namespace.as_deref(), Some("prod"));
        assert_eq!(failure.path.as_deref(), Some("data.size"));
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        let json = list().to_string();
        for end in [0, 1, json.len() / 2, json.len() - 1] {
            let part = &json.as_bytes()[..end];
            assert!(page::<ConfigMap>(part, &configs(), ManagedFields::Dropped).is_err());
        }
        unfit(&json[..json.len() - 1]);
        unfit(&format!("{json}{{"));
    }
}
