//! The controllers that are on, and when they run.

use std::{collections::BTreeMap, mem};

use crate::{
    state::State,
    store::{Store, Write},
};

/// The rounds after which controllers that answer each other without end are left alone until the next write.
const MAX_ROUNDS: usize = 1_000;

/// The controllers that are on, and the changes that they have not seen.
#[derive(Default)]
pub(crate) struct Controllers {
    /// The controllers by their names, in whose order they run.
    running: BTreeMap<&'static str, Box<dyn Controller>>,
    pub(crate) is_manual: bool,
    pending: Vec<Write>,
}

/// A controller. What it writes fails if it must, and is tried again after the next change.
pub(crate) trait Controller: Send {
    /// Returns the name that kube-controller-manager has for it.
    fn name(&self) -> &'static str;

    /// Does what changes require.
    fn run(&mut self, state: &mut State, writes: &[Write]);

    /// Does what a time that has passed, or the test, requires.
    fn evaluate(&mut self, _state: &mut State) {}

    /// Forgets what it has seen.
    fn restart(&mut self) {}
}

impl Controllers {
    /// Adds a controller, instead of an earlier one with the same name.
    pub(super) fn add(&mut self, controller: Box<dyn Controller>, store: &Store) {
        self.running.insert(controller.name(), controller);
        self.pending = store.as_writes();
    }

    /// Forgets what controllers have seen, after the objects were replaced.
    pub(crate) fn restart(&mut self, store: &Store) {
        self.running.values_mut().for_each(|controller| controller.restart());
        self.pending = store.as_writes();
    }
}

/// Runs controllers after changes, unless the test does.
pub(crate) fn settle_after(state: &mut State, writes: Vec<Write>) {
    if state.controllers.running.is_empty() {
        return;
    }
    state.controllers.pending.extend(writes);
    if !state.controllers.is_manual {
        settle(state);
    }
}

/// Runs the controllers, also for what depends on the time and on the test.
pub(super) fn evaluate(state: &mut State) {
    let mut controllers = mem::take(&mut state.controllers);
    controllers.running.values_mut().for_each(|controller| controller.evaluate(state));
    state.controllers = Controllers { pending: state.store.as_writes(), ..controllers };
    settle(state);
}

fn settle(state: &mut State) {
    let mut controllers = mem::take(&mut state.controllers);
    for _ in 0..MAX_ROUNDS {
        let mut writes = mem::take(&mut controllers.pending);
        writes.extend(state.store.take_writes());
        if writes.is_empty() {
            break;
        }
        controllers.running.values_mut().for_each(|controller| controller.run(state, &writes));
    }
    state.controllers = controllers;
}
