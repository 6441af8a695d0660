//! Command-line options.

use anyhow::{Context, Result, bail, ensure};

/// The options of the command line.
#[derive(Debug)]
pub(crate) struct Options {
    /// How often everything is measured.
    pub(crate) rounds: usize,
    /// How long reviews of one kind are sent.
    pub(crate) seconds: f64,
    pub(crate) connections: usize,
    /// How many objects a conversion has.
    pub(crate) objects: usize,
    /// The contestants that are measured; all if there are none.
    pub(crate) only: Vec<String>,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self { rounds: 5, seconds: 4.0, connections: 8, objects: 500, only: Vec::new() };
        while let Some(name) = arguments.next() {
            let value = arguments.next().unwrap_or_default();
            let wrong = || format!("`{name}` needs a number, not `{value}`");
            match name.as_str() {
                "--rounds" => options.rounds = value.parse().with_context(wrong)?,
                "--seconds" => options.seconds = value.parse().with_context(wrong)?,
                "--connections" => options.connections = value.parse().with_context(wrong)?,
                "--objects" => options.objects = value.parse().with_context(wrong)?,
                "--only" => options.only = value.split(',').map(str::to_owned).collect(),
                _ => bail!(
                    "unknown option `{name}`: there are `--rounds N`, `--seconds N`, `--connections N`, `--objects N` \
                     and `--only name,name`"
                ),
            }
        }
        ensure!(options.rounds > 0 && options.connections > 0, "`--rounds` and `--connections` must be at least 1");
        ensure!(options.objects > 0 && options.seconds > 0.0, "`--objects` and `--seconds` must be positive");
        Ok(options)
    }
}
