//! Which requests meet a fault.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use crate::{
    failure::Failure,
    observed_requests::{ReceivedRequest, Requests},
    resources::Resources,
};

/// The faults, in the order in which they were added.
#[derive(Default)]
pub(crate) struct Rules(Vec<Rule>);

pub(crate) struct Rule {
    pub(crate) requests: Requests,
    /// The requests that do not meet the fault, from now on.
    pub(crate) skipped: usize,
    /// The requests that still meet it.
    pub(crate) times: usize,
    pub(crate) action: Action,
    pub(crate) count: Arc<AtomicUsize>,
}

#[derive(Clone)]
pub(crate) enum Action {
    Fail { failure: Failure, retry_after: Option<u64> },
    Conflict,
    Disconnect,
    LoseResponse,
    Delay(Duration),
}

/// What a request meets.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) delay: Duration,
    pub(crate) outcome: Outcome,
}

#[derive(Default)]
pub(crate) enum Outcome {
    #[default]
    Process,
    Fail(Failure, Option<u64>),
    Disconnect,
    LoseResponse,
}

impl Rule {
    /// Counts a selected request, and returns whether it meets the fault.
    fn strikes(&mut self) -> bool {
        if self.skipped > 0 {
            self.skipped -= 1;
            return false;
        }
        let strikes = self.times > 0;
        if strikes {
            self.times = self.times.saturating_sub(1);
            self.count.fetch_add(1, Ordering::SeqCst);
        }
        strikes
    }
}

impl Rules {
    pub(crate) fn add(&mut self, rule: Rule) {
        self.0.push(rule);
    }

    /// Removes the rule with this counter.
    pub(crate) fn remove(&mut self, count: &Arc<AtomicUsize>) {
        self.0.retain(|rule| !Arc::ptr_eq(&rule.count, count));
    }

    /// Returns what a request meets, and counts it.
    pub(crate) fn plan(&mut self, request: &ReceivedRequest, resources: &Resources) -> Plan {
        let mut plan = Plan::default();
        for rule in self.0.iter_mut().filter(|rule| rule.requests.matches(request)) {
            let is_decided = !matches!(plan.outcome, Outcome::Process);
            let is_delay = matches!(rule.action, Action::Delay(_));
            if is_decided && !is_delay || !rule.strikes() {
                continue;
            }
            match rule.action.clone() {
                Action::Delay(delay) => plan.delay += delay,
                Action::Fail { failure, retry_after } => plan.outcome = Outcome::Fail(failure, retry_after),
                Action::Conflict => plan.outcome = Outcome::Fail(conflict(request, resources), None),
                Action::Disconnect => plan.outcome = Outcome::Disconnect,
                Action::LoseResponse => plan.outcome = Outcome::LoseResponse,
            }
        }
        self.0.retain(|rule| rule.times > 0);
        plan
    }
}

fn conflict(request: &ReceivedRequest, resources: &Resources) -> Failure {
    let resolved = request.target().and_then(|target| resources.resolve(target));
    match resolved {
        Some((resource, _)) => resource.modified(&request.name().unwrap_or_default()),
        None => Failure::no_such_path(),
    }
}

/// The server does not run.
pub(crate) fn refused() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionRefused, "the API server does not run")
}

/// The connection ended.
pub(crate) fn reset() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the connection to the API server ended")
}
