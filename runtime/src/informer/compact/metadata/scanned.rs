//! Reads metadata by scanning the text.

use std::{borrow::Cow, sync::Arc};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use serde::de::DeserializeOwned;

use super::{CompactMetadata, InternedOwner, Interner, Pairs, UncommonFields};
use crate::informer::decode::Scan;

/// Metadata, and the fields of it that go into the raw sections.
#[derive(Default)]
pub(in crate::informer::compact) struct Scanned<'a> {
    pub(in crate::informer::compact) metadata: CompactMetadata,
    pub(in crate::informer::compact) name: Option<Cow<'a, str>>,
    pub(in crate::informer::compact) uid: Option<Cow<'a, str>>,
    pub(in crate::informer::compact) resource_version: Option<Cow<'a, str>>,
}

impl<'a> Scanned<'a> {
    pub(in crate::informer::compact) fn new(mut meta: ObjectMeta, interner: &mut Interner) -> Self {
        Self {
            name: meta.name.take().map(Cow::Owned),
            uid: meta.uid.take().map(Cow::Owned),
            resource_version: meta.resource_version.take().map(Cow::Owned),
            metadata: CompactMetadata::new(meta, interner),
        }
    }

    pub(in crate::informer::compact) fn read(scan: &mut Scan<'a>, interner: &mut Interner) -> Option<Self> {
        let mut scanned = Self::default();
        let mut uncommon = UncommonFields::default();
        scan.object(|scan, key| {
            let Self { metadata, .. } = &mut scanned;
            match key {
                "annotations" => metadata.annotations = non_null(scan, |scan| pairs(scan, interner))?,
                "creationTimestamp" => metadata.created = non_null(scan, time)?,
                "deletionGracePeriodSeconds" => {
                    uncommon.deletion_grace_period_seconds = non_null(scan, decoded)?;
                }
                "deletionTimestamp" => uncommon.deleted = non_null(scan, time)?,
                "finalizers" => metadata.finalizers = non_null(scan, |scan| list(scan, interner))?,
                "generateName" => uncommon.generate_name = non_null(scan, boxed)?,
                "generation" => metadata.generation = non_null(scan, decoded)?,
                "labels" => metadata.labels = non_null(scan, |scan| pairs(scan, interner))?,
                "name" => scanned.name = non_null(scan, Scan::text)?,
                "namespace" => metadata.namespace = non_null(scan, |scan| shared(scan, interner))?,
                "ownerReferences" => metadata.owners = non_null(scan, |scan| owners(scan, interner))?,
                "resourceVersion" => scanned.resource_version = non_null(scan, Scan::text)?,
                "selfLink" => uncommon.self_link = non_null(scan, boxed)?,
                "uid" => scanned.uid = non_null(scan, Scan::text)?,
                _ => drop(scan.value()?),
            }
            Some(())
        })?;
        scanned.metadata.uncommon = uncommon.boxed();
        Some(scanned)
    }
}

/// Reads a value; `Some(None)` if it is `null`.
fn non_null<'a, T>(scan: &mut Scan<'a>, read: impl FnOnce(&mut Scan<'a>) -> Option<T>) -> Option<Option<T>> {
    if scan.null() {
        return Some(None);
    }
    read(scan).map(Some)
}

fn decoded<T: DeserializeOwned>(scan: &mut Scan<'_>) -> Option<T> {
    serde_json::from_str(scan.value()?).ok()
}

fn time(scan: &mut Scan<'_>) -> Option<Time> {
    scan.text()?.parse().ok().map(Time)
}

fn boxed(scan: &mut Scan<'_>) -> Option<Box<str>> {
    scan.text().map(Into::into)
}

fn shared(scan: &mut Scan<'_>, interner: &mut Interner) -> Option<Arc<str>> {
    Some(interner.intern(&scan.text()?))
}

fn list(scan: &mut Scan<'_>, interner: &mut Interner) -> Option<Box<[Arc<str>]>> {
    let mut list = Vec::new();
    scan.list(|scan| {
        list.push(shared(scan, interner)?);
        Some(())
    })?;
    Some(list.into())
}

fn pairs(scan: &mut Scan<'_>, interner: &mut Interner) -> Option<Pairs> {
    let mut pairs: Vec<(Arc<str>, Arc<str>)> = Vec::new();
    let mut is_sorted = true;
    scan.object(|scan, key| {
        is_sorted &= pairs.last().is_none_or(|(last, _)| **last < *key);
        pairs.push((interner.intern(key), shared(scan, interner)?));
        Some(())
    })?;
    // Unsorted maps and repeated keys are left to serde.
    is_sorted.then(|| pairs.into())
}

fn owners(scan: &mut Scan<'_>, interner: &mut Interner) -> Option<Box<[InternedOwner]>> {
    let mut owners = Vec::new();
    scan.list(|scan| {
        owners.push(owner(scan, interner)?);
        Some(())
    })?;
    Some(owners.into())
}

fn owner(scan: &mut Scan<'_>, interner: &mut Interner) -> Option<InternedOwner> {
    let (mut api_version, mut kind, mut name, mut uid) = (None, None, None, None);
    let (mut controller, mut block_owner_deletion) = (None, None);
    scan.object(|scan, key| {
        match key {
            "apiVersion" => api_version = Some(shared(scan, interner)?),
            "blockOwnerDeletion" => block_owner_deletion = non_null(scan, decoded)?,
            "controller" => controller = non_null(scan, decoded)?,
            "kind" => kind = Some(shared(scan, interner)?),
            "name" => name = Some(shared(scan, interner)?),
            "uid" => uid = Some(shared(scan, interner)?),
            _ => drop(scan.value()?),
        }
        Some(())
    })?;
    Some(InternedOwner {
        api_version: api_version?,
        kind: kind?,
        name: name?,
        uid: uid?,
        controller,
        block_owner_deletion,
    })
}
