//! Command-line options.

use anyhow::{Context, Result, bail, ensure};

/// The options of the command line.
#[derive(Debug)]
pub(crate) struct Options {
    /// How often everything is measured.
    pub(crate) rounds: usize,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse() -> Result<Self> {
        let mut options = Self { rounds: 15 };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            let "--rounds" = name.as_str() else {
                bail!("unknown option `{name}`: there is `--rounds N`");
            };
            let value = arguments.next().unwrap_or_default();
            options.rounds = value.parse().with_context(|| format!("`{name}` needs a number, not `{value}`"))?;
            ensure!(options.rounds > 0, "`{name}` must be at least 1");
        }
        Ok(options)
    }
}
