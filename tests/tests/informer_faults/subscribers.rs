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
pub(crate) enum Manner {
    /// As fast as it can, so that it hears every change.
    Unstalled,
    /// As fast as it can, and is told if it is not fast enough.
    Lossless,
    /// Slowly.
    Slow,
    /// Not before everything is over.
    AtTheEnd,
    /// Slowly, and without patience for merging: it begins again when it has missed something.
    LosslessAndSlow,
    /// Only changes of labels.
    Labels,
}

impl Manner {
    /// Whether it hears every change that a watch tells.
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, Self::Unstalled | Self::Lossless)
    }

    /// Whether nothing is left out or merged.
    pub(crate) fn hears_all(self) -> bool {
        matches!(self, Self::Unstalled | Self::Lossless | Self::LosslessAndSlow)
    }
}

/// What a subscriber was told.
pub(crate) struct Record {
    pub(crate) manner: Manner,
    pub(crate) events: Vec<Event<Widget>>,
    /// Whether it was told that it has missed something.
    pub(crate) overflowed: bool,
    /// How many of the events waited until everything was over.
    pub(crate) waited: usize,
}

/// So many events wait at most for a slow subscriber before they are merged.
pub(crate) const PATIENCE: usize = 8;
/// More than there are events in a case.
const PLENTY: usize = 100_000;

const MANNERS: [Manner; 6] =
    [Manner::Unstalled, Manner::Lossless, Manner::Slow, Manner::AtTheEnd, Manner::LosslessAndSlow, Manner::Labels];

/// Subscribers of every manner from the beginning, and some that come later. Each ends with the informer.
pub(crate) fn subscribe(case: &Case, informer: &Informer<Widget>, over: &watch::Sender<bool>) -> JoinSet<Vec<Record>> {
    let mut subscribers = JoinSet::new();
    let mut random = Random::for_purpose(case.seed, "subscribers", 0);
    for manner in MANNERS {
        for late in [0, random.below(100)] {
            let mut reader = Reader {
                manner,
                informer: informer.clone(),
                random: Random::new(random.number()),
                // Slow until the storm is over, and soon done after it.
                pause: case.pace.storm / 200,
                over: over.subscribe(),
            };
            let delay = case.pace.storm * u32::try_from(late).expect("small") / 100;
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
    manner: Manner,
    informer: Informer<Widget>,
    random: Random,
    pause: Duration,
    over: watch::Receiver<bool>,
}

impl Reader {
    async fn read(mut self, subscription: Subscription<Widget>) -> Vec<Record> {
        let events = match self.manner {
            Manner::Unstalled => subscription.collect().await,
            Manner::Labels => subscription.filter(Filter::labels()).collect().await,
            Manner::Slow => self.slowly(subscription.merge_beyond(PATIENCE)).await,
            Manner::AtTheEnd => {
                let subscription = subscription.merge_beyond(PATIENCE);
                self.over.wait_for(|over| *over).await.expect("a storm ends");
                return vec![self.at_the_end(subscription).await];
            }
            Manner::Lossless => return self.lossless(subscription, PLENTY).await,
            Manner::LosslessAndSlow => return self.lossless(subscription, 3 * PATIENCE).await,
        };
        vec![self.record(events, false)]
    }

    async fn at_the_end(&self, mut subscription: Subscription<Widget>) -> Record {
        let mut events = Vec::new();
        while let Some(Some(event)) = subscription.next().now_or_never() {
            events.push(event);
        }
        let waited = events.len();
        events.extend(subscription.collect::<Vec<_>>().await);
        Record { waited, ..self.record(events, false) }
    }

    async fn slowly(&mut self, mut subscription: Subscription<Widget>) -> Vec<Event<Widget>> {
        let mut events = Vec::new();
        while let Some(event) = subscription.next().await {
            events.push(event);
            self.rest().await;
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
                if self.manner == Manner::LosslessAndSlow {
                    self.rest().await;
                }
            }
            records.push(self.record(events, overflowed));
            if !overflowed {
                return records;
            }
            subscription = self.informer.subscribe();
        }
    }

    /// Waits for a while, but not longer than the storm.
    async fn until_over(&mut self, time: Duration) {
        let over = self.over.wait_for(|over| *over);
        // Either is fine.
        let _ = timeout(time, over).await;
    }

    async fn rest(&mut self) {
        if !*self.over.borrow() && self.random.percent(30) {
            sleep(self.pause).await;
        }
    }

    fn record(&self, events: Vec<Event<Widget>>, overflowed: bool) -> Record {
        Record { manner: self.manner, events, overflowed, waited: 0 }
    }
}
