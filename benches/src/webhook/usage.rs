//! The resource usage of a server.

use std::io::stdin;

use anyhow::Result;
use crdkit_benches::{Figures, gauges};

/// Writes what this process has used for each line of its input, until its end.
pub(crate) fn answer() -> Result<()> {
    for line in stdin().lines() {
        line?;
        let mut figures = Figures::default();
        figures.add("cpu", gauges::cpu()?.as_secs_f64());
        figures.add("memory", gauges::memory()?);
        figures.add("peak", gauges::peak()?);
        println!("{}", serde_json::to_string(&figures)?);
    }
    Ok(())
}
