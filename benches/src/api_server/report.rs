//! The tables that are printed.

use std::fmt;

use crdkit_benches::{Measured, Samples, Table};

use crate::{
    contestants::Contestant,
    goals::{REQUESTS, Target, goals, mixed_rate},
};

pub(crate) struct Report<'a>(pub(crate) &'a Measured);

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "medians, and all rounds\n{}", self.contestants())?;
        let ratios = self.ratios();
        if !ratios.is_empty() {
            writeln!(f, "of what the control plane takes, medians of the rounds' ratios, and all rounds\n{ratios}")?;
        }
        writeln!(f, "{}", self.goals())
    }
}

impl Report<'_> {
    fn contestants(&self) -> Table {
        let mut table = Table::new([""].into_iter().chain(Contestant::ALL.map(Contestant::word)));
        for (name, figure, digits) in rows() {
            let cells = Contestant::ALL.map(|contestant| {
                let samples = self.0.of(contestant.word(), &figure);
                samples.map_or_else(String::new, |samples| with_range(samples, |value| grouped(value, digits)))
            });
            table.row([name].into_iter().chain(cells));
        }
        let mixed = |contestant| mixed_rate(self.0, contestant).map_or_else(String::new, |rate| grouped(rate, 0));
        table.row(["mixed requests/s of one core".to_owned()].into_iter().chain(Contestant::ALL.map(mixed)));
        table
    }

    /// The times and the memory of the others, each divided by that of the control plane in the same round.
    fn ratios(&self) -> Table {
        let others = [Contestant::Crdkit, Contestant::CrdkitPort, Contestant::FakeClient];
        let mut table = Table::new([""].into_iter().chain(others.map(Contestant::word)));
        for (name, figure, _) in rows() {
            let anchor = self.0.of(Contestant::ControlPlane.word(), &figure);
            let (Some(anchor), false) = (anchor, figure.ends_with("_rate")) else { continue };
            let cells = others.map(|contestant| {
                let samples = self.0.of(contestant.word(), &figure);
                samples.map_or_else(String::new, |samples| with_range(&samples.over(anchor), |it| format!("{it:.4}")))
            });
            table.row([name].into_iter().chain(cells));
        }
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

/// The rows of the table: what they are called, their figures, and how many digits these have.
fn rows() -> Vec<(String, String, usize)> {
    let row = |name: &str, figure: &str, digits| (name.to_owned(), figure.to_owned(), digits);
    let requests = REQUESTS.into_iter().flat_map(|(request, name)| {
        [
            (format!("{name}, requests/s"), format!("{request}_rate"), 0),
            (format!("{name}, processor time, µs"), format!("{request}_cpu"), 1),
        ]
    });
    let mut rows = vec![row("start, ms", "start", 3), row("the first start of a process, ms", "first_start", 1)];
    rows.extend(requests);
    rows.extend([
        row("watches, events/s", "watch_rate", 0),
        row("watches, processor time of an event, µs", "watch_cpu", 1),
        row("all objects in pages of 500, objects/s", "pages_rate", 0),
        row("memory with all objects, MB", "memory", 0),
        row("of these since the start, MB", "memory_growth", 0),
    ]);
    rows
}

/// Formats the median, and the range of several rounds.
fn with_range(samples: &Samples, format: impl Fn(f64) -> String) -> String {
    let [min, max] = [samples.min(), samples.max()].map(&format);
    if min == max { min } else { samples.with_range(format) }
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
    use super::{grouped, with_range};

    #[test]
    fn thousands_are_apart() {
        let texts =
            [(0.5, 2), (123.0, 0), (1234.0, 0), (1_234_567.25, 1)].map(|(value, digits)| grouped(value, digits));
        assert_eq!(texts, ["0.50", "123", "1,234", "1,234,567.2"]);
    }
    #[test]
    fn several_rounds_have_a_range() {
        let text = |figures: &[f64]| with_range(&figures.iter().copied().collect(), |it| grouped(it, 1));
        assert_eq!(text(&[2000.0, 1.0, 3.0]), "3.0 (1.0 to 2,000.0)");
        assert_eq!(text(&[2.0]), "2.0");
    }
}
