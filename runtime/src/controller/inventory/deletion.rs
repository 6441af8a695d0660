//! Finds and deletes members of an inventory, also of kinds that the program does not declare.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, TryStreamExt, stream};
use kube_core::{ApiResource, DynamicObject, GroupVersionKind};

use super::{
    contents::{GroupKind, Member},
    marks::{Marks, Membership},
    store::Form,
};
use crate::{
    Client,
    client::{
        DeleteError, Deleted, Error as ClientError,
        discovery::ApiResources,
        endpoint::{AnyMetadata, Endpoint},
        list::ListRequest,
    },
    controller::{
        APPLIED_BY_ANNOTATION,
        apply_owned::{AppliedBy, Applier, ApplyOwnedError, CONCURRENCY, ChildKey},
        requirements::RequiredKind,
    },
    informer::{CacheObject, ObjectKey},
};

/// How often the deletion of an object is repeated that changes at the same time, until the run fails and is repeated as a whole.
const ATTEMPTS: usize = 4;

/// Members of one inventory in the cluster.
pub(super) struct Deletion<'a> {
    pub(super) client: &'a Client,
    pub(super) applier: &'a Applier,
    pub(super) marks: &'a Marks,
    /// The kinds that the controller declares.
    pub(super) declared: &'a [RequiredKind],
    /// The namespace of the parent.
    pub(super) parent_namespace: Option<&'a str>,
    /// Whether objects that are not pruned are deleted, too.
    pub(super) includes_kept: bool,
}

/// An object that may be surplus, with its metadata if it was just read.
pub(super) struct Candidate {
    pub(super) kind: RequiredKind,
    pub(super) read: Option<AnyMetadata>,
    /// Whether the inventory names the object.
    pub(super) is_recorded: bool,
}

pub(super) type Candidates = BTreeMap<Member, Candidate>;

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It does not exist.
    Gone,
    /// It is not a member, or not of this controller.
    NotOwn,
    /// It is terminating, or is kept.
    Remains,
}

