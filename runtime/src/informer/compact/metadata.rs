//! The metadata of compact objects.

mod json;
mod scanned;

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference, Time};

use super::interner::Interner;
use crate::informer::Owner;

pub(super) use scanned::Scanned;

/// The fields of an [`ObjectMeta`] that are not in the [raw sections](super::raw_sections).
#[derive(Debug, Default, PartialEq)]
pub(super) struct CompactMetadata {
    pub(super) namespace: Option<Arc<str>>,
    pub(super) labels: Option<Pairs>,
    pub(super) annotations: Option<Pairs>,
    pub(super) finalizers: Option<Box<[Arc<str>]>>,
    pub(super) owners: Option<Box<[InternedOwner]>>,
    pub(super) generation: Option<i64>,
    pub(super) created: Option<Time>,
    pub(super) uncommon: Option<Box<UncommonFields>>,
}

/// Keys and values, sorted by key.
pub(super) type Pairs = Box<[(Arc<str>, Arc<str>)]>;

/// Fields that few objects have.
#[derive(Debug, Default, PartialEq)]
pub(super) struct UncommonFields {
    pub(super) deleted: Option<Time>,
    deletion_grace_period_seconds: Option<i64>,
    generate_name: Option<Box<str>>,
    self_link: Option<Box<str>>,
}

#[derive(Debug, PartialEq)]
pub(super) struct InternedOwner {
    api_version: Arc<str>,
    kind: Arc<str>,
    name: Arc<str>,
    uid: Arc<str>,
    controller: Option<bool>,
    block_owner_deletion: Option<bool>,
}

impl<'a> From<&'a InternedOwner> for Owner<'a> {
    fn from(owner: &'a InternedOwner) -> Self {
        Self {
            api_version: &owner.api_version,
            kind: &owner.kind,
            name: &owner.name,
            uid: &owner.uid,
            controller: owner.controller == Some(true),
        }
    }
}

impl CompactMetadata {
    pub(super) fn new(meta: ObjectMeta, interner: &mut Interner) -> Self {
        let mut intern = |text: &str| interner.intern(text);
        let uncommon = UncommonFields {
            deleted: meta.deletion_timestamp,
            deletion_grace_period_seconds: meta.deletion_grace_period_seconds,
            generate_name: meta.generate_name.map(Into::into),
            self_link: meta.self_link.map(Into::into),
        };
        let mut pairs = |map: std::collections::BTreeMap<String, String>| {
            let pairs = map.iter().map(|(key, value)| (intern(key), intern(value)));
            pairs.collect()
        };
        let (labels, annotations) = (meta.labels.map(&mut pairs), meta.annotations.map(pairs));
        let owners = meta.owner_references.map(|owners| {
            let owners = owners.into_iter();
            owners.map(|owner| InternedOwner::new(owner, interner)).collect()
        });
        let mut intern = |text: &String| interner.intern(text);
        Self {
            namespace: meta.namespace.as_ref().map(&mut intern),
            labels,
            annotations,
            finalizers: meta.finalizers.map(|finalizers| finalizers.iter().map(intern).collect()),
            owners,
            generation: meta.generation,
            created: meta.creation_timestamp,
            uncommon: uncommon.boxed(),
        }
    }
}

impl UncommonFields {
    fn boxed(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

impl InternedOwner {
    fn new(owner: OwnerReference, interner: &mut Interner) -> Self {
        Self {
            api_version: interner.intern(&owner.api_version),
            kind: interner.intern(&owner.kind),
            name: interner.intern(&owner.name),
            uid: interner.intern(&owner.uid),
            controller: owner.controller,
            block_owner_deletion: owner.block_owner_deletion,
        }
    }
}

/// Returns the pairs as borrowed strings.
pub(super) fn pairs(pairs: &Option<Pairs>) -> impl Iterator<Item = (&str, &str)> {
    let pairs = pairs.iter().flatten();
    pairs.map(|(key, value)| (&**key, &**value))
}
