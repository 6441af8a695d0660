//! Faults between an API server and its clients: their kinds, and when each is injected.
//!
//! A seed determines all faults. The n-th request of a verb for a namespace gets the same fault in each run with the
//! same seed, whatever happens in other namespaces.

mod plan;
mod random;
mod wire;
mod wrong_responses;

pub use plan::{Fault, Plan};
pub use random::Random;
pub use wire::Stream;
pub(crate) use wire::{Broken, Wire};
pub use wrong_responses::{WrongBody, WrongEvent};

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

/// A kind of fault, for counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// The connection ended at some byte, with FIN.
    CutEnd,
    /// The connection ended at some byte, with RST.
    CutReset,
    /// Nothing more was sent, on a connection that stayed open.
    Stall,
    /// Nothing was sent for a while.
    Pause,
    /// Bytes were sent one by one.
    Slow,
    /// A line that is not valid JSON.
    BadJson,
    /// A line that is not valid UTF-8.
    BadUtf8,
    /// An event was sent twice.
    Repeat,
    /// An event was sent after a newer one.
    Older,
    /// The response ended without an error, in the middle of a line.
    HalfLine,
    /// The response ended without an error, before its timeout.
    EarlyEnd,
    /// A response with the status 200 and a wrong body.
    WrongBody(WrongBody),
    /// An event that is not of an object of the kind.
    WrongEvent(WrongEvent),
    /// An error status.
    Status(u16),
    /// An `ERROR` event, by its code.
    Event(u16),
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(code) => write!(f, "{code} as status"),
            Self::Event(code) => write!(f, "{code} as event"),
            kind => write!(f, "{kind:?}"),
        }
    }
}

/// The number of injected faults of each kind.
pub type Tally = BTreeMap<FaultKind, usize>;

/// Faults, which are injected until they are stopped.
pub struct Faults {
    seed: u64,
    /// The percentage of requests that get a fault.
    percent: usize,
    active: AtomicBool,
    script: Mutex<VecDeque<Fault>>,
    repeated: Mutex<BTreeMap<&'static str, Fault>>,
    progress: Mutex<BTreeMap<(String, &'static str), Progress>>,
    tally: Mutex<Tally>,
}

/// The state of the plan for one verb and one namespace.
#[derive(Default)]
struct Progress {
    round: u64,
    /// The last error status, and how often it will be repeated.
    repeated_error: Option<(u16, usize)>,
}

impl Faults {
    /// No faults.
    pub fn none() -> Self {
        Self::new(0, 0)
    }

    /// The faults of a seed. `percent` is the percentage of requests that get one.
    pub fn new(seed: u64, percent: usize) -> Self {
        Self {
            seed,
            percent,
            active: AtomicBool::new(percent > 0),
            script: Mutex::default(),
            repeated: Mutex::default(),
            progress: Mutex::default(),
            tally: Mutex::default(),
        }
    }

    /// These faults, one for each request, and then no more.
    pub fn scripted(faults: impl IntoIterator<Item = Fault>) -> Self {
        Self { active: AtomicBool::new(true), script: Mutex::new(faults.into_iter().collect()), ..Self::none() }
    }

    /// Injects this fault into each request of a verb (`list`, `continue` for further pages, `check` for a list with a
    /// limit of 1, or `watch`), until [`Self::stop`].
    pub fn repeat(&self, verb: &'static str, fault: Fault) {
        let mut repeated = self.repeated.lock().expect("planning never panics");
        repeated.insert(verb, fault);
        self.active.store(true, Ordering::SeqCst);
    }

    /// Stops injecting faults. Stalled connections stay stalled.
    pub fn stop(&self) {
        self.active.store(false, Ordering::SeqCst);
    }

    /// Whether faults are injected.
    pub fn are_active(&self) -> bool {
        self.active.load(Ordering::SeqCst)
    }

    /// The number of injected faults of each kind.
    pub fn tally(&self) -> Tally {
        self.tally.lock().expect("counting never panics").clone()
    }

    /// Returns the plan of the next request of a verb. `namespace` is empty for all namespaces.
    pub(crate) fn plan(&self, namespace: &str, verb: &'static str) -> Plan {
        let mut progress = self.progress.lock().expect("planning never panics");
        let entry = progress.entry((namespace.to_owned(), verb)).or_default();
        let purpose = format!("{verb} {namespace}");
        let mut random = Random::for_purpose(self.seed, &purpose, entry.round);
        entry.round += 1;
        let mut plan = Plan::draw(&mut random, verb, self.percent);
        match &mut entry.repeated_error {
            Some((code, times)) if *times > 0 => {
                *times -= 1;
                plan.fault = Fault::ErrorStatus { code: *code };
            }
            repeated_error => {
                if let Fault::ErrorStatus { code } = plan.fault {
                    *repeated_error = Some((code, random.below(3)));
                }
            }
        }
        if let Some(fault) = self.explicit_fault(verb) {
            plan.fault = fault;
        }
        plan
    }

    /// Returns the fault that overrides that of the seed, if there is one.
    fn explicit_fault(&self, verb: &'static str) -> Option<Fault> {
        let mut script = self.script.lock().expect("planning never panics");
        let repeated = self.repeated.lock().expect("planning never panics");
        match script.pop_front() {
            Some(fault) => Some(fault),
            None if !self.are_active() => Some(Fault::None),
            None => repeated.get(verb).cloned(),
        }
    }

    /// Returns a plan without a fault.
    pub(crate) fn fault_free_plan(&self) -> Plan {
        Plan { fault: Fault::None, chunk: usize::MAX, together: false, seed: 0 }
    }

    pub(crate) fn count(&self, kind: FaultKind) {
        let mut tally = self.tally.lock().expect("counting never panics");
        *tally.entry(kind).or_default() += 1;
    }
}
