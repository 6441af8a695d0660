//! The tables that are printed.

use std::fmt;

use crdkit_benches::{Measured, Table};

use crate::{
    contestants::Contestant,
    goals::{REQUESTS, Target, goals, mixed_rate},
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
        let columns = [""].into_iter().chain(Contestant::ALL.map(Contestant::word));
        let mut table = Table::new(columns);
        let mut row = |name: &str, figure: &str, digits: usize| {
            let cells = Contestant::ALL.map(|contestant| {
                let samples = self.0.of(contestant.word(), figure);
                samples.map_or_else(String::new, |samples| grouped(samples.median(), digits))
            });
            table.row([name.to_owned()].into_iter().chain(cells));
        };
        row("start, ms", "start", 3);
        row("the first start of a process, ms", "first_start", 1);
        for (request, name) in REQUESTS {
            row(&format!("{name}, requests/s"), &format!("{request}_rate"), 0);
            row(&format!("{name}, processor time, µs"), &format!("{request}_cpu"), 1);
        }
        row("watches, events/s", "watch_rate", 0);
        row("watches, processor time of an event, µs", "watch_cpu", 1);
        row("all objects in pages of 500, objects/s", "pages_rate", 0);
        row("memory with all objects, MB", "memory", 0);
        row("of these since the start, MB", "memory_growth", 0);
        let mixed = |contestant| mixed_rate(self.0, contestant).map_or_else(String::new, |rate| grouped(rate, 0));
        table.row(["mixed requests/s of one core".to_owned()].into_iter().chain(Contestant::ALL.map(mixed)));
        table
    }

    fn goals(&self) -> Table {
        let mut table = Table::new(["goal", "", "median", ""]);
        for goal in goals(self.0) {
            let target = match goal.target {
                Target::AtLeast(bound) => format!("at least {}", grouped(bound, 0)),
                Target::Below(bound) => format!("below {bound}"),
            };
            let digits = if goal.value < 100.0 { 3 } else { 0 };
            let verdict = if goal.target.is_met(goal.value) { "met" } else { "missed" };
            table.row([goal.name, target, grouped(goal.value, digits), verdict.to_owned()]);
        }
        table
    }
}

/// Formats a number with a comma between thousands.
fn grouped(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let count = whole.len();
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (count - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    fraction.map_or_else(|| grouped.clone(), |fraction| format!("{grouped}.{fraction}"))
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_apart() {
        let texts =
            [(0.5, 2), (123.0, 0), (1234.0, 0), (1_234_567.25, 1)].map(|(value, digits)| grouped(value, digits));
        assert_eq!(texts, ["0.50", "123", "1,234", "1,234,567.2"]);
    }
}
