use std::time::SystemTime;

use crdkit::informer::{CacheObject, Health, WatchHealth, WatchState};
use example_resources::virtual_machine::VirtualMachine;
use k8s_openapi::jiff::Timestamp;

/// The headers of the columns.
pub const COLUMNS: [&str; 7] = ["NAMESPACE", "NAME", "IMAGE", "DESIRED", "PHASE", "AGE", "HEALTH"];

/// The column of the phase.
const PHASE: usize = 4;

/// The column of the age.
const AGE: usize = 5;

/// The cells of a VirtualMachine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row(pub [String; COLUMNS.len()]);

impl Row {
    pub(super) fn of(vm: &VirtualMachine, health: &Health, now: Timestamp) -> Self {
        let status = vm.status.as_ref();
        let phase = status.map(|status| format!("{:?}", status.phase));
        let created = vm.metadata.creation_timestamp.as_ref();
        Self([
            vm.namespace().unwrap_or_default().to_owned(),
            vm.name().to_owned(),
            vm.spec.image.clone(),
            vm.spec.replicas.to_string(),
            phase.unwrap_or_else(|| "-".to_owned()),
            created.map_or_else(|| "-".to_owned(), |created| age(created.0, now)),
            health_of(vm, health),
        ])
    }

    /// Returns the namespace and the name.
    pub(super) fn key(&self) -> (&str, &str) {
        (&self.0[0], &self.0[1])
    }

    /// Whether a cell other than the age differs.
    pub(super) fn differs(&self, other: &Self) -> bool {
        let mut cells = self.0.iter().zip(&other.0).enumerate();
        cells.any(|(column, (one, other))| column != AGE && one != other)
    }

    pub(super) fn deleted(mut self) -> Self {
        self.0[PHASE] = "Deleted".to_owned();
        self
    }
}

/// Formats an age as kubectl does, but in a single unit.
fn age(since: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(since).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// Returns the state of the watch that covers the VirtualMachine.
fn health_of(vm: &VirtualMachine, health: &Health) -> String {
    let covers = |watch: &&WatchHealth| {
        let namespace = watch.namespace.as_deref();
        namespace.is_none() || namespace == vm.namespace()
    };
    match health.watches.iter().find(covers).map(|watch| &watch.state) {
        Some(WatchState::Watching { .. }) => "live".to_owned(),
        // The API server ends every watch at its timeout, and the informer resumes it.
        Some(WatchState::Disconnected { error: None, .. }) => "resuming".to_owned(),
        Some(WatchState::Disconnected { since, .. }) => format!("lost {}", clock(*since)),
        _ => "reading".to_owned(),
    }
}

/// Formats the time of day, in UTC.
fn clock(time: SystemTime) -> String {
    let time = Timestamp::try_from(time).unwrap_or_default();
    time.strftime("%H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        let age = |seconds| age(Timestamp::UNIX_EPOCH, Timestamp::from_second(seconds).unwrap());
        let ages = [-5, 119, 120, 7_199, 7_200, 172_799, 172_800].map(age);
        assert_eq!(ages, ["0s", "119s", "2m", "119m", "2h", "47h", "2d"]);
    }
}
