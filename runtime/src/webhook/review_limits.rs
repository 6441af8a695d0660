//! What reviews of one purpose may take: those of admission and those of conversion do not wait for each other.

use std::{error::Error as StdError, pin::pin, sync::Arc};

use bytes::{Buf, Bytes};
use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::Body;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
};

use crate::{
    json::decoded_size::decoded_size,
    serve::{
        body::TooSlow,
        budget::{Budget, Charge, Evicted, OVERHEAD},
        buffer::Buffer,
    },
};

/// The memory of all reviews of a purpose, unless one alone may take more.
const MEMORY: usize = 64 << 20;
/// The memory of an object of a conversion as values, by an estimate. It exists three times: before, after, and converted back.
pub(super) const MAX_CONVERTED: usize = 16 << 20;
/// Reviews from this size on take milliseconds of a processor.
const LARGE: usize = 256 << 10;
/// How many large reviews run at the same time: others, which API servers send much more often, have the rest of the processors.
const LARGE_CONCURRENCY: usize = 2;

/// The limits of reviews of one purpose.
pub(super) struct ReviewLimits {
    budget: Arc<Budget>,
    concurrency: Arc<Semaphore>,
    large: Arc<Semaphore>,
    max_bytes: usize,
    cost: Cost,
}

/// What a review takes besides its body.
#[derive(Clone, Copy, Debug)]
enum Cost {
    /// Its values, at most this much.
    Values(usize),
    /// The response, and the values of one object.
    Conversion,
}

/// What a review holds while it runs.
pub(super) struct Permits {
    _concurrency: OwnedSemaphorePermit,
    _large: Option<OwnedSemaphorePermit>,
}

/// A body with its memory.
pub(super) struct Received {
    pub(super) body: Bytes,
    pub(super) charge: Arc<Charge>,
}

/// Why a review does not run.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    #[error("the body is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the body has too many values: they take about {0} bytes of memory")]
    TooManyValues(usize),
    #[error("the body was sent too slowly")]
    TooSlow,
    #[error("too many requests")]
    Busy,
    #[error("the body cannot be read: {0}")]
    Unreadable(String),
}

impl Refused {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::TooLarge(_) | Self::TooManyValues(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Busy => StatusCode::TOO_MANY_REQUESTS,
            Self::Unreadable(_) => StatusCode::BAD_REQUEST,
        }
    }
}

impl From<Evicted> for Refused {
    fn from(Evicted: Evicted) -> Self {
        Self::Busy
    }
}

impl ReviewLimits {
    pub(super) fn of_admission(concurrency: usize, max_bytes: usize) -> Self {
        let memory = MEMORY.max(max_bytes.saturating_mul(9));
        Self::new(concurrency, max_bytes, memory, Cost::Values(memory / 4 * 3))
    }

    pub(super) fn of_conversion(concurrency: usize, max_bytes: usize) -> Self {
        // The largest review and its response.
        let largest = max_bytes.saturating_mul(2).saturating_add(MAX_CONVERTED + OVERHEAD);
        let memory = MEMORY.max(largest);
        Self::new(concurrency, max_bytes, memory, Cost::Conversion)
    }

    fn new(concurrency: usize, max_bytes: usize, memory: usize, cost: Cost) -> Self {
        Self {
            budget: Budget::new(memory),
            concurrency: Arc::new(Semaphore::new(concurrency.min(Semaphore::MAX_PERMITS))),
            large: Arc::new(Semaphore::new(LARGE_CONCURRENCY)),
            max_bytes,
            cost,
        }
    }

    /// Reads a body, and takes memory as it arrives.
    pub(super) async fn receive<B>(&self, body: B) -> Result<Received, Refused>
    where
        B: Body<Error: Into<Box<dyn StdError + Send + Sync>>>,
    {
        let declared = body.size_hint().exact().map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        if declared.is_some_and(|bytes| bytes > self.max_bytes) {
            return Err(Refused::TooLarge(self.max_bytes));
        }
        let charge = self.budget.open().await;
        let mut received = Buffer::new(declared.unwrap_or(self.max_bytes));
        let mut body = pin!(body);
        loop {
            let Some(frame) = charge.unless_evicted(body.frame()).await? else {
                break;
            };
            let Ok(mut data) = frame.map_err(unreadable)?.into_data() else {
                continue;
            };
            if data.remaining() > self.max_bytes - received.as_ref().len() {
                return Err(Refused::TooLarge(self.max_bytes));
            }
            charge.add(received.growth(data.remaining())).await?;
            while data.has_remaining() {
                let chunk = data.chunk();
                received.extend(chunk).map_err(unreadable)?;
                data.advance(chunk.len());
            }
        }
        Ok(Received { body: Bytes::from_owner(received), charge: Arc::new(charge) })
    }

    /// Waits until a review can run.
    pub(super) async fn admit(&self, body: &Bytes, charge: &Charge) -> Result<Permits, Refused> {
        let is_large = body.len() >= LARGE;
        // First, so that those which wait do not take the places of others.
        let large = if is_large { Some(acquire(&self.large, charge).await?) } else { None };
        let concurrency = acquire(&self.concurrency, charge).await?;
        let decoded = if is_large { decoded_size_of_large(body.clone()).await? } else { decoded_size(body) };
        charge.add(self.cost(body.len(), decoded)?).await?;
        charge.pin()?;
        Ok(Permits { _concurrency: concurrency, _large: large })
    }

