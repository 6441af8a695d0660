use std::time::Duration;

use crdkit::informer::{Event, Filter, Informer, Subscription};
use crdkit_tests::faults::Random;
use futures_util::{FutureExt, StreamExt};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{case::Case, widget::Widget};

/// How a subscriber reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadMode {
    /// Without delay, so that it receives every change.
    Unstalled,
    /// Without delay, with an error if events are lost.
    Lossless,
    /// Slowly.
    Slow,
    /// Only after the faults have stopped.
    AtTheEnd,
    /// Slowly and without coalescing: it subscribes again after events were lost.
    LosslessAndSlow,
    /// Only changes of labels.
    Labels,
}

impl ReadMode {
    /// Returns whether it receives every event of a watch.
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, Self::Unstalled | Self::Lossless)
    }

    /// Returns whether no events are dropped or coalesced.
    pub(crate) fn is_complete(self) -> bool {
        matches!(self, Self::Unstalled | Self::Lossless | Self::LosslessAndSlow)
    }
}

/// The events that a subscriber received.
pub(crate) struct Record {
    pub(crate) mode: ReadMode,
    pub(crate) events: Vec<Event<Widget>>,
    /// Whether it received an error because events were lost.
    pub(crate) overflowed: bool,
    /// The number of events that were buffered until the faults stopped.
    pub(crate) waited: usize,
}

/// The number of buffered events above which they are coalesced.
pub(crate) const MERGE_LIMIT: usize = 8;
/// More than the events of a case.
const LARGE_CAPACITY: usize = 100_000;

const READ_MODES: [ReadMode; 6] = [
    ReadMode::Unstalled,
    ReadMode::Lossless,
    ReadMode::Slow,
    ReadMode::AtTheEnd,
    ReadMode::LosslessAndSlow,
    ReadMode::Labels,
];

/// Subscribers of every mode from the start, and some that start later. Each ends with the informer.
pub(crate) fn subscribe(case: &Case, informer: &Informer<Widget>, over: &watch::Sender<bool>) -> JoinSet<Vec<Record>> {
    let mut subscribers = JoinSet::new();
    let mut random = Random::for_purpose(case.seed, "subscribers", 0);
    for mode in READ_MODES {
        for late in [0, random.below(100)] {
            let mut reader = Reader {
                mode,
                informer: informer.clone(),
                random: Random::new(random.number()),
                // Slow during the storm, and short enough to finish soon after it.
                pause: case.timing.storm / 200,
                over: over.subscribe(),
            };
            let delay = case.timing.storm * u32::try_from(late).expect("small") / 100;
            if late == 0 {
                let subscription = informer.subscribe();
                subscribers.spawn(reader.read(subscription));
            } else {
                subscribers.spawn(async move {
                    reader.until_over(delay).await;
                    let subscription = reader.informer.subscribe();
                    reader.read(subscription).await
                });
            }
        }
    }
    subscribers
}

struct Reader {
    mode: ReadMode,
    informer: Informer<Widget>,
    random: Random,
    pause: Duration,
    over: watch::Receiver<bool>,
}

impl Reader {
    async fn read(mut self, subscription: Subscription<Widget>) -> Vec<Record> {
        let events = match self.mode {
            ReadMode::Unstalled => subscription.collect().await,
            ReadMode::Labels => subscription.filter(Filter::labels()).collect().await,
            ReadMode::Slow => self.read_slowly(subscription.merge_beyond(MERGE_LIMIT)).await,
            ReadMode::AtTheEnd => {
                let subscription = subscription.merge_beyond(MERGE_LIMIT);
                self.over.wait_for(|over| *over).await.expect("a storm ends");
                return vec![self.read_at_the_end(subscription).await];
            }
            ReadMode::Lossless => return self.lossless(subscription, LARGE_CAPACITY).await,
            ReadMode::LosslessAndSlow => return self.lossless(subscription, 3 * MERGE_LIMIT).await,
        };
        vec![self.record(events, false)]
    }

    async fn read_at_the_end(&self, mut subscription: Subscription<Widget>) -> Record {
        let mut events = Vec::new();
        while let Some(Some(event)) = subscription.next().now_or_never() {
            events.push(event);
        }
        let waited = events.len();
        events.extend(subscription.collect::<Vec<_>>().await);
        Record { waited, ..self.record(events, false) }
    }

    async fn read_slowly(&mut self, mut subscription: Subscription<Widget>) -> Vec<Event<Widget>> {
        let mut events = Vec::new();
        while let Some(event) = subscription.next().await {
            events.push(event);
            self.pause_if_slow().await;
        }
        events
    }

    async fn lossless(&mut self, mut subscription: Subscription<Widget>, capacity: usize) -> Vec<Record> {
        let mut records = Vec::new();
        loop {
            let mut events = Vec::new();
            let mut overflowed = false;
            let mut stream = subscription.lossless(capacity);
            while let Some(event) = stream.next().await {
                match event {
                    Ok(event) => events.push(event),
                    Err(_) => overflowed = true,
                }
                if self.mode == ReadMode::LosslessAndSlow {
                    self.pause_if_slow().await;
                }
            }
            records.push(self.record(events, overflowed));
            if !overflowed {
                return records;
            }
            subscription = self.informer.subscribe();
        }
    }

    /// Waits, but not longer than the storm lasts.
    async fn until_over(&mut self, time: Duration) {
        let over = self.over.wait_for(|over| *over);
        // Both results are fine.
        let _ = timeout(time, over).await;
    }

    async fn pause_if_slow(&mut self) {
        if !*self.over.borrow() && self.random.percent(30) {
            sleep(self.pause).await;
        }
    }

    fn record(&self, events: Vec<Event<Widget>>, overflowed: bool) -> Record {
        Record { mode: self.mode, events, overflowed, waited: 0 }
    }
}
