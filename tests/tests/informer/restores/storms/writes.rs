//! Writers, and a model of their writes.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use crdkit::informer::Subscription;
use crdkit_tests::faults::Random;
use tokio::{task::JoinHandle, time::sleep};

use crate::{
    restores::Machines,
    served::{Machine, Sample},
};

const WRITERS: u64 = 3;
const NAMES: usize = 12;

/// The writes that succeeded or may have succeeded.
#[derive(Default)]
struct Model {
    is_over: AtomicBool,
    answered: AtomicUsize,
    /// Names and notes, of which each write has its own, with sizes.
    tried: Mutex<BTreeSet<State>>,
    /// Received states that were not written.
    unknown: Mutex<Vec<State>>,
}

type State = (String, Option<String>, i32);

/// Writers that continue after errors, until they are stopped.
pub(super) struct Writes {
    model: Arc<Model>,
    writers: Mutex<Vec<JoinHandle<()>>>,
}

impl Writes {
    pub(super) fn begin(seed: u64, machines: &Machines) -> Self {
        let model = Arc::new(Model::default());
        let writers = (0..WRITERS).map(|writer| {
            let random = Random::for_purpose(seed, "writer", writer);
            let machines = machines.clone().max_retries(0);
            tokio::spawn(write(writer, random, machines, model.clone()))
        });
        Self { writers: Mutex::new(writers.collect()), model }
    }

    /// Checks that each state that a subscriber receives was written.
    pub(super) fn check(&self, mut events: Subscription<Machine>) {
        let model = self.model.clone();
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                if let Some(machine) = event.object() {
                    model.check(machine);
                }
            }
        });
    }

    /// Stops the writers. Returns the numbers of writes.
    pub(super) async fn end(&self) -> String {
        self.model.is_over.store(true, Ordering::SeqCst);
        let writers = std::mem::take(&mut *self.writers.lock().unwrap());
        for writer in writers {
            writer.await.expect("writers do not panic");
        }
        let answered = self.model.answered.load(Ordering::SeqCst);
        let tried = self.model.tried.lock().unwrap().len();
        format!("{answered} writes of {tried} that were tried")
    }

    pub(super) fn verdict(&self) -> Result<(), String> {
        let unknown = self.model.unknown.lock().unwrap();
        if unknown.is_empty() { Ok(()) } else { Err(format!("received, but not written: {unknown:?}")) }
    }
}

impl Model {
    fn check(&self, machine: &Machine) {
        let state = state(machine);
        // Objects without notes only advance the version.
        let is_of_writers = state.1.is_some();
        if is_of_writers && !self.tried.lock().unwrap().contains(&state) {
            self.unknown.lock().unwrap().push(state);
        }
    }

    fn note<T, E>(&self, answer: Result<T, E>) {
        self.answered.fetch_add(usize::from(answer.is_ok()), Ordering::SeqCst);
    }
}

fn state(machine: &Machine) -> State {
    let name = machine.metadata.name.clone().unwrap_or_default();
    (name, machine.spec.note.clone(), machine.spec.size)
}

async fn write(writer: u64, mut random: Random, machines: Machines, model: Arc<Model>) {
    let mut number = 0;
    while !model.is_over.load(Ordering::SeqCst) {
        number += 1;
        let name = format!("m{}", random.below(NAMES));
        let size = i32::try_from(random.below(1000)).expect("a small number fits");
        let mut machine = Machine::named(&name, size);
        machine.spec.note = Some(format!("{writer}-{number}"));
        model.tried.lock().unwrap().insert(state(&machine));
        match random.below(6) {
            0 => model.note(machines.delete(&name).await),
            1 | 2 => model.note(machines.create(&machine).await),
            _ => {
                let change = |old: &mut Machine| old.spec = machine.spec.clone();
                model.note(machines.update(&name, change).await);
            }
        }
        sleep(Duration::from_millis(random.below(40) as u64)).await;
    }
}
