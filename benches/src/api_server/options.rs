//! The options of the command line.

use anyhow::{Context, Result, bail, ensure};

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) rounds: usize,
    /// The number of requests of each kind.
    pub(crate) requests: usize,
    pub(crate) watches: usize,
    /// The number of objects whose memory is measured.
    pub(crate) objects: usize,
    /// The contestants that are measured; all if there are none.
    pub(crate) only: Vec<String>,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self { rounds: 1, requests: 10_000, watches: 100, objects: 100_000, only: Vec::new() };
        while let Some(name) = arguments.next() {
            let value = arguments.next().unwrap_or_default();
            let wrong = || format!("`{name}` needs a number, not `{value}`");
            match name.as_str() {
                "--rounds" => options.rounds = value.parse().with_context(wrong)?,
                "--requests" => options.requests = value.parse().with_context(wrong)?,
                "--watches" => options.watches = value.parse().with_context(wrong)?,
                "--objects" => options.objects = value.parse().with_context(wrong)?,
                "--only" => options.only = value.split(',').map(str::to_owned).collect(),
                _ => bail!(
                    "unknown option `{name}`: there are `--rounds N`, `--requests N`, `--watches N`, `--objects N` and \
                     `--only name,name`"
                ),
            }
        }
        ensure!(options.rounds > 0 && options.watches > 0, "`--rounds` and `--watches` must be at least 1");
        ensure!(
            options.requests >= 1000 && options.requests <= options.objects,
            "`--requests` must be at least 1000, and at most the number of objects"
        );
        Ok(options)
    }
}
