//! Subscribers, and when they have received all changes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use anyhow::{Context, Result};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// All subscribers of a contestant.
pub(crate) struct Subscribers {
    count: usize,
    last: Arc<AtomicU64>,
    reports: UnboundedReceiver<Received>,
    subscriber: Subscriber,
}

/// One subscriber, which receives each changed object.
#[derive(Clone)]
pub(crate) struct Subscriber {
    last: Arc<AtomicU64>,
    report: UnboundedSender<Received>,
    first_received: Option<Instant>,
    events: usize,
}

/// What one subscriber has received.
pub(crate) struct Received {
    first: Instant,
    last: Instant,
    /// The number of events, which is less than that of changes if changes were coalesced.
    events: usize,
}

/// What all subscribers have received.
#[derive(Debug)]
pub(crate) struct Delivery {
    /// From the first to the last event, in seconds.
    pub(crate) seconds: f64,
    /// The number of events of the subscriber with the fewest.
    pub(crate) events: usize,
}

impl Subscribers {
    pub(crate) fn new(count: usize) -> Self {
        let last = Arc::new(AtomicU64::new(u64::MAX));
        let (report, reports) = unbounded_channel();
        let subscriber = Subscriber { last: last.clone(), report, first_received: None, events: 0 };
        Self { count, last, reports, subscriber }
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = Subscriber> {
        (0..self.count).map(|_| self.subscriber.clone())
    }

    /// Sets the resourceVersion of the last change. Reports of the one before do not count: a relist may have sent it again.
    pub(crate) fn expect(&mut self, version: u64) {
        self.last.store(version, Ordering::Relaxed);
        while self.reports.try_recv().is_ok() {}
    }

    /// Waits until all subscribers have received the last change.
    pub(crate) async fn delivered(&mut self) -> Result<Delivery> {
        let mut received = Vec::new();
        while received.len() < self.count {
            received.push(self.reports.recv().await.context("a subscriber stopped")?);
        }
        let first = received.iter().map(|received| received.first).min();
        let last = received.iter().map(|received| received.last).max();
        let (first, last) = first.zip(last).context("there are no subscribers")?;
        let events = received.iter().map(|received| received.events).min();
        Ok(Delivery { seconds: (last - first).as_secs_f64(), events: events.unwrap_or_default() })
    }
}

impl Subscriber {
    /// Records a changed object, once the last change is set.
    pub(crate) fn changed(&mut self, version: Option<&str>) {
        let last = self.last.load(Ordering::Relaxed);
        if last == u64::MAX {
            return;
        }
        self.events += 1;
        let first = *self.first_received.get_or_insert_with(Instant::now);
        let version = version.and_then(|version| version.parse().ok());
        if version == Some(last) {
            // At the end the receiver may be closed.
            let _ = self.report.send(Received { first, last: Instant::now(), events: self.events });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn reports_of_an_earlier_change_do_not_count() {
        let mut subscribers = Subscribers::new(1);
        subscribers.expect(12);
        let mut subscriber = subscribers.each().next().unwrap();
        subscriber.changed(Some("12"));
        subscribers.expect(14);
        subscriber.changed(Some("14"));
        assert_eq!(subscribers.delivered().await.unwrap().events, 2);
    }

    #[tokio::test]
    async fn all_subscribers_must_receive_the_last_change() {
        let mut subscribers = Subscribers::new(2);
        subscribers.expect(12);
        let mut all: Vec<_> = subscribers.each().collect();
        for subscriber in &mut all {
            subscriber.changed(Some("11"));
            subscriber.changed(Some("12"));
        }
        let delivered = subscribers.delivered().await.unwrap();
        assert_eq!(delivered.events, 2);
        assert!(delivered.seconds > 0.0);
    }
}
