//! Garbage collection by owner references, as kube-controller-manager's.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use super::{
    metadata::{FOREGROUND, ORPHAN, OwnedMetadata, Owner},
    request::ControllerRequest,
    running::Controller,
};
use crate::{
    failure::Failure,
    state::State,
    store::{Key, Write},
    value::text,
};

/// Events are not collected.
const IGNORED: [&str; 2] = ["events", "events.events.k8s.io"];
const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// An object: the qualified name of its resource, and its name.
type Id = (String, Key);

/// The graph of owners, and what is to be done.
#[derive(Default)]
pub(super) struct GarbageCollector {
    /// The objects by their UIDs.
    objects: HashMap<String, Id>,
    /// The objects that refer to an owner, by its UID.
    dependents: HashMap<String, BTreeSet<Id>>,
    to_delete: BTreeSet<Id>,
    to_orphan: BTreeSet<Id>,
    /// Objects with owners of kinds that are not served.
    unresolved: BTreeSet<Id>,
}

/// How the owners of an object are.
#[derive(Default)]
struct Owners {
    solid: Vec<Owner>,
    /// They do not exist.
    dangling: Vec<Owner>,
    /// They wait for the deletion of their dependents.
    waiting: Vec<Owner>,
}

/// Why the owners of an object are not known.
enum Unknown {
    /// A kind is not served.
    Kind,
    /// An object of the cluster has an owner in a namespace, so that it is never collected.
    Namespaced,
}

impl Controller for GarbageCollector {
    fn name(&self) -> &'static str {
        "garbage-collector-controller"
    }

    fn restart(&mut self) {
        *self = Self::default();
    }

    fn run(&mut self, state: &mut State, writes: &[Write]) {
        writes.iter().for_each(|write| self.observe(write));
        for id in std::mem::take(&mut self.to_orphan) {
            // What fails is tried again after the change that made it fail.
            let _ = self.orphan(state, &id);
        }
        for id in std::mem::take(&mut self.to_delete) {
            let _ = self.attempt_to_delete(state, &id);
        }
    }
}

impl GarbageCollector {
    fn observe(&mut self, write: &Write) {
        let change = &write.change;
        if IGNORED.contains(&write.resource.as_str()) {
            return;
        }
        if write.resource == DEFINITIONS {
            self.to_delete.append(&mut self.unresolved);
        }
        let id = (write.resource.clone(), change.key.clone());
        let before = change.before.as_ref().map(|before| OwnedMetadata::of(before)).unwrap_or_default();
        let after = OwnedMetadata::of(&change.after);
        for owner in &before.owner_references {
            self.forget_dependent(&owner.uid, &id);
        }
        if change.is_deletion {
            self.objects.remove(&before.uid);
            self.to_delete.extend(self.dependents.get(&before.uid).into_iter().flatten().cloned());
            self.to_delete
                .extend(before.owner_references.iter().filter_map(|owner| self.objects.get(&owner.uid)).cloned());
            return;
        }
        self.objects.insert(after.uid.clone(), id.clone());
        for owner in &after.owner_references {
            self.dependents.entry(owner.uid.clone()).or_default().insert(id.clone());
        }
        if before.owner_references != after.owner_references {
            let unblocked = before.owner_references.iter().filter(|owner| owner.blocks());
            self.to_delete.extend(unblocked.filter_map(|owner| self.objects.get(&owner.uid)).cloned());
            self.to_delete.insert(id.clone());
        }
        if after.deletes_dependents() && !before.deletes_dependents() {
            self.to_delete.extend(self.dependents.get(&after.uid).into_iter().flatten().cloned());
            self.to_delete.insert(id.clone());
        }
        if after.orphans_dependents() && !before.orphans_dependents() {
            self.to_orphan.insert(id);
        }
    }

    fn forget_dependent(&mut self, owner: &str, id: &Id) {
        if let Some(dependents) = self.dependents.get_mut(owner) {
            dependents.remove(id);
            if dependents.is_empty() {
                self.dependents.remove(owner);
            }
        }
    }

    fn dependents(&self, uid: &str) -> Vec<Id> {
        self.dependents.get(uid).into_iter().flatten().cloned().collect()
    }

