//! The objects, their versions, and the history of changes.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
};

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::watch;

use super::json_text;

/// The number of changes that are kept for each resource. A watch or a list of an older version fails with 410.
const HISTORY: usize = 20_000;

/// The name of an object within its resource; the namespace is empty for objects of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub(super) namespace: String,
    pub(super) name: String,
}

impl Key {
    pub(super) fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.to_owned(), name: name.to_owned() }
    }
}

/// Identifies the schemas of a resource, which change with its definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SchemaId(pub(super) u32);

/// A version of an object, as a line of JSON in its storage version.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) revision: u64,
    /// The schemas that the object was written under.
    pub(super) schema: SchemaId,
    pub(super) json: Bytes,
}

impl Stored {
    pub(super) fn value(&self) -> Value {
        serde_json::from_slice(&self.json).expect("stored objects are JSON")
    }

    /// Returns whether the object was written in this version.
    pub(super) fn is_in(&self, api_version: &str) -> bool {
        json_text::is_in(&self.json, api_version)
    }

    /// Returns the JSON without the end of the line.
    pub(super) fn json_value(&self) -> &[u8] {
        self.json.strip_suffix(b"\n").unwrap_or(&self.json)
    }
}

/// A change of an object.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) revision: u64,
    pub(super) key: Key,
    /// The object before the change; `None` if it was created.
    pub(super) before: Option<Arc<Stored>>,
    /// The object after the change. A deleted object has the revision of its deletion.
    pub(super) after: Arc<Stored>,
    pub(super) is_deletion: bool,
}

/// A change, and the qualified name of the resource.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub(super) resource: String,
    pub(super) change: Change,
}

/// The objects of one resource.
pub(super) struct Collection {
    objects: BTreeMap<Key, Arc<Stored>>,
    history: VecDeque<Change>,
    /// Changes up to this revision are no longer kept.
    compacted: u64,
    /// The revision of the last change, for watches.
    changed: watch::Sender<u64>,
    /// The schemas of the objects that are written from now on.
    pub(super) schema: SchemaId,
}

impl Default for Collection {
    fn default() -> Self {
        Self {
            objects: BTreeMap::new(),
            history: VecDeque::new(),
            compacted: 0,
            changed: watch::Sender::new(0),
            schema: SchemaId::default(),
        }
    }
}

/// A revision whose objects are no longer known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Compacted;

impl Collection {
    pub(super) fn get(&self, key: &Key) -> Option<&Arc<Stored>> {
        self.objects.get(key)
    }

    pub(super) fn objects(&self) -> impl Iterator<Item = (&Key, &Arc<Stored>)> {
        self.objects.iter()
    }

    /// Returns the objects of a namespace, or of all, that follow a key.
    pub(super) fn range<'a>(
        &'a self,
        namespace: Option<&'a str>,
        after: Option<&Key>,
    ) -> impl Iterator<Item = (&'a Key, &'a Arc<Stored>)> {
        use std::ops::Bound;
        let start = match (after, namespace) {
            (Some(after), _) => Bound::Excluded(after.clone()),
            (None, Some(namespace)) => Bound::Included(Key::new(namespace, "")),
            (None, None) => Bound::Unbounded,
        };
        let is_inside = move |key: &Key| namespace.is_none_or(|namespace| key.namespace == namespace);
        self.objects.range((start, Bound::Unbounded)).take_while(move |(key, _)| is_inside(key))
    }

    /// Returns the objects that [`Self::range`] returned at a revision.
    pub(super) fn range_at<'a>(
        &'a self,
        revision: u64,
        namespace: Option<&'a str>,
        after: Option<&Key>,
    ) -> Result<impl Iterator<Item = (&'a Key, &'a Arc<Stored>)>, Compacted> {
        if revision < self.compacted {
            return Err(Compacted);
        }
        // The states before the first changes since then.
        let mut changed: BTreeMap<&Key, Option<&Arc<Stored>>> = BTreeMap::new();
        for change in self.history.iter().rev().take_while(|change| change.revision > revision) {
            changed.insert(&change.key, change.before.as_ref());
        }
        let mut before: Vec<_> = changed
            .iter()
            .filter_map(|(key, before)| Some((*key, (*before)?)))
            .filter(|(key, _)| namespace.is_none_or(|it| key.namespace == it) && after.is_none_or(|it| *key > it))
            .collect();
        before.reverse();
        let mut unchanged = self.range(namespace, after).filter(move |(key, _)| !changed.contains_key(key)).peekable();
        Ok(std::iter::from_fn(move || match (unchanged.peek(), before.last()) {
            (Some((unchanged_key, _)), Some((key, _))) if key < unchanged_key => before.pop(),
            (None, _) => before.pop(),
            (Some(_), _) => unchanged.next(),
        }))
    }

    /// Returns the changes after a revision.
    pub(super) fn changes_after(&self, revision: u64) -> Result<impl Iterator<Item = &Change>, Compacted> {
        if revision < self.compacted {
            return Err(Compacted);
        }
        let first = self.history.partition_point(|change| change.revision <= revision);
        Ok(self.history.range(first..))
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn record(&mut self, change: Change) {
        let revision = change.revision;
        self.history.push_back(change);
        if self.history.len() > HISTORY {
            let oldest = self.history.pop_front();
            self.compacted = oldest.map_or(self.compacted, |change| change.revision);
        }
        self.changed.send_replace(revision);
    }

    fn copy(&self) -> Self {
        Self {
            objects: self.objects.clone(),
            history: self.history.clone(),
            compacted: self.compacted,
            changed: watch::Sender::new(0),
            schema: self.schema,
        }
    }

    fn compact(&mut self, revision: u64) {
        self.compacted = self.compacted.max(revision);
        self.history.retain(|change| change.revision > revision);
    }
}

