//! Reads metadata by scanning the text.

use std::{borrow::Cow, sync::Arc};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use serde::de::DeserializeOwned;

use super::{Interner, Metadata, OwnerTexts, Pairs, UncommonFields};
use crate::informer::decode::Scan;

/// Metadata, and the fields of it that go into the raw sections.
#[derive(Default)]
pub(in crate::informer::compact) struct Scanned<'a> {
    pub(in crate::informer::compact) metadata: Metadata,
    pub(in crate::informer::compact) name: Option<Cow<'a, str>>,
    pub(in crate::informer::compact) uid: Option<Cow<'a, str>>,
    pub(in crate::informer::compact) resource_version: Option<Cow<'a, str>>,
}

impl<'a> Scanned<'a> {
    pub(in crate::informer::compact) fn new(mut meta: ObjectMeta, texts: &mut Interner) -> Self {
        Self {
            name: meta.name.take().map(Cow::Owned),
            uid: meta.uid.take().map(Cow::Owned),
            resource_version: meta.resource_version.take().map(Cow::Owned),
            metadata: Metadata::new(meta, texts),
        }
    }

    pub(in crate::informer::compact) fn read(
        scan: &mut Scan<'a>,
        texts: &mut Interner,
    ) -> Option<Self> {
        let mut scanned = Self::default();
        let mut uncommon = UncommonFields::default();
        scan.object(|scan, key| {
            let Self { metadata, .. } = &mut scanned;
            match key {
                "annotations" => metadata.annotations = given(scan, |scan| pairs(scan, texts))?,
                "creationTimestamp" => metadata.created = given(scan, time)?,
                "deletionGracePeriodSeconds" => {
                    uncommon.deletion_grace_period_seconds = given(scan, decoded)?;
                }
                "deletionTimestamp" => uncommon.deleted = given(scan, time)?,
                "finalizers" => metadata.finalizers = given(scan, |scan| list(scan, texts))?,
                "generateName" => uncommon.generate_name = given(scan, boxed)?,
                "generation" => metadata.generation = given(scan, decoded)?,
                "labels" => metadata.labels = given(scan, |scan| pairs(scan, texts))?,
                "name" => scanned.name = given(scan, Scan::text)?,
                "namespace" => metadata.namespace = given(scan, |scan| shared(scan, texts))?,
                "ownerReferences" => metadata.owners = given(scan, |scan| owners(scan, texts))?,
                "resourceVersion" => scanned.resource_version = given(scan, Scan::text)?,
                "selfLink" => uncommon.self_link = given(scan, boxed)?,
                "uid" => scanned.uid = given(scan, Scan::text)?,
                _ => drop(scan.value()?),
            }
            Some(())
        })?;
        scanned.metadata.uncommon = uncommon.boxed();
        Some(scanned)
    }
}

/// Reads a value; `Some(None)` if it is `null`.
fn given<'a, T>(
    scan: &mut Scan<'a>,
    read: impl FnOnce(&mut Scan<'a>) -> Option<T>,
) -> Option<Option<T>> {
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

fn shared(scan: &mut Scan<'_>, texts: &mut Interner) -> Option<Arc<str>> {
    Some(texts.share(&scan.text()?))
}

fn list(scan: &mut Scan<'_>, texts: &mut Interner) -> Option<Box<[Arc<str>]>> {
    let mut list = Vec::new();
    scan.list(|scan| {
        list.push(shared(scan, texts)?);
        Some(())
    })?;
    Some(list.into())
}

fn pairs(scan: &mut Scan<'_>, texts: &mut Interner) -> Option<Pairs> {
    let mut pairs: Vec<(Arc<str>, Arc<str>)> = Vec::new();
    let mut is_sorted = true;
    scan.object(|scan, key| {
        is_sorted &= pairs.last().is_none_or(|(last, _)| **last < *key);
        pairs.push((texts.share(key), shared(scan, texts)?));
        Some(())
    })?;
    // Unsorted maps and repeated keys are left to serde.
    is_sorted.then(|| pairs.into())
}

fn owners(scan: &mut Scan<'_>, texts: &mut Interner) -> Option<Box<[OwnerTexts]>> {
    let mut owners = Vec::new();
    scan.list(|scan| {
        owners.push(owner(scan, texts)?);
        Some(())
    })?;
    Some(owners.into())
}

fn owner(scan: &mut Scan<'_>, texts: &mut Interner) -> Option<OwnerTexts> {
    let (mut api_version, mut kind, mut name, mut uid) = (None, None, None, None);
    let (mut controller, mut block_owner_deletion) = (None, None);
    scan.object(|scan, key| {
        match key {
            "apiVersion" => api_version = Some(shared(scan, texts)?),
            "blockOwnerDeletion" => block_owner_deletion = given(scan, decoded)?,
            "controller" => controller = given(scan, decoded)?,
            "kind" => kind = Some(shared(scan, texts)?),
            "name" => name = Some(shared(scan, texts)?),
            "uid" => uid = Some(shared(scan, texts)?),
            _ => drop(scan.value()?),
        }
        Some(())
    })?;
    Some(OwnerTexts {
        api_version: api_version?,
        kind: kind?,
        name: name?,
        uid: uid?,
        controller,
        block_owner_deletion,
    })
}
