use std::{
    future::{pending, poll_fn},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use proptest::prelude::*;
use tokio::time::advance;

use super::{charges::ChargeEntry, *};

const UNIT: usize = 1 << 20;

async fn charged(budget: &Arc<Budget>, units: usize) -> Charge {
    let charge = budget.open().await;
    charge.add(units * UNIT).await.unwrap();
    charge
}

fn add_now(charge: &Charge, units: usize) -> Option<Result<(), Evicted>> {
    charge.add(units * UNIT).now_or_never()
}

fn is_evicted(charge: &Charge) -> bool {
    matches!(charge.unless_evicted(pending::<()>()).now_or_never(), Some(Err(Evicted)))
}

#[tokio::test(start_paused = true)]
async fn slow_clients_make_room_and_then_larger_ones() {
    let budget = Budget::new(10 * UNIT);
    let slow = charged(&budget, 2).await;
    advance(SLOW).await;
    let large = charged(&budget, 7).await;
    let small = budget.open().await;
    assert!(add_now(&small, 1).is_none() && is_evicted(&slow) && !is_evicted(&large));
    // It counts as long as it is held.
    assert!(add_now(&small, 1).is_none() && !is_evicted(&large));
    drop(slow);
    assert_eq!(add_now(&small, 1), Some(Ok(())));
    let other = budget.open().await;
    assert!(add_now(&other, 2).is_none() && is_evicted(&large) && !is_evicted(&small));
    drop(large);
    assert_eq!(add_now(&other, 2), Some(Ok(())));
    drop((small, other));
    let state = budget.state();
    assert_eq!((state.used, state.leaving), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn what_is_in_use_stays_and_others_wait() {
    let budget = Budget::new(10 * UNIT);
    let running = charged(&budget, 9).await;
    running.pin().unwrap();
    advance(10 * SLOW).await;
    let waiting = budget.open().await;
    assert!(timeout(SLOW, waiting.add(UNIT)).await.is_err());
    assert!(!is_evicted(&running));
    let freed = async {
        tokio::task::yield_now().await;
        drop(running);
    };
    assert_eq!(tokio::join!(waiting.add(UNIT), freed).0, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn responses_that_are_not_read_make_room() {
    let budget = Budget::new(10 * UNIT);
    let response = charged(&budget, 1).await;
    response.pin().unwrap();
    let is_ended = Arc::<AtomicBool>::default();
    let ended = is_ended.clone();
    response.respond(9 * UNIT, Some(move || ended.store(true, Ordering::Relaxed)));
    let other = budget.open().await;
    assert!(add_now(&other, 1).is_none() && is_ended.load(Ordering::Relaxed) && !is_evicted(&other));
    assert_eq!(response.pin(), Err(Evicted));
    assert_eq!(response.add(1).await, Err(Evicted));
}

/// Each of thousands tried again each time that something was freed: health checks, on the same thread, took half a second.
#[tokio::test(start_paused = true)]
async fn who_waits_for_the_first_memory_is_woken_in_order() {
    let budget = Budget::new(2 * OVERHEAD);
    let mut running = Vec::from([budget.open().await, budget.open().await]);
    running.iter().for_each(|it| it.pin().unwrap());
    let polls = AtomicUsize::new(0);
    let open = |number: usize| {
        let mut open = Box::pin(budget.open());
        let polls = &polls;
        poll_fn(move |cx| {
            polls.fetch_add(1, Ordering::Relaxed);
            open.as_mut().poll(cx).map(|charge| (number, charge))
        })
    };
    let mut waiting: FuturesUnordered<_> = (0..1000).map(open).collect();
    assert!(waiting.next().now_or_never().is_none());
    for expected in 0..100 {
        polls.store(0, Ordering::Relaxed);
        drop(running.remove(0));
        let (number, charge) = waiting.next().await.unwrap();
        charge.pin().unwrap();
        running.push(charge);
        assert!(waiting.next().now_or_never().is_none());
        assert_eq!(number, expected);
        assert!(polls.load(Ordering::Relaxed) <= 4, "{polls:?}");
    }
}

/// A request that needs more than was freed does not keep the news from one for which it is enough.
#[tokio::test(start_paused = true)]
async fn who_fits_is_woken_at_once() {
    let budget = Budget::new(10 * UNIT);
    let mut running = Vec::new();
    for units in [1, 7] {
        let charge = charged(&budget, units).await;
        charge.pin().unwrap();
        running.push(charge);
    }
    let [large, small] = [budget.open().await, budget.open().await];
    let start = Instant::now();
    let (mut large_adds, mut small_adds) = (pin!(large.add(5 * UNIT)), pin!(small.add(2 * UNIT)));
    assert!(large_adds.as_mut().now_or_never().is_none() && small_adds.as_mut().now_or_never().is_none());
    drop(running.remove(0));
    assert_eq!(small_adds.await, Ok(()));
    assert_eq!(start.elapsed(), Duration::ZERO);
    drop(running);
    assert_eq!(large_adds.await, Ok(()));
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_evicted_in_vain() {
    let budget = Budget::new(10 * UNIT);
    let running = charged(&budget, 6).await;
    running.pin().unwrap();
    let slow = charged(&budget, 1).await;
    advance(SLOW).await;
    let large = budget.open().await;
    assert!(matches!(large.try_add(5 * UNIT), Err(Refusal::Full(victims)) if victims.is_empty()));
    assert!(!is_evicted(&slow));
}

#[derive(Clone, Debug)]
enum Step {
    Open,
    Add(usize, usize),
    Pin(usize),
    Respond(usize, usize),
    Drop(usize),
    Advance,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::Open),
        (any::<usize>(), 0..UNIT).prop_map(|(at, bytes)| Step::Add(at, bytes)),
        any::<usize>().prop_map(Step::Pin),
        (any::<usize>(), 0..UNIT).prop_map(|(at, bytes)| Step::Respond(at, bytes)),
        any::<usize>().prop_map(Step::Drop),
        Just(Step::Advance),
    ]
}

/// Compares the sums and sets with those of the charges.
fn check(state: &Charges) {
    assert_eq!(state.used, state.charges.values().map(|it| it.bytes).sum::<usize>());
    let is_leaving = |entry: &&ChargeEntry| matches!(entry.phase, Phase::Ends);
    assert_eq!(state.leaving, state.charges.values().filter(is_leaving).map(|it| it.bytes).sum::<usize>());
    let is_waiting = |entry: &ChargeEntry| matches!(entry.phase, Phase::Waits(_)) && entry.bytes > 0;
    let waiting =
        |is_slow| state.charges.iter().filter(move |(_, entry)| is_waiting(entry) && entry.is_slow == is_slow);
    assert_eq!(state.by_time, waiting(false).map(|(id, entry)| (entry.since, *id)).collect());
    assert_eq!(state.by_size, waiting(false).map(|(id, entry)| (entry.bytes, *id)).collect());
    assert_eq!(state.slow, waiting(true).map(|(id, entry)| (entry.bytes, *id)).collect());
    assert!(state.waiting.is_empty());
}

proptest! {
    /// The sum is right whatever happens, and below the limit unless responses are larger than what they replace.
    #[test]
    fn the_sum_is_that_of_the_charges(steps in prop::collection::vec(step(), 0..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let budget = Budget::new(4 * UNIT);
            let mut charges: Vec<Charge> = Vec::new();
            for step in steps {
                let count = charges.len().max(1);
                match step {
                    Step::Open => charges.extend(budget.open().now_or_never()),
                    Step::Add(at, bytes) => drop(charges.get(at % count).map(|it| it.try_add(bytes))),
                    Step::Pin(at) => drop(charges.get(at % count).map(Charge::pin)),
                    Step::Respond(at, bytes) => {
                        charges.get(at % count).into_iter().for_each(|it| it.respond(bytes, Some(|| {})));
                    }
                    Step::Drop(at) if !charges.is_empty() => drop(charges.remove(at % count)),
                    Step::Drop(_) => {}
                    Step::Advance => advance(SLOW).await,
                }
                check(&budget.state());
            }
            charges.clear();
            let state = budget.state();
            assert_eq!((state.used, state.leaving), (0, 0));
            assert!(state.by_time.is_empty() && state.by_size.is_empty() && state.slow.is_empty());
        });
    }
}
