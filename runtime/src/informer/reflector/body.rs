//! Answers that do not stand still.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use kube::client::Body;
use kube_core::Resource;

use crate::{
    client::{endpoint::Endpoint, error::Error, request::Request},
    informer::trouble::WatchError,
};

/// What comes of an answer, piece by piece.
pub(super) struct Chunks<'a, K: Resource> {
    endpoint: &'a Endpoint<K>,
    request: &'a Request<'a>,
    body: Body,
    ended: bool,
}

impl<'a, K: Resource> Chunks<'a, K> {
    /// Sends a request and waits for the answer to begin.
    pub(super) async fn open(
        endpoint: &'a Endpoint<K>,
        request: &'a Request<'a>,
        limit: Duration,
    ) -> Result<Self, WatchError> {
        let body = within(limit, endpoint.open(request)).await??;
        Ok(Self {
            endpoint,
            request,
            body,
            ended: false,
        })
    }

    pub(super) fn request(&self) -> &'a Request<'a> {
        self.request
    }

    /// The next piece; `None` at the end.
    pub(super) async fn next(&mut self, limit: Duration) -> Result<Option<Bytes>, WatchError> {
        within(limit, self.arrives()).await?
    }

    /// The next piece, if the connection only needs its turn to hand it over; `None` otherwise, and at the end.
    pub(super) async fn at_hand(&mut self) -> Result<Option<Bytes>, WatchError> {
        let mut turns = 1;
        let mut arrives = pin!(self.arrives());
        poll_fn(|context| match arrives.as_mut().poll(context) {
            Poll::Pending if turns > 0 => {
                turns -= 1;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Pending => Poll::Ready(Ok(None)),
            arrived => arrived,
        })
        .await
    }

    async fn arrives(&mut self) -> Result<Option<Bytes>, WatchError> {
        while !self.ended {
            let Some(frame) = self.body.frame().await else {
                self.ended = true;
                break;
            };
            let frame = frame.map_err(|source| Error::Transport {
                target: Box::new(self.endpoint.target(self.request)),
                source: source.into(),
            })?;
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }

    /// All of it.
    pub(super) async fn collect(mut self, limit: Duration) -> Result<Bytes, WatchError> {
        let mut all = BytesMut::new();
        while let Some(chunk) = self.next(limit).await? {
            all.extend_from_slice(&chunk);
        }
        Ok(all.freeze())
    }
}

async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Result<T, WatchError> {
    let result = tokio::time::timeout(limit, future).await;
    result.map_err(|_| WatchError::Silent(limit))
}
