//! The clock of the server, which tests stop, set and move.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// The clock of a server. It has a lock of its own, because clients read it while requests are processed.
#[derive(Clone)]
pub(super) struct Clock(Arc<Mutex<Setting>>);

/// What the time of a server is.
#[derive(Clone, Copy)]
enum Setting {
    /// That of the machine.
    System,
    /// It stands still.
    Stopped(Timestamp),
    /// It was this at an instant of tokio's clock, and goes as that does.
    Running(Timestamp, Instant),
}

impl Setting {
    fn now(self) -> Timestamp {
        match self {
            Self::System => Timestamp::now(),
            Self::Stopped(time) => time,
            Self::Running(time, since) => later(time, since.elapsed()),
        }
    }
}

impl Clock {
    pub(super) fn system() -> Self {
        Self(Arc::new(Mutex::new(Setting::System)))
    }

    /// Creates a clock that has the time of the machine now, and then goes as tokio's.
    pub(super) fn running() -> Self {
        Self(Arc::new(Mutex::new(Setting::Running(Timestamp::now(), Instant::now()))))
    }

    pub(super) fn now(&self) -> Timestamp {
        self.setting().now()
    }

    /// Returns the time in seconds, as `creationTimestamp` has it.
    pub(super) fn text(&self) -> String {
        // Go truncates times.
        let whole = Timestamp::from_second(self.now().as_second()).unwrap_or_default();
        whole.to_string()
    }

    /// Uses the time of the machine from now on.
    pub(super) fn use_system(&self) {
        *self.setting() = Setting::System;
    }

    pub(super) fn stop_at(&self, time: Timestamp) {
        *self.setting() = Setting::Stopped(time);
    }

    /// Lets the clock go as tokio's, and returns whether it stood still.
    pub(super) fn start(&self) -> bool {
        let mut setting = self.setting();
        let stood_still = matches!(*setting, Setting::Stopped(_));
        *setting = Setting::Running(setting.now(), Instant::now());
        stood_still
    }

    fn setting(&self) -> MutexGuard<'_, Setting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the time after a duration.
pub(super) fn later(time: Timestamp, duration: Duration) -> Timestamp {
    let later = SignedDuration::try_from(duration).ok().and_then(|duration| time.checked_add(duration).ok());
    later.expect("the time is in the range of years up to 9999")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_seconds() {
        let clock = Clock::system();
        clock.stop_at("2030-01-31T12:00:00.6Z".parse().unwrap());
        assert_eq!(clock.text(), "2030-01-31T12:00:00Z");
    }
}
