//! Streaming response bodies.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
    time::Duration,
};

use bytes::Bytes;

use super::{
    isolation::has_other_threads,
    read_ahead::{Next, ReadAhead},
};
use crate::{
    client::{
        body::{self, BodyError, ResponseBody},
        endpoint::RequestTarget,
        error::Error,
        limits::Limit,
        request::Request,
    },
    informer::error::WatchError,
};

/// The chunks of a response body.
pub(super) struct Chunks<'a> {
    endpoint: &'a RequestTarget,
    request: &'a Request<'a>,
    body: ResponseBody,
    /// Receives the body instead, if there is one.
    ahead: Option<ReadAhead>,
    ended: bool,
}

impl<'a> Chunks<'a> {
    /// Sends a request and waits for the response to start.
    pub(super) async fn open(
        endpoint: &'a RequestTarget,
        request: &'a Request<'a>,
        limit: Duration,
    ) -> Result<Self, WatchError> {
        let mut limited = endpoint.clone();
        let timeout = &mut limited.client.options.timeout;
        *timeout = limit.min(*timeout);
        let body = limited.open(request).await?;
        Ok(Self { endpoint, request, body, ahead: None, ended: false })
    }

    /// Receives further chunks on another thread, if there is one, until [`stop_ahead`](Self::stop_ahead).
    ///
    /// That is for lists, of which receiving and decoding would take turns in small batches. Single events would arrive later.
    pub(super) fn read_ahead(&mut self) {
        if has_other_threads() {
            self.ahead = Some(ReadAhead::start(std::mem::take(&mut self.body)));
        }
    }

    /// Receives further chunks on this thread.
    pub(super) fn stop_ahead(&mut self) {
        if let Some(ahead) = &mut self.ahead {
            ahead.stop();
        }
    }

    pub(super) fn request(&self) -> &'a Request<'a> {
        self.request
    }

    /// Returns the next chunk; `None` at the end.
    pub(super) async fn next(&mut self, limit: Duration) -> Result<Option<Bytes>, WatchError> {
        within(limit, self.read_next()).await?
    }

    /// Returns the next chunk if it is available after letting the connection run once; `None` otherwise, and at the
    /// end.
    pub(super) async fn try_next(&mut self) -> Result<Option<Bytes>, WatchError> {
        let mut turns = 1;
        let mut read_next = pin!(self.read_next());
        poll_fn(|context| match read_next.as_mut().poll(context) {
            Poll::Pending if turns > 0 => {
                turns -= 1;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Pending => Poll::Ready(Ok(None)),
            Poll::Ready(chunk) => Poll::Ready(chunk),
        })
        .await
    }

    async fn read_next(&mut self) -> Result<Option<Bytes>, WatchError> {
        if self.ended {
            return Ok(None);
        }
        let next = self.receive().await.map_err(|source| self.transport_error(source))?;
        self.ended = next.is_none();
        Ok(next)
    }

    async fn receive(&mut self) -> Result<Option<Bytes>, kube::Error> {
        if let Some(ahead) = &mut self.ahead {
            match ahead.next().await {
                Next::Chunk(chunk) => return chunk,
                Next::Rest(body) => self.body = body,
            }
            self.ahead = None;
        }
        body::next(&mut self.body).await
    }

    /// Collects the whole body, up to a size limit of the client. `stall` is how long it may make no progress.
    pub(super) async fn collect(mut self, limit: Limit, stall: Duration) -> Result<Bytes, WatchError> {
        let body = std::mem::take(&mut self.body);
        let all = body::collect(body, self.endpoint.limit(limit), stall).await;
        all.map_err(|error| match error {
            BodyError::Broken(source) => self.transport_error(source).into(),
            BodyError::Stalled => WatchError::IdleTimeout(stall),
            BodyError::TooLarge => self.endpoint.too_large(self.request, limit).into(),
        })
    }

    fn transport_error(&self, source: kube::Error) -> Error {
        Error::Transport { operation: Box::new(self.endpoint.operation(self.request)), source: source.into() }
    }
}

async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Result<T, WatchError> {
    let result = tokio::time::timeout(limit, future).await;
    result.map_err(|_| WatchError::IdleTimeout(limit))
}
