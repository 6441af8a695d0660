use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use crdkit_tests::apiserver::{ApiServer, EventType, Key, Selector, WatchEvent};

use crate::{
    case::Case,
    widget::{Widget, brief, expected, key},
};

/// The changes that an informer must receive, from the API server's log.
pub(crate) struct History {
    /// Each state in the selection, by version; for deletions the last one.
    pub(crate) states: BTreeMap<u64, State>,
    /// The namespace of each watch and the versions of its events, in order.
    pub(crate) watches: Vec<(&'static str, Vec<u64>)>,
    /// The objects at the end.
    pub(crate) objects: BTreeMap<Key, Widget>,
}

pub(crate) struct State {
    pub(crate) event_type: EventType,
    pub(crate) key: Key,
    pub(crate) widget: Widget,
}

impl History {
    pub(crate) fn of(case: &Case, server: &ApiServer) -> Self {
        let selector = Selector::parse(case.selector).expect("selectors of cases are simple");
        let log = server.storage().log();
        let namespaces = case.watched_namespaces().into_iter();
        let mut history = Self {
            states: BTreeMap::new(),
            watches: namespaces.map(|namespace| (namespace, Vec::new())).collect(),
            objects: BTreeMap::new(),
        };
        for change in log {
            for (namespace, versions) in &mut history.watches {
                let namespace = (!namespace.is_empty()).then_some(*namespace);
                if let Some(event) = change.event(namespace, &selector) {
                    versions.push(change.version);
                    let state = state(&event);
                    history.states.insert(change.version, state);
                }
            }
        }
        for state in history.states.values() {
            match state.event_type {
                EventType::Deleted => history.objects.remove(&state.key),
                _ => history.objects.insert(state.key.clone(), state.widget.clone()),
            };
        }
        history
    }

    /// Returns the watch of an object.
    pub(crate) fn watch_of(&self, key: &Key) -> Option<usize> {
        self.watches.iter().position(|(namespace, _)| namespace.is_empty() || *namespace == key.0)
    }

    /// Returns the version at which an object left the selection after a version, if it did.
    pub(crate) fn end_of(&self, key: &Key, version: u64) -> Option<u64> {
        let later = self.states.range(version + 1..);
        let mut ends = later.filter(|(_, state)| state.event_type == EventType::Deleted && state.key == *key);
        ends.next().map(|(version, _)| *version)
    }

    /// Returns the number of objects of a watch before its first change and after each change.
    pub(crate) fn live(&self, versions: &[u64]) -> Vec<usize> {
        let mut keys = BTreeSet::new();
        let mut live = vec![0];
        for version in versions {
            let state = &self.states[version];
            match state.event_type {
                EventType::Deleted => keys.remove(&state.key),
                _ => keys.insert(state.key.clone()),
            };
            live.push(keys.len());
        }
        live
    }

    /// Returns the versions of the objects after some changes of a watch.
    pub(crate) fn snapshot(&self, versions: &[u64]) -> BTreeSet<u64> {
        let mut newest = HashMap::new();
        for version in versions {
            let state = &self.states[version];
            match state.event_type {
                EventType::Deleted => newest.remove(&state.key),
                _ => newest.insert(&state.key, *version),
            };
        }
        newest.into_values().collect()
    }
}

fn state(event: &WatchEvent) -> State {
    let widget = expected(&event.object);
    State { event_type: event.event_type, key: key(&widget), widget }
}

/// Returns how the objects of a store differ from the expected ones.
pub(crate) fn difference(
    expected: &BTreeMap<Key, Widget>,
    shown: impl IntoIterator<Item = Arc<Widget>>,
) -> Vec<String> {
    let shown: BTreeMap<Key, Arc<Widget>> = shown.into_iter().map(|widget| (key(&widget), widget)).collect();
    let missing = expected.iter().filter_map(|(key, widget)| match shown.get(key) {
        None => Some(format!("{} is missing", brief(widget))),
        Some(shown) if **shown != *widget => Some(format!("{} instead of {}", brief(shown), brief(widget))),
        Some(_) => None,
    });
    let extra = shown
        .iter()
        .filter(|(key, _)| !expected.contains_key(key))
        .map(|(_, widget)| format!("{} is unexpected", brief(widget)));
    missing.chain(extra).collect()
}
