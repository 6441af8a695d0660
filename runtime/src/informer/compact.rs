//! Objects in a compact form.

mod interner;
mod metadata;
mod part;
mod raw_sections;
mod read;
mod undecodable_part;

use std::{
    fmt,
    marker::PhantomData,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube_core::{
    Resource,
    object::{HasSpec, HasStatus},
};
use serde::de::DeserializeOwned;

use super::{CacheObject, Owner};
use crate::json::defaulting::fills_in_defaults;
use metadata::CompactMetadata;
use part::LazyPart;
use raw_sections::{RawSections, Section};

pub use undecodable_part::UndecodablePart;

/// Whether a part of any object could not be decoded: only then it is worth to look for them, among very many objects.
static HAS_FAILED: AtomicBool = AtomicBool::new(false);

/// An object of `K` in a compact form, for informers of many objects.
///
/// The metadata is decoded immediately, and strings that many objects share are interned. The spec and the status are
/// stored as JSON, and decoded at the first read. `metadata.managedFields` is always dropped.
///
/// An object is checked to be valid JSON when it arrives, but the spec and the status are only decoded when you read
/// them. An informer of `K` reports a spec that cannot be decoded and retains the last good state. An informer of
/// `Compact<K>` stores the object, and reading the spec returns an error; the informer requests the object again now and then. Decoded
/// values stay in memory in addition to their JSON.
///
/// ```
/// # use crdkit::{CustomResource, KubeSchema};
/// # use serde::{Deserialize, Serialize};
/// use crdkit::informer::Compact;
///
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "Disk", namespaced)]
/// struct DiskSpec {
///     size: u32,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let json = r#"{"metadata":{"name":"a","namespace":"prod","labels":{"tier":"web"}},"spec":{"size":8}}"#;
/// let disk: Compact<Disk> = serde_json::from_str(json)?;
/// assert_eq!(disk.labels().next(), Some(("tier", "web")));
/// assert_eq!(disk.spec()?.size, 8);
/// assert_eq!(disk.to_full()?.spec.size, 8);
///
/// let odd = r#"{"metadata":{"name":"b","namespace":"prod"},"spec":{"size":"8"}}"#;
/// let odd: Compact<Disk> = serde_json::from_str(odd)?;
/// let error = odd.spec().unwrap_err().to_string();
/// assert!(error.starts_with("failed to decode the object `prod/b` at `spec.size`: invalid type"), "{error}");
/// # Ok(())
/// # }
/// ```
pub struct Compact<K> {
    metadata: CompactMetadata,
    sections: RawSections,
    /// The members other than metadata, spec and status, separated by commas.
    other_members: Arc<str>,
    spec: LazyPart,
    status: LazyPart,
    /// Whether a part was read, and could not be decoded.
    has_failed: AtomicBool,
    kind: PhantomData<fn() -> K>,
}

impl<K> Compact<K> {
    /// Returns the namespace; `None` for cluster-scoped kinds.
    pub fn namespace(&self) -> Option<&str> {
        self.metadata.namespace.as_deref()
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        self.sections.get(Section::Name).unwrap_or_default()
    }

    /// Returns the uid, which distinguishes the object from earlier and later objects with the same name.
    pub fn uid(&self) -> Option<&str> {
        self.sections.get(Section::Uid)
    }

    /// Returns the resourceVersion, which identifies this state of the object.
    pub fn resource_version(&self) -> Option<&str> {
        self.sections.get(Section::ResourceVersion)
    }

    /// Returns the generation, which counts changes of the spec.
    pub fn generation(&self) -> Option<i64> {
        self.metadata.generation
    }