    fn cost(&self, bytes: usize, decoded: usize) -> Result<usize, Refused> {
        match self.cost {
            Cost::Values(most) if decoded > most => Err(Refused::TooManyValues(decoded)),
            Cost::Values(_) => Ok(decoded),
            // The response is nearly as large as the request.
            Cost::Conversion => Ok(bytes + decoded.min(MAX_CONVERTED)),
        }
    }
}

/// Waits for a place, unless others need the memory meanwhile.
async fn acquire(semaphore: &Arc<Semaphore>, charge: &Charge) -> Result<OwnedSemaphorePermit, Refused> {
    // It is never closed.
    charge.unless_evicted(semaphore.clone().acquire_owned()).await?.map_err(|_| Refused::Busy)
}

/// The threads of connections have no time for milliseconds of work.
async fn decoded_size_of_large(body: Bytes) -> Result<usize, Refused> {
    spawn_blocking(move || decoded_size(&body)).await.map_err(|_| Refused::Busy)
}

fn unreadable(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Refused {
    let error = error.into();
    if error.is::<TooSlow>() { Refused::TooSlow } else { Refused::Unreadable(error.to_string()) }
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        pin::Pin,
        task::{Context, Poll},
        time::Duration,
    };

    use http_body_util::{Full, StreamBody};
    use hyper::body::{Frame, SizeHint};
    use tokio::time::timeout;

    use super::*;

    type Parts = futures_util::stream::Iter<std::vec::IntoIter<Result<Frame<Bytes>, Infallible>>>;

    fn parts(parts: Vec<&'static [u8]>) -> StreamBody<Parts> {
        let frames: Vec<_> = parts.into_iter().map(|it| Ok(Frame::data(Bytes::from_static(it)))).collect();
        StreamBody::new(futures_util::stream::iter(frames))
    }

    #[tokio::test]
    async fn bodies_are_joined_and_limited() {
        let lane = ReviewLimits::of_admission(1, 5);
        assert_eq!(lane.receive(parts(vec![b"ab", b"", b"cd", b"e"])).await.ok().unwrap().body, "abcde");
        assert_eq!(lane.receive(parts(vec![b"abc", b"def"])).await.err(), Some(Refused::TooLarge(5)));
        assert_eq!(lane.receive(whole("abcdef")).await.err(), Some(Refused::TooLarge(5)));
    }

    fn whole(body: impl Into<Bytes>) -> Full<Bytes> {
        Full::new(body.into())
    }

    /// A body that never comes.
    struct Silent;

    impl Body for Silent {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Pending
        }

        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(32 << 20)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_declared_body_takes_nothing_before_it_arrives() {
        let lane = ReviewLimits::of_conversion(1, 32 << 20);
        let mut silent: Vec<_> = (0..50).map(|_| Box::pin(lane.receive(Silent))).collect();
        for receive in &mut silent {
            assert!(timeout(Duration::ZERO, receive).await.is_err());
        }
        assert!(lane.receive(whole(vec![b' '; 32 << 20])).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn values_count_and_not_only_text() {
        let lane = ReviewLimits::of_admission(1, 7 << 20);
        let received = lane.receive(whole("[{}]")).await.ok().unwrap();
        assert!(lane.admit(&received.body, &received.charge).await.is_ok());
        let objects = "{},".repeat(1 << 20);
        let received = lane.receive(whole(objects)).await.ok().unwrap();
        let refused = lane.admit(&received.body, &received.charge).await.err();
        assert!(matches!(refused, Some(Refused::TooManyValues(_))), "{refused:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_takes_memory_until_it_is_written() {
        let lane = ReviewLimits::of_admission(2, 1 << 20);
        let received = lane.receive(whole("{}")).await.ok().unwrap();
        lane.admit(&received.body, &received.charge).await.ok().unwrap();
        let response = received.charge.response(vec![0; 60 << 20], None);
        let part = response.slice(1..2);
        drop(response);
        let other = lane.budget.open().await;
        let wait = || timeout(Duration::from_secs(9), other.add(10 << 20));
        assert!(wait().await.is_err());
        drop(part);
        assert_eq!(wait().await.unwrap(), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_review_that_waits_for_a_place_makes_room() {
        let lane = ReviewLimits::of_admission(0, 1 << 20);
        let waiting = lane.receive(whole(vec![b' '; LARGE])).await.ok().unwrap();
        let wait = async { lane.admit(&waiting.body, &waiting.charge).await.err() };
        let other = lane.budget.open().await;
        let add = async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            timeout(Duration::from_millis(1), other.add(MEMORY - LARGE)).await.is_err()
        };
        assert_eq!(tokio::join!(wait, add), (Some(Refused::Busy), true));
    }

    #[tokio::test(start_paused = true)]
    async fn large_reviews_leave_places_to_others() {
        let lane = ReviewLimits::of_conversion(10, 1 << 20);
        let mut running = Vec::new();
        for _ in 0..LARGE_CONCURRENCY {
            let received = lane.receive(whole(vec![b' '; LARGE])).await.ok().unwrap();
            running.push(lane.admit(&received.body, &received.charge).await.ok().unwrap());
        }
        for (size, is_admitted) in [(LARGE, false), (LARGE - 1, true)] {
            let received = lane.receive(whole(vec![b' '; size])).await.ok().unwrap();
            let admitted = timeout(Duration::from_secs(9), lane.admit(&received.body, &received.charge)).await;
            assert_eq!(admitted.is_ok(), is_admitted);
        }
    }
}
