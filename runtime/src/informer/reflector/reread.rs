//! Requests objects again that could not be decoded.
//!
//! A watch does not send them until they change. But what was wrong may be mended elsewhere, such as in a conversion webhook, and then the
//! same version can be decoded. The same goes for a part of a compact object that could not be decoded when it was read.

use std::{sync::Arc, time::Duration};

use tokio::time::sleep;

use super::{BatchSource, Setup, body::Chunks};
use crate::{
    client::{
        backoff_formula::{exponential, jittered, random},
        limits::Limit,
        request::{Request, Verb},
    },
    informer::{ObjectKey, cache::Delta, decode, error::WatchError, health::WatchState, sharding::ShardFilter},
};

/// The delay before the first round, which doubles up to the longest one while no object of a round can be decoded.
const FIRST_DELAY: Duration = Duration::from_secs(30);
const LONGEST_DELAY: Duration = Duration::from_secs(300);
/// Maximum number of requests of a round: if thousands of objects cannot be decoded, the reason is probably the same for all.
const REQUESTS: usize = 10;
/// While all objects of a round can be decoded, the next one follows after this delay, with twice as many requests up to a maximum.
const NEXT_DELAY: Duration = Duration::from_secs(1);
const MOST_REQUESTS: usize = 160;

/// When which objects are requested next.
struct Rounds {
    /// The number of rounds in a row in which no object could be decoded.
    failures: u32,
    requests: usize,
    delay: Duration,
    /// The last object that was requested. The next round continues behind it.
    last: Option<ObjectKey>,
}

impl Rounds {
    fn new() -> Self {
        Self { failures: 0, requests: REQUESTS, delay: FIRST_DELAY, last: None }
    }

    /// Selects the objects of a round.
    fn select(&mut self, mut undecodable: Vec<ObjectKey>) -> Vec<ObjectKey> {
        undecodable.sort_unstable();
        let next = self.last.take().map_or(0, |last| undecodable.partition_point(|key| *key <= last));
        undecodable.rotate_left(next);
        undecodable.truncate(self.requests);
        self.last = undecodable.last().cloned();
        undecodable
    }

    /// Ends a round of some requests.
    fn end(&mut self, requested: usize, decoded: usize) {
        if requested == 0 {
            *self = Self { last: self.last.take(), ..Self::new() };
        } else if decoded == requested {
            (self.failures, self.delay) = (0, NEXT_DELAY);
            self.requests = (self.requests * 2).min(MOST_REQUESTS);
        } else {
            self.failures = if decoded > 0 { 0 } else { self.failures.saturating_add(1) };
            self.requests = REQUESTS;
            self.delay = exponential(FIRST_DELAY, LONGEST_DELAY, self.failures);
        }
    }
}

impl Setup {
    /// Requests the objects of the watch that cannot be decoded, from time to time. Runs until it is dropped.
    pub(super) async fn reread_undecodable(self: Arc<Self>) {
        let mut rounds = Rounds::new();
        loop {
            sleep(jittered(rounds.delay, random())).await;
            let keys = rounds.select(self.shared.cache.undecodable_keys(self.endpoint.namespace()));
            let mut decoded = 0;
            for key in &keys {
                match self.reread(key).await {
                    Ok(is_decoded) => decoded += usize::from(is_decoded),
                    Err(error) => tracing::debug!(%key, %error, "the object was not read again"),
                }
            }
            rounds.end(keys.len(), decoded);
        }
    }

    /// Requests an object, and applies it if it is the state that could not be decoded. Returns whether it is another text now that can
    /// be decoded, or may be.
    ///
    /// Any other state is left to the watch, which delivers it in order.
    async fn reread(&self, key: &ObjectKey) -> Result<bool, WatchError> {
        let endpoint = (self.target_of)(key.namespace()).with_client(self.endpoint.client.clone());
        let request = Request::object(Verb::Get, key.name());
        let chunks = Chunks::open(&endpoint, &request, self.timeouts.response).await?;
        let body = chunks.collect(Limit::Object, self.timeouts.response).await?;
        let json = decode::text(&body)?;
        let identity = decode::identity(json)?;
        let is_known = || identity.key() == *key && self.shared.cache.is_undecodable(&identity);
        // A list removes what it does not return at its end.
        let is_watching = matches!(self.gauge().read().state, WatchState::Watching { .. });
        if !is_watching || !is_known() {
            return Ok(false);
        }
        let sharding = self.sharding.as_ref();
        let shards = sharding.map(|sharding| ShardFilter::new(sharding.key.clone(), sharding.held.borrow().clone()));
        let mut deltas = Vec::new();
        self.batch_decoder(BatchSource::Changes, shards).items(&[json], |changes| {
            for change in changes {
                deltas.push(change?.delta);
            }
            Ok(())
        })?;
        // From here on nothing awaits, so the watch changes nothing meanwhile.
        deltas.retain(|delta| matches!(delta, Delta::Apply(_)));
        let committed = self.shared.cache.commit(&mut deltas, None);
        // An object of which only a part could not be decoded is unchanged if its text is.
        let is_decoded = committed.events > 0;
        self.shared.reporter.count_events(committed.events, self.shared.cache.store.len());
        committed.problems.into_iter().for_each(|problem| self.shared.reporter.report_object(problem));
        self.gauge().record_events(committed.events > 0, "");
        self.shared.notify_waiters();
        Ok(is_decoded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: impl IntoIterator<Item = usize>) -> Vec<ObjectKey> {
        names.into_iter().map(|name| ObjectKey::new("default", &format!("{name:03}"))).collect()
    }

    #[test]
    fn each_object_is_requested_in_turn() {
        let mut rounds = Rounds::new();
        for start in [0, 10, 20] {
            assert_eq!(rounds.select(keys(0..25)), keys((start..start + 10).map(|name| name % 25)));
            rounds.end(10, 0);
        }
        assert_eq!(rounds.select(keys(0..3)), keys([0, 1, 2]));
    }

    #[test]
    fn the_rounds_slow_down_until_objects_can_be_decoded() {
        let mut rounds = Rounds::new();
        let delays: Vec<_> = (0..5)
            .map(|_| {
                rounds.end(10, 0);
                rounds.delay.as_secs()
            })
            .collect();
        assert_eq!((delays, rounds.requests), (vec![60, 120, 240, 300, 300], 10));
        for requests in [20, 40, 80, 160, 160] {
            rounds.end(rounds.requests, rounds.requests);
            assert_eq!((rounds.delay, rounds.requests), (NEXT_DELAY, requests));
        }
        rounds.end(160, 1);
        assert_eq!((rounds.delay, rounds.requests), (FIRST_DELAY, 10));
        rounds.end(10, 0);
        rounds.end(0, 0);
        assert_eq!(rounds.delay, FIRST_DELAY);
    }
}
