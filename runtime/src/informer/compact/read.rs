//! Decodes compact objects.

use std::{borrow::Cow, collections::BTreeMap, fmt, marker::PhantomData, sync::atomic::AtomicBool};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, Visitor},
};
use serde_json::{Value, value::RawValue};

use super::{
    Compact,
    interner::{self, Interner},
    metadata::Scanned,
    part::LazyPart,
    raw_sections::RawSections,
};
use crate::{
    client::decode::without_managed_fields::WithoutManagedFields, informer::decode::Scan,
    serde::object_text::OBJECT_TEXT,
};

/// Typical length of the members other than metadata, spec and status, which are mostly an apiVersion and a kind.
const TYPICAL_LEN: usize = 128;

impl<'de, K> Deserialize<'de> for Compact<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(OBJECT_TEXT, CompactVisitor(PhantomData))
    }
}

struct CompactVisitor<K>(PhantomData<fn() -> K>);

impl<'de, K> Visitor<'de> for CompactVisitor<K> {
    type Value = Compact<K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    /// Decodes the text that an informer passes.
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Compact<K>, E> {
        from_text(text)
    }

    /// Decodes from any other deserializer.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Compact<K>, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Compact<K>, A::Error> {
        let (mut metadata, mut members) = (None, BTreeMap::new());
        while let Some(key) = map.next_key::<String>()? {
            if key == "metadata" {
                metadata = Some(map.next_value_seed(WithoutManagedFields::metadata(PhantomData))?);
            } else {
                members.insert(key, map.next_value::<Value>()?);
            }
        }
        let metadata = metadata.ok_or_else(|| Error::missing_field("metadata"))?;
        let mut part = |key| members.remove(key).map(|value| value.to_string());
        let (spec, status) = (part("spec"), part("status"));
        interner::with(|interner| {
            let mut object = Members {
                metadata: Scanned::new(metadata, interner),
                spec: spec.as_deref(),
                status: status.as_deref(),
                other_members: String::new(),
            };
            for (key, value) in members {
                object.add(&[&Value::from(key).to_string(), ":", &value.to_string()]);
            }
            object.into_compact(interner).ok_or_else(too_large)
        })
    }
}

fn too_large<E: Error>() -> E {
    E::custom("the object is too large")
}

fn from_text<K, E: Error>(text: &str) -> Result<Compact<K>, E> {
    interner::with(|interner| {
        let object = match Members::scan(text, interner) {
            Some(members) => members.into_compact(interner),
            None => Members::read(text, interner).map_err(E::custom)?.into_compact(interner),
        };
        object.ok_or_else(too_large)
    })
}

/// The members of an object.
#[derive(Default)]
struct Members<'a> {
    metadata: Scanned<'a>,
    spec: Option<&'a str>,
    status: Option<&'a str>,
    /// All other members, separated by commas.
    other_members: String,
}

impl<'a> Members<'a> {
    /// Scans the text. If this succeeds, all of the text is valid.
    fn scan(text: &'a str, interner: &mut Interner) -> Option<Self> {
        let mut members = Self::default();
        let mut metadata = None;
        let mut scan = Scan::new(text);
        scan.object(|scan, key| {
            match key {
                "metadata" if metadata.is_none() => metadata = Some(Scanned::read(scan, interner)?),
                "spec" if members.spec.is_none() => members.spec = Some(scan.value()?),
                "status" if members.status.is_none() => members.status = Some(scan.value()?),
                "metadata" | "spec" | "status" => return None,
                _ => members.add(&["\"", key, "\":", scan.value()?]),
            }
            Some(())
        })?;
        scan.end()?;
        members.metadata = metadata?;
        Some(members)
    }

    /// Reads the text with serde_json: the last one of repeated keys counts, and unknown fields of the metadata may be
    /// nested to any depth.
    fn read(text: &'a str, interner: &mut Interner) -> Result<Self, serde_json::Error> {
        let mut members = Self::default();
        let mut members_by_key: BTreeMap<Cow<'a, str>, &'a RawValue> = serde_json::from_str(text)?;
        let metadata = members_by_key.remove("metadata").ok_or_else(|| Error::missing_field("metadata"))?;
        let mut json = serde_json::Deserializer::from_str(metadata.get());
        let metadata = WithoutManagedFields::metadata(PhantomData).deserialize(&mut json)?;
        members.metadata = Scanned::new(metadata, interner);
        members.spec = members_by_key.remove("spec").map(RawValue::get);
        members.status = members_by_key.remove("status").map(RawValue::get);
        for (key, value) in members_by_key {
            members.add(&[&Value::from(key).to_string(), ":", value.get()]);
        }
        Ok(members)
    }

    fn add(&mut self, member: &[&str]) {
        if self.other_members.is_empty() {
            self.other_members.reserve(TYPICAL_LEN);
        } else {
            self.other_members.push(',');
        }
        self.other_members.extend(member.iter().copied());
    }

    fn into_compact<K>(self, interner: &mut Interner) -> Option<Compact<K>> {
        let metadata = self.metadata;
        Some(Compact {
            sections: RawSections::new([
                metadata.name.as_deref(),
                metadata.uid.as_deref(),
                metadata.resource_version.as_deref(),
                self.spec,
                self.status,
            ])?,
            metadata: metadata.metadata,
            other_members: interner.intern(&self.other_members),
            spec: LazyPart::default(),
            status: LazyPart::default(),
            has_failed: AtomicBool::new(false),
            kind: PhantomData,
        })
    }
}
