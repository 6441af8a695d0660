//! The resource usage of this process and its children, such as a control plane that it has started.

use std::{fs, time::Instant};

use anyhow::{Context, Result};
use crdkit_benches::gauges::{self, Lapse};

/// The ticks of the kernel's clock of processor time in a second.
const TICKS: f64 = 100.0;

/// Measures from its start.
pub(crate) struct FamilyMeter {
    of_children: f64,
    own: f64,
    wall: Instant,
}

impl FamilyMeter {
    pub(crate) fn start() -> Result<Self> {
        // The look for children takes longer than many requests, so it is outside of what is measured.
        let of_children = cpu_of_children()?;
        Ok(Self { of_children, own: gauges::cpu()?.as_secs_f64(), wall: Instant::now() })
    }

    pub(crate) fn stop(&self) -> Result<Lapse> {
        let wall = self.wall.elapsed().as_secs_f64();
        let own = gauges::cpu()?.as_secs_f64() - self.own;
        Ok(Lapse { wall, cpu: own + cpu_of_children()? - self.of_children })
    }
}

/// The megabytes in memory.
pub(crate) fn memory() -> Result<f64> {
    let statuses = family()?.into_iter().filter_map(|id| fs::read_to_string(format!("/proc/{id}/status")).ok());
    let kilobytes = statuses.filter_map(|status| {
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"))?;
        line.parse::<f64>().ok()
    });
    Ok(kilobytes.sum::<f64>() * 1024.0 / 1e6)
}

/// The processor time so far of all processes that this one has started, in seconds. The kernel counts it in ticks, and that of this
/// process in microseconds.
fn cpu_of_children() -> Result<f64> {
    let ticks = family()?.into_iter().skip(1).filter_map(|id| Some(Stat::read(&id.to_string())?.ticks));
    Ok(ticks.sum::<f64>() / TICKS)
}

/// The ids of this process, which comes first, and of those that it, or one of them, has started.
fn family() -> Result<Vec<u32>> {
    let all: Vec<Stat> =
        fs::read_dir("/proc")?.filter_map(|entry| Stat::read(entry.ok()?.file_name().to_str()?)).collect();
    let mut family = vec![std::process::id()];
    let mut at = 0;
    while let Some(parent) = family.get(at).copied() {
        family.extend(all.iter().filter(|stat| stat.parent == parent).map(|stat| stat.id));
        at += 1;
    }
    Ok(family)
}

/// A line of `/proc/<id>/stat`.
struct Stat {
    id: u32,
    parent: u32,
    /// The processor time of the process, and of its children that have ended.
    ticks: f64,
}

impl Stat {
    fn read(id: &str) -> Option<Self> {
        let id = id.parse().ok()?;
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        Self::parse(id, &text).ok()
    }

    fn parse(id: u32, text: &str) -> Result<Self> {
        // The name of the program, in parentheses, may have spaces.
        let (_, rest) = text.rsplit_once(") ").context("there is no name")?;
        let fields: Vec<&str> = rest.split(' ').collect();
        let field = |at: usize| fields.get(at).context("a field is missing");
        let ticks: Result<Vec<f64>> = (11..15).map(|at| Ok(field(at)?.parse()?)).collect();
        Ok(Self { id, parent: field(1)?.parse()?, ticks: ticks?.into_iter().sum() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stats_are_parsed() {
        let text = "7 (a b) c) S 3 7 7 0 -1 4194560 100 0 0 0 10 20 3 4 20 0 1 0 5 1000 20";
        let stat = Stat::parse(7, text).unwrap();
        assert_eq!((stat.parent, stat.ticks), (3, 37.0));
    }

    #[test]
    fn this_process_uses_memory() {
        assert!(family().unwrap().contains(&std::process::id()));
        assert!(memory().unwrap() > 1.0);
    }
}
