//! Tables and ratios: crdkit's figure above kube's.

use std::fmt;

use crdkit_benches::{Results, Table};

use crate::{
    cases::Case,
    clients::Client,
    counts::{Count, Counts},
    times::{ServerLocation, Times},
};

/// What came out.
pub(crate) struct Report<'a> {
    times: &'a Times,
    counts: &'a Counts,
}

impl ServerLocation {
    fn infix(self) -> &'static str {
        match self {
            Self::Process => "",
            Self::Loopback => "_loopback",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Process => "A server in the process",
            Self::Loopback => "A server on the loopback interface",
        }
    }
}

impl<'a> Report<'a> {
    pub(crate) fn new(times: &'a Times, counts: &'a Counts) -> Self {
        Self { times, counts }
    }

    /// States all ratios under flat keys.
    pub(crate) fn state(&self, results: &mut Results) {
        for case in Case::ALL {
            let key = case.key();
            for location in ServerLocation::ALL {
                let infix = location.infix();
                let [cpu, wall] = self.time_ratios(location, case);
                results.figure(format!("{key}{infix}_vs_kube"), cpu);
                results.figure(format!("{key}{infix}_vs_kube_wall"), wall);
            }
            let count = |figure| self.count_ratio(case, figure);
            results.figure(format!("allocations_{key}_vs_kube"), count(|count| count.count));
            results.figure(format!("bytes_{key}_vs_kube"), count(|count| count.bytes));
            if case.is_list() {
                results.figure(format!("{key}_memory_vs_kube"), count(Count::peak));
            }
        }
        let [list, _] = self.time_ratios(ServerLocation::Process, Case::List);
        results.figure("list_speedup", 1.0 / list);
    }

    /// Of the processor, and on the clock. Both clients are measured within a round, in which the machine changes less
    /// than from round to round.
    fn time_ratios(&self, location: ServerLocation, case: Case) -> [f64; 2] {
        let [kube, crdkit] = Client::ALL.map(|client| self.times.of(location, case, client));
        let ratios = [crdkit.cpu.over(&kube.cpu), crdkit.wall.over(&kube.wall)];
        ratios.map(|ratios| ratios.median())
    }

    fn count_ratio(&self, case: Case, figure: fn(Count) -> f64) -> f64 {
        figure(self.counts.of(case, Client::Crdkit)) / figure(self.counts.of(case, Client::Kube))
    }

    fn times(&self, location: ServerLocation) -> Table {
        let mut table = Table::new(["a call", "kube", "crdkit", "ratio", "on the clock"]);
        for case in Case::ALL {
            let cells = Client::ALL.map(|client| {
                let cpu = &self.times.of(location, case, client).cpu;
                format!("{} ({})", time(cpu.median()), time(cpu.min()))
            });
            let ratios = self.time_ratios(location, case).map(|ratio| format!("{ratio:.2}"));
            table.row(cells_of(case, cells, ratios));
        }
        table
    }

    fn allocations(&self) -> Table {
        let mut table = Table::new(["a call", "kube", "crdkit", "count", "bytes"]);
        for case in Case::ALL {
            let cells = Client::ALL.map(|client| {
                let Count { count, bytes, .. } = self.counts.of(case, client);
                format!("{count} of {:.0} KB", bytes / 1e3)
            });
            let figures = [|count: Count| count.count, |count: Count| count.bytes];
            let ratios = figures.map(|figure| format!("{:.2}", self.count_ratio(case, figure)));
            table.row(cells_of(case, cells, ratios));
        }
        table
    }

    fn peaks(&self) -> Table {
        let mut table = Table::new(["peak of memory", "kube", "crdkit", "ratio"]);
        for case in Case::ALL.into_iter().filter(|case| case.is_list()) {
            let cells = Client::ALL.map(|client| {
                let peak = self.counts.of(case, client).peak();
                format!("{:.1} MB", peak / 1e6)
            });
            let ratio = format!("{:.2}", self.count_ratio(case, Count::peak));
            table.row(cells_of(case, cells, [ratio]));
        }
        table
    }
}

/// A row: the case, what each client took, and how they compare.
fn cells_of<const N: usize>(case: Case, clients: [String; 2], ratios: [String; N]) -> impl Iterator<Item = String> {
    let case = [case.key().to_owned()];
    case.into_iter().chain(clients).chain(ratios)
}

/// Seconds in the unit that reads best.
fn time(seconds: f64) -> String {
    if seconds < 1e-3 { format!("{:.2} µs", seconds * 1e6) } else { format!("{:.1} ms", seconds * 1e3) }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for location in ServerLocation::ALL {
            let title = location.title();
            writeln!(f, "{title}: processor time of the client's thread, median (minimum)\n")?;
            writeln!(f, "{}", self.times(location))?;
        }
        writeln!(f, "Allocations\n\n{}", self.allocations())?;
        write!(f, "{}", self.peaks())
    }
}
