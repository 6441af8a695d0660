//! Memory that requests of one purpose take together, charged as it is taken.

use std::{
    collections::HashMap,
    fmt,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::{Either, select};
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

use super::{ConnectionHandle, buffer::Buffer};

/// What a request takes besides its body: its task, its header, and its stream or a part of its connection.
pub(crate) const OVERHEAD: usize = 16 << 10;
/// From this time on a client is slow. API servers send a body, and read a response, in milliseconds.
const SLOW: Duration = Duration::from_secs(1);

/// The memory.
pub(crate) struct Budget {
    limit: usize,
    state: Mutex<State>,
    freed: Notify,
}

#[derive(Default)]
struct State {
    used: usize,
    charges: HashMap<u64, Entry>,
    next: u64,
}

struct Entry {
    bytes: usize,
    since: Instant,
    phase: Phase,
}

/// What a request does with its memory.
enum Phase {
    /// It waits for the client. This takes the memory away.
    Waits(Evict),
    Runs,
    /// It has to end, and holds the memory until then.
    Ends,
}

type Evict = Box<dyn FnOnce() + Send>;

/// The memory that one request takes. It is free again when this is dropped.
pub(crate) struct Charge {
    budget: Arc<Budget>,
    id: u64,
    evicted: Arc<Notify>,
}

/// The request has to end, because others need the memory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Evicted;

/// Why memory cannot be taken now.
enum Refusal {
    Evicted,
    /// Others use the memory. These end for it.
    Full(Vec<Evict>),
}

impl Budget {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, state: Mutex::default(), freed: Notify::new() })
    }

    /// Starts to charge a request, which can be [evicted](Charge::unless_evicted) while it waits.
    pub(crate) async fn open(self: &Arc<Self>) -> Charge {
        let evicted = Arc::<Notify>::default();
        let id = self.state().open(evicted.clone());
        let charge = Charge { budget: self.clone(), id, evicted };
        // An eviction is observed later.
        let _ = charge.add(OVERHEAD).await;
        charge
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Charge {
    /// Takes more memory. What waits for slow clients makes room, and then this waits for what is in use.
    pub(crate) async fn add(&self, bytes: usize) -> Result<(), Evicted> {
        loop {
            let mut freed = pin!(self.budget.freed.notified());
            freed.as_mut().enable();
            match self.try_add(bytes) {
                Ok(()) => return Ok(()),
                Err(Refusal::Evicted) => return Err(Evicted),
                // Without the lock: they may drop charges.
                Err(Refusal::Full(victims)) => victims.into_iter().for_each(|evict| evict()),
            }
            // Others become slow while this waits.
            let _ = self.unless_evicted(timeout(SLOW / 4, freed)).await?;
        }
    }

    fn try_add(&self, bytes: usize) -> Result<(), Refusal> {
        self.budget.state().add(self.id, bytes, self.budget.limit, Instant::now())
    }

    /// Waits for something, unless others need the memory meanwhile.
    pub(crate) async fn unless_evicted<T>(&self, future: impl Future<Output = T>) -> Result<T, Evicted> {
        match select(pin!(future), pin!(self.evicted.notified())).await {
            Either::Left((output, _)) => Ok(output),
            Either::Right(_) => Err(Evicted),
        }
    }

    /// The memory is in use from now on.
    pub(crate) fn pin(&self) -> Result<(), Evicted> {
        let mut state = self.budget.state();
        state.entry(self.id).ok_or(Evicted)?.phase = Phase::Runs;
        Ok(())
    }

    /// Returns a response with its memory, which is taken until the last byte is written. The connection ends if the client does not
    /// read it while others need the memory.
    pub(crate) fn response(self: Arc<Self>, body: Vec<u8>, connection: Option<ConnectionHandle>) -> Bytes {
        let body = Buffer::from(body);
        self.respond(body.memory(), connection.map(|it| move || it.end()));
        Bytes::from_owner(Charged { body, _charge: self })
    }

    fn respond(&self, bytes: usize, evict: Option<impl FnOnce() + Send + 'static>) {
        let mut state = self.budget.state();
        if let Some(entry) = state.entry(self.id) {
            let before = std::mem::replace(&mut entry.bytes, OVERHEAD + bytes);
            entry.since = Instant::now();
            entry.phase = evict.map_or(Phase::Runs, |evict| Phase::Waits(Box::new(evict)));
            // Not refused: the response is in memory already.
            state.used = state.used + OVERHEAD + bytes - before;
        }
        drop(state);
        self.budget.freed.notify_waiters();
    }
}

struct Charged {
    body: Buffer,
    _charge: Arc<Charge>,
}

impl AsRef<[u8]> for Charged {
    fn as_ref(&self) -> &[u8] {
        self.body.as_ref()
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let mut state = self.budget.state();
        if let Some(entry) = state.charges.remove(&self.id) {
            state.used -= entry.bytes;
        }
        drop(state);
        self.budget.freed.notify_waiters();
    }
}

impl State {
    fn open(&mut self, evicted: Arc<Notify>) -> u64 {
        let id = self.next;
        self.next += 1;
        let evict: Evict = Box::new(move || evicted.notify_one());
        self.charges.insert(id, Entry { bytes: 0, since: Instant::now(), phase: Phase::Waits(evict) });
        id
    }

    /// Returns the memory of a request, unless that has to end.
    fn entry(&mut self, id: u64) -> Option<&mut Entry> {
        self.charges.get_mut(&id).filter(|entry| !matches!(entry.phase, Phase::Ends))
    }

    /// Charges more bytes. What is evicted for them counts until it is dropped: many at once would take much more than the limit
    /// otherwise.
    fn add(&mut self, id: u64, bytes: usize, limit: usize, now: Instant) -> Result<(), Refusal> {
        let excess = (self.used + bytes).saturating_sub(limit);
        let entry = self.entry(id).ok_or(Refusal::Evicted)?;
        let own = entry.bytes + bytes;
        if excess == 0 {
            entry.bytes = own;
            self.used += bytes;
            return Ok(());
        }
        let missing = excess.saturating_sub(self.leaving());
        let victims = self.victims(id, own, missing, now);
        Err(Refusal::Full(victims.into_iter().filter_map(|victim| self.evict(victim)).collect()))
    }

    fn evict(&mut self, id: u64) -> Option<Evict> {
        match std::mem::replace(&mut self.charges.get_mut(&id)?.phase, Phase::Ends) {
            Phase::Waits(evict) => Some(evict),
            Phase::Runs | Phase::Ends => None,
        }
    }

    /// Returns the memory of requests that have to end, and still hold it.
    fn leaving(&self) -> usize {
        self.charges.values().filter(|entry| matches!(entry.phase, Phase::Ends)).map(|entry| entry.bytes).sum()
    }

    /// Returns whose end makes room: slow ones first, then those that take more; nothing if that is not enough.
    fn victims(&self, id: u64, own: usize, missing: usize, now: Instant) -> Vec<u64> {
        let mut candidates = Vec::new();
        for (&other, entry) in &self.charges {
            let is_slow = now.duration_since(entry.since) >= SLOW;
            if other != id && matches!(entry.phase, Phase::Waits(_)) && (is_slow || entry.bytes > own) {
                candidates.push((is_slow, entry.bytes, other));
            }
        }
        candidates.sort_unstable_by(|a, b| b.cmp(a));
        let mut freed = 0;
        let mut victims = Vec::new();
        for (_, bytes, victim) in candidates {
            if freed >= missing {
                break;
            }
            freed += bytes;
            victims.push(victim);
        }
        if freed >= missing { victims } else { Vec::new() }
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("limit", &self.limit).field("used", &self.state().used).finish_non_exhaustive()
    }
}

impl fmt::Debug for Charge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Charge").field("id", &self.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::pending,
        sync::atomic::{AtomicBool, Ordering},
    };

    use futures_util::FutureExt;
    use proptest::prelude::*;
    use tokio::time::advance;

    use super::*;

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
        assert_eq!((state.used, state.leaving()), (0, 0));
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
                    let state = budget.state();
                    assert_eq!(state.used, state.charges.values().map(|it| it.bytes).sum::<usize>());
                }
                charges.clear();
                let state = budget.state();
                assert_eq!((state.used, state.leaving()), (0, 0));
            });
        }
    }
}
