//! How long a candidate waits before it takes a Lease over.

use k8s_openapi::api::coordination::v1::LeaseSpec;
use tokio::time::{Duration, Instant};

use super::recorded_duration;

/// What a candidate has observed of a Lease, by its own clock.
///
/// Somebody may delete or edit a Lease, or restore an older one, while the leader still writes: it stops at its next renewal, or at
/// its renew deadline if it cannot reach the API server. So a record that the leader has not released is waited out, whatever it
/// states.
pub(super) struct Observation {
    /// `None` without a Lease.
    record: Option<LeaseSpec>,
    /// When the record was observed first.
    since: Instant,
    /// How long it must stay as it is.
    wait: Duration,
    /// The transitions of the last record: those of a release are not less.
    transitions: i32,
}

impl Observation {
    /// Observes a record after an earlier observation. `identity` and `duration` are the settings of this candidate.
    pub(super) fn after(before: Option<Self>, record: Option<LeaseSpec>, identity: &str, duration: Duration) -> Self {
        let before = match before {
            Some(before) if before.record == record => return before,
            before => before,
        };
        let last = before.as_ref().map_or(0, |before| before.transitions);
        let transitions = record.as_ref().map_or(last, |record| record.lease_transitions.unwrap_or_default());
        let wait = match &record {
            // Somebody may have restored an older record, of an earlier release.
            Some(record) if is_released(record) && transitions >= last => Duration::ZERO,
            // An earlier process with this identity was the leader.
            Some(record) if before.is_none() && record.holder_identity.as_deref() == Some(identity) => Duration::ZERO,
            None if before.is_none() => Duration::ZERO,
            _ => {
                let records = record.iter().chain(before.iter().filter_map(|before| before.record.as_ref()));
                records.map(recorded_duration).fold(duration, Duration::max)
            }
        };
        Self { record, since: Instant::now(), wait, transitions }
    }

    /// Whether another candidate may take the Lease over.
    pub(super) fn is_over(&self) -> bool {
        self.since.elapsed() >= self.wait
    }

    pub(super) fn record(&self) -> Option<&LeaseSpec> {
        self.record.as_ref()
    }

    /// Returns how often the Lease has had a new holder, as far as it was observed.
    pub(super) fn transitions(&self) -> i32 {
        self.transitions
    }
}

/// Whether a leader has written a record when it stopped, as client-go's `release` does. A record whose holder somebody else has
/// removed keeps its duration, or has none.
fn is_released(record: &LeaseSpec) -> bool {
    let has_holder = record.holder_identity.as_ref().is_some_and(|holder| !holder.is_empty());
    !has_holder && record.lease_duration_seconds == Some(1) && record.acquire_time == record.renew_time
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;
    use crate::controller::leader_election::now;

    const OWN: Duration = Duration::from_secs(15);

    fn held(holder: &str, seconds: i32) -> LeaseSpec {
        let at = Some(now());
        LeaseSpec {
            holder_identity: Some(holder.to_owned()),
            lease_duration_seconds: Some(seconds),
            acquire_time: at.clone(),
            renew_time: at,
            ..LeaseSpec::default()
        }
    }

    fn observe(before: Option<Observation>, record: Option<LeaseSpec>) -> Observation {
        Observation::after(before, record, "me", OWN)
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_that_no_process_can_have_is_free() {
        assert!(observe(None, None).is_over(), "none was observed");
        assert!(observe(None, Some(held("me", 15))).is_over(), "an earlier process");
        assert!(observe(Some(observe(None, Some(held("a", 15)))), Some(held("", 1))).is_over(), "it was released");
    }

    #[tokio::test(start_paused = true)]
    async fn what_somebody_else_changed_is_waited_out() {
        let mut edited = held("", 15);
        edited.renew_time = None;
        let older = LeaseSpec { lease_transitions: Some(-1), ..held("", 1) };
        for (record, seconds) in [
            (None, 30),
            (Some(older), 30),
            (Some(LeaseSpec::default()), 30),
            (Some(edited), 30),
            (Some(held("me", 15)), 30),
            (Some(held("a", 1)), 30),
            (Some(held("b", 60)), 60),
        ] {
            let first = observe(None, Some(held("a", 30)));
            advance(Duration::from_secs(40)).await;
            assert!(first.is_over());
            let changed = observe(Some(first), record.clone());
            advance(Duration::from_secs(seconds) - Duration::from_millis(1)).await;
            let same = observe(Some(changed), record.clone());
            assert!(!same.is_over(), "{record:?}");
            advance(Duration::from_millis(1)).await;
            assert!(same.is_over(), "{record:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_renewal_ends_the_effect_of_an_edited_duration() {
        let edited = observe(Some(observe(None, Some(held("a", 15)))), Some(held("a", 3_600)));
        let (renewed, again) = (held("a", 15), LeaseSpec { renew_time: None, ..held("a", 15) });
        let renewed = observe(Some(observe(Some(edited), Some(renewed))), Some(again));
        advance(OWN).await;
        assert!(renewed.is_over());
    }
}
