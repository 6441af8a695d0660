//! Tables of what was measured.

use std::fmt;

use crdkit_benches::{Measured, Samples, Table};

use crate::{goals, options::Options, runs::RUNS};

/// What came out.
pub(crate) struct Report<'a> {
    measured: &'a Measured,
    options: &'a Options,
}

impl<'a> Report<'a> {
    pub(crate) fn new(measured: &'a Measured, options: &'a Options) -> Self {
        Self { measured, options }
    }

    fn sync(&self) -> Table {
        let mut table = Table::new(["run", "s (least)", "CPU, µs/object", "peak MB", "settled MB"]);
        let objects = self.options.objects as f64;
        for (run, wall) in
            self.runs_with("sync_wall").filter(|(run, _)| !run.starts_with("volumes") && !run.ends_with("-1m"))
        {
            table.row([
                run.to_owned(),
                format!("{:.2} ({:.2})", wall.median(), wall.min()),
                self.cell(run, "sync_cpu", 1e6 / objects, 1),
                self.cell(run, "sync_peak", 1.0, 0),
                self.cell(run, "settled", 1.0, 0),
            ]);
        }
        table
    }

    fn watch(&self) -> Table {
        let mut table = Table::new(["run", "events/s (most)", "CPU, µs/event", "peak MB", "settled MB", "received, %"]);
        let events = self.options.events as f64;
        for (run, wall) in self.runs_with("watch_wall") {
            table.row([
                run.to_owned(),
                format!("{:.0} ({:.0})", events / wall.median(), events / wall.min()),
                self.cell(run, "watch_cpu", 1e6 / events, 1),
                self.cell(run, "watch_peak", 1.0, 0),
                self.cell(run, "settled_after_watch", 1.0, 0),
                self.cell(run, "watch_events", 100.0 / events, 1),
            ]);
        }
        table
    }

    fn relist(&self) -> Table {
        let mut table =
            Table::new(["run", "unchanged, s", "CPU, s", "growth", "a tenth changed, s", "CPU, s", "growth"]);
        for (run, _) in self.runs_with("relist_unchanged_wall") {
            let figures = ["unchanged", "changed"].into_iter().flat_map(|name| {
                let of = |figure| self.cell(run, &format!("relist_{name}_{figure}"), 1.0, 2);
                ["wall", "cpu", "growth"].map(of)
            });
            table.row([run.to_owned()].into_iter().chain(figures));
        }
        table
    }

    fn lookups(&self) -> Table {
        const RUNS: [&str; 6] = ["kube", "crdkit", "compact", "client-go", "kube-1m", "crdkit-1m"];
        let mut table = Table::new(["µs"].into_iter().chain(RUNS));
        for figure in [
            "get_hot",
            "get_random",
            "by_namespace",
            "by_label",
            "by_namespace_hot",
            "by_label_hot",
            "snapshot",
            "all",
            "get_in_storm",
            "by_label_in_storm",
        ] {
            let cells = RUNS.map(|run| self.cell(run, figure, 1.0, 3));
            if cells.iter().any(|cell| !cell.is_empty()) {
                table.row([figure.replace('_', " ")].into_iter().chain(cells));
            }
        }
        table
    }

    fn reading(&self) -> Table {
        let mut table = Table::new(["run", "s", "MB before", "MB after"]);
        for (run, wall) in self.runs_with("read_wall") {
            table.row([
                run.to_owned(),
                format!("{:.2}", wall.median()),
                self.cell(run, "settled_before_read", 1.0, 0),
                self.cell(run, "settled_after_read", 1.0, 0),
            ]);
        }
        table
    }

    fn blocking(&self) -> Table {
        let mut table = Table::new([
            "from decoding to notification, µs",
            "p50",
            "p99.9",
            "of processor time",
            "while on a processor",
        ]);
        let titles = [("no readers", "notified_without_readers"), ("one constant reader", "notified_with_reader")];
        for (run, _) in self.runs_with("notified_without_readers_p50") {
            for (title, name) in titles {
                let cell = |part| self.cell(run, &format!("{name}_{part}"), 1.0, 1);
                table.row([
                    title.to_owned(),
                    cell("p50"),
                    cell("p999"),
                    cell("processor_p999"),
                    cell("undisturbed_p999"),
                ]);
            }
        }
        table
    }

    /// The runs that have a figure, in their order.
    fn runs_with(&self, figure: &str) -> impl Iterator<Item = (&'static str, &'a Samples)> {
        let measured = self.measured;
        RUNS.into_iter().filter_map(move |run| Some((run.name, measured.of(run.name, figure)?)))
    }

    fn cell(&self, run: &'static str, figure: &str, unit: f64, places: usize) -> String {
        match self.measured.of(run, figure) {
            Some(samples) => format!("{:.places$}", samples.median() * unit),
            None => String::new(),
        }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sections = [
            ("Sync", self.sync()),
            ("Watch", self.watch()),
            ("Relist", self.relist()),
            ("Look-ups", self.lookups()),
            ("Reading all of `Compact` objects", self.reading()),
            ("While others read", self.blocking()),
            ("Goals", goals::table(self.measured)),
        ];
        let tables = sections.iter().filter(|(_, table)| !table.is_empty());
        for (title, table) in tables {
            writeln!(f, "{title}\n\n{table}")?;
        }
        Ok(())
    }
}
