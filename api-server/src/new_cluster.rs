//! The objects that a new cluster has before anyone has written one.
//!
//! `new_cluster.tsv` is copied from the real server by `cargo run -p crdkit-tests --bin server_data`. All servers of a process share
//! the objects, so that a new server only refers to them.

use std::sync::{Arc, LazyLock};

use super::{
    clock::Clock,
    state::{Random, State},
    store::{Key, SchemaId, Stored},
};

const LINES: &str = include_str!("new_cluster.tsv");
/// The start of the UIDs, which differ from those of the objects that a server creates.
const SEED: u64 = 1;

struct Object {
    collection: &'static str,
    key: Key,
    stored: Arc<Stored>,
}

/// Adds the objects to a server without any.
pub(super) fn create(state: &mut State) {
    static OBJECTS: LazyLock<Vec<Object>> = LazyLock::new(|| read(&Clock::system().text()));
    for Object { collection, key, stored } in &*OBJECTS {
        state.store.add(collection, key, stored);
        state.initial.insert(stored.revision);
    }
}

/// Returns the objects as they are created at a time.
fn read(time: &str) -> Vec<Object> {
    let date = time.split('T').next().unwrap_or(time);
    let microtime = time.replace('Z', ".000000Z");
    let mut random = Random::new(SEED);
    let object = |(line, revision): (&'static str, u64)| {
        let mut parts = line.splitn(4, '\t');
        let [collection, namespace, name, json] = std::array::from_fn(|_| parts.next().expect("the data is valid"));
        let (uid, version) = (random.uid(), revision.to_string());
        let values =
            [("uid", &*uid), ("version", &*version), ("time", time), ("date", date), ("microtime", &*microtime)];
        let json = fill(json, &values).into();
        let stored = Arc::new(Stored { revision, schema: SchemaId::default(), json });
        Object { collection, key: Key::new(namespace, name), stored }
    };
    LINES.lines().zip(1..).map(object).collect()
}

/// Replaces placeholders, each of which ends a text.
fn fill(json: &str, values: &[(&str, &str)]) -> String {
    let mut parts = json.split('$');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_at(part.find('"').unwrap_or(part.len()));
        let value = values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        filled += value.unwrap_or_else(|| panic!("${name} is no placeholder"));
        filled += rest;
    }
    filled
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn objects_are_those_of_their_lines() {
        let objects = read("2030-01-31T12:00:00Z");
        assert_eq!(objects.len(), 52);
        for (Object { collection, key, stored }, revision) in objects.iter().zip(1_u64..) {
            let value = stored.value();
            let metadata = &value["metadata"];
            assert_eq!(metadata["name"], *key.name, "{collection}");
            assert_eq!(metadata["namespace"].as_str().unwrap_or_default(), key.namespace);
            assert_eq!(metadata["resourceVersion"], revision.to_string());
            assert_eq!(stored.revision, revision);
            assert!(stored.is_in(value["apiVersion"].as_str().unwrap()), "{collection}");
        }
        let lease = objects.iter().find(|object| object.collection.starts_with("leases")).unwrap().stored.value();
        assert_eq!(lease["spec"]["renewTime"], "2030-01-31T12:00:00.000000Z");
        let uids: std::collections::BTreeSet<_> =
            objects.iter().map(|object| object.stored.value()["metadata"]["uid"].to_string()).collect();
        assert_eq!(uids.len(), objects.len());
        assert_ne!(lease["metadata"]["uid"], Value::Null);
    }
}
