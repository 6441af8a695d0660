//! Time on the clock, and of the processor.

use std::time::{Duration, Instant};

use anyhow::Result;
use nix::time::ClockId;

use crate::cases::Meter;

/// Measures time from its start.
pub(crate) struct Clock {
    wall: Instant,
    cpu: Duration,
}

/// Two times of the same thing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lapse {
    /// On the clock.
    pub(crate) wall: Duration,
    /// For which the thread had a processor.
    pub(crate) cpu: Duration,
}

impl Meter for Clock {
    type Figures = Lapse;

    fn start() -> Result<Self> {
        Ok(Self { wall: Instant::now(), cpu: cpu()? })
    }

    fn stop(self) -> Result<Lapse> {
        Ok(Lapse { wall: self.wall.elapsed(), cpu: cpu()?.saturating_sub(self.cpu) })
    }
}

fn cpu() -> Result<Duration> {
    Ok(ClockId::CLOCK_THREAD_CPUTIME_ID.now()?.into())
}
