//! Reads response bodies within limits of size and time.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::Response;
use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use hyper::body::Body as _;
use kube::client::Body;
use tokio::time::timeout;
use tower::BoxError;

pub(crate) mod progress;

use self::progress::Progress;

/// A response body that is read as it arrives.
pub(crate) type ResponseBody = UnsyncBoxBody<Bytes, BoxError>;

/// Maximum number of bytes to preallocate on the basis of the announced size.
const MAX_PREALLOCATION: u64 = 1024 * 1024;

/// Why a body was not read.
#[derive(Debug)]
pub(crate) enum BodyError {
    Broken(kube::Error),
    /// No progress within the stall timeout.
    Stalled,
    /// The body exceeds the limit.
    TooLarge,
}

/// Why reading stopped before the required length.
#[derive(Debug)]
pub(crate) enum Interrupted {
    Broken(kube::Error),
    Stalled,
}

impl From<Interrupted> for BodyError {
    fn from(interrupted: Interrupted) -> Self {
        match interrupted {
            Interrupted::Broken(source) => Self::Broken(source),
            Interrupted::Stalled => Self::Stalled,
        }
    }
}

pub(crate) fn from_kube(response: Response<Body>) -> Response<ResponseBody> {
    response.map(|body| body.map_err(BoxError::from).boxed_unsync())
}

/// Converts the error of a body to kube's.
pub(crate) fn broken(error: BoxError) -> kube::Error {
    match error.downcast::<kube::Error>() {
        Ok(error) => *error,
        Err(error) => kube::Error::Service(error),
    }
}

/// Returns the next chunk of a body, or `None` at its end.
pub(crate) async fn next(body: &mut ResponseBody) -> Result<Option<Bytes>, kube::Error> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(broken)?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// Reads a body of at most `limit` bytes, and fails if it stalls.
pub(crate) async fn collect(mut body: ResponseBody, limit: usize, stall: Duration) -> Result<Bytes, BodyError> {
    let size_hint = body.size_hint().lower();
    if size_hint > limit as u64 {
        return Err(BodyError::TooLarge);
    }
    let mut progress = Progress::begin();
    let Some(first) = next_within(stall, &mut body, &mut progress).await? else {
        return Ok(Bytes::new());
    };
    let mut all = BytesMut::new();
    let mut last = check(first, 0, limit)?;
    while let Some(chunk) = next_within(stall, &mut body, &mut progress).await? {
        if all.is_empty() {
            all.reserve(size_hint.min(MAX_PREALLOCATION).min(limit as u64) as usize);
        }
        all.extend_from_slice(&last);
        last = check(chunk, all.len(), limit)?;
    }
    if all.is_empty() {
        return Ok(last);
    }
    all.extend_from_slice(&last);
    Ok(all.freeze())
}

/// Reads the first `limit` bytes of a body, or all of it, and fails if it stalls.
pub(crate) async fn collect_prefix(
    mut body: ResponseBody,
    limit: usize,
    stall: Duration,
) -> Result<Bytes, Interrupted> {
    let mut progress = Progress::begin();
    let mut start = BytesMut::new();
    while start.len() < limit
        && let Some(chunk) = next_within(stall, &mut body, &mut progress).await?
    {
        let fitting = chunk.len().min(limit - start.len());
        start.extend_from_slice(&chunk[..fitting]);
    }
    Ok(start.freeze())
}

fn check(chunk: Bytes, before: usize, limit: usize) -> Result<Bytes, BodyError> {
    if chunk.len() > limit.saturating_sub(before) { Err(BodyError::TooLarge) } else { Ok(chunk) }
}

/// Returns the next chunk of a body, and fails if the body stalls.
async fn next_within(
    stall: Duration,
    body: &mut ResponseBody,
    progress: &mut Progress,
) -> Result<Option<Bytes>, Interrupted> {
    let left = stall.saturating_sub(progress.elapsed());
    if left.is_zero() {
        // Chunks that are already buffered are returned even after the timeout, so this could continue forever.
        return Err(Interrupted::Stalled);
    }
    let chunk = timeout(left, next(body)).await.map_err(|_| Interrupted::Stalled)?.map_err(Interrupted::Broken)?;
    progress.received(chunk.as_ref().map_or(0, Bytes::len));
    Ok(chunk)
}

#[cfg(test)]
mod tests {
    use futures_util::{Stream, StreamExt, stream};
    use http_body_util::StreamBody;
    use hyper::body::Frame;
    use tokio::time::Instant;

    use super::*;
    use crate::client::mock::pieces;

    const SECOND: Duration = Duration::from_secs(1);

    fn body(chunks: impl Stream<Item = Bytes> + Send + 'static) -> ResponseBody {
        let frames = chunks.map(|chunk| Ok::<_, BoxError>(Frame::data(chunk)));
        StreamBody::new(frames).boxed_unsync()
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_are_read_whole() {
        for parts in [0, 1, 2, 7] {
            let body = body(pieces(10, SECOND).take(parts));
            let read = collect(body, 70, 10 * SECOND).await.unwrap();
            assert_eq!(read.len(), 10 * parts);
        }
    }

    #[tokio::test]
    async fn single_chunk_is_not_copied() {
        let piece = Bytes::from_static(b"whole");
        let body = body(stream::iter([piece.clone()]));
        let read = collect(body, 100, SECOND).await.unwrap();
        assert_eq!(read.as_ptr(), piece.as_ptr());
    }

    #[tokio::test(start_paused = true)]
    async fn too_large_bodies_are_not_read_further() {
        for (size, limit) in [(11, 10), (1, 10), (4, 10)] {
            let endless = body(pieces(size, Duration::ZERO));
            let error = collect(endless, limit, SECOND).await.unwrap_err();
            assert!(matches!(error, BodyError::TooLarge), "{error:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn start_of_a_too_large_body_can_be_read() {
        for (size, limit) in [(11, 10), (1, 10), (4, 10), (5, 10)] {
            let endless = body(pieces(size, Duration::ZERO));
            let start = collect_prefix(endless, limit, SECOND).await.unwrap();
            assert_eq!(start.len(), 10);
        }
        let short = body(pieces(4, Duration::ZERO).take(2));
        assert_eq!(collect_prefix(short, 10, SECOND).await.unwrap().len(), 8);
        let slow = body(pieces(1, SECOND));
        let error = collect_prefix(slow, 10_000, 30 * SECOND).await;
        assert!(matches!(error, Err(Interrupted::Stalled)), "{error:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn stalled_body_is_an_error() {
        let start = Instant::now();
        let first = stream::iter([Bytes::from(vec![0; 4096])]);
        let error = collect(body(first.chain(stream::pending())), 10_000, 30 * SECOND).await;
        assert!(matches!(error, Err(BodyError::Stalled)), "{error:?}");
        assert_eq!(start.elapsed(), 30 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn trickle_stalls_and_slow_body_does_not() {
        let start = Instant::now();
        let trickle = body(pieces(1, SECOND));
        let error = collect(trickle, 10_000, 30 * SECOND).await;
        assert!(matches!(error, Err(BodyError::Stalled)), "{error:?}");
        assert_eq!(start.elapsed(), 30 * SECOND);
        let slow = body(pieces(100, SECOND).take(90));
        let read = collect(slow, 10_000, 30 * SECOND).await.unwrap();
        assert_eq!(read.len(), 9000);
    }

    #[tokio::test(start_paused = true)]
    async fn maximum_duration_never_stalls() {
        let slow = body(pieces(1, 86_400 * SECOND).take(3));
        let read = collect(slow, 10, Duration::MAX).await.unwrap();
        assert_eq!(read.len(), 3);
    }
}
