//! No key waits longer than the bound in `queue.md`, whatever is added meanwhile.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{super::super::ready::CLAIMS_PER_OLDEST, *};

type Key = (u64, u32);

/// The keys that can be claimed: the claims before each one could, and how many others could already.
#[derive(Default)]
struct Waits {
    claims: u64,
    since: HashMap<Key, (u64, u64)>,
}

impl Waits {
    fn begin(&mut self, state: &QueueState<Key>) {
        let is_ready = |state: &KeyState| state.queued.as_ref().is_some_and(|queued| queued.place.is_some());
        let others = state.len().saturating_sub(1) as u64;
        for (key, _) in state.keys.iter().filter(|(_, state)| is_ready(state)) {
            self.since.entry(*key).or_insert((self.claims, others));
        }
    }

    fn claim(&mut self, key: Key) {
        self.claims += 1;
        self.since.remove(&key);
        for (key, (since, ahead)) in &self.since {
            let waited = self.claims - since;
            assert!(waited < CLAIMS_PER_OLDEST * (ahead + 1), "{key:?} waits for {waited} claims behind {ahead} keys");
        }
    }
}

/// What happens to a claimed key.
#[derive(Clone, Copy, Debug)]
enum End {
    Done,
    Poll(u64),
    Fail(u64),
    PutBack,
}

#[derive(Clone, Copy, Debug)]
enum Load {
    List(Key),
    Change(Key),
    /// A key of a few that change all the time.
    Storm(u32),
    Forget(Key),
    Claim(End),
    Wait(u64),
}

fn load() -> impl Strategy<Value = Load> {
    let key = || (0..6_u64, 0..12_u32);
    let end = prop_oneof![
        3 => Just(End::Done),
        3 => (0..3_u64).prop_map(End::Poll),
        3 => (0..3_u64).prop_map(End::Fail),
        1 => Just(End::PutBack),
    ];
    prop_oneof![
        2 => key().prop_map(Load::List),
        1 => key().prop_map(Load::Change),
        4 => (0..3_u32).prop_map(Load::Storm),
        1 => key().prop_map(Load::Forget),
        8 => end.prop_map(Load::Claim),
        1 => (0..3_u64).prop_map(Load::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_key_waits_longer_than_five_times_fifo(loads in proptest::collection::vec(load(), 1..800)) {
        let (mut state, mut waits) = (QueueState::<Key>::new(|key| key.0), Waits::default());
        let mut now = Duration::ZERO;
        for load in loads {
            match load {
                Load::List(key) => state.add_listed(key, now),
                Load::Change(key) => state.add_changed(key, now),
                Load::Storm(number) => state.add_changed((9, number), now),
                Load::Forget(key) => {
                    state.forget(&key);
                }
                Load::Wait(seconds) => now += at(seconds),
                Load::Claim(end) => {
                    state.add_due(now);
                    waits.begin(&state);
                    if let Some(key) = state.claim(now) {
                        waits.claim(key);
                        finish(&mut state, key, end, now);
                    }
                }
            }
            waits.begin(&state);
        }
    }
}

fn finish(state: &mut QueueState<Key>, key: Key, end: End, now: Duration) {
    match end {
        End::Done => {
            state.succeed(&key, now);
        }
        End::Poll(seconds) => {
            state.succeed(&key, now);
            state.add_at(key, now + at(seconds), Trigger::Requeue, now);
        }
        End::Fail(seconds) => state.fail(key, at(seconds), now),
        End::PutBack => return state.put_back(&key, now),
    }
    state.release(&key, now);
}

/// Claims until each of the listed keys was claimed, while each claim is followed by as many changes as there may be.
fn claims_until_all_were_listed(listed: u32, namespaces: u64, changes_per_claim: u32) -> u64 {
    let mut state = QueueState::<Key>::new(|key| key.0);
    (0..listed).for_each(|number| state.add_listed((0, number), at(0)));
    let (mut claims, mut change, mut missing) = (0, 0, listed);
    while missing > 0 {
        for _ in 0..changes_per_claim {
            change += 1;
            state.add_changed((1 + u64::from(change) % namespaces, change % 100), at(0));
        }
        let key = state.claim(at(0)).unwrap();
        claims += 1;
        missing -= u32::from(key.0 == 0);
        state.release(&key, at(0));
    }
    claims
}

#[test]
fn a_storm_of_changes_delays_a_first_list_by_the_bound() {
    let claims = claims_until_all_were_listed(20_000, 50, 3);
    assert!(claims <= CLAIMS_PER_OLDEST * 20_000, "{claims}");
}

#[test]
fn a_first_list_of_100_000_delays_no_change() {
    let mut state = QueueState::<Key>::new(|key| key.0);
    (0..100_000).for_each(|number| state.add_listed((0, number), at(0)));
    for change in 0..1_000 {
        state.add_changed((1, change), at(0));
        let claims: Vec<_> = (0..2).map(|_| state.claim(at(0)).unwrap()).collect();
        assert!(claims.contains(&(1, change)), "{claims:?}");
        for key in &claims {
            state.release(key, at(0));
        }
    }
}

#[test]
fn objects_of_a_first_list_that_are_polled_are_all_reconciled_first() {
    let mut state = QueueState::<Key>::new(|key| key.0);
    (0..300).for_each(|number| state.add_listed((0, number), at(0)));
    let mut reconciled = BTreeSet::new();
    // One worker that needs 100 ms, and polls after 5 s. The first 40 fail.
    for run in 0..300 {
        let now = Duration::from_millis(100 * run);
        let key = state.claim(now).unwrap();
        reconciled.insert(key.1);
        let end = if key.1 < 40 { End::Fail(5) } else { End::Poll(5) };
        finish(&mut state, key, end, now + Duration::from_millis(100));
    }
    assert_eq!(reconciled.len(), 300);
}

#[test]
fn a_change_in_one_namespace_does_not_wait_for_thousands_in_another() {
    let mut state = QueueState::<Key>::new(|key| key.0);
    (0..10_000).for_each(|number| state.add_changed((0, number), at(0)));
    state.add_changed((1, 0), at(0));
    assert!((0..3).any(|_| state.claim(at(0)) == Some((1, 0))));
}

#[test]
fn keys_that_are_claimed_out_of_turn_leave_nothing_behind() {
    let mut state = QueueState::<Key>::new(|key| key.0);
    for round in 0..2_000 {
        state.add_listed((2, 0), at(round));
        (0..10).for_each(|number| state.add_changed((1, number), at(round)));
        for _ in 0..5 {
            let key = state.claim(at(round)).unwrap();
            state.release(&key, at(round));
        }
    }
    assert!(state.len() <= 11, "{}", state.len());
}

/// Random numbers of a seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// Returns a number from 0 to 1.
    pub(super) fn fraction(&mut self) -> f64 {
        // The constants of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
