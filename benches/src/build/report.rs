//! The tables that are printed.

use std::fmt;

use crdkit_benches::{Measured, Samples, Table};

use crate::{form::Form, goals::GOALS};

pub(crate) struct Report<'a>(pub(crate) &'a Measured);

/// The text about a form's figure, its name, and the digits after the point.
const ROWS: [(&str, &str, usize); 13] = [
    ("dev, from nothing, s", "cold", 1),
    ("its processor time, s", "cold_cpu", 1),
    ("of which the own crate, s", "crate", 2),
    ("processor time of the own crate, s", "crate_cpu", 2),
    ("after an edit, s", "edit", 2),
    ("its processor time, s", "edit_cpu", 2),
    ("release, from nothing, s", "release", 1),
    ("its processor time, s", "release_cpu", 1),
    ("of which the own crate, s", "release_crate", 2),
    ("program, MB", "program", 1),
    ("release program, MB", "release_program", 1),
    ("release program, stripped, MB", "release_stripped", 1),
    ("functions of the own crate", "functions", 0),
];

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Medians of the rounds (minimum to maximum)\n\n{}", self.figures())?;
        writeln!(f, "{}", self.goals())
    }
}

impl Report<'_> {
    fn figures(&self) -> Table {
        let mut table = Table::new([""].into_iter().chain(Form::ALL.map(Form::name)));
        for (title, figure, digits) in ROWS {
            let cells = Form::ALL.map(|form| self.0.of(form.name(), figure));
            if cells.iter().all(Option::is_none) {
                continue;
            }
            let texts = cells.map(|samples| samples.map_or_else(String::new, |samples| cell(samples, digits)));
            table.row([title.to_owned()].into_iter().chain(texts));
        }
        table
    }

    fn goals(&self) -> Table {
        let mut table = Table::new(["", "goal", "median", "rounds"]);
        for goal in &GOALS {
            let Some(samples) = goal.samples(self.0) else { continue };
            let at_most = goal.at_most.map_or_else(String::new, |bound| format!("at most {bound}"));
            let [median, min, max] = [samples.median(), samples.min(), samples.max()].map(rounded);
            table.row([goal.key.to_owned(), at_most, median, format!("{min} to {max}")]);
        }
        table
    }
}

/// The median, and how far the rounds are apart if they are.
fn cell(samples: &Samples, digits: usize) -> String {
    let [median, min, max] =
        [samples.median(), samples.min(), samples.max()].map(|figure| format!("{figure:.digits$}"));
    if min == max {
        return median;
    }
    format!("{median} ({min} to {max})")
}

/// A ratio or seconds with two digits after the point; of a count none are needed.
fn rounded(figure: f64) -> String {
    let digits = if figure < 100.0 { 2 } else { 0 };
    format!("{figure:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells() {
        let samples = |figures: &[f64]| figures.iter().copied().collect::<Samples>();
        assert_eq!(cell(&samples(&[2.0, 1.0, 4.0]), 1), "2.0 (1.0 to 4.0)");
        assert_eq!(cell(&samples(&[6000.0, 6000.0]), 0), "6000");
    }
}
