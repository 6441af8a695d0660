//! Command-line options.

use anyhow::{Context, Result, bail, ensure};

use crate::source::Types;

/// The options of the command line.
#[derive(Debug)]
pub(crate) struct Options {
    /// How often everything is measured.
    pub(crate) rounds: usize,
    /// How many custom resources the crates consist of.
    pub(crate) crds: usize,
    /// Which types each of them has.
    pub(crate) types: Types,
    /// Whether the growth with the size of one type is measured instead.
    pub(crate) growth: bool,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse() -> Result<Self> {
        let mut options = Self { rounds: 7, crds: 40, types: Types::Plain, growth: false };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            let slot = match name.as_str() {
                "--rounds" => &mut options.rounds,
                "--crds" => &mut options.crds,
                "--enums" => {
                    options.types = Types::WithEnums;
                    continue;
                }
                "--growth" => {
                    options.growth = true;
                    continue;
                }
                _ => bail!("unknown option `{name}`: there are `--rounds N`, `--crds N`, `--enums` and `--growth`"),
            };
            let value = arguments.next().unwrap_or_default();
            *slot = value.parse().with_context(|| format!("`{name}` needs a number, not `{value}`"))?;
            ensure!(*slot > 0, "`{name}` must be at least 1");
        }
        Ok(options)
    }
}
