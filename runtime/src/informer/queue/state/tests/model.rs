//! Random operations, compared with a simple model of each key.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Op {
    Add(u8),
    AddListed(u8),
    AddAt(u8, u64),
    Retry(u8, u64),
    Forget(u8),
    WorkItem,
    Release(usize),
    PutBack(usize),
    Wait(u64),
}

/// A simple model of the state of each key.
#[derive(Default)]
struct Expected {
    waiting: BTreeSet<u8>,
    due: BTreeMap<u8, Duration>,
    retries: BTreeMap<u8, Duration>,
    claimed: Vec<u8>,
}

impl Expected {
    fn advance(&mut self, now: Duration) {
        for delayed in [&mut self.due, &mut self.retries] {
            let due = delayed.extract_if(.., |_, due| *due <= now);
            self.waiting.extend(due.map(|(key, _)| key));
        }
    }

    fn add_at(&mut self, key: u8, due: Duration, now: Duration) {
        if due <= now {
            self.waiting.insert(key);
        } else {
            let earlier = self.due.get(&key).map_or(due, |earlier| due.min(*earlier));
            self.due.insert(key, earlier);
        }
    }

    fn is_claimable(&self, key: u8) -> bool {
        self.waiting.contains(&key) && !self.claimed.contains(&key)
    }

    fn claim(&mut self, claimed: Option<u8>) {
        let Some(key) = claimed else {
            assert!(!self.waiting.iter().any(|key| self.is_claimable(*key)));
            return;
        };
        assert!(self.is_claimable(key));
        self.waiting.remove(&key);
        self.retries.remove(&key);
        self.claimed.push(key);
    }
}

fn run(op: Op, state: &mut QueueState<u8>, expected: &mut Expected, now: &mut Duration) {
    match op {
        Op::Add(key) => {
            state.add_changed(key, *now);
            expected.waiting.insert(key);
        }
        Op::AddListed(key) => {
            state.add_listed(key, *now);
            expected.waiting.insert(key);
        }
        Op::AddAt(key, delay) => {
            state.add_at(key, *now + at(delay), Trigger::Requeue, *now);
            expected.add_at(key, *now + at(delay), *now);
        }
        Op::Retry(key, delay) => {
            let before = state.failures(&key);
            state.fail(key, at(delay), *now);
            assert_eq!(state.failures(&key), before + 1);
            expected.retries.insert(key, *now + at(delay));
        }
        Op::Forget(key) => {
            state.forget(&key);
            assert_eq!(state.failures(&key), 0);
            expected.retries.remove(&key);
        }
        Op::WorkItem => {
            expected.advance(*now);
            expected.claim(state.claim(*now));
            let claimable = expected.waiting.iter().filter(|key| expected.is_claimable(**key));
            assert_eq!(state.len(), claimable.count());
        }
        Op::Release(index) if index < expected.claimed.len() => {
            state.release(&expected.claimed.remove(index), *now);
        }
        Op::PutBack(index) if index < expected.claimed.len() => {
            let key = expected.claimed.remove(index);
            state.put_back(&key, *now);
            expected.waiting.insert(key);
        }
        Op::Release(_) | Op::PutBack(_) => {}
        Op::Wait(seconds) => *now += at(seconds),
    }
}

fn op() -> impl Strategy<Value = Op> {
    let key = 0..5_u8;
    prop_oneof![
        4 => key.clone().prop_map(Op::Add),
        2 => key.clone().prop_map(Op::AddListed),
        3 => (key.clone(), 0..9_u64).prop_map(|(key, delay)| Op::AddAt(key, delay)),
        2 => (key.clone(), 0..9_u64).prop_map(|(key, delay)| Op::Retry(key, delay)),
        1 => key.prop_map(Op::Forget),
        5 => Just(Op::WorkItem),
        3 => (0..4_usize).prop_map(Op::Release),
        1 => (0..4_usize).prop_map(Op::PutBack),
        2 => (0..5_u64).prop_map(Op::Wait),
    ]
}

proptest! {
    #[test]
    fn no_key_is_lost_or_claimed_twice_at_a_time(ops in proptest::collection::vec(op(), 0..200)) {
        let (mut state, mut expected) = (QueueState::new(|_| 0), Expected::default());
        let mut now = Duration::ZERO;
        for op in ops {
            run(op, &mut state, &mut expected, &mut now);
        }
        let is_idle = |expected: &Expected| {
            let Expected { waiting, due, retries, claimed } = expected;
            waiting.is_empty() && due.is_empty() && retries.is_empty() && claimed.is_empty()
        };
        while !is_idle(&expected) {
            for op in [Op::Release(0), Op::Wait(9), Op::WorkItem] {
                run(op, &mut state, &mut expected, &mut now);
            }
        }
        for key in 0..5 {
            state.forget(&key);
        }
        prop_assert!(state.keys.is_empty() && state.len() == 0 && state.delayed_keys.is_empty());
        prop_assert!(state.claims.is_empty() && state.retries.next_at().is_none());
    }
}
