//! The tables that are printed.

use std::fmt;

use crdkit_benches::{Measured, Table};

use crate::{
    contestants::Contestant,
    goals::{KINDS, goals},
};

pub(crate) struct Report<'a>(pub(crate) &'a Measured);

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.contestants())?;
        writeln!(f, "{}", self.goals())
    }
}

impl Report<'_> {
    fn contestants(&self) -> Table {
        let mut table = Table::new(["", "", "reviews/s", "p50, µs", "p99, µs", "CPU, µs a review", "MB", "peak MB"]);
        for kind in KINDS {
            for contestant in Contestant::ALL.map(Contestant::word) {
                let cell = |figure: &str| {
                    let samples = self.0.of(contestant, figure);
                    samples.map_or_else(String::new, |samples| format!("{:.0}", samples.median()))
                };
                let [rate, p50, p99, cpu] =
                    ["rate", "p50", "p99", "cpu"].map(|figure| cell(&format!("{kind}_{figure}")));
                let cells = [kind.to_owned(), contestant.to_owned(), rate, p50, p99, cpu, cell("memory"), cell("peak")];
                table.row(cells);
            }
        }
        table
    }

    fn goals(&self) -> Table {
        let mut table = Table::new(["goal", "", "median", "rounds"]);
        for goal in goals(self.0) {
            let range = format!("{:.2} to {:.2}", goal.ratios.min(), goal.ratios.max());
            let target = format!("at least {}", goal.at_least);
            table.row([goal.name, target, format!("{:.2}", goal.ratios.median()), range]);
        }
        table
    }
}
