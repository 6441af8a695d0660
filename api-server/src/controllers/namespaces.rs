//! Deletion of namespaces with their objects, as kube-controller-manager's.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{conditions, metadata::OwnedMetadata, request::ControllerRequest, running::Controller};
use crate::{
    failure::Failure,
    state::State,
    store::{Key, Write},
};

const NAMESPACES: &str = "namespaces";
const PODS: &str = "pods";
/// The finalizer in `spec.finalizers`.
const FINALIZER: &str = "kubernetes";

/// The conditions, in their order, with the reason and the message if nothing is wrong.
const CONDITIONS: [(&str, &str, &str); 5] = [
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    ("NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    (REMAINING, "ContentRemoved", "All content successfully removed"),
    (FINALIZERS, "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
];
const REMAINING: &str = "NamespaceContentRemaining";
const FINALIZERS: &str = "NamespaceFinalizersRemaining";

#[derive(Default)]
pub(super) struct NamespaceController {
    terminating: BTreeSet<String>,
}

/// What is left in a namespace.
#[derive(Default)]
struct Remaining {
    /// The numbers of objects by `plural.group`.
    objects: BTreeMap<String, usize>,
    /// The numbers of objects by their finalizers.
    finalizers: BTreeMap<String, usize>,
}

impl Controller for NamespaceController {
    fn name(&self) -> &'static str {
        "namespace-controller"
    }

    fn restart(&mut self) {
        *self = Self::default();
    }

    fn run(&mut self, state: &mut State, writes: &[Write]) {
        let mut changed = BTreeSet::new();
        for Write { resource, change } in writes {
            if resource != NAMESPACES {
                changed.insert(&change.key.namespace);
                continue;
            }
            changed.insert(&change.key.name);
            if !change.is_deletion && OwnedMetadata::of(&change.after).is_deleting() {
                self.terminating.insert(change.key.name.clone())
            } else {
                self.terminating.remove(&change.key.name)
            };
        }
        for name in self.terminating.iter().filter(|name| changed.contains(name)) {
            // What fails is tried again after the next change in the namespace.
            let _ = delete(state, name);
        }
    }
}

fn delete(state: &mut State, name: &str) -> Result<(), Failure> {
    let key = Key::new("", name);
    let Some(namespace) = state.store.find(NAMESPACES, &key) else { return Ok(()) };
    let finalizers = namespace["spec"]["finalizers"].as_array().cloned().unwrap_or_default();
    if finalizers.is_empty() {
        return Ok(());
    }
    let mut remaining = Remaining::default();
    empty(state, name, PODS, &mut remaining)?;
    if !remaining.objects.is_empty() {
        // The other objects follow when there are no Pods any more, and the conditions do not count these.
        return update_conditions(state, &key, &Remaining::default());
    }
    for resource in deletable(state) {
        empty(state, name, &resource, &mut remaining)?;
    }
    update_conditions(state, &key, &remaining)?;
    if !remaining.objects.is_empty() {
        return Ok(());
    }
    let Some(mut namespace) = state.store.find(NAMESPACES, &key) else { return Ok(()) };
    let rest: Vec<Value> = finalizers.into_iter().filter(|it| it != FINALIZER).collect();
    namespace["spec"]["finalizers"] = rest.into();
    ControllerRequest::update(NAMESPACES, &key, namespace).subresource("finalize").send(state).map(|_| ())
}

/// Returns the resources in namespaces that can be deleted, but for Pods.
fn deletable(state: &State) -> BTreeSet<String> {
    let is_deletable = |verbs: &[String]| verbs.iter().any(|verb| verb == "delete");
    let resources = state
        .resources
        .iter()
        .filter(|it| it.is_namespaced)
        .filter(|it| it.versions.iter().any(|version| is_deletable(&version.verbs)));
    resources.map(|it| it.collection()).filter(|it| it != PODS).collect()
}

/// Deletes the objects of a resource, and counts those that remain.
fn empty(state: &mut State, namespace: &str, resource: &str, remaining: &mut Remaining) -> Result<(), Failure> {
    let options = json!({ "propagationPolicy": "Background" });
    for (key, _) in list(state, namespace, resource) {
        ControllerRequest::delete(resource, &key, options.clone()).send(state)?;
    }
    let left = list(state, namespace, resource);
    let mut finalizers = BTreeMap::<_, usize>::new();
    for (_, metadata) in &left {
        for finalizer in &metadata.finalizers {
            *finalizers.entry(finalizer.clone()).or_default() += 1;
        }
    }
    if !left.is_empty() {
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        remaining.objects.insert(format!("{plural}.{group}"), left.len());
        for (finalizer, count) in finalizers {
            *remaining.finalizers.entry(finalizer).or_default() += count;
        }
    }
    Ok(())
}

fn list(state: &State, namespace: &str, resource: &str) -> Vec<(Key, OwnedMetadata)> {
    let collection = state.store.find_collection(resource).into_iter();
    let objects = collection.flat_map(|collection| collection.range(Some(namespace), None));
    objects.map(|(key, stored)| (key.clone(), OwnedMetadata::of(stored))).collect()
}

fn update_conditions(state: &mut State, key: &Key, remaining: &Remaining) -> Result<(), Failure> {
    let Some(mut namespace) = state.store.find(NAMESPACES, key) else { return Ok(()) };
    let before = namespace.clone();
    let join = |counts: &BTreeMap<String, usize>, verb: &str| {
        let texts = counts.iter().map(|(name, count)| format!("{name} {verb} {count} resource instances"));
        texts.collect::<Vec<_>>().join(", ")
    };
    let mut conditions = namespace["status"]["conditions"].as_array().cloned().unwrap_or_default();
    for (kind, reason, message) in CONDITIONS {
        let (status, reason, message) = match kind {
            REMAINING if !remaining.objects.is_empty() => {
                let message = format!("Some resources are remaining: {}", join(&remaining.objects, "has"));
                ("True", "SomeResourcesRemain", message)
            }
            FINALIZERS if !remaining.finalizers.is_empty() => {
                let counts = join(&remaining.finalizers, "in");
                let message = format!("Some content in the namespace has finalizers remaining: {counts}");
                ("True", "SomeFinalizersRemain", message)
            }
            _ => ("False", reason, message.to_owned()),
        };
        conditions::set(&state.clock.text(), &mut conditions, kind, status, reason, &message);
    }
    namespace["status"]["conditions"] = conditions.into();
    if namespace == before {
        return Ok(());
    }
    ControllerRequest::update(NAMESPACES, key, namespace).subresource("status").send(state).map(|_| ())
}
