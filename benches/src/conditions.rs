use std::{fmt, fs, process::Command, thread};

use anyhow::Result;

/// The machine and the compiler that figures were taken with.
#[derive(Debug)]
pub struct Conditions {
    processor: String,
    cores: usize,
    compiler: String,
}

/// The load average over one minute.
#[derive(Clone, Copy, Debug)]
pub struct Load(f64);

impl Conditions {
    /// The conditions here.
    pub fn here() -> Self {
        Self {
            processor: processor().unwrap_or_else(|| "an unknown processor".to_owned()),
            cores: thread::available_parallelism().map_or(1, usize::from),
            compiler: compiler().unwrap_or_else(|| "an unknown compiler".to_owned()),
        }
    }
}

/// Measures, and prints the conditions and the load before and after it.
pub fn in_conditions<T>(rounds: usize, measure: impl FnOnce() -> Result<T>) -> Result<T> {
    // Before `measure`, which may confine this thread to a processor.
    let (conditions, before) = (Conditions::here(), Load::now());
    let measured = measure()?;
    println!("{conditions}; {rounds} rounds");
    if let (Some(before), Some(after)) = (before, Load::now()) {
        println!("load {before} at the start, {after} in the end");
    }
    Ok(measured)
}

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { processor, cores, compiler } = self;
        write!(f, "{cores} cores of {processor}; {compiler}")
    }
}

impl Load {
    /// The current load, if the system reports it.
    pub fn now() -> Option<Self> {
        let text = fs::read_to_string("/proc/loadavg").ok()?;
        text.split(' ').next()?.parse().ok().map(Self)
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}", self.0)
    }
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn compiler() -> Option<String> {
    let output = Command::new("rustc").arg("--version").output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
