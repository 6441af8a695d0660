//! Writes the steps: sections in a terminal, lines with the name of their step in a pipe.

use std::io::{self, Write};

/// The width of the text in a terminal.
const WIDTH: usize = 100;
const INDENT: &str = "   ";

/// How steps are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Numbered sections.
    Sections {
        /// Whether escape sequences for colours are written.
        color: bool,
    },
    /// Lines that start with the name of their step.
    Lines,
}

/// A colour of a terminal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Color {
    Red,
    Cyan,
    Dim,
}

/// Writes the steps in a form.
pub struct Output<W> {
    writer: W,
    form: Form,
    step: &'static str,
    steps: usize,
}

impl<W: Write> Output<W> {
    /// Creates an output.
    pub fn new(writer: W, form: Form) -> Self {
        Self { writer, form, step: "", steps: 0 }
    }

    /// Starts a step.
    pub(crate) fn step(&mut self, name: &'static str, title: &str) -> io::Result<()> {
        self.steps += 1;
        let number = self.steps;
        self.heading(name, &format!("{number}. {title}"), title)
    }

    /// Starts a section that is no step.
    pub(crate) fn section(&mut self, name: &'static str, title: &str) -> io::Result<()> {
        self.heading(name, title, title)
    }

    fn heading(&mut self, name: &'static str, heading: &str, title: &str) -> io::Result<()> {
        self.step = name;
        match self.form {
            Form::Sections { color: true } => writeln!(self.writer, "\n\x1b[1m{heading}\x1b[0m"),
            Form::Sections { color: false } => writeln!(self.writer, "\n{heading}"),
            Form::Lines => self.line(title),
        }
    }

    /// Writes text, line by line.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        text.lines().try_for_each(|line| self.line(line))
    }

    /// Writes text in a colour, in lines that fit into a terminal.
    pub(crate) fn colored(&mut self, color: Color, text: &str) -> io::Result<()> {
        let Form::Sections { color: is_colored } = self.form else {
            return self.text(text);
        };
        for line in text.lines().flat_map(|line| wrap(line.trim_start(), WIDTH - INDENT.len())) {
            if is_colored {
                self.line(&format!("\x1b[{}m{line}\x1b[0m", color.code()))?;
            } else {
                self.line(&line)?;
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        match self.form {
            Form::Sections { .. } => writeln!(self.writer, "{INDENT}{line}"),
            Form::Lines => writeln!(self.writer, "{:<11} {line}", self.step),
        }?;
        self.writer.flush()
    }
}

impl Color {
    const fn code(self) -> u8 {
        match self {
            Self::Red => 31,
            Self::Cyan => 36,
            Self::Dim => 2,
        }
    }
}

/// Breaks a line between words.
fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let last = lines.last_mut().expect("there is a line");
        match last.chars().count() + 1 + word.chars().count() {
            _ if last.is_empty() => *last = word.to_owned(),
            length if length <= width => *last = format!("{last} {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
