//! Where the objects of an informer are, and the namespaces of a factory, which may change while its informers run.

use std::{
    collections::{BTreeMap, HashMap},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

/// Where the objects of an informer are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Places {
    /// All namespaces, or the cluster.
    All,
    Namespaces(Vec<String>),
    /// The namespaces of the factory.
    OfFactory,
}

/// Namespaces, each with the number of the change that selected it. One that is removed and selected again has another number: it is
/// listed again, because changes of its objects were missed in between.
pub(super) type NumberedNamespaces = BTreeMap<Arc<str>, u64>;

/// The namespaces of a factory: all, unless they are limited.
pub(crate) struct FactoryNamespaces {
    state: Mutex<State>,
    /// What the informers watch.
    watched: watch::Sender<NumberedNamespaces>,
}

#[derive(Default)]
struct State {
    /// `None` for all.
    selected: Option<NumberedNamespaces>,
    /// The labels that select them, unless they are named.
    labels: Option<Arc<str>>,
    changes: u64,
    /// The number of reconciliations that run in a namespace.
    running: HashMap<Arc<str>, usize>,
    /// Namespaces that were removed, and maybe selected again, while reconciliations ran there. They are watched until these end, so
    /// that they do not see a cache without the objects that exist. No other one starts there.
    leaving: NumberedNamespaces,
}

/// A reconciliation that runs in a namespace.
pub(super) struct RunInNamespace {
    /// `None` if it is not counted.
    counted: Option<(Arc<FactoryNamespaces>, Arc<str>)>,
}

impl FactoryNamespaces {
    pub(super) fn all() -> Self {
        Self { state: Mutex::default(), watched: watch::Sender::new(NumberedNamespaces::new()) }
    }

    /// Selects these namespaces only.
    ///
    /// Objects of those that are removed leave the caches without deletions, once no reconciliation runs there.
    pub(crate) fn limit(&self, names: impl IntoIterator<Item = String>) {
        let mut state = self.state();
        state.changes += 1;
        let change = state.changes;
        let before = state.selected.take().unwrap_or_default();
        let number = |name: &str| before.get(name).copied().unwrap_or(change);
        let selected: NumberedNamespaces = names.into_iter().map(|name| (Arc::from(&*name), number(&name))).collect();
        for (name, number) in before {
            if !selected.contains_key(&name) && state.running.contains_key(&name) {
                state.leaving.entry(name).or_insert(number);
            }
        }
        state.selected = Some(selected);
        self.publish(&state);
    }

    /// Sets the labels that select the namespaces; `None` if they are named.
    pub(crate) fn set_labels(&self, labels: Option<&str>) {
        self.state().labels = labels.map(Arc::from);
    }

    pub(crate) fn labels(&self) -> Option<Arc<str>> {
        self.state().labels.clone()
    }

    /// Returns the selected namespaces, sorted; `None` for all.
    pub(crate) fn selected(&self) -> Option<Vec<String>> {
        let state = self.state();
        Some(state.selected.as_ref()?.keys().map(|name| name.to_string()).collect())
    }

    pub(super) fn are_limited(&self) -> bool {
        self.state().selected.is_some()
    }

    pub(super) fn watched(&self) -> watch::Receiver<NumberedNamespaces> {
        self.watched.subscribe()
    }

    /// Returns the number of the change that selected a namespace; `None` if it is not watched.
    pub(super) fn number(&self, namespace: &str) -> Option<u64> {
        self.watched.borrow().get(namespace).copied()
    }

    /// Begins a reconciliation; `None` if its namespace is not selected.
    pub(super) fn enter(self: &Arc<Self>, namespace: Option<&str>) -> Option<RunInNamespace> {
        let Some(namespace) = namespace else {
            return Some(RunInNamespace { counted: None });
        };
        let mut state = self.state();
        let Some(selected) = &state.selected else {
            return Some(RunInNamespace { counted: None });
        };
        let (name, _) = selected.get_key_value(namespace).filter(|(name, _)| !state.leaving.contains_key(*name))?;
        let name = name.clone();
        *state.running.entry(name.clone()).or_default() += 1;
        Some(RunInNamespace { counted: Some((self.clone(), name)) })
    }

    fn leave(&self, namespace: &Arc<str>) {
        let mut state = self.state();
        let Some(running) = state.running.get_mut(namespace) else {
            return;
        };
        *running -= 1;
        if *running == 0 {
            state.running.remove(namespace);
            if state.leaving.remove(namespace).is_some() {
                self.publish(&state);
            }
        }
    }

    fn publish(&self, state: &State) {
        let mut watched = state.selected.clone().unwrap_or_default();
        watched.extend(state.leaving.clone());
        self.watched.send_if_modified(|before| mem::replace(before, watched.clone()) != watched);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunInNamespace {
    fn drop(&mut self) {
        if let Some((namespaces, name)) = &self.counted {
            namespaces.leave(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(names: &[&str]) -> Arc<FactoryNamespaces> {
        let namespaces = Arc::new(FactoryNamespaces::all());
        limit(&namespaces, names);
        namespaces
    }

    fn limit(namespaces: &FactoryNamespaces, names: &[&str]) {
        namespaces.limit(names.iter().map(|name| (*name).to_owned()));
    }

    fn watched(namespaces: &FactoryNamespaces) -> Vec<(String, u64)> {
        let receiver = namespaces.watched();
        let watched = receiver.borrow();
        watched.iter().map(|(name, number)| (name.to_string(), *number)).collect()
    }

    #[test]
    fn all_namespaces_are_selected_without_a_limit() {
        let all = Arc::new(FactoryNamespaces::all());
        assert!(all.enter(Some("a")).is_some() && all.enter(None).is_some());
        assert_eq!((all.selected(), all.are_limited()), (None, false));
        let none = limited(&[]);
        assert!(none.enter(Some("a")).is_none() && none.enter(None).is_some());
        assert_eq!((none.selected(), none.are_limited()), (Some(Vec::new()), true));
    }

    #[test]
    fn a_namespace_that_returns_has_another_number() {
        let namespaces = limited(&["a", "b"]);
        limit(&namespaces, &["b"]);
        assert_eq!((watched(&namespaces), namespaces.number("a")), (vec![("b".to_owned(), 1)], None));
        limit(&namespaces, &["b", "a"]);
        assert_eq!(watched(&namespaces), [("a".to_owned(), 3), ("b".to_owned(), 1)]);
    }

    #[test]
    fn a_namespace_is_watched_until_its_reconciliations_end() {
        let namespaces = limited(&["a", "b"]);
        let runs = [namespaces.enter(Some("a")), namespaces.enter(Some("a"))];
        limit(&namespaces, &["b"]);
        assert_eq!((namespaces.number("a"), namespaces.selected()), (Some(1), Some(vec!["b".to_owned()])));
        // It is selected again, and removed once more, meanwhile.
        for names in [&["a", "b"][..], &["b"], &["b", "a"]] {
            limit(&namespaces, names);
            assert!(namespaces.enter(Some("a")).is_none() && namespaces.enter(Some("b")).is_some());
            assert_eq!(namespaces.number("a"), Some(1));
        }
        let [first, last] = runs;
        drop(first);
        assert_eq!(namespaces.number("a"), Some(1));
        drop(last);
        assert_eq!(namespaces.number("a"), Some(5));
        assert!(namespaces.enter(Some("a")).is_some());
    }
}