impl Deletion<'_> {
    /// Returns a kind as it is served; `None` if it is not, so that there are no objects.
    pub(super) async fn resolve(&self, kind: &GroupKind) -> Result<Option<RequiredKind>, ApplyOwnedError> {
        let declared = self.declared.iter().find(|it| it.group == kind.group && it.kind == kind.kind);
        if let Some(declared) = declared {
            return Ok(Some(declared.clone()));
        }
        let failed = |error: String| ApplyOwnedError::InventoryKind { kind: kind.to_string(), message: error };
        let discovery = self.client.discovery();
        let known = discovery.api_resources().await.map_err(|error| failed(error.to_string()))?;
        if let Some(served) = find(&known, kind) {
            return Ok(Some(served));
        }
        let served = discovery.refresh().await.map_err(|error| failed(error.to_string()))?;
        let found = find(&served, kind);
        match served.unavailable.iter().find(|group| group.group == kind.group) {
            Some(group) if found.is_none() => Err(failed(group.reason.clone())),
            _ => Ok(found),
        }
    }

    /// Lists the members of a kind: in all namespaces, or in some if the program may not list all.
    pub(super) async fn list(
        &self,
        kind: &RequiredKind,
        namespaces: &[&str],
    ) -> Result<Vec<(Member, AnyMetadata)>, ApplyOwnedError> {
        let all = endpoint(self.client, kind);
        let listed = match self.list_at(&all).await {
            Err(ClientError::Forbidden(_)) if kind.is_namespaced && !namespaces.is_empty() => {
                self.list_each(kind, &all, namespaces).await
            }
            listed => listed,
        };
        let listed = listed.map_err(|error| self.failure(kind, error))?;
        Ok(listed.into_iter().map(|object| (member(kind, &object), object)).collect())
    }

    /// Lists the members of a kind in one namespace.
    pub(super) async fn list_in(&self, kind: &RequiredKind, namespace: &str) -> Result<Vec<Member>, ApplyOwnedError> {
        let listed = self.list_at(&endpoint(self.client, kind).at(Some(namespace))).await;
        let listed = listed.map_err(|error| self.failure(kind, error))?;
        Ok(listed.iter().map(|object| member(kind, object)).collect())
    }

    /// Lists the members of a kind in some namespaces.
    ///
    /// An ApplySet does not say whether it has members in the namespace of its parent. If the program selects others for a kind that it
    /// declares, it has no permissions there.
    async fn list_each(
        &self,
        kind: &RequiredKind,
        all: &Endpoint<DynamicObject>,
        namespaces: &[&str],
    ) -> Result<Vec<AnyMetadata>, ClientError> {
        let mut found = Vec::new();
        for namespace in namespaces {
            match self.list_at(&all.at(Some(namespace))).await {
                Err(ClientError::Forbidden(_))
                    if self.is_declared(kind) && self.parent_namespace == Some(namespace) =>
                {
                    let plural = &kind.plural;
                    tracing::debug!(
                        plural,
                        namespace,
                        "members of an inventory are not looked for in the namespace of its parent"
                    );
                }
                listed => found.extend(listed?),
            }
        }
        Ok(found)
    }

    async fn list_at(&self, endpoint: &Endpoint<DynamicObject>) -> Result<Vec<AnyMetadata>, ClientError> {
        let listed = ListRequest::new(endpoint.any_metadata()).labels(self.marks.selector()).await?;
        Ok(listed.items)
    }

    /// Deletes the candidates that are members.
    pub(super) async fn delete_all(&self, candidates: Candidates) -> Result<Vec<(Member, Outcome)>, ApplyOwnedError> {
        let deletions = candidates.into_iter().map(|(member, candidate)| async move {
            let outcome = self.delete(&member, candidate).await?;
            Ok::<_, ApplyOwnedError>((member, outcome))
        });
        // Boxed one by one, so that they can be buffered.
        let deletions: Vec<_> = deletions.map(Box::pin).collect();
        stream::iter(deletions).buffered(CONCURRENCY).try_collect().await
    }

    async fn delete(&self, member: &Member, candidate: Candidate) -> Result<Outcome, ApplyOwnedError> {
        let Candidate { kind, mut read, is_recorded } = candidate;
        let (namespace, name) = (member.object.namespace(), member.object.name());
        let endpoint = endpoint(self.client, &kind).at(namespace);
        for attempt in 1.. {
            let object = match read.take() {
                Some(read) => read,
                None => match endpoint.any_metadata().get(name).await {
                    Ok(read) => read,
                    Err(ClientError::NotFound(_)) => return Ok(Outcome::Gone),
                    Err(error) => return Err(self.failure(&kind, error)),
                },
            };
            if let Some(outcome) = self.decide(&kind, member, &object, is_recorded) {
                return Ok(outcome);
            }
            let uid = object.uid().unwrap_or_default();
            let version = object.resource_version().unwrap_or_default();
            match endpoint.delete(name).uid(uid).resource_version(version).await {
                Ok(Deleted::Gone) => return Ok(Outcome::Gone),
                Ok(Deleted::Terminating(_)) => return Ok(Outcome::Remains),
                Err(DeleteError::Request(ClientError::NotFound(_))) => return Ok(Outcome::Gone),
                Err(DeleteError::Request(ClientError::Conflict(_))) if attempt < ATTEMPTS => {}
                Err(DeleteError::Request(error)) => return Err(self.failure(&kind, error)),
                Err(error) => return Err(error.into()),
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Returns what becomes of an object that is not deleted.
    fn decide(&self, kind: &RequiredKind, member: &Member, object: &AnyMetadata, is_recorded: bool) -> Option<Outcome> {
        if self.marks.membership(object) != Membership::Own {
            return Some(Outcome::NotOwn);
        }
        // Some controllers copy labels to the objects that they make of an object.
        if object.owners().any(|owner| owner.controller) {
            return Some(Outcome::NotOwn);
        }
        let applied_by = object.annotations().find(|(key, _)| *key == APPLIED_BY_ANNOTATION).map(|(_, value)| value);
        match self.is_kept(kind, member, applied_by, is_recorded) {
            None => Some(Outcome::NotOwn),
            Some(true) if !self.includes_kept => Some(Outcome::Remains),
            Some(_) if object.is_terminating() => Some(Outcome::Remains),
            Some(_) => None,
        }
    }

    /// Returns whether an object with the label of the inventory is kept when it is no longer applied; `None` if it belongs to others.
    pub(super) fn is_kept(
        &self,
        kind: &RequiredKind,
        member: &Member,
        applied_by: Option<&str>,
        is_recorded: bool,
    ) -> Option<bool> {
        if applied_by.is_none() {
            // Somebody has removed the annotation. Several controllers may have inventories in the status of one object.
            return (is_recorded || self.marks.form == Form::ApplySet).then_some(false);
        }
        let key = ChildKey::new(&kind.group, &kind.plural, member.object.clone());
        match self.applier.applied_by(&key, applied_by) {
            AppliedBy::Own { is_kept } => Some(is_kept),
            // The annotation of another object, of which this is a copy.
            AppliedBy::Unknown | AppliedBy::Other(_) => None,
        }
    }

    fn is_declared(&self, kind: &RequiredKind) -> bool {
        self.declared.iter().any(|it| it.group == kind.group && it.kind == kind.kind)
    }

    /// Explains the error of a request. The roles of the program do not include kinds that it does not declare.
    fn failure(&self, kind: &RequiredKind, error: ClientError) -> ApplyOwnedError {
        match error {
            ClientError::Forbidden(_) if !self.is_declared(kind) => ApplyOwnedError::InventoryForbidden {
                group: kind.group.clone(),
                plural: kind.plural.clone(),
                source: Box::new(error),
            },
            error => ApplyOwnedError::Delete(error.into()),
        }
    }
}

fn find(served: &ApiResources, kind: &GroupKind) -> Option<RequiredKind> {
    let found = served.preferred_resources().find(|it| it.group == kind.group && it.kind == kind.kind)?;
    Some(RequiredKind {
        group: found.group.clone(),
        version: found.version.clone(),
        kind: found.kind.clone(),
        plural: found.plural.clone(),
        is_namespaced: found.is_namespaced(),
        subresources: BTreeSet::new(),
    })
}

fn endpoint(client: &Client, kind: &RequiredKind) -> Endpoint<DynamicObject> {
    let gvk = GroupVersionKind::gvk(&kind.group, &kind.version, &kind.kind);
    Endpoint::new(client.clone(), ApiResource::from_gvk_with_plural(&gvk, &kind.plural))
}

fn member(kind: &RequiredKind, object: &AnyMetadata) -> Member {
    Member::new(GroupKind::new(&kind.group, &kind.kind), ObjectKey::of(object))
}
