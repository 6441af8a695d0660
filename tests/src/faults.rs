//! What goes wrong between an API server and its clients: which faults there are, and when each strikes.
//!
//! A seed decides all of it. The n-th request of a kind for a namespace meets the same fault whenever the same seed is
//! played again, whatever the other namespaces do in the meantime.

mod plan;
mod random;
mod wire;
mod wrong;

pub use plan::{Fault, Plan};
pub use random::Random;
pub use wire::Stream;
pub(crate) use wire::{Broken, Wire};
pub use wrong::{WrongBody, WrongEvent};

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
pub enum Kind {
    /// The connection ended at some byte, with FIN.
    CutEnd,
    /// The connection ended at some byte, with RST.
    CutReset,
    /// Nothing came any more, on a connection that stayed open.
    Stall,
    /// Nothing came for a while.
    Pause,
    /// Bytes came one by one.
    Slow,
    /// A line that is no JSON.
    BadJson,
    /// A line that is no UTF-8.
    BadUtf8,
    /// An event came twice.
    Repeat,
    /// An event came that is older than one that came before it.
    Older,
    /// The answer ended properly, in the middle of a line.
    HalfLine,
    /// The answer ended properly, long before it should have.
    EarlyEnd,
    /// An answer of 200 that is not what was requested.
    WrongBody(WrongBody),
    /// An event that is not about an object of the kind.
    WrongEvent(WrongEvent),
    /// A refusal as the answer, by its status.
    Status(u16),
    /// A refusal as an event, by its code.
    Event(u16),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(code) => write!(f, "{code} as status"),
            Self::Event(code) => write!(f, "{code} as event"),
            kind => write!(f, "{kind:?}"),
        }
    }
}

/// How many faults of each kind struck.
pub type Tally = BTreeMap<Kind, usize>;

/// A storm of faults, which goes on until it is stopped.
pub struct Faults {
    seed: u64,
    /// How many of a hundred requests meet a fault.
    percent: usize,
    rages: AtomicBool,
    script: Mutex<VecDeque<Fault>>,
    repeated: Mutex<BTreeMap<&'static str, Fault>>,
    asked: Mutex<BTreeMap<(String, &'static str), Course>>,
    tally: Mutex<Tally>,
}

/// How far the plan of one kind of requests for one namespace has come.
#[derive(Default)]
struct Course {
    round: u64,
    /// The last refusal, and how often it is still to come.
    refusal: Option<(u16, usize)>,
}

impl Faults {
    /// Nothing goes wrong.
    pub fn none() -> Self {
        Self::new(0, 0)
    }

    /// The storm of a seed. So many of a hundred requests meet a fault.
    pub fn new(seed: u64, percent: usize) -> Self {
        Self {
            seed,
            percent,
            rages: AtomicBool::new(percent > 0),
            script: Mutex::default(),
            repeated: Mutex::default(),
            asked: Mutex::default(),
            tally: Mutex::default(),
        }
    }

    /// These faults, each met by one request, and then no more.
    pub fn scripted(faults: impl IntoIterator<Item = Fault>) -> Self {
        Self { rages: AtomicBool::new(true), script: Mutex::new(faults.into_iter().collect()), ..Self::none() }
    }

    /// From now on every request of a verb (`list`, `continue` for further pages, `check` for a list of one object at most, or
    /// `watch`) meets this fault, until
    /// [`Self::stop`].
    pub fn repeat(&self, verb: &'static str, fault: Fault) {
        let mut repeated = self.repeated.lock().expect("planning never panics");
        repeated.insert(verb, fault);
        self.rages.store(true, Ordering::SeqCst);
    }

    /// From now on nothing new goes wrong. Connections that are stalled stay so.
    pub fn stop(&self) {
        self.rages.store(false, Ordering::SeqCst);
    }

    /// Whether faults strike.
    pub fn rage(&self) -> bool {
        self.rages.load(Ordering::SeqCst)
    }

    /// How many faults of each kind have struck.
    pub fn tally(&self) -> Tally {
        self.tally.lock().expect("counting never panics").clone()
    }

    /// What the next request meets. `place` is its namespace, or empty.
    pub(crate) fn plan(&self, place: &str, verb: &'static str) -> Plan {
        let mut asked = self.asked.lock().expect("planning never panics");
        let course = asked.entry((place.to_owned(), verb)).or_default();
        let purpose = format!("{verb} {place}");
        let mut random = Random::for_purpose(self.seed, &purpose, course.round);
        course.round += 1;
        let mut plan = Plan::draw(&mut random, verb, self.percent);
        match &mut course.refusal {
            Some((code, times)) if *times > 0 => {
                *times -= 1;
                plan.fault = Fault::Refuse { code: *code };
            }
            refusal => {
                if let Fault::Refuse { code } = plan.fault {
                    *refusal = Some((code, random.below(3)));
                }
            }
        }
        if let Some(fault) = self.prescribed(verb) {
            plan.fault = fault;
        }
        plan
    }

    /// What a request meets whatever the seed says.
    fn prescribed(&self, verb: &'static str) -> Option<Fault> {
        let mut script = self.script.lock().expect("planning never panics");
        let repeated = self.repeated.lock().expect("planning never panics");
        match script.pop_front() {
            Some(fault) => Some(fault),
            None if !self.rage() => Some(Fault::None),
            None => repeated.get(verb).cloned(),
        }
    }

    /// The plan of an answer that meets nothing.
    pub(crate) fn calm(&self) -> Plan {
        Plan { fault: Fault::None, chunk: usize::MAX, together: false, dice: 0 }
    }

    pub(crate) fn count(&self, kind: Kind) {
        let mut tally = self.tally.lock().expect("counting never panics");
        *tally.entry(kind).or_default() += 1;
    }
}
