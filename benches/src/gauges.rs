//! The resource usage of this process, and of those that it starts.

use std::{
    fs,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use nix::sys::resource::{Usage, UsageWho, getrusage};

/// Measures from its start.
#[derive(Debug)]
pub struct Meter {
    who: UsageWho,
    wall: Instant,
    cpu: Duration,
}

/// Time on the clock, and of processors for whole processes, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Lapse {
    /// Time on the clock.
    pub wall: f64,
    /// Processor time.
    pub cpu: f64,
}

impl Meter {
    /// Starts, for this process.
    pub fn start() -> Result<Self> {
        Self::start_of(UsageWho::RUSAGE_SELF)
    }

    /// Starts, for processes that this one starts and waits for before the end, and for theirs.
    pub fn of_children() -> Result<Self> {
        Self::start_of(UsageWho::RUSAGE_CHILDREN)
    }

    fn start_of(who: UsageWho) -> Result<Self> {
        Ok(Self { who, wall: Instant::now(), cpu: cpu_of(who)? })
    }

    /// What has passed since the start.
    pub fn stop(&self) -> Result<Lapse> {
        let wall = self.wall.elapsed().as_secs_f64();
        Ok(Lapse { wall, cpu: cpu_of(self.who)?.saturating_sub(self.cpu).as_secs_f64() })
    }
}

/// The processor time of this process so far.
pub fn cpu() -> Result<Duration> {
    cpu_of(UsageWho::RUSAGE_SELF)
}

fn cpu_of(who: UsageWho) -> Result<Duration> {
    let usage: Usage = getrusage(who)?;
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
