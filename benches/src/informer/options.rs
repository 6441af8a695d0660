//! Command-line options.

use anyhow::{Context, Result, bail, ensure};

/// The options of the command line.
#[derive(Debug)]
pub(crate) struct Options {
    /// How often everything is measured.
    pub(crate) rounds: usize,
    pub(crate) objects: usize,
    pub(crate) events: usize,
    /// The runs that are made; all if there are none.
    pub(crate) only: Vec<String>,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self { rounds: 5, objects: 100_000, events: 200_000, only: Vec::new() };
        while let Some(name) = arguments.next() {
            let value = arguments.next().unwrap_or_default();
            let number = match name.as_str() {
                "--rounds" => &mut options.rounds,
                "--objects" => &mut options.objects,
                "--events" => &mut options.events,
                "--only" => {
                    options.only = value.split(',').map(str::to_owned).collect();
                    continue;
                }
                _ => bail!(
                    "unknown option `{name}`: there are `--rounds N`, `--objects N`, `--events N` and `--only name,name`"
                ),
            };
            let wrong = || format!("`{name}` needs a number, not `{value}`");
            *number = value.parse().with_context(wrong)?;
        }
        ensure!(options.rounds > 0, "`--rounds` must be at least 1");
        ensure!(
            options.objects >= 1000 && options.objects.is_multiple_of(1000),
            "`--objects` must be thousands, as they live in 100 namespaces"
        );
        Ok(options)
    }
}
