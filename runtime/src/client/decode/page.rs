//! Reads a page of a list item by item, without anything in between.

use std::{fmt, marker::PhantomData};

use kube_core::ListMeta;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{Failure, explain, text, trimmed::Trimmed};

/// A part of a list.
#[derive(Debug)]
pub(crate) struct Page<T> {
    pub(crate) metadata: ListMeta,
    pub(crate) items: Vec<T>,
}

/// What becomes of `metadata.managedFields`, often the larger part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ManagedFields {
    Kept,
    Dropped,
}

/// Reads a page.
pub(crate) fn page<T: DeserializeOwned>(
    json: &[u8],
    managed_fields: ManagedFields,
) -> Result<Page<T>, Failure> {
    let seed = PageSeed {
        managed_fields,
        items: PhantomData,
    };
    let json = text(json)?;
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let page = seed.deserialize(&mut deserializer);
    let page = page.and_then(|page| deserializer.end().map(|()| page));
    page.map_err(|source| explain_page::<T>(json, source))
}

/// Looks for the item at fault.
fn explain_page<T: DeserializeOwned>(json: &str, source: serde_json::Error) -> Failure {
    #[derive(Deserialize)]
    struct RawPage<'a> {
        #[serde(borrow)]
        items: Vec<&'a RawValue>,
    }
    let items = serde_json::from_str::<RawPage<'_>>(json).map(|page| page.items);
    let failures = items.unwrap_or_default().into_iter().filter_map(|item| {
        let error = serde_json::from_str::<T>(item.get()).err()?;
        Some(explain::<T>(item.get(), error))
    });
    let mut failures = failures;
    failures
        .next()
        .unwrap_or_else(|| explain::<IgnoredAny>(json, source))
}

struct PageSeed<T> {
    managed_fields: ManagedFields,
    items: PhantomData<T>,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Key {
    Metadata,
    Items,
    #[serde(other)]
    Other,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for PageSeed<T> {
    type Value = Page<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Page<T>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for PageSeed<T> {
    type Value = Page<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Page<T>, A::Error> {
        let mut page = Page {
            metadata: ListMeta::default(),
            items: Vec::new(),
        };
        while let Some(key) = map.next_key()? {
            match key {
                Key::Metadata => page.metadata = map.next_value()?,
                Key::Items => {
                    let items = ItemsSeed {
                        managed_fields: self.managed_fields,
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

    use super::*;

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

    fn read<T: DeserializeOwned>(managed_fields: ManagedFields) -> Page<T> {
        page(list().to_string().as_bytes(), managed_fields).unwrap()
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
        for json in [r#"{"items":null}"#, r#"{"items":[]}"#, "{}"] {
            let page = page::<ConfigMap>(json.as_bytes(), ManagedFields::Dropped).unwrap();
            assert!(page.items.is_empty());
        }
    }

    #[test]
    fn the_item_at_fault_is_named() {
        let mut list = list();
        list["items"][1]["data"]["size"] = json!(1);
        list["items"][1]["metadata"]["namespace"] = json!("prod");
        let json = list.to_string();
        let failure = page::<ConfigMap>(json.as_bytes(), ManagedFields::Dropped).unwrap_err();
        assert_eq!(failure.name.as_deref(), Some("b"));
        assert_eq!(failure.namespace.as_deref(), Some("prod"));
        assert_eq!(failure.path.as_deref(), Some("data.size"));
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        let json = list().to_string();
        for end in [0, 1, json.len() / 2, json.len() - 1] {
            assert!(page::<ConfigMap>(&json.as_bytes()[..end], ManagedFields::Dropped).is_err());
        }
        let longer = format!("{json}{{");
        assert!(page::<ConfigMap>(longer.as_bytes(), ManagedFields::Dropped).is_err());
    }
}
