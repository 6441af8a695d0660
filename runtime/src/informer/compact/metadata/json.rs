//! Writes metadata as the API server does.

use std::{collections::BTreeMap, sync::Arc};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Serialize, Serializer};

use super::{CompactMetadata, InternedOwner, Pairs, pairs};
use crate::informer::compact::raw_sections::{RawSections, Section};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<BTreeMap<&'a str, &'a str>>,
    #[serde(serialize_with = "write_time", skip_serializing_if = "Option::is_none")]
    creation_timestamp: Option<&'a Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion_grace_period_seconds: Option<i64>,
    #[serde(serialize_with = "write_time", skip_serializing_if = "Option::is_none")]
    deletion_timestamp: Option<&'a Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finalizers: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generate_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<BTreeMap<&'a str, &'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner_references: Option<Vec<WrittenOwner<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    self_link: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenOwner<'a> {
    api_version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    block_owner_deletion: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    controller: Option<bool>,
    kind: &'a str,
    name: &'a str,
    uid: &'a str,
}

/// Writes a time with fractions of seconds, which `Time` itself omits.
fn write_time<S: Serializer>(time: &Option<&Time>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.0).serialize(serializer)
}

impl CompactMetadata {
    /// Returns the JSON of the metadata, including the raw sections.
    pub(in crate::informer::compact) fn to_json(&self, sections: &RawSections) -> String {
        let uncommon = self.uncommon.as_deref();
        let finalizers = self.finalizers.as_deref();
        let owners = self.owners.as_deref();
        let written = Written {
            annotations: map(&self.annotations),
            creation_timestamp: self.created.as_ref(),
            deletion_grace_period_seconds: uncommon.and_then(|uncommon| uncommon.deletion_grace_period_seconds),
            deletion_timestamp: uncommon.and_then(|uncommon| uncommon.deleted.as_ref()),
            finalizers: finalizers.map(|interner| interner.iter().map(Arc::as_ref).collect()),
            generate_name: uncommon.and_then(|uncommon| uncommon.generate_name.as_deref()),
            generation: self.generation,
            labels: map(&self.labels),
            name: sections.get(Section::Name),
            namespace: self.namespace.as_deref(),
            owner_references: owners.map(|owners| owners.iter().map(Into::into).collect()),
            resource_version: sections.get(Section::ResourceVersion),
            self_link: uncommon.and_then(|uncommon| uncommon.self_link.as_deref()),
            uid: sections.get(Section::Uid),
        };
        serde_json::to_string(&written).expect("strings and numbers can be serialized")
    }
}

fn map(from: &Option<Pairs>) -> Option<BTreeMap<&str, &str>> {
    from.is_some().then(|| pairs(from).collect())
}

impl<'a> From<&'a InternedOwner> for WrittenOwner<'a> {
    fn from(owner: &'a InternedOwner) -> Self {
        Self {
            api_version: &owner.api_version,
            block_owner_deletion: owner.block_owner_deletion,
            controller: owner.controller,
            kind: &owner.kind,
            name: &owner.name,
            uid: &owner.uid,
        }
    }
}
