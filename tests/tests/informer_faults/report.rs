//! What the API server was asked: how often watches went on, and how often everything was read again, and why.

use std::{fmt, time::Duration};

use crdkit_tests::{
    apiserver::{ApiServer, Ask, Exchange, RETRY_AFTER},
    faults::{Kind, Tally},
};

/// Counts over one schedule or many.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) schedules: usize,
    pub(crate) faults: Tally,
    /// Watches that ended by a plain cut or stall.
    pub(crate) lost: usize,
    /// Of these, those that went on without a list.
    pub(crate) resumed: usize,
    /// How often objects were read again.
    pub(crate) relists: usize,
    /// How often they had to be.
    pub(crate) reasons: usize,
    /// Writes that were waited for, and seen.
    pub(crate) reads: usize,
    /// Streams in which every change was found.
    pub(crate) exact: usize,
    /// How long it took until the store was equal to the server after each storm.
    pub(crate) converged: Vec<Duration>,
}

impl Report {
    /// Of one watch.
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

    /// Of a hundred lost watches those that went on without a list.
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
                && !is_mute(&pair[0])
                && !is_lost(&pair[0])
                && matches!(pair[0].struck, Some(Kind::CutEnd | Kind::CutReset | Kind::Stall))
            {
                self.lost += 1;
                self.resumed += usize::from(matches!(pair[1].ask, Ask::Watch { .. }));
            }
        }
    }
}

/// What was asked for a place, in order.
pub(crate) fn exchanges(server: &ApiServer, place: &str) -> Vec<Exchange> {
    let exchanges = server.journal().exchanges().into_iter();
    exchanges.filter(|exchange| exchange.place == place && exchange.ask != Ask::Check).collect()
}

/// How the objects of a place were read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// Whether that was done once, without a mistake.
    pub(crate) once: bool,
    /// The version of what was read last.
    pub(crate) last_list: u64,
}

impl Reading {
    pub(crate) fn of(exchanges: &[Exchange]) -> Self {
        let lists = exchanges.iter().filter(|exchange| begins_list(exchange));
        let versions: Vec<_> =
            lists.filter(|exchange| exchange.status == 200).map(|exchange| exchange.version).collect();
        Self { once: versions.len() == 1, last_list: versions.last().copied().flatten().unwrap_or_default() }
    }
}

/// Whether the client waited as long as it was told after a 429, unless that was about a page which it did not wait for: the
/// one before was no JSON, and the list begins anew.
pub(crate) fn waits(exchanges: &[Exchange]) -> bool {
    let read = |pair: &&[Exchange]| pair[0].ask != Ask::Page || !begins_list(&pair[1]);
    let refused = exchanges.windows(2).filter(|pair| pair[0].status == 429);
    let mut refused = refused.filter(read);
    refused.all(|pair| pair[1].began - pair[0].began >= Duration::from_secs(RETRY_AFTER))
}

fn begins_list(exchange: &Exchange) -> bool {
    matches!(exchange.ask, Ask::List | Ask::Stream)
}

/// Whether it has told all objects before.
fn is_watching(exchange: &Exchange) -> bool {
    exchange.told_all || (matches!(exchange.ask, Ask::Watch { .. }) && !exchange.expired)
}

/// Whether a watch told nothing and did not end: it may be one after a version that the API server has not reached.
fn is_mute(exchange: &Exchange) -> bool {
    let watches = matches!(exchange.ask, Ask::Watch { .. });
    watches && exchange.status == 200 && exchange.lines == 0 && exchange.struck == Some(Kind::Stall)
}

/// Whether a watch of what may have been no objects did not end in time: there is no event that could show that the next continues it.
fn is_lost(exchange: &Exchange) -> bool {
    let broke = exchange.struck.is_some() || exchange.status >= 500;
    // A line that a fault altered is no event.
    let altered = usize::from(exchange.struck.is_some());
    is_watching(exchange) && exchange.may_be_empty && exchange.events <= altered && broke
}

/// Whether the objects have to be read after this, once more than before: the API server has forgotten the version, the watch
/// contradicted itself, a list came to nothing, or is not to be had in this form.
fn is_reason(exchange: &Exchange) -> bool {
    let contradiction = matches!(exchange.struck, Some(Kind::Older | Kind::Event(410) | Kind::Status(410)));
    let listing = !is_watching(exchange) && !exchange.expired;
    let failed = matches!(exchange.ask, Ask::List | Ask::Page)
        && (!exchange.complete || exchange.status != 200 || exchange.struck.is_some());
    // With RST the end of the list may have been lost on its way.
    let lost = listing || exchange.struck == Some(Kind::CutReset);
    let failed = failed || (exchange.ask == Ask::Stream && lost);
    contradiction || exchange.expired || failed || is_mute(exchange) || is_lost(exchange)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults: Vec<_> = self.faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        writeln!(f, "{} schedules, faults: {}", self.schedules, faults.join(", "))?;
        let percent = self.resumed_percent();
        writeln!(f, "{} watches cut or stalled, {percent:.1} % of them resumed", self.lost)?;
        writeln!(f, "{} lists, {} reasons for them", self.relists, self.reasons)?;
        writeln!(f, "{} writes were waited for and seen", self.reads)?;
        writeln!(f, "{} streams equal to the log, change by change", self.exact)?;
        write!(f, "converged after {:?} at p99", self.p99())
    }
}
