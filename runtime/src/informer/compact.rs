//! Objects that take little memory.

mod interner;
mod metadata;
mod part;
mod raw_sections;
mod read;
mod unreadable;

use std::{fmt, marker::PhantomData, sync::Arc};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube_core::{
    Resource,
    object::{HasSpec, HasStatus},
};
use serde::de::DeserializeOwned;

use super::{CacheObject, Owner};
use metadata::Metadata;
use part::Part;
use raw_sections::{RawSections, Section};

pub use unreadable::Unreadable;

/// An object of `K` in a form that takes little memory: informers of many objects keep `Compact<K>` instead of `K`.
///
/// Names, labels and the like are read at once, and texts that many objects have are kept once. The spec and the status
/// are kept as the JSON that came, and decoded when they are read for the first time. `metadata.managedFields` is never
/// kept.
///
/// The price: an object is checked to be JSON when it comes, but whether its spec and its status fit their types is not
/// known before they are read. What an informer of `K` reports as undecodable, keeping the last good state, is here an
/// error of who reads it. What was decoded stays in memory beside its JSON.
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
/// assert!(error.starts_with("the object `prod/b` does not fit the type at `spec.size`: invalid type"), "{error}");
/// # Ok(())
/// # }
/// ```
pub struct Compact<K> {
    metadata: Metadata,
    kept: RawSections,
    /// The members beside metadata, spec and status, with a comma between them.
    others: Arc<str>,
    spec: Part,
    status: Part,
    kind: PhantomData<fn() -> K>,
}

impl<K> Compact<K> {
    /// The namespace; `None` for objects of the cluster.
    pub fn namespace(&self) -> Option<&str> {
        self.metadata.namespace.as_deref()
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.kept.get(Section::Name).unwrap_or_default()
    }

    /// What tells the object apart from others that have or had its name.
    pub fn uid(&self) -> Option<&str> {
        self.kept.get(Section::Uid)
    }

    /// Which state of the object this is.
    pub fn resource_version(&self) -> Option<&str> {
        self.kept.get(Section::ResourceVersion)
    }

    /// Which version of the spec this is.
    pub fn generation(&self) -> Option<i64> {
        self.metadata.generation
    }

    /// The labels, in the order of their keys.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        metadata::pairs(&self.metadata.labels)
    }

    /// The annotations, in the order of their keys.
    pub fn annotations(&self) -> impl Iterator<Item = (&str, &str)> {
        metadata::pairs(&self.metadata.annotations)
    }

    /// What has to be done before the object goes.
    pub fn finalizers(&self) -> impl Iterator<Item = &str> {
        let finalizers = self.metadata.finalizers.iter().flatten();
        finalizers.map(|finalizer| &**finalizer)
    }

    /// The objects that own this one.
    pub fn owners(&self) -> impl Iterator<Item = Owner<'_>> {
        self.metadata.owners.iter().flatten().map(Owner::from)
    }

    /// When the object was created.
    pub fn creation_timestamp(&self) -> Option<&Time> {
        self.metadata.created.as_ref()
    }

    /// When the object was asked to be deleted; `None` unless it waits for its finalizers.
    pub fn deletion_timestamp(&self) -> Option<&Time> {
        self.metadata.uncommon.as_ref()?.deleted.as_ref()
    }

    /// The spec. It is decoded when this is called first.
    ///
    /// # Errors
    ///
    /// If the spec does not fit its type.
    pub fn spec(&self) -> Result<&K::Spec, Unreadable>
    where
        K: HasSpec + DeserializeOwned + Send + Sync + 'static,
        K::Spec: DeserializeOwned + Send + Sync + 'static,
    {
        if self.kept.get(Section::Spec).is_some() {
            return self.spec.read(|| self.decode(Section::Spec));
        }
        // The fields of some kinds stand at the root.
        self.spec.read(|| self.to_full()).map(K::spec)
    }

    /// The status, if there is one yet. It is decoded when this is called first.
    ///
    /// # Errors
    ///
    /// If the status does not fit its type.
    pub fn status(&self) -> Result<Option<&K::Status>, Unreadable>
    where
        K: HasStatus,
        K::Status: DeserializeOwned + Send + Sync + 'static,
    {
        match self.kept.get(Section::Status) {
            None | Some("null") => Ok(None),
            Some(_) => self.status.read(|| self.decode(Section::Status)).map(Some),
        }
    }

    /// The whole object, decoded anew at each call. It is as if it had never been compact, but for
    /// `metadata.managedFields`, which are missing.
    ///
    /// # Errors
    ///
    /// If the object does not fit its type.
    pub fn to_full(&self) -> Result<K, Unreadable>
    where
        K: DeserializeOwned,
    {
        let json = self.to_json();
        serde_json::from_str(&json).map_err(|error| self.unreadable::<K>(None, &json, error))
    }

    fn decode<T: DeserializeOwned>(&self, section: Section) -> Result<T, Unreadable> {
        let json = self.kept.get(section).unwrap_or("null");
        serde_json::from_str(json).map_err(|error| self.unreadable::<T>(Some(section), json, error))
    }

    fn unreadable<T: DeserializeOwned>(
        &self,
        section: Option<Section>,
        json: &str,
        error: serde_json::Error,
    ) -> Unreadable {
        let section = section.map(Section::field);
        let text = |section| self.kept.get(section).map(str::to_owned);
        Unreadable::new::<T>(section, json, error)
            .of(self.metadata.namespace.as_deref(), text(Section::Name))
    }

    /// The object as the API server would write it, without `metadata.managedFields`.
    fn to_json(&self) -> String {
        let others = (!self.others.is_empty()).then(|| self.others.to_string());
        let metadata =
            Some(self.metadata.to_json(&self.kept)).map(|json| format!("\"metadata\":{json}"));
        let part = |section: Section| {
            let json = self.kept.get(section)?;
            Some(format!("\"{}\":{json}", section.field()))
        };
        let members = [others, metadata, part(Section::Spec), part(Section::Status)];
        let members: Vec<_> = members.into_iter().flatten().collect();
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
}

impl<K> fmt::Debug for Compact<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compact")
            .field("namespace", &self.metadata.namespace)
            .field("name", &self.kept.get(Section::Name))
            .field("resource_version", &self.kept.get(Section::ResourceVersion))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
