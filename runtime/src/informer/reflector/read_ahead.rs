//! Receives a response body in the background, while what it has received before is processed.

use std::{panic::resume_unwind, sync::Arc};

use bytes::Bytes;
use tokio::{
    sync::{Semaphore, mpsc, oneshot},
    task::JoinHandle,
};

use crate::client::body::{self, ResponseBody};

/// Maximum number of bytes that are received ahead.
const MAX_AHEAD: u32 = 1024 * 1024;

/// A chunk of a body, or `None` at its end.
type Chunk = Result<Option<Bytes>, kube::Error>;

/// The task that receives a body. Dropping this cancels it.
pub(super) struct ReadAhead {
    chunks: mpsc::UnboundedReceiver<Chunk>,
    /// A permit for each byte that may still be received ahead.
    room: Arc<Semaphore>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<ResponseBody>,
}

/// What comes next of a body that is received ahead.
pub(super) enum Next {
    Chunk(Chunk),
    /// The rest, after the task was stopped.
    Rest(ResponseBody),
}

impl ReadAhead {
    /// Starts to receive. The body must not have ended.
    pub(super) fn start(body: ResponseBody) -> Self {
        let (sender, chunks) = mpsc::unbounded_channel();
        let (stop, stopped) = oneshot::channel();
        let room = Arc::new(Semaphore::new(MAX_AHEAD as usize));
        let task = tokio::spawn(receive(body, sender, room.clone(), stopped));
        Self { chunks, room, stop: Some(stop), task }
    }

    /// Stops receiving. What was received is still returned, followed by the rest of the body.
    pub(super) fn stop(&mut self) {
        self.stop = None;
    }

    /// This method is cancel safe.
    pub(super) async fn next(&mut self) -> Next {
        if let Some(chunk) = self.chunks.recv().await {
            if let Ok(Some(bytes)) = &chunk {
                self.room.add_permits(room_for(bytes) as usize);
            }
            return Next::Chunk(chunk);
        }
        match (&mut self.task).await {
            Ok(body) => Next::Rest(body),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The runtime shuts down and cancels this task.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Receives a body until it ends or fails, or until `stopped` completes.
async fn receive(
    mut body: ResponseBody,
    sender: mpsc::UnboundedSender<Chunk>,
    room: Arc<Semaphore>,
    mut stopped: oneshot::Receiver<()>,
) -> ResponseBody {
    loop {
        let chunk = tokio::select! {
            biased;
            _ = &mut stopped => return body,
            chunk = body::next(&mut body) => chunk,
        };
        let is_last = match &chunk {
            Ok(Some(bytes)) => {
                if let Ok(permits) = room.acquire_many(room_for(bytes)).await {
                    permits.forget();
                }
                false
            }
            Ok(None) | Err(_) => true,
        };
        if sender.send(chunk).is_err() || is_last {
            return body;
        }
    }
}

fn room_for(chunk: &Bytes) -> u32 {
    u32::try_from(chunk.len()).unwrap_or(u32::MAX).min(MAX_AHEAD)
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        time::Duration,
    };

    use futures_util::{Stream, StreamExt, stream};
    use http_body_util::{BodyExt, StreamBody};
    use hyper::body::Frame;
    use tower::BoxError;

    use super::*;

    const CHUNK: usize = MAX_AHEAD as usize / 8;

    fn body(chunks: impl Stream<Item = Result<Bytes, BoxError>> + Send + 'static) -> ResponseBody {
        StreamBody::new(chunks.map(|chunk| chunk.map(Frame::data))).boxed_unsync()
    }

    /// Numbered chunks, and how many of them were received.
    fn numbered(count: u8) -> (ResponseBody, Arc<AtomicUsize>) {
        let received = Arc::<AtomicUsize>::default();
        let counted = received.clone();
        let chunks = stream::iter(0..count).map(move |number| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(Bytes::from(vec![number; CHUNK]))
        });
        (body(chunks), received)
    }

    async fn number(ahead: &mut ReadAhead) -> Option<u8> {
        match ahead.next().await {
            Next::Chunk(chunk) => chunk.unwrap().map(|bytes| bytes[0]),
            Next::Rest(_) => panic!("it was not stopped"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_is_received_ahead_up_to_a_limit() {
        let (body, received) = numbered(40);
        let mut ahead = ReadAhead::start(body);
        let mut numbers = Vec::new();
        loop {
            // Lets the task receive as much as it may.
            tokio::time::sleep(Duration::from_secs(1)).await;
            // One more waits for room.
            let expected = (numbers.len() + 9).min(40);
            assert_eq!(received.load(Ordering::Relaxed), expected);
            let Some(number) = number(&mut ahead).await else {
                break;
            };
            numbers.push(number);
        }
        assert!(numbers.into_iter().eq(0..40));
    }

    #[tokio::test(start_paused = true)]
    async fn the_rest_follows_what_was_received_before_the_stop() {
        let (body, received) = numbered(40);
        let mut ahead = ReadAhead::start(body);
        assert_eq!(number(&mut ahead).await, Some(0));
        tokio::time::sleep(Duration::from_secs(1)).await;
        ahead.stop();
        let mut numbers = Vec::new();
        let mut rest = loop {
            match ahead.next().await {
                Next::Chunk(chunk) => numbers.push(chunk.unwrap().unwrap()[0]),
                Next::Rest(rest) => break rest,
            }
        };
        assert_eq!((numbers.len(), received.load(Ordering::Relaxed)), (9, 10));
        while let Some(chunk) = body::next(&mut rest).await.unwrap() {
            numbers.push(chunk[0]);
        }
        assert!(numbers.into_iter().eq(1..40));
    }

    #[tokio::test]
    async fn an_error_follows_the_chunks_before_it() {
        let chunks = [Ok(Bytes::from_static(b"\x07")), Err("broken".into())];
        let mut ahead = ReadAhead::start(body(stream::iter(chunks)));
        assert_eq!(number(&mut ahead).await, Some(7));
        assert!(matches!(ahead.next().await, Next::Chunk(Err(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn the_connection_is_dropped_with_it() {
        let (sender, chunks) = mpsc::unbounded_channel::<Result<Bytes, BoxError>>();
        let chunks = stream::unfold(chunks, |mut chunks| async move { Some((chunks.recv().await?, chunks)) });
        let ahead = ReadAhead::start(body(chunks));
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(ahead);
        sender.closed().await;
    }
}
