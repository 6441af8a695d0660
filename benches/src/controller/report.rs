//! The tables that are printed.

use std::fmt;

use crdkit_benches::{Measured, Table};

use crate::{
    contestants::Contestant,
    goals::{GOALS, Target},
};

pub(crate) struct Report<'a>(pub(crate) &'a Measured);

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.contestants())?;
        writeln!(f, "{}", self.shards())?;
        writeln!(f, "{}", self.goals())
    }
}

impl Report<'_> {
    fn contestants(&self) -> Table {
        let mut table = Table::new([
            "",
            "start, s",
            "CPU, µs an object",
            "MB",
            "peak MB",
            "p50, µs",
            "p99",
            "p99.9",
            "CPU, µs a change",
            "burst, changes/s",
            "CPU, µs a change",
        ]);
        for contestant in Contestant::ALL.map(Contestant::word) {
            let median = |figure: &str| self.0.of(contestant, figure).map(|samples| samples.median());
            let Some(burst) = median("burst_wall") else { continue };
            let cell = |figure: &str, digits: usize| {
                median(figure).map_or_else(String::new, |median| format!("{median:.digits$}"))
            };
            let changes = median("burst_runs").map_or(f64::NAN, |runs| runs / burst);
            table.row([
                contestant.to_owned(),
                cell("start_wall", 2),
                cell("start_cpu", 1),
                cell("memory", 0),
                cell("peak", 0),
                cell("p50", 0),
                cell("p99", 0),
                cell("p999", 0),
                cell("paced_cpu", 0),
                format!("{changes:.0}"),
                cell("burst_cpu", 1),
            ]);
        }
        table
    }

    /// What a replica with one shard of several costs.
    fn shards(&self) -> Table {
        let mut table =
            Table::new(["", "objects", "MB", "peak MB", "received, MB", "of changes, MB", "CPU, µs an object"]);
        for contestant in Contestant::ALL.into_iter().filter(|contestant| contestant.shards().is_some()) {
            let median = |figure: &str| self.0.of(contestant.word(), figure).map(|samples| samples.median());
            let Some(share) = median("share") else { continue };
            let cell = |figure: &str| format!("{:.1}", median(figure).unwrap_or(f64::NAN));
            let figures = ["memory", "peak", "received", "received_changes", "start_cpu"].map(cell);
            table.row([contestant.word().to_owned(), share.to_string()].into_iter().chain(figures));
        }
        table
    }

    fn goals(&self) -> Table {
        let mut table = Table::new(["goal", "", "median", "rounds"]);
        for goal in &GOALS {
            let Some(ratios) = goal.ratios(self.0) else { continue };
            let target = match goal.target {
                Target::AtLeast(bound) => format!("at least {bound}"),
                Target::AtMost(bound) => format!("at most {bound}"),
            };
            let range = format!("{:.2} to {:.2}", ratios.min(), ratios.max());
            table.row([goal.name.to_owned(), target, format!("{:.2}", ratios.median()), range]);
        }
        table
    }
}
