//! The reconcile function of every contestant, which records the objects that it reads.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use anyhow::{Context, Result};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tokio::{sync::Notify, time::timeout};

use crate::server::CHANGED;

/// A contestant that is so slow does not work.
const LIMIT: Duration = Duration::from_secs(120);

/// The states that were reconciled.
#[derive(Debug)]
pub(crate) struct Observed {
    /// The newest one of each object.
    versions: Vec<AtomicU64>,
    states: AtomicUsize,
    runs: AtomicUsize,
    /// How many states there will be.
    expected: AtomicUsize,
    complete: Notify,
    latencies: Mutex<Vec<u64>>,
}

impl Observed {
    pub(crate) fn new(objects: usize) -> Self {
        Self {
            versions: (0..objects).map(|_| AtomicU64::new(0)).collect(),
            states: AtomicUsize::new(0),
            runs: AtomicUsize::new(0),
            expected: AtomicUsize::new(objects),
            complete: Notify::new(),
            latencies: Mutex::default(),
        }
    }

    /// Records a reconciliation.
    pub(crate) fn reconciled(&self, metadata: &ObjectMeta) -> Result<()> {
        let number: usize = metadata.name.as_deref().and_then(number).context("the name has no number")?;
        let version: u64 = metadata.resource_version.as_deref().unwrap_or_default().parse()?;
        self.runs.fetch_add(1, Ordering::Relaxed);
        if self.versions[number].swap(version, Ordering::Relaxed) >= version {
            return Ok(());
        }
        let changed =
            metadata.annotations.as_ref().and_then(|all| all.get(CHANGED)).context("no time of the change")?;
        self.latencies().push(now().saturating_sub(changed.parse()?));
        self.states.fetch_add(1, Ordering::SeqCst);
        if self.is_complete() {
            self.complete.notify_one();
        }
        Ok(())
    }

    /// Sets how many more states there will be.
    pub(crate) fn expect(&self, more: usize) {
        self.latencies().clear();
        self.expected.fetch_add(more, Ordering::Relaxed);
    }

    /// Sets the total number of states, with those that were reconciled.
    pub(crate) fn expect_in_all(&self, states: usize) {
        self.expected.store(states, Ordering::SeqCst);
        self.complete.notify_one();
    }

    fn is_complete(&self) -> bool {
        self.states.load(Ordering::SeqCst) >= self.expected.load(Ordering::SeqCst)
    }

    /// Waits until all states were reconciled.
    pub(crate) async fn complete(&self) -> Result<()> {
        let complete = async {
            while !self.is_complete() {
                self.complete.notified().await;
            }
        };
        timeout(LIMIT, complete).await.with_context(|| {
            let [states, expected] = [&self.states, &self.expected].map(|count| count.load(Ordering::Relaxed));
            format!("{states} of {expected} states were reconciled within {LIMIT:?}")
        })
    }

    pub(crate) fn runs(&self) -> usize {
        self.runs.load(Ordering::Relaxed)
    }

    /// The times from the change of an object to its reconciliation, in microseconds, sorted.
    pub(crate) fn take_latencies(&self) -> Vec<f64> {
        let mut latencies = std::mem::take(&mut *self.latencies());
        latencies.sort_unstable();
        latencies.into_iter().map(|nanoseconds| nanoseconds as f64 / 1000.0).collect()
    }

    fn latencies(&self) -> MutexGuard<'_, Vec<u64>> {
        self.latencies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn number(name: &str) -> Option<usize> {
    name.rsplit('-').next()?.parse().ok()
}

/// Nanoseconds since 1970: the clock that all processes share.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or_default()
}