/// All objects.
#[derive(Default)]
pub(super) struct Store {
    revision: u64,
    collections: HashMap<String, Collection>,
    /// The changes since they were last taken.
    writes: Vec<Write>,
    /// Where objects are written as JSON, before they are kept without room to grow.
    buffer: Vec<u8>,
}

impl Store {
    /// Returns the revision of the last change.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the objects of a resource by its qualified name.
    pub(super) fn collection(&mut self, resource: &str) -> &mut Collection {
        if !self.collections.contains_key(resource) {
            self.collections.insert(resource.to_owned(), Collection::default());
        }
        self.collections.get_mut(resource).expect("it is there")
    }

    /// Returns the objects of a resource by its qualified name, if there ever were any.
    pub(super) fn find_collection(&self, resource: &str) -> Option<&Collection> {
        self.collections.get(resource)
    }

    pub(super) fn get(&self, resource: &str, key: &Key) -> Option<&Arc<Stored>> {
        self.collections.get(resource)?.get(key)
    }

    /// Returns a copy of an object.
    pub(super) fn find(&self, resource: &str, key: &Key) -> Option<Value> {
        self.get(resource, key).map(|stored| stored.value())
    }

    /// Returns copies of the objects of a resource.
    pub(super) fn values(&self, resource: &str) -> Vec<Value> {
        let objects = self.find_collection(resource).into_iter().flat_map(Collection::objects);
        objects.map(|(_, stored)| stored.value()).collect()
    }

    /// Returns a namespace.
    pub(super) fn namespace(&self, name: &str) -> Option<Value> {
        self.find("namespaces", &Key::new("", name))
    }

    /// Returns all objects, in their order, as if they had just been created.
    pub(super) fn as_writes(&self) -> Vec<Write> {
        let mut collections: Vec<_> = self.collections().collect();
        collections.sort_by_key(|(resource, _)| *resource);
        let writes = collections.into_iter().flat_map(|(resource, collection)| {
            collection.objects().map(move |(key, stored)| Write {
                resource: resource.to_owned(),
                change: Change {
                    revision: stored.revision,
                    key: key.clone(),
                    before: None,
                    after: stored.clone(),
                    is_deletion: false,
                },
            })
        });
        writes.collect()
    }

    /// Writes an object. Its `metadata.resourceVersion` becomes the new revision.
    pub(super) fn put(&mut self, resource: &str, key: &Key, object: &mut Value) -> Arc<Stored> {
        let stored = self.next_version(resource, object);
        let before = self.collection(resource).objects.insert(key.clone(), stored.clone());
        self.record(
            resource,
            Change { revision: stored.revision, key: key.clone(), before, after: stored.clone(), is_deletion: false },
        );
        stored
    }

    /// Adds an object that the server has from the start, in a version after those of all others.
    pub(super) fn add(&mut self, resource: &str, key: &Key, stored: &Arc<Stored>) {
        self.revision = stored.revision;
        let collection = self.collection(resource);
        collection.objects.insert(key.clone(), stored.clone());
        collection.record(Change {
            revision: stored.revision,
            key: key.clone(),
            before: None,
            after: stored.clone(),
            is_deletion: false,
        });
    }

