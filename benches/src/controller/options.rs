//! Command-line options.

use anyhow::{Context, Result, bail, ensure};

/// The options of the command line.
#[derive(Debug)]
pub(crate) struct Options {
    /// How often everything is measured.
    pub(crate) rounds: usize,
    pub(crate) objects: usize,
    /// How many changes come at a rate.
    pub(crate) paced: usize,
    /// Changes a second.
    pub(crate) rate: usize,
    pub(crate) concurrency: u16,
    /// The contestants that are measured; all if there are none.
    pub(crate) only: Vec<String>,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options =
            Self { rounds: 3, objects: 100_000, paced: 10_000, rate: 1_000, concurrency: 8, only: Vec::new() };
        while let Some(name) = arguments.next() {
            let value = arguments.next().unwrap_or_default();
            let wrong = || format!("`{name}` needs a number, not `{value}`");
            match name.as_str() {
                "--rounds" => options.rounds = value.parse().with_context(wrong)?,
                "--objects" => options.objects = value.parse().with_context(wrong)?,
                "--paced" => options.paced = value.parse().with_context(wrong)?,
                "--rate" => options.rate = value.parse().with_context(wrong)?,
                "--concurrency" => options.concurrency = value.parse().with_context(wrong)?,
                "--only" => options.only = value.split(',').map(str::to_owned).collect(),
                _ => bail!(
                    "unknown option `{name}`: there are `--rounds N`, `--objects N`, `--paced N`, `--rate N`, \
                     `--concurrency N` and `--only name,name`"
                ),
            }
        }
        ensure!(options.rounds > 0 && options.rate > 0, "`--rounds` and `--rate` must be at least 1");
        ensure!(
            options.objects >= 1000 && options.objects.is_multiple_of(1000),
            "`--objects` must be thousands, as they live in 100 namespaces"
        );
        ensure!(options.paced <= options.objects, "`--paced` must be at most the number of objects");
        Ok(options)
    }
}
