//! The sums of what requests take, and who makes room for others.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    mem,
    sync::Arc,
};

use tokio::{sync::Notify, time::Instant};

use super::SLOW;

/// What the requests take. The sums and sets follow from the charges: see [`change`](Self::change).
#[derive(Default)]
pub(super) struct Charges {
    pub(super) charges: HashMap<u64, ChargeEntry>,
    next: u64,
    pub(super) used: usize,
    /// The memory of requests that have to end, and still hold it.
    pub(super) leaving: usize,
    /// Those with memory that wait for the client and are not known to be slow, by the time since when they do.
    pub(super) by_time: BTreeSet<(Instant, u64)>,
    /// The same ones by size.
    pub(super) by_size: BTreeSet<(usize, u64)>,
    /// Those that are slow, by size.
    pub(super) slow: BTreeSet<(usize, u64)>,
    /// Those that wait for more memory, by how much more.
    pub(super) waiting: BTreeMap<(usize, u64), Arc<Notify>>,
}

pub(super) struct ChargeEntry {
    pub(super) bytes: usize,
    pub(super) since: Instant,
    pub(super) is_slow: bool,
    pub(super) phase: Phase,
}

/// What a request does with its memory.
pub(super) enum Phase {
    /// It waits for the client. This takes the memory away.
    Waits(Evict),
    Runs,
    /// It has to end, and holds the memory until then.
    Ends,
}

pub(super) type Evict = Box<dyn FnOnce() + Send>;

/// Why memory cannot be taken now.
pub(super) enum Refusal {
    Evicted,
    /// Others use the memory. These end for it.
    Full(Vec<Evict>),
}

impl Charges {
    pub(super) fn open(&mut self, evicted: Arc<Notify>) -> u64 {
        let id = self.next;
        self.next += 1;
        let evict: Evict = Box::new(move || evicted.notify_one());
        self.insert(id, ChargeEntry { bytes: 0, since: Instant::now(), is_slow: false, phase: Phase::Waits(evict) });
        id
    }

    /// Returns what a request takes; `None` if that has to end.
    fn entry(&self, id: u64) -> Option<&ChargeEntry> {
        self.charges.get(&id).filter(|entry| !matches!(entry.phase, Phase::Ends))
    }

    /// Changes what a request takes; `None` if that has to end.
    pub(super) fn change<T>(&mut self, id: u64, edit: impl FnOnce(&mut ChargeEntry) -> T) -> Option<T> {
        self.entry(id)?;
        let mut entry = self.remove(id)?;
        let output = edit(&mut entry);
        self.insert(id, entry);
        Some(output)
    }

    fn insert(&mut self, id: u64, entry: ChargeEntry) {
        self.used += entry.bytes;
        match entry.phase {
            // The end of a request without memory makes no room.
            Phase::Waits(_) if entry.bytes > 0 && entry.is_slow => {
                self.slow.insert((entry.bytes, id));
            }
            Phase::Waits(_) if entry.bytes > 0 => {
                self.by_time.insert((entry.since, id));
                self.by_size.insert((entry.bytes, id));
            }
            Phase::Ends => self.leaving += entry.bytes,
            Phase::Waits(_) | Phase::Runs => {}
        }
        self.charges.insert(id, entry);
    }

    pub(super) fn remove(&mut self, id: u64) -> Option<ChargeEntry> {
        let entry = self.charges.remove(&id)?;
        self.used -= entry.bytes;
        self.by_time.remove(&(entry.since, id));
        self.by_size.remove(&(entry.bytes, id));
        self.slow.remove(&(entry.bytes, id));
        if matches!(entry.phase, Phase::Ends) {
            self.leaving -= entry.bytes;
        }
        Some(entry)
    }

    /// Charges more bytes. What is evicted for them counts until it is dropped: many at once would take much more than the limit
    /// otherwise.
    pub(super) fn add(&mut self, id: u64, bytes: usize, limit: usize, now: Instant) -> Result<(), Refusal> {
        let own = self.entry(id).ok_or(Refusal::Evicted)?.bytes + bytes;
        if bytes == 0 {
            return Ok(());
        }
        let excess = (self.used + bytes).saturating_sub(limit);
        if excess > 0 {
            let missing = excess.saturating_sub(self.leaving);
            let victims = self.victims(id, own, missing, now);
            return Err(Refusal::Full(victims.into_iter().filter_map(|victim| self.evict(victim)).collect()));
        }
        self.change(id, |entry| {
            if entry.bytes == 0 {
                // The time until a request has its first memory is not the client's.
                entry.since = now;
            }
            entry.bytes = own;
        });
        Ok(())
    }

    /// Wakes those that wait for more memory as long as there is room: those that need least first, so that most go on.
    pub(super) fn wake(&self, limit: usize) {
        let mut room = limit.saturating_sub(self.used);
        for ((bytes, _), freed) in &self.waiting {
            if *bytes > room {
                break;
            }
            room -= bytes;
            freed.notify_one();
        }
    }

    fn evict(&mut self, id: u64) -> Option<Evict> {
        let phase = self.change(id, |entry| mem::replace(&mut entry.phase, Phase::Ends))?;
        if let Phase::Waits(evict) = phase { Some(evict) } else { None }
    }

    /// Returns whose end makes room: slow ones first, then those that take more; nothing if that is not enough.
    fn victims(&mut self, id: u64, own: usize, missing: usize, now: Instant) -> Vec<u64> {
        self.find_slow(now);
        let larger = self.by_size.iter().rev().take_while(|(bytes, _)| *bytes > own);
        let mut freed = 0;
        let mut victims = Vec::new();
        for (bytes, victim) in self.slow.iter().rev().chain(larger).filter(|(_, victim)| *victim != id) {
            if freed >= missing {
                break;
            }
            freed += bytes;
            victims.push(*victim);
        }
        if freed >= missing { victims } else { Vec::new() }
    }

    /// Marks those whose clients have become slow.
    fn find_slow(&mut self, now: Instant) {
        while let Some(&(since, id)) = self.by_time.first()
            && now.duration_since(since) >= SLOW
        {
            self.change(id, |entry| entry.is_slow = true);
        }
    }
}