    /// Removes an object, whose last state is `object`.
    pub(super) fn remove(&mut self, resource: &str, key: &Key, object: &mut Value) -> Arc<Stored> {
        let last = self.next_version(resource, object);
        if let Some(before) = self.collection(resource).objects.remove(key) {
            self.record(
                resource,
                Change {
                    revision: last.revision,
                    key: key.clone(),
                    before: Some(before),
                    after: last.clone(),
                    is_deletion: true,
                },
            );
        }
        last
    }

    fn record(&mut self, resource: &str, change: Change) {
        self.collection(resource).record(change.clone());
        self.writes.push(Write { resource: resource.to_owned(), change });
    }

    /// Returns the changes since the last call.
    pub(super) fn take_writes(&mut self) -> Vec<Write> {
        std::mem::take(&mut self.writes)
    }

    /// Returns all objects of all resources, by the qualified names of the resources.
    pub(super) fn collections(&self) -> impl Iterator<Item = (&str, &Collection)> {
        self.collections.iter().map(|(resource, collection)| (resource.as_str(), collection))
    }

    /// Returns a copy, which has no watches.
    pub(super) fn copy(&self) -> Self {
        let collections = self.collections.iter();
        Self {
            revision: self.revision,
            collections: collections.map(|(resource, collection)| (resource.clone(), collection.copy())).collect(),
            writes: Vec::new(),
            buffer: Vec::new(),
        }
    }

    fn next_version(&mut self, resource: &str, object: &mut Value) -> Arc<Stored> {
        self.revision += 1;
        object["metadata"]["resourceVersion"] = self.revision.to_string().into();
        self.buffer.clear();
        json_text::write(object, &mut self.buffer);
        self.buffer.push(b'\n');
        let schema = self.collection(resource).schema;
        Arc::new(Stored { revision: self.revision, schema, json: Bytes::copy_from_slice(&self.buffer) })
    }

    /// Forgets the history up to now.
    pub(super) fn compact(&mut self) {
        let revision = self.revision;
        self.collections.values_mut().for_each(|collection| collection.compact(revision));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(collection: &Collection, revision: u64, after: Option<&str>) -> Vec<String> {
        let after = after.map(|name| Key::new("", name));
        let objects = collection.range_at(revision, None, after.as_ref()).unwrap();
        objects.map(|(key, stored)| format!("{}{}", key.name, stored.revision)).collect()
    }

    fn put(store: &mut Store, name: &str) -> u64 {
        store.put("ats", &Key::new("", name), &mut json!({ "metadata": { "name": name } })).revision
    }

    #[test]
    fn past_revisions_are_known_until_compaction() {
        let mut store = Store::default();
        let first = put(&mut store, "a");
        let second = put(&mut store, "b");
        store.remove("ats", &Key::new("", "a"), &mut json!({}));
        let collection = store.collection("ats");
        assert_eq!(names(collection, first, None), ["a1"]);
        assert_eq!(names(collection, second, None), ["a1", "b2"]);
        assert_eq!(names(collection, second, Some("a")), ["b2"]);
        assert_eq!(names(collection, second + 1, None), ["b2"]);
        let kinds: Vec<_> = collection.changes_after(first).unwrap().map(|it| it.is_deletion).collect();
        assert_eq!(kinds, [false, true]);
        store.compact();
        let collection = store.collection("ats");
        assert!(collection.range_at(second, None, None).is_err());
        assert!(collection.changes_after(first).is_err());
        assert_eq!(collection.changes_after(second + 1).unwrap().count(), 0);
    }

    #[test]
    fn past_objects_are_in_order() {
        let mut store = Store::default();
        for name in ["b", "d", "a", "c", "e"] {
            put(&mut store, name);
        }
        let revision = store.revision();
        for name in ["a", "c", "c", "f"] {
            put(&mut store, name);
        }
        for name in ["b", "e"] {
            store.remove("ats", &Key::new("", name), &mut json!({}));
        }
        put(&mut store, "b");
        let collection = store.collection("ats");
        assert_eq!(names(collection, revision, None), ["a3", "b1", "c4", "d2", "e5"]);
        assert_eq!(names(collection, revision, Some("b")), ["c4", "d2", "e5"]);
    }

    #[test]
    fn stored_objects_have_their_revision() {
        let mut store = Store::default();
        let revision = put(&mut store, "a");
        let stored = store.get("ats", &Key::new("", "a")).unwrap();
        assert_eq!(stored.value()["metadata"]["resourceVersion"], revision.to_string());
    }
}
