use std::fs;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::bench_dir;

/// The results of a benchmark, under flat keys.
#[derive(Debug, Default)]
pub struct Results(Map<String, Value>);

impl Results {
    /// States a figure, to three places.
    pub fn figure(&mut self, key: impl Into<String>, figure: f64) {
        let rounded = (figure * 1000.0).round() / 1000.0;
        self.0.insert(key.into(), json!(rounded));
    }

    /// States something that is no figure.
    pub fn note(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.0.insert(key.into(), value.into());
    }

    /// Writes `target/bench/<name>.json`.
    pub fn write(&self, name: &str) -> Result<()> {
        let path = bench_dir().join(format!("{name}.json"));
        fs::create_dir_all(bench_dir())?;
        let text = serde_json::to_string_pretty(&self.0)? + "\n";
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}