    /// Returns the labels, sorted by key.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        metadata::pairs(&self.metadata.labels)
    }

    /// Returns the annotations, sorted by key.
    pub fn annotations(&self) -> impl Iterator<Item = (&str, &str)> {
        metadata::pairs(&self.metadata.annotations)
    }

    /// Returns the finalizers.
    pub fn finalizers(&self) -> impl Iterator<Item = &str> {
        let finalizers = self.metadata.finalizers.iter().flatten();
        finalizers.map(|finalizer| &**finalizer)
    }

    /// Returns the owner references.
    pub fn owners(&self) -> impl Iterator<Item = Owner<'_>> {
        self.metadata.owners.iter().flatten().map(Owner::from)
    }

    /// Returns when the object was created.
    pub fn creation_timestamp(&self) -> Option<&Time> {
        self.metadata.created.as_ref()
    }

    /// Returns when deletion of the object was requested; `None` unless it waits for its finalizers.
    pub fn deletion_timestamp(&self) -> Option<&Time> {
        self.metadata.uncommon.as_ref()?.deleted.as_ref()
    }

    /// Returns the spec, and decodes it at the first call.
    ///
    /// # Errors
    ///
    /// Fails if the spec cannot be decoded.
    pub fn spec(&self) -> Result<&K::Spec, UndecodablePart>
    where
        K: HasSpec + DeserializeOwned + Send + Sync + 'static,
        K::Spec: DeserializeOwned + Send + Sync + 'static,
    {
        if self.sections.get(Section::Spec).is_some() && !fills_in_defaults::<K>() {
            return self.spec.read(|| self.decode(Section::Spec));
        }
        // Some kinds have their fields at the root, and only a whole object fills in defaults.
        self.spec.read(|| self.to_full()).map(K::spec)
    }

    /// Returns the status, if there is one, and decodes it at the first call.
    ///
    /// # Errors
    ///
    /// Fails if the status cannot be decoded.
    pub fn status(&self) -> Result<Option<&K::Status>, UndecodablePart>
    where
        K: HasStatus + DeserializeOwned + Send + Sync + 'static,
        K::Status: DeserializeOwned + Send + Sync + 'static,
    {
        match self.sections.get(Section::Status) {
            None | Some("null") => Ok(None),
            Some(_) if fills_in_defaults::<K>() => self.status.read(|| self.to_full()).map(K::status),
            Some(_) => self.status.read(|| self.decode(Section::Status)).map(Some),
        }
    }

    /// Decodes the full object, at each call.
    ///
    /// It equals the original object except for `metadata.managedFields`, which are missing.
    ///
    /// # Errors
    ///
    /// Fails if the object cannot be decoded.
    pub fn to_full(&self) -> Result<K, UndecodablePart>
    where
        K: DeserializeOwned,
    {
        let json = self.to_json();
        serde_json::from_str(&json).map_err(|error| self.undecodable::<K>(None, &json, error))
    }

    fn decode<T: DeserializeOwned>(&self, section: Section) -> Result<T, UndecodablePart> {
        let json = self.sections.get(section).unwrap_or("null");
        serde_json::from_str(json).map_err(|error| self.undecodable::<T>(Some(section), json, error))
    }

    fn undecodable<T: DeserializeOwned>(
        &self,
        section: Option<Section>,
        json: &str,
        error: serde_json::Error,
    ) -> UndecodablePart {
        self.has_failed.store(true, Ordering::Relaxed);
        HAS_FAILED.store(true, Ordering::Relaxed);
        let section = section.map(Section::field);
        let text = |section| self.sections.get(section).map(str::to_owned);
        UndecodablePart::new::<T>(section, json, error)
            .with_object(self.metadata.namespace.as_deref(), text(Section::Name))
    }

    /// Returns the JSON that the API server would write, without `metadata.managedFields`.
    fn to_json(&self) -> String {
        let other_members = (!self.other_members.is_empty()).then(|| self.other_members.to_string());
        let metadata = Some(self.metadata.to_json(&self.sections)).map(|json| format!("\"metadata\":{json}"));
        let part = |section: Section| {
            let json = self.sections.get(section)?;
            Some(format!("\"{}\":{json}", section.field()))
        };
        let members: Vec<_> =
            [other_members, metadata, part(Section::Spec), part(Section::Status)].into_iter().flatten().collect();
        format!("{{{}}}", members.join(","))
    }
}

impl<K: Resource + Send + Sync + 'static> CacheObject for Compact<K> {
    type Kind = K;

    fn namespace(&self) -> Option<&str> {
        self.namespace()
    }

    fn name(&self) -> &str {
        self.name()
    }

    fn uid(&self) -> Option<&str> {
        self.uid()
    }

    fn resource_version(&self) -> Option<&str> {
        self.resource_version()
    }

    fn generation(&self) -> Option<i64> {
        self.generation()
    }

    fn is_terminating(&self) -> bool {
        self.deletion_timestamp().is_some()
    }

    fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        self.labels()
    }

    fn annotations(&self) -> impl Iterator<Item = (&str, &str)> {
        self.annotations()
    }

    fn finalizers(&self) -> impl Iterator<Item = &str> {
        self.finalizers()
    }

    fn owners(&self) -> impl Iterator<Item = Owner<'_>> {
        self.owners()
    }

    fn has_undecodable_part(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    fn may_have_undecodable_parts() -> bool {
        HAS_FAILED.load(Ordering::Relaxed)
    }
}

impl<K> fmt::Debug for Compact<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compact")
            .field("namespace", &self.metadata.namespace)
            .field("name", &self.sections.get(Section::Name))
            .field("resource_version", &self.sections.get(Section::ResourceVersion))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
