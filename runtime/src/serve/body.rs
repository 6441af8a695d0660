//! The bodies of requests and responses, which have to make progress.

use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};
use tower::BoxError;

use super::{
    activity::{Exchange, Unwritten},
    limits::{BODY_GRACE, BODY_RATE},
};

/// The client sends the body of a request too slowly.
#[derive(Debug, thiserror::Error)]
#[error("the body was sent more slowly than {BODY_RATE} bytes a second")]
pub(crate) struct TooSlow;

/// Returns when a body must have more than a number of bytes: the client is [`BODY_GRACE`] behind [`BODY_RATE`] then.
pub(super) fn deadline(start: Instant, received: u64) -> Instant {
    start + BODY_GRACE + Duration::from_secs_f64(received as f64 / f64::from(BODY_RATE))
}

/// The body of a request, which fails if it is too slow.
pub struct RequestBody {
    body: Incoming,
    exchange: Arc<Exchange>,
    start: Instant,
    received: u64,
    /// When the last part was returned: the time until the next one is requested is not the client's.
    returned: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl RequestBody {
    pub(super) fn new(body: Incoming, exchange: Arc<Exchange>) -> Self {
        Self { body, exchange, start: Instant::now(), received: 0, returned: None, timer: None }
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let deadline = deadline(self.start, self.received);
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        timer.as_mut().poll(cx)
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Some(returned) = self.returned.take() {
            self.start += returned.elapsed();
        }
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) else {
            return self.poll_deadline(cx).map(|()| Some(Err(TooSlow.into())));
        };
        self.returned = Some(Instant::now());
        if let Some(Ok(frame)) = &frame {
            self.received += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
        if frame.is_none() || self.body.is_end_stream() {
            self.exchange.is_received();
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestBody").field("received", &self.received).finish_non_exhaustive()
    }
}

/// The body of a response. Its request ends when all bytes are written.
pub(super) struct ResponseBody<B> {
    body: B,
    exchange: Arc<Exchange>,
    /// A body of a known size is unwritten from the beginning, a stream only while it has frames.
    _whole: Option<Unwritten>,
}

/// A part of a response, which is unwritten as long as it is in memory.
struct BodyPart {
    data: Bytes,
    _unwritten: Unwritten,
}

impl AsRef<[u8]> for BodyPart {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

impl<B: Body<Data = Bytes>> ResponseBody<B> {
    pub(super) fn new(body: B, exchange: Arc<Exchange>) -> Self {
        // The client may stop to send the body once it is answered.
        exchange.is_received();
        let is_whole = body.size_hint().exact().is_some() && !body.is_end_stream();
        let whole = is_whole.then(|| Unwritten::new(exchange.clone()));
        Self { body, exchange, _whole: whole }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for ResponseBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let exchange = self.exchange.clone();
        let part = |data| Bytes::from_owner(BodyPart { data, _unwritten: Unwritten::new(exchange) });
        Pin::new(&mut self.body).poll_frame(cx).map(|frame| frame.map(|frame| frame.map(|frame| frame.map_data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_keeps_a_rate() {
        let start = Instant::now();
        assert_eq!(deadline(start, 0), start + BODY_GRACE);
        assert_eq!(deadline(start, u64::from(BODY_RATE) * 3), start + BODY_GRACE + Duration::from_secs(3));
        // A byte a second is too slow after little more than the grace.
        assert!(deadline(start, 6) < start + Duration::from_secs(6));
    }
}
