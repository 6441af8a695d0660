use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use crdkit_tests::apiserver::{ApiServer, Key, Selector, Told, What};

use crate::{
    case::Case,
    widget::{Widget, brief, expected, key},
};

/// What the API server has to tell to an informer, by its own log.
pub(crate) struct Truth {
    /// Every state in the selection, by version; for deletions the last one.
    pub(crate) told: BTreeMap<u64, State>,
    /// The versions that each watch has to tell, in order.
    pub(crate) places: Vec<(&'static str, Vec<u64>)>,
    /// The objects in the end.
    pub(crate) objects: BTreeMap<Key, Widget>,
}

pub(crate) struct State {
    pub(crate) what: What,
    pub(crate) key: Key,
    pub(crate) widget: Widget,
}

impl Truth {
    pub(crate) fn of(case: &Case, server: &ApiServer) -> Self {
        let selector = Selector::parse(case.selector).expect("selectors of cases are simple");
        let log = server.storage().log();
        let places = case.places().into_iter();
        let mut truth = Self {
            told: BTreeMap::new(),
            places: places.map(|place| (place, Vec::new())).collect(),
            objects: BTreeMap::new(),
        };
        for change in log {
            for (place, versions) in &mut truth.places {
                let namespace = (!place.is_empty()).then_some(*place);
                if let Some(told) = change.told(namespace, &selector) {
                    versions.push(change.version);
                    let state = state(&told);
                    truth.told.insert(change.version, state);
                }
            }
        }
        for state in truth.told.values() {
            match state.what {
                What::Deleted => truth.objects.remove(&state.key),
                _ => truth.objects.insert(state.key.clone(), state.widget.clone()),
            };
        }
        truth
    }

    /// The place whose watch tells of an object.
    pub(crate) fn place_of(&self, key: &Key) -> Option<usize> {
        self.places.iter().position(|(place, _)| place.is_empty() || *place == key.0)
    }

    /// When an object that was in a state was gone from the selection, if it ever was.
    pub(crate) fn end_of(&self, key: &Key, version: u64) -> Option<u64> {
        let later = self.told.range(version + 1..);
        let mut ends = later.filter(|(_, state)| state.what == What::Deleted && state.key == *key);
        ends.next().map(|(version, _)| *version)
    }

    /// What the objects were at each position of a place, as versions: a change of one from each to the next.
    pub(crate) fn live(&self, versions: &[u64]) -> Vec<usize> {
        let mut keys = BTreeSet::new();
        let mut live = vec![0];
        for version in versions {
            let state = &self.told[version];
            match state.what {
                What::Deleted => keys.remove(&state.key),
                _ => keys.insert(state.key.clone()),
            };
            live.push(keys.len());
        }
        live
    }

    /// The versions of the objects that there are after some changes of a place.
    pub(crate) fn snapshot(&self, versions: &[u64]) -> BTreeSet<u64> {
        let mut newest = HashMap::new();
        for version in versions {
            let state = &self.told[version];
            match state.what {
                What::Deleted => newest.remove(&state.key),
                _ => newest.insert(&state.key, *version),
            };
        }
        newest.into_values().collect()
    }
}

fn state(told: &Told) -> State {
    let widget = expected(&told.object);
    State { what: told.what, key: key(&widget), widget }
}

/// How the objects of a store differ from what they should be; empty if they do not.
pub(crate) fn difference(truth: &BTreeMap<Key, Widget>, shown: impl IntoIterator<Item = Arc<Widget>>) -> Vec<String> {
    let shown: BTreeMap<Key, Arc<Widget>> = shown.into_iter().map(|widget| (key(&widget), widget)).collect();
    let missing = truth.iter().filter_map(|(key, widget)| match shown.get(key) {
        None => Some(format!("{} is missing", brief(widget))),
        Some(shown) if **shown != *widget => Some(format!("{} is there and not {}", brief(shown), brief(widget))),
        Some(_) => None,
    });
    let extra = shown.iter().filter(|(key, _)| !truth.contains_key(key));
    let extra = extra.map(|(_, widget)| format!("{} is there and should not be", brief(widget)));
    missing.chain(extra).collect()
}
