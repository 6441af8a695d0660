//! Counts of requests: resumed watches, lists, and the reasons for lists.

use std::{fmt, time::Duration};

use crdkit_tests::{
    apiserver::{ApiServer, Exchange, RETRY_AFTER, RequestKind},
    faults::{FaultKind, Tally},
};

/// Counts of one or more schedules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) schedules: usize,
    pub(crate) faults: Tally,
    /// Watches that ended by a cut or a stall.
    pub(crate) lost: usize,
    /// Those of them that resumed without a list.
    pub(crate) resumed: usize,
    /// The number of lists.
    pub(crate) relists: usize,
    /// The number of reasons for a list.
    pub(crate) reasons: usize,
    /// Writes that were waited for.
    pub(crate) reads: usize,
    /// Subscribers that received every change.
    pub(crate) exact: usize,
    /// The time until the store was equal to the server, after each storm.
    pub(crate) converged: Vec<Duration>,
}

impl Report {
    /// The report of one watch.
    pub(crate) fn of(exchanges: &[Exchange]) -> Self {
        let mut report = Self {
            relists: exchanges.iter().filter(|exchange| begins_list(exchange)).count(),
            reasons: 1 + exchanges.iter().filter(|exchange| is_reason(exchange)).count(),
            ..Self::default()
        };
        report.count_resumes(exchanges);
        report
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.schedules += other.schedules;
        for (kind, count) in other.faults {
            *self.faults.entry(kind).or_default() += count;
        }
        self.lost += other.lost;
        self.resumed += other.resumed;
        self.relists += other.relists;
        self.reasons += other.reasons;
        self.reads += other.reads;
        self.exact += other.exact;
        self.converged.extend(other.converged);
    }

    /// The percentage of lost watches that resumed without a list.
    pub(crate) fn resumed_percent(&self) -> f64 {
        match self.lost {
            0 => 100.0,
            lost => 100.0 * self.resumed as f64 / lost as f64,
        }
    }

    pub(crate) fn p99(&self) -> Duration {
        let mut times = self.converged.clone();
        times.sort_unstable();
        let index = times.len() * 99 / 100;
        times.get(index).copied().unwrap_or_default()
    }

    fn count_resumes(&mut self, exchanges: &[Exchange]) {
        for pair in exchanges.windows(2) {
            if is_watching(&pair[0])
                && !is_silent_watch(&pair[0])
                && !is_unverifiable(&pair[0])
                && matches!(pair[0].injected_fault, Some(FaultKind::CutEnd | FaultKind::CutReset | FaultKind::Stall))
            {
                self.lost += 1;
                self.resumed += usize::from(matches!(pair[1].request_kind, RequestKind::Watch { .. }));
            }
        }
    }
}

/// The exchanges of a namespace, in order.
pub(crate) fn exchanges(server: &ApiServer, namespace: &str) -> Vec<Exchange> {
    let exchanges = server.journal().exchanges().into_iter();
    exchanges
        .filter(|exchange| exchange.namespace == namespace && exchange.request_kind != RequestKind::Check)
        .collect()
}

/// The lists of one watch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListHistory {
    /// Whether there was one list, without an error.
    pub(crate) once: bool,
    /// The version of the last list.
    pub(crate) last_list: u64,
}

impl ListHistory {
    pub(crate) fn of(exchanges: &[Exchange]) -> Self {
        let lists = exchanges.iter().filter(|exchange| begins_list(exchange));
        let versions: Vec<_> =
            lists.filter(|exchange| exchange.status == 200).map(|exchange| exchange.version).collect();
        Self { once: versions.len() == 1, last_list: versions.last().copied().flatten().unwrap_or_default() }
    }
}

/// Returns whether the client waited as long as a 429 requires, unless it did not need that page any more: the page
/// before it was not JSON, and the list starts again.
pub(crate) fn respects_retry_after(exchanges: &[Exchange]) -> bool {
    let must_wait = |pair: &&[Exchange]| pair[0].request_kind != RequestKind::Page || !begins_list(&pair[1]);
    let mut rate_limited = exchanges.windows(2).filter(|pair| pair[0].status == 429).filter(must_wait);
    rate_limited.all(|pair| pair[1].began - pair[0].began >= Duration::from_secs(RETRY_AFTER))
}

fn begins_list(exchange: &Exchange) -> bool {
    matches!(exchange.request_kind, RequestKind::List | RequestKind::Stream)
}

/// Returns whether the watch has sent its initial events.
fn is_watching(exchange: &Exchange) -> bool {
    exchange.sent_initial_events || (matches!(exchange.request_kind, RequestKind::Watch { .. }) && !exchange.expired)
}

/// Returns whether a watch sent nothing and did not end: its version may be one that the API server has not reached.
fn is_silent_watch(exchange: &Exchange) -> bool {
    let watches = matches!(exchange.request_kind, RequestKind::Watch { .. });
    watches && exchange.status == 200 && exchange.lines == 0 && exchange.injected_fault == Some(FaultKind::Stall)
}

/// Returns whether a watch of possibly no objects did not end in time: no event can show that the next one continues
/// it.
fn is_unverifiable(exchange: &Exchange) -> bool {
    let broke = exchange.injected_fault.is_some() || exchange.status >= 500;
    // A line that a fault altered is not an event.
    let altered = usize::from(exchange.injected_fault.is_some());
    is_watching(exchange) && exchange.may_be_empty && exchange.events <= altered && broke
}

/// Returns whether the exchange is a reason for a list: the version has expired, the events of the watch are
/// inconsistent, or a list has failed or is not supported in this form.
fn is_reason(exchange: &Exchange) -> bool {
    let contradiction =
        matches!(exchange.injected_fault, Some(FaultKind::Older | FaultKind::Event(410) | FaultKind::Status(410)));
    let listing = !is_watching(exchange) && !exchange.expired;
    let failed = matches!(exchange.request_kind, RequestKind::List | RequestKind::Page)
        && (!exchange.complete || exchange.status != 200 || exchange.injected_fault.is_some());
    // With RST, the end of the list may have been lost.
    let lost = listing || exchange.injected_fault == Some(FaultKind::CutReset);
    let failed = failed || (exchange.request_kind == RequestKind::Stream && lost);
    contradiction || exchange.expired || failed || is_silent_watch(exchange) || is_unverifiable(exchange)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults: Vec<_> = self.faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        writeln!(f, "{} schedules, faults: {}", self.schedules, faults.join(", "))?;
        let percent = self.resumed_percent();
        writeln!(f, "{} watches cut or stalled, {percent:.1} % of them resumed", self.lost)?;
        writeln!(f, "{} lists, {} reasons for them", self.relists, self.reasons)?;
        writeln!(f, "{} writes were waited for and then in the store", self.reads)?;
        writeln!(f, "{} streams equal to the log, change by change", self.exact)?;
        write!(f, "converged after {:?} at p99", self.p99())
    }
}
