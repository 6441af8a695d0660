//! Checks the effects of schema changes on existing objects.

use std::{collections::BTreeMap, fmt::Write as _, pin::pin};

use futures_util::TryStreamExt;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion as Version,
};
use kube_core::{ApiResource, GroupVersionKind};
use serde_json::Value;

use super::{DataLoss, Install, InstallError, Objects};
use crate::{
    client::{dynamic::Unstructured, error::Error, list::ListRequest},
    crd::{
        compare::{Audience, Change, Check, Difference, Pruning, differences, has_conversion},
        crd_accessors::{read, schema, storage_version, stored_versions},
    },
};

impl Install {
    /// Returns what the objects of a definition would lose under the new schemas. The objects are read only if a change
    /// could affect them.
    pub(super) async fn losses_of_objects(
        &self,
        present: &CustomResourceDefinition,
        desired: &CustomResourceDefinition,
    ) -> Result<Vec<DataLoss>, InstallError> {
        let mut losses = Vec::new();
        if !is_established(present) {
            return Ok(losses); // It was never served, so it has no objects.
        }
        let mut to_read: BTreeMap<String, Vec<Comparison>> = BTreeMap::new();
        for comparison in comparisons(present, desired) {
            match readable_version(present, &comparison.old) {
                Some(version) => to_read.entry(version).or_default().push(comparison),
                None => {
                    let reason = format!("version `{}` is not served", comparison.old);
                    losses.push(comparison.unverified(present, reason));
                }
            }
        }
        for (version, comparisons) in to_read {
            let list = self.list(present, &version);
            match tally(list, &comparisons).await {
                Ok(tallies) => losses.extend(found(present, &comparisons, tallies)),
                Err(error @ (Error::Forbidden(_) | Error::NotServed(_))) => {
                    let unverified = |it: &Comparison| it.unverified(present, error.to_string());
                    losses.extend(comparisons.iter().map(unverified));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(losses)
    }

    fn list(&self, crd: &CustomResourceDefinition, version: &str) -> ListRequest<Unstructured> {
        let spec = &crd.spec;
        let kind = GroupVersionKind::gvk(&spec.group, version, &spec.names.kind);
        let kind = ApiResource::from_gvk_with_plural(&kind, &spec.names.plural);
        let objects = self.client.resources_with::<Unstructured>(kind);
        let names = read::names(&spec.names);
        let list_kind = crdkit_core::rules::names::list_kind(&names);
        objects.list_kind(&list_kind).all_namespaces().list()
    }
}

/// The schema changes that are checked against the objects.
struct Comparison {
    /// The version whose schema the objects have.
    old: String,
    /// The version whose schema the objects will have.
    new: String,
    differences: Vec<Difference>,
}

impl Comparison {
    fn unverified(&self, crd: &CustomResourceDefinition, reason: String) -> DataLoss {
        let changes = self.differences.iter().map(|it| it.change.clone());
        DataLoss::Unverified {
            crd: crd.metadata.name.clone().unwrap_or_default(),
            version: self.new.clone(),
            changes: changes.collect(),
            reason,
        }
    }
}

/// Returns the comparison of each version that is served or stored with its new schema, and of the storage version with
/// the new storage version.
fn comparisons(present: &CustomResourceDefinition, desired: &CustomResourceDefinition) -> Vec<Comparison> {
    let find = |name: &str| desired.spec.versions.iter().find(|new| new.name == name);
    let is_used = |old: &Version, new: &Version| {
        let is_stored = stored_versions(present).any(|stored| *stored == old.name);
        (old.served && new.served) || old.storage || is_stored
    };
    let all = present.spec.versions.iter();
    let mut pairs: Vec<_> =
        all.filter_map(|old| Some((old, find(&old.name)?))).filter(|(old, new)| is_used(old, new)).collect();
    if let (Some(old), Some(new)) = (storage_version(present), storage_version(desired))
        && old.name != new.name
        && !has_conversion(desired)
    {
        pairs.push((old, new));
    }
    let pruning = Pruning::between(present, desired);
    let compared = pairs.into_iter().filter_map(|(old, new)| {
        let mut differences = differences(schema(old)?, schema(new)?, pruning);
        differences.retain(|it| it.change.affects().contains(&Audience::StoredObjects));
        (!differences.is_empty()).then(|| Comparison { old: old.name.clone(), new: new.name.clone(), differences })
    });
    compared.collect()
}

/// Returns the version through which objects with the schema of a version are read. Without a conversion, any version
/// will do.
fn readable_version(crd: &CustomResourceDefinition, version: &str) -> Option<String> {
    let served = || crd.spec.versions.iter().filter(|version| version.served);
    let itself = served().find(|served| served.name == version);
    let other = || {
        let stored = served().find(|served| served.storage);
        stored.or(served().next()).filter(|_| !has_conversion(crd))
    };
    itself.or_else(other).map(|version| version.name.clone())
}

fn is_established(crd: &CustomResourceDefinition) -> bool {
    let status = crd.status.iter();
    let mut conditions = status.flat_map(|status| status.conditions.iter().flatten());
    conditions.any(|condition| condition.type_ == "Established" && condition.status == "True")
}

/// The objects that a change affects.
#[derive(Clone, Default)]
struct Tally {
    count: usize,
    example: String,
}

impl Tally {
    fn add(&mut self, object: &Unstructured) {
        if self.count == 0 {
            self.example = name(object);
        }
        self.count += 1;
    }
}

fn name(object: &Unstructured) -> String {
    let mut text = String::new();
    if let Some(namespace) = &object.metadata.namespace {
        let _ = write!(text, "{namespace}/");
    }
    text + object.metadata.name.as_deref().unwrap_or_default()
}

/// Returns the effects of each change on the objects of a list.
async fn tally(list: ListRequest<Unstructured>, comparisons: &[Comparison]) -> Result<Vec<Tally>, Error> {
    match tally_once(list.clone(), comparisons).await {
        Err(error) if error.is_expired() => tally_once(list.page_size(u32::MAX), comparisons).await,
        result => result,
    }
}

async fn tally_once(list: ListRequest<Unstructured>, comparisons: &[Comparison]) -> Result<Vec<Tally>, Error> {
    let all = || comparisons.iter().flat_map(|it| &it.differences);
    let mut tallies = vec![Tally::default(); all().count()];
    let mut objects = pin!(list.stream());
    while let Some(mut object) = objects.try_next().await? {
        let mut members = std::mem::take(&mut object.fields);
        members.extend(object.status.take().map(|status| ("status".to_owned(), status)));
        let value = Value::Object(members);
        for (tally, difference) in tallies.iter_mut().zip(all()) {
            if difference.affects(&value) {
                tally.add(&object);
            }
        }
    }
    Ok(tallies)
}

fn found(crd: &CustomResourceDefinition, comparisons: &[Comparison], tallies: Vec<Tally>) -> Vec<DataLoss> {
    let all = comparisons.iter().flat_map(|comparison| {
        let differences = comparison.differences.iter();
        differences.map(|difference| (&comparison.new, &difference.change))
    });
    let found = all.zip(tallies).filter(|(_, tally)| tally.count > 0);
    found.map(|((version, change), tally)| loss(crd, version, change, tally)).collect()
}

fn loss(crd: &CustomResourceDefinition, version: &str, change: &Change, tally: Tally) -> DataLoss {
    let crd = crd.metadata.name.clone().unwrap_or_default();
    let (version, path) = (version.to_owned(), change.path.clone());
    let objects = Objects { count: tally.count, example: tally.example };
    let [from, to] = [&change.from, &change.to].map(|it| it.clone().unwrap_or_else(|| "none".to_owned()));
    match change.check {
        Check::ExistingFieldRemoval => DataLoss::Field { crd, version, path, objects },
        Check::Required => DataLoss::Required { crd, version, path, objects },
        Check::Type => DataLoss::Type { crd, version, path, from, to, objects },
        check => {
            let keyword = check.keyword().unwrap_or(check.name());
            DataLoss::Narrowed { crd, version, path, keyword, from, to, objects }
        }
    }
}