    fn attempt_to_delete(&mut self, state: &mut State, id: &Id) -> Result<(), Failure> {
        let Some(item) = metadata(state, id) else { return Ok(()) };
        if item.deletes_dependents() {
            return self.finish_foreground_deletion(state, id, &item);
        }
        if item.is_deleting() || item.owner_references.is_empty() {
            return Ok(());
        }
        let owners = match classify(state, id, &item) {
            Ok(owners) => owners,
            Err(Unknown::Kind) => {
                self.unresolved.insert(id.clone());
                return Ok(());
            }
            Err(Unknown::Namespaced) => return Ok(()),
        };
        let dependents = self.dependents(&item.uid);
        if !owners.solid.is_empty() {
            let gone: Vec<_> = owners.dangling.iter().chain(&owners.waiting).map(|owner| owner.uid.as_str()).collect();
            return remove_owners(state, id, &gone);
        }
        let policy = if !owners.waiting.is_empty() && !dependents.is_empty() {
            let is_circle = dependents.iter().filter_map(|id| metadata(state, id)).any(|it| it.deletes_dependents());
            if is_circle {
                unblock_owners(state, id)?;
            }
            "Foreground"
        } else if item.has_finalizer(ORPHAN) {
            "Orphan"
        } else if item.has_finalizer(FOREGROUND) {
            "Foreground"
        } else {
            "Background"
        };
        let options = json!({ "propagationPolicy": policy, "preconditions": { "uid": item.uid } });
        ControllerRequest::delete(&id.0, &id.1, options).send(state).map(|_| ())
    }

    /// Removes the finalizer of an object without blocking dependents, and otherwise deletes these.
    fn finish_foreground_deletion(&mut self, state: &mut State, id: &Id, item: &OwnedMetadata) -> Result<(), Failure> {
        let mut is_blocked = false;
        for dependent in self.dependents(&item.uid) {
            let Some(metadata) = metadata(state, &dependent) else { continue };
            if metadata.owner_references.iter().any(|owner| owner.uid == item.uid && owner.blocks()) {
                is_blocked = true;
                if !metadata.deletes_dependents() {
                    self.attempt_to_delete(state, &dependent)?;
                }
            }
        }
        if is_blocked { Ok(()) } else { remove_finalizer(state, id, item, FOREGROUND) }
    }

    /// Removes the references to an object that is deleted without its dependents.
    fn orphan(&self, state: &mut State, id: &Id) -> Result<(), Failure> {
        let Some(owner) = metadata(state, id).filter(OwnedMetadata::orphans_dependents) else { return Ok(()) };
        for dependent in self.dependents(&owner.uid) {
            remove_owners(state, &dependent, &[&owner.uid])?;
        }
        remove_finalizer(state, id, &owner, ORPHAN)
    }
}

fn metadata(state: &State, (resource, key): &Id) -> Option<OwnedMetadata> {
    state.store.get(resource, key).map(|stored| OwnedMetadata::of(stored))
}

fn classify(state: &State, (_, key): &Id, item: &OwnedMetadata) -> Result<Owners, Unknown> {
    let mut owners = Owners::default();
    for owner in &item.owner_references {
        let typed = json!({ "apiVersion": owner.api_version, "kind": owner.kind });
        let resource = state.resources.of_type(&typed).map_err(|_| Unknown::Kind)?;
        if resource.is_namespaced && key.namespace.is_empty() {
            return Err(Unknown::Namespaced);
        }
        let namespace = if resource.is_namespaced { key.namespace.as_str() } else { "" };
        let found = metadata(state, &(resource.collection(), Key::new(namespace, &owner.name)));
        match found.filter(|found| found.uid == owner.uid) {
            None => owners.dangling.push(owner.clone()),
            Some(found) if found.deletes_dependents() => owners.waiting.push(owner.clone()),
            Some(_) => owners.solid.push(owner.clone()),
        }
    }
    Ok(owners)
}

/// Changes the owner references of an object.
fn patch_owners(state: &mut State, (resource, key): &Id, change: impl Fn(&mut Vec<Value>)) -> Result<(), Failure> {
    let Some(object) = state.store.find(resource, key) else { return Ok(()) };
    let before = object["metadata"]["ownerReferences"].as_array().cloned().unwrap_or_default();
    let mut owners = before.clone();
    change(&mut owners);
    if owners == before {
        return Ok(());
    }
    let owners = if owners.is_empty() { Value::Null } else { owners.into() };
    let version = &object["metadata"]["resourceVersion"];
    let patch = json!({ "metadata": { "resourceVersion": version, "ownerReferences": owners } });
    ControllerRequest::patch(resource, key, patch).send(state).map(|_| ())
}

fn remove_owners(state: &mut State, id: &Id, uids: &[&str]) -> Result<(), Failure> {
    patch_owners(state, id, |owners| owners.retain(|owner| !uids.contains(&text(owner, "uid"))))
}

fn unblock_owners(state: &mut State, id: &Id) -> Result<(), Failure> {
    patch_owners(state, id, |owners| owners.iter_mut().for_each(|owner| owner["blockOwnerDeletion"] = false.into()))
}

fn remove_finalizer(state: &mut State, (resource, key): &Id, item: &OwnedMetadata, name: &str) -> Result<(), Failure> {
    let rest: Vec<_> = item.finalizers.iter().filter(|it| *it != name).collect();
    let rest = if rest.is_empty() { Value::Null } else { json!(rest) };
    let patch = json!({ "metadata": { "resourceVersion": item.resource_version, "finalizers": rest } });
    ControllerRequest::patch(resource, key, patch).send(state).map(|_| ())
}
