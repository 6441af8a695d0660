//! Memory that requests of one purpose take together, charged as it is taken.

use std::{
    fmt, mem,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::{Either, select};
use tokio::{
    sync::{Notify, Semaphore},
    time::{Instant, timeout},
};

use self::charges::{Charges, Phase, Refusal};
use super::{ConnectionHandle, buffer::Buffer};

mod charges;
#[cfg(test)]
mod tests;

/// What a request takes besides its body: its task, its header, and its stream or a part of its connection.
pub(crate) const OVERHEAD: usize = 16 << 10;
/// From this time on a client is slow. API servers send a body, and read a response, in milliseconds.
const SLOW: Duration = Duration::from_secs(1);

/// The memory.
pub(crate) struct Budget {
    limit: usize,
    state: Mutex<Charges>,
    /// Requests have their first memory one after the other. It is the same for each: where one waits, thousands behind it would try
    /// in vain, each time that something is freed.
    first: Semaphore,
}

/// The memory that one request takes. It is free again when this is dropped.
pub(crate) struct Charge {
    budget: Arc<Budget>,
    id: u64,
    evicted: Arc<Notify>,
}

/// The request has to end, because others need the memory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Evicted;

impl Budget {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, state: Mutex::default(), first: Semaphore::new(1) })
    }

    /// Starts to charge a request, which can be [evicted](Charge::unless_evicted) while it waits.
    pub(crate) async fn open(self: &Arc<Self>) -> Charge {
        let evicted = Arc::<Notify>::default();
        let id = self.state().open(evicted.clone());
        let charge = Charge { budget: self.clone(), id, evicted };
        let _turn = self.first.acquire().await;
        // Nothing evicts it: it has no memory yet.
        let _ = charge.add(OVERHEAD).await;
        charge
    }

    fn state(&self) -> MutexGuard<'_, Charges> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Charge {
    /// Takes more memory. What waits for slow clients makes room, and then this waits for what is in use.
    pub(crate) async fn add(&self, bytes: usize) -> Result<(), Evicted> {
        if self.add_now(bytes)? {
            return Ok(());
        }
        let waiting = Waiting::new(self, bytes);
        while !self.add_now(bytes)? {
            // Others become slow while this waits.
            let _ = self.unless_evicted(timeout(SLOW / 4, waiting.freed.notified())).await?;
        }
        Ok(())
    }

    /// Whether there was room for more memory; otherwise what can make room ends.
    fn add_now(&self, bytes: usize) -> Result<bool, Evicted> {
        match self.try_add(bytes) {
            Ok(()) => Ok(true),
            Err(Refusal::Evicted) => Err(Evicted),
            Err(Refusal::Full(victims)) => {
                // Without the lock: they may drop charges.
                victims.into_iter().for_each(|evict| evict());
                Ok(false)
            }
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
        let waited = self.budget.state().change(self.id, |entry| mem::replace(&mut entry.phase, Phase::Runs));
        waited.map(drop).ok_or(Evicted)
    }

    /// Returns a response with its memory, which is taken until the last byte is written. The connection ends if the client does not
    /// read it while others need the memory.
    pub(crate) fn response(self: Arc<Self>, body: Vec<u8>, connection: Option<ConnectionHandle>) -> Bytes {
        let body = Buffer::from(body);
        self.respond(body.memory(), connection.map(|it| move || it.end()));
        Bytes::from_owner(Charged { body, _charge: self })
    }

    fn respond(&self, bytes: usize, evict: Option<impl FnOnce() + Send + 'static>) {
        let mut phase = evict.map_or(Phase::Runs, |evict| Phase::Waits(Box::new(evict)));
        let is_charged = self.budget.state().change(self.id, |entry| {
            // Not refused: the response is in memory already.
            entry.bytes = OVERHEAD + bytes;
            entry.since = Instant::now();
            entry.is_slow = false;
            mem::swap(&mut entry.phase, &mut phase);
        });
        if is_charged.is_none()
            && let Phase::Waits(evict) = phase
        {
            // Others need its memory already.
            evict();
        }
        self.budget.state().wake(self.budget.limit);
    }
}

/// A request in the set of those that wait for more memory, until it is dropped.
struct Waiting<'a> {
    charge: &'a Charge,
    bytes: usize,
    freed: Arc<Notify>,
}

impl<'a> Waiting<'a> {
    fn new(charge: &'a Charge, bytes: usize) -> Self {
        let freed = Arc::<Notify>::default();
        charge.budget.state().waiting.insert((bytes, charge.id), freed.clone());
        Self { charge, bytes, freed }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.charge.budget.state();
        state.waiting.remove(&(self.bytes, self.charge.id));
        // It may have been woken for what it does not take.
        state.wake(self.charge.budget.limit);
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
        // Dropped without the lock.
        let removed = self.budget.state().remove(self.id);
        drop(removed);
        self.budget.state().wake(self.budget.limit);
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
