//! HTTP/2 connections for long-running requests.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use http::Uri;
use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use tower::{BoxError, Service, ServiceExt};

use super::{
    connector::{IDLE_TIME, boxed, builder},
    pool::Http,
    stream_limit::StreamLimit,
};

/// Interval and timeout of HTTP/2 pings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pings {
    pub(super) interval: Duration,
    pub(super) timeout: Duration,
}

impl Default for Pings {
    fn default() -> Self {
        Self { interval: IDLE_TIME, timeout: Duration::from_secs(15) }
    }
}

/// Flow-control window of a stream.
const STREAM_WINDOW: u32 = 2 << 20;

/// The maximum of HTTP/2, so that unread streams do not block the others.
const CONNECTION_WINDOW: u32 = (1 << 31) - 1;

/// Maximum size of the headers of a response.
const MAX_HEADERS: u32 = 64 << 10;

/// Uses HTTP/2 on connections that negotiated it, and HTTP/1.1 otherwise.
pub(super) fn http2<C>(connector: C, limit: &Arc<StreamLimit>, pings: Pings) -> Http
where
    C: Service<Uri, Error = BoxError> + Clone + Send + Sync + 'static,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
    C::Future: Send + Unpin + 'static,
{
    let limit = limit.clone();
    let connector = connector.map_response(move |stream| Limited::new(stream, limit.clone()));
    let mut builder = builder();
    builder
        .http2_initial_stream_window_size(STREAM_WINDOW)
        .http2_initial_connection_window_size(CONNECTION_WINDOW)
        .http2_max_header_list_size(MAX_HEADERS)
        .http2_keep_alive_interval(pings.interval)
        .http2_keep_alive_timeout(pings.timeout)
        .http2_keep_alive_while_idle(true);
    boxed(&builder, connector)
}

/// A connection that extracts the stream limit from its first frame.
struct Limited<T> {
    connection: T,
    limit: Arc<StreamLimit>,
    /// The bytes received so far; `None` after the limit.
    start: Option<Vec<u8>>,
}

impl<T: Connection> Limited<T> {
    fn new(connection: T, limit: Arc<StreamLimit>) -> Self {
        let is_http2 = connection.connected().is_negotiated_h2();
        if !is_http2 {
            limit.set(usize::MAX);
        }
        Self { connection, limit, start: is_http2.then(Vec::new) }
    }
}

/// Returns the limit in the SETTINGS frame that a server must send first; `None` if it is incomplete. (RFC 9113, 3.4
/// and 6.5)
fn stream_limit(start: &[u8]) -> Option<usize> {
    // The header of a frame (RFC 9113, 4.1), its type, the longest frame before other settings (4.2), and a setting (6.5.2).
    const HEADER: usize = 9;
    const SETTINGS: u8 = 4;
    const LONGEST: usize = 1 << 14;
    const MAX_CONCURRENT_STREAMS: [u8; 2] = [0, 3];

    let (header, payload) = start.split_at_checked(HEADER)?;
    let length = u32::from_be_bytes([0, header[0], header[1], header[2]]) as usize;
    if header[3] != SETTINGS || length > LONGEST {
        return Some(usize::MAX);
    }
    let (settings, _) = payload.get(..length)?.as_chunks::<6>();
    let mut limits = settings.iter().filter_map(|setting| {
        let [a, b, value @ ..] = *setting;
        ([a, b] == MAX_CONCURRENT_STREAMS).then_some(u32::from_be_bytes(value) as usize)
    });
    Some(limits.next_back().unwrap_or(usize::MAX))
}

impl<T: Read + Unpin> Read for Limited<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let Some(start) = &mut this.start else {
            return Pin::new(&mut this.connection).poll_read(context, buffer);
        };
        let mut bytes = [0; 1024];
        let fitting = bytes.len().min(buffer.remaining());
        let mut read = ReadBuf::new(&mut bytes[..fitting]);
        ready!(Pin::new(&mut this.connection).poll_read(context, read.unfilled()))?;
        buffer.put_slice(read.filled());
        start.extend_from_slice(read.filled());
        if let Some(streams) = stream_limit(start) {
            this.limit.set(streams);
            this.start = None;
        }
        Poll::Ready(Ok(()))
    }
}

impl<T: Write + Unpin> Write for Limited<T> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.connection).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.connection.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.connection).poll_write_vectored(context, parts)
    }
}

impl<T: Connection> Connection for Limited<T> {
    fn connected(&self) -> Connected {
        self.connection.connected()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_in_the_first_frame() {
        let settings = |settings: &[u8]| {
            let mut frame = vec![0, 0, settings.len() as u8, 4, 0, 0, 0, 0, 0];
            frame.extend(settings);
            frame
        };
        let window = [0, 4, 0, 1, 0, 0];
        let limited = settings(&[&window[..], &[0, 3, 0, 0, 1, 2]].concat());
        for end in 0..limited.len() {
            assert_eq!(stream_limit(&limited[..end]), None);
        }
        assert_eq!(stream_limit(&limited), Some(258));
        assert_eq!(stream_limit(&[&limited[..], b"more"].concat()), Some(258));
        assert_eq!(stream_limit(&settings(&window)), Some(usize::MAX));
        assert_eq!(stream_limit(&settings(&[])), Some(usize::MAX));
        assert_eq!(stream_limit(b"HTTP/1.1 400 Bad Request"), Some(usize::MAX));
        assert_eq!(stream_limit(&[1, 0, 0, 4, 0, 0, 0, 0, 0]), Some(usize::MAX));
    }
}
