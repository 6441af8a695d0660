//! Command-line options.

use anyhow::{Context, Result, bail, ensure};

/// The options of the command line.
#[derive(Debug)]
pub(crate) struct Options {
    /// How often everything is measured.
    pub(crate) rounds: usize,
    /// Whether the release profile is left out.
    pub(crate) dev_only: bool,
    /// Whether nothing is measured, and the functions of crdkit's operator are counted instead.
    pub(crate) functions: bool,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse() -> Result<Self> {
        let mut options = Self { rounds: 3, dev_only: false, functions: false };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            match name.as_str() {
                "--rounds" => {
                    let value = arguments.next().unwrap_or_default();
                    options.rounds =
                        value.parse().with_context(|| format!("`--rounds` needs a number, not `{value}`"))?;
                }
                "--dev-only" => options.dev_only = true,
                "--functions" => options.functions = true,
                _ => bail!("unknown option `{name}`: there are `--rounds N`, `--dev-only` and `--functions`"),
            }
        }
        ensure!(options.rounds > 0, "`--rounds` must be at least 1");
        Ok(options)
    }
}
