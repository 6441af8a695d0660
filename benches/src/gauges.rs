//! The resource usage of this process.

use std::{
    fs,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use nix::sys::resource::{Usage, UsageWho, getrusage};

/// Measures from its start.
#[derive(Debug)]
pub struct Meter {
    wall: Instant,
    cpu: Duration,
}

/// Time on the clock, and of processors for the whole process, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Lapse {
    /// Time on the clock.
    pub wall: f64,
    /// Processor time.
    pub cpu: f64,
}

impl Meter {
    /// Starts.
    pub fn start() -> Result<Self> {
        Ok(Self { wall: Instant::now(), cpu: cpu()? })
    }

    /// What has passed since the start.
    pub fn stop(&self) -> Result<Lapse> {
        Ok(Lapse { wall: self.wall.elapsed().as_secs_f64(), cpu: cpu()?.saturating_sub(self.cpu).as_secs_f64() })
    }
}

/// The processor time of this process so far.
pub fn cpu() -> Result<Duration> {
    let usage: Usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let [user, system] = [usage.user_time(), usage.system_time()].map(|time| {
        let micros = time.tv_sec() * 1_000_000 + time.tv_usec();
        Duration::from_micros(micros.unsigned_abs())
    });
    Ok(user + system)
}

/// The megabytes in memory now.
pub fn memory() -> Result<f64> {
    megabytes("VmRSS:")
}

/// The peak of memory in megabytes, since the process started or the peak was reset.
pub fn peak() -> Result<f64> {
    megabytes("VmHWM:")
}

/// Resets the peak to the current memory.
pub fn reset_peak() -> Result<()> {
    fs::write("/proc/self/clear_refs", "5").context("the peak of memory cannot be reset here")
}

fn megabytes(name: &str) -> Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes: f64 =
        line.and_then(|line| line.trim().strip_suffix(" kB")).context("the system does not report memory")?.parse()?;
    Ok(kilobytes * 1024.0 / 1e6)
}
