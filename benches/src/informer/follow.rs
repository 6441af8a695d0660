//! Those who follow what happens, and when they have heard all.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use anyhow::{Context, Result};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// All followers of a contestant.
pub(crate) struct Followers {
    count: usize,
    last: Arc<AtomicU64>,
    reports: UnboundedReceiver<Followed>,
    follower: Follower,
}

/// One of them, who hears of each changed object.
#[derive(Clone)]
pub(crate) struct Follower {
    last: Arc<AtomicU64>,
    report: UnboundedSender<Followed>,
    first_heard: Option<Instant>,
    events: usize,
}

/// What one of them has heard.
pub(crate) struct Followed {
    first: Instant,
    last: Instant,
    /// How many events came. Where changes of an object were merged, they are fewer than the changes.
    events: usize,
}

/// What all have heard.
#[derive(Debug)]
pub(crate) struct Heard {
    /// From the first to the last event, in seconds.
    pub(crate) seconds: f64,
    /// How many events came to the one who heard least.
    pub(crate) events: usize,
}

impl Followers {
    pub(crate) fn new(count: usize) -> Self {
        let last = Arc::new(AtomicU64::new(u64::MAX));
        let (report, reports) = unbounded_channel();
        let follower = Follower { last: last.clone(), report, first_heard: None, events: 0 };
        Self { count, last, reports, follower }
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = Follower> {
        (0..self.count).map(|_| self.follower.clone())
    }

    /// Says which resourceVersion the last change will have.
    pub(crate) fn expect(&self, version: u64) {
        self.last.store(version, Ordering::Relaxed);
    }

    /// Waits until all have heard of the last change.
    pub(crate) async fn heard(&mut self) -> Result<Heard> {
        let mut followed = Vec::new();
        while followed.len() < self.count {
            followed.push(self.reports.recv().await.context("a follower stopped")?);
        }
        let first = followed.iter().map(|followed| followed.first).min();
        let last = followed.iter().map(|followed| followed.last).max();
        let (first, last) = first.zip(last).context("nobody follows")?;
        let events = followed.iter().map(|followed| followed.events).min();
        Ok(Heard { seconds: (last - first).as_secs_f64(), events: events.unwrap_or_default() })
    }
}

impl Follower {
    /// An object changed. Nothing counts before it is said which change is the last.
    pub(crate) fn changed(&mut self, version: Option<&str>) {
        let last = self.last.load(Ordering::Relaxed);
        if last == u64::MAX {
            return;
        }
        self.events += 1;
        let first = *self.first_heard.get_or_insert_with(Instant::now);
        let version = version.and_then(|version| version.parse().ok());
        if version == Some(last) {
            // At the end nobody listens any more.
            let _ = self.report.send(Followed { first, last: Instant::now(), events: self.events });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_have_to_hear_of_the_last_change() {
        let mut followers = Followers::new(2);
        followers.expect(12);
        let mut all: Vec<_> = followers.each().collect();
        for follower in &mut all {
            follower.changed(Some("11"));
            follower.changed(Some("12"));
        }
        let heard = followers.heard().await.unwrap();
        assert_eq!(heard.events, 2);
        assert!(heard.seconds > 0.0);
    }
}
