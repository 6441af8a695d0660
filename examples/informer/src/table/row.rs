use std::time::SystemTime;

use crdkit::informer::{CacheObject, Health, WatchHealth, WatchState};
use example_resources::virtual_machine::VirtualMachine;
use k8s_openapi::jiff::Timestamp;

/// What the columns show.
pub const COLUMNS: [&str; 7] = [
    "NAMESPACE",
    "NAME",
    "IMAGE",
    "DESIRED",
    "PHASE",
    "AGE",
    "HEALTH",
];

/// Where the phase stands among the columns.
const PHASE: usize = 4;

/// Where the age stands among the columns.
const AGE: usize = 5;

/// A VirtualMachine, as it is to be seen.
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

    /// Namespace and name.
    pub(super) fn key(&self) -> (&str, &str) {
        (&self.0[0], &self.0[1])
    }

    /// Whether anything but the age differs.
    pub(super) fn differs(&self, other: &Self) -> bool {
        let mut cells = self.0.iter().zip(&other.0).enumerate();
        cells.any(|(column, (one, other))| column != AGE && one != other)
    }

    pub(super) fn deleted(mut self) -> Self {
        self.0[PHASE] = "Deleted".to_owned();
        self
    }
}

/// As kubectl shows ages, but in one unit.
fn age(since: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(since).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// How far what is shown of the VirtualMachine can be trusted.
fn health_of(vm: &VirtualMachine, health: &Health) -> String {
    let tells = |watch: &&WatchHealth| {
        let namespace = watch.namespace.as_deref();
        namespace.is_none() || namespace == vm.namespace()
    };
    match health.watches.iter().find(tells).map(|watch| &watch.state) {
        Some(WatchState::Watching { .. }) => "live".to_owned(),
        // The API server ends each watch some time, and it goes on where it was.
        Some(WatchState::Disconnected { error: None, .. }) => "resuming".to_owned(),
        Some(WatchState::Disconnected { since, .. }) => format!("lost {}", clock(*since)),
        _ => "reading".to_owned(),
    }
}

/// The time of the day, in UTC.
fn clock(time: SystemTime) -> String {
    let time = Timestamp::try_from(time).unwrap_or_default();
    time.strftime("%H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        let age = |seconds| {
            age(
                Timestamp::UNIX_EPOCH,
                Timestamp::from_second(seconds).unwrap(),
            )
        };
        let ages = [-5, 119, 120, 7_199, 7_200, 172_799, 172_800].map(age);
        assert_eq!(ages, ["0s", "119s", "2m", "119m", "2h", "47h", "2d"]);
    }
}
