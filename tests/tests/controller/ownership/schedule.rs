//! The steps of a schedule, from a seed.

use std::fmt;

use crdkit_tests::faults::Random;
use serde::{Deserialize, Serialize};

pub(super) const TENANTS: usize = 3;
pub(super) const NAMESPACES: [&str; 2] = ["a", "b"];
/// The names of the two controllers of the kind.
pub(super) const CONTROLLERS: [&str; 2] = ["first", "second"];
const STEPS: usize = 12;

/// The kind of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Kind {
    Config,
    Secret,
}

/// A child in the spec of a tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Child {
    pub(super) kind: Kind,
    pub(super) namespace: usize,
    /// The controller that applies it.
    pub(super) by: usize,
    pub(super) number: usize,
    pub(super) value: usize,
}

/// A version of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    Old,
    /// It does not apply Secrets any longer.
    New,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Sets the spec of a tenant, which is created if it does not exist.
    Spec {
        tenant: usize,
        children: Vec<Child>,
    },
    /// Deletes a tenant, and what it owns.
    Delete {
        tenant: usize,
    },
    /// Somebody changes, or deletes, one of the children that exist.
    Change {
        pick: usize,
    },
    Remove {
        pick: usize,
    },
    /// Somebody makes an object.
    Make {
        form: Form,
        kind: Kind,
        number: usize,
    },
    Fail {
        what: Target,
        how: Failure,
        after: usize,
        times: usize,
    },
    /// Ends the operator, gracefully or not.
    Stop,
    Crash,
    /// Starts it, or replaces it while it runs: the new one becomes the leader once the old one has ended.
    Start(Version),
    Replace(Version),
    Sleep(u64),
}

/// An object that somebody makes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Without an owner.
    Free,
    /// The tenant is its controller.
    Owned,
    /// A copy of a child of the tenant, with its metadata.
    Copy { pick: usize },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Reads,
    Applies,
    Deletions,
    All,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Failure {
    Refused,
    Conflict,
    Disconnected,
    ResponseLost,
}

#[derive(Clone)]
pub(super) struct Schedule(pub(super) Vec<Step>);

impl Schedule {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let random = &mut random;
        // Most schedules have one tenant with several changes of its spec: the tenants share nothing but the kinds.
        let mut steps = vec![Step::Start(version(random)), spec(random, 0)];
        steps.extend((0..STEPS).map(|_| step(random)));
        Self(steps)
    }
}

fn step(random: &mut Random) -> Step {
    let pick = random.below(16);
    match random.below(24) {
        0..=5 => {
            let tenant = tenant(random);
            spec(random, tenant)
        }
        // The first one remains, because what others made belongs to it.
        6 => Step::Delete { tenant: 1 + random.below(TENANTS - 1) },
        7 => Step::Change { pick },
        8 => Step::Remove { pick },
        9 | 10 => {
            let form = *random.pick(&[Form::Free, Form::Owned, Form::Copy { pick }]);
            Step::Make { form, kind: kind(random), number: random.below(3) }
        }
        11..=14 => Step::Fail {
            what: *random.pick(&[Target::Reads, Target::Applies, Target::Deletions, Target::All]),
            how: *random.pick(&[Failure::Refused, Failure::Conflict, Failure::Disconnected, Failure::ResponseLost]),
            after: random.below(4),
            times: 1 + random.magnitude(12),
        },
        15 => Step::Stop,
        16 => Step::Crash,
        17 | 18 => Step::Start(version(random)),
        19 => Step::Replace(version(random)),
        _ => Step::Sleep(random.magnitude(8_000) as u64),
    }
}

fn tenant(random: &mut Random) -> usize {
    if random.percent(60) { 0 } else { random.below(TENANTS) }
}

fn spec(random: &mut Random, tenant: usize) -> Step {
    let mut children = Vec::new();
    for number in 0..random.below(5) {
        let (by, namespace) = (random.below(CONTROLLERS.len()), random.below(NAMESPACES.len()));
        // Two children may have one name, in two namespaces or of two kinds.
        let number = number / 2;
        let child = Child { kind: kind(random), namespace, by, number, value: random.below(3) };
        if children.iter().all(|other: &Child| Child { value: child.value, ..other.clone() } != child) {
            children.push(child);
        }
    }
    Step::Spec { tenant, children }
}

fn kind(random: &mut Random) -> Kind {
    *random.pick(&[Kind::Config, Kind::Secret])
}

fn version(random: &mut Random) -> Version {
    *random.pick(&[Version::Old, Version::New])
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| writeln!(f, "  {step:?}"))
    }
}
