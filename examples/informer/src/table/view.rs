use std::{
    io::{self, Write},
    mem,
};

use super::{COLUMNS, Row};

/// Maximum number of rows on a screen. Further rows are only counted.
const ROWS: usize = 40;

/// Writes rows to an output.
pub struct View<W> {
    output: W,
    style: Style,
}

enum Style {
    /// All rows, each time.
    Screen,
    /// A row whenever it changes, with tabs between its cells. Contains the rows that were shown last.
    Lines(Vec<Row>),
}

impl<W: Write> View<W> {
    /// Creates a view for a terminal, which redraws the table in place.
    pub fn screen(output: W) -> Self {
        Self { output, style: Style::Screen }
    }

    /// Creates a view for other programs: one tab-separated line whenever a VirtualMachine changes.
    pub fn lines(output: W) -> Self {
        Self { output, style: Style::Lines(Vec::new()) }
    }

    pub(super) fn show(&mut self, rows: Vec<Row>) -> io::Result<()> {
        let text = match &mut self.style {
            Style::Screen => screen(&rows),
            Style::Lines(shown) => changes(&mem::replace(shown, rows.clone()), rows),
        };
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }
}

/// Draws the table from the upper left corner, and clears the rest of the screen.
fn screen(rows: &[Row]) -> String {
    const HOME: &str = "\x1b[H";
    const END_OF_LINE: &str = "\x1b[K\n";
    const BELOW: &str = "\x1b[J";
    let lines = table(rows).into_iter().map(|line| line + END_OF_LINE);
    format!("{HOME}{}{BELOW}", lines.collect::<String>())
}

fn table(rows: &[Row]) -> Vec<String> {
    let header = Row(COLUMNS.map(str::to_owned));
    let shown: Vec<_> = [&header].into_iter().chain(rows.iter().take(ROWS)).collect();
    let width = |column: usize| shown.iter().map(|row| row.0[column].chars().count()).max();
    let widths: [usize; COLUMNS.len()] = std::array::from_fn(|column| width(column).unwrap_or_default());
    let line = |row: &&Row| {
        let cells = row.0.iter().zip(widths);
        let line: String = cells.map(|(cell, width)| format!("{cell:<width$}   ")).collect();
        line.trim_end().to_owned()
    };
    let mut lines: Vec<_> = shown.iter().map(line).collect();
    if rows.len() > ROWS {
        lines.push(format!("... and {} more", rows.len() - ROWS));
    }
    lines
}

/// Returns the rows that were added, changed or deleted. Both lists are sorted by key.
fn changes(before: &[Row], now: Vec<Row>) -> String {
    let find = |rows: &[Row], row: &Row| {
        let found = rows.binary_search_by(|other| other.key().cmp(&row.key()));
        found.ok().map(|at| rows[at].clone())
    };
    let gone = before.iter().filter(|row| find(&now, row).is_none()).cloned().map(Row::deleted);
    let is_new = |row: &&Row| find(before, row).is_none_or(|before| before.differs(row));
    let new = now.iter().filter(is_new).cloned();
    let lines = gone.chain(new).map(|row| row.0.join("\t") + "\n");
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, phase: &str, age: &str) -> Row {
        Row(["prod", name, "debian:13", "2", phase, age, "live"].map(str::to_owned))
    }

    fn shown(view: &mut View<Vec<u8>>, rows: Vec<Row>) -> String {
        view.show(rows).unwrap();
        String::from_utf8(mem::take(&mut view.output)).unwrap()
    }

    #[test]
    fn lines_contain_changes() {
        let mut view = View::lines(Vec::new());
        let both = vec![row("a", "Running", "1s"), row("b", "Starting", "1s")];
        assert_eq!(
            shown(&mut view, both),
            "prod\ta\tdebian:13\t2\tRunning\t1s\tlive\nprod\tb\tdebian:13\t2\tStarting\t1s\tlive\n"
        );
        let older = vec![row("a", "Running", "2s"), row("b", "Running", "2s")];
        assert_eq!(shown(&mut view, older.clone()), "prod\tb\tdebian:13\t2\tRunning\t2s\tlive\n");
        assert_eq!(shown(&mut view, older[1..].to_vec()), "prod\ta\tdebian:13\t2\tDeleted\t2s\tlive\n");
    }

    #[test]
    fn a_screen_shows_all_rows_each_time() {
        let mut view = View::screen(Vec::new());
        for age in ["1s", "2s"] {
            let rows = vec![row("a-long-name", "Running", age), row("b", "Failed", age)];
            let text = shown(&mut view, rows);
            let screen = text.strip_prefix("\x1b[H").unwrap();
            let lines: Vec<_> = screen.split("\x1b[K\n").collect();
            assert_eq!(
                lines,
                [
                    "NAMESPACE   NAME          IMAGE       DESIRED   PHASE     AGE   HEALTH",
                    &format!("prod        a-long-name   debian:13   2         Running   {age}    live"),
                    &format!("prod        b             debian:13   2         Failed    {age}    live"),
                    "\x1b[J",
                ]
            );
        }
    }

    #[test]
    fn a_screen_counts_rows_that_do_not_fit() {
        let rows: Vec<_> = (0..45).map(|n| row(&n.to_string(), "Running", "1s")).collect();
        let lines = table(&rows);
        assert_eq!((lines.len(), &*lines[41]), (42, "... and 5 more"));
    }
}
