//! Tests with HTTP/2.

use std::{
    future::{Future, pending},
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::future::join_all;
use http::{Request, Response, Uri};
use http_body_util::BodyExt;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::{
    client::legacy::connect::{Connected, Connection},
    rt::TokioIo,
};
use kube::client::Body;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
    time::timeout,
};
use tower::{BoxError, service_fn};

use crate::client::{
    body::ResponseBody,
    connection::{
        connector::Protocols,
        http2::{Pings, http2},
        pool::{MakeHttp, Pool},
    },
};

const SECOND: Duration = Duration::from_secs(1);

/// A server whose responses start and never end, until it is frozen.
struct Server {
    address: SocketAddr,
    /// The number of connections that received a request.
    used: Arc<AtomicUsize>,
    freeze: Arc<Notify>,
    accepting: JoinHandle<()>,
}

impl Server {
    /// Creates a server that allows this number of streams per connection, or does not send a limit.
    async fn allowing(streams: Option<u32>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (used, freeze) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let accepting = tokio::spawn({
            let (used, freeze) = (used.clone(), freeze.clone());
            async move {
                loop {
                    let (stream, _) = listener.accept().await.unwrap();
                    tokio::spawn(serve(stream, streams, used.clone(), freeze.clone()));
                }
            }
        });
        Self { address, used, freeze, accepting }
    }

    /// Stops all traffic on the existing connections, as if the peer were gone.
    fn freeze(&self) {
        self.freeze.notify_waiters();
    }

    fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    fn pool(&self, pings: Pings) -> Pool {
        let address = self.address;
        let make: MakeHttp = Arc::new(move |limit| {
            let connect = move |_: Uri| -> Pin<Box<dyn Future<Output = _> + Send>> {
                Box::pin(async move {
                    let stream = TcpStream::connect(address).await?;
                    Ok::<_, BoxError>(Negotiated(TokioIo::new(stream)))
                })
            };
            http2(service_fn(connect), limit, pings)
        });
        Pool::new(make, Protocols::Http2.max_requests())
    }

    async fn watch(&self, pool: &Pool) -> ResponseBody {
        let uri = format!("http://{}/", self.address);
        let request = Request::get(uri).body(Body::empty()).unwrap();
        let mut body = pool.clone().send(request).await.unwrap().into_body();
        let first = body.frame().await.unwrap().unwrap();
        assert_eq!(first.into_data().unwrap(), "first");
        body
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn serve(stream: TcpStream, allowed: Option<u32>, used: Arc<AtomicUsize>, freeze: Arc<Notify>) {
    let mut frozen = pin!(freeze.notified());
    let mut builder = h2::server::Builder::new();
    if let Some(allowed) = allowed {
        builder.max_concurrent_streams(allowed);
    }
    let Ok(mut connection) = builder.handshake(stream).await else {
        return;
    };
    let mut streams = Vec::new();
    loop {
        let accepted = tokio::select! {
            () = &mut frozen => pending().await,
            accepted = connection.accept() => accepted,
        };
        let Some(Ok((_, mut respond))) = accepted else {
            return;
        };
        if streams.is_empty() {
            used.fetch_add(1, Ordering::Relaxed);
        }
        let mut stream = respond.send_response(Response::new(()), false).unwrap();
        stream.send_data(Bytes::from_static(b"first"), false).unwrap();
        streams.push(stream);
    }
}

/// A connection that has negotiated HTTP/2, as over TLS.
struct Negotiated(TokioIo<TcpStream>);

impl Connection for Negotiated {
    fn connected(&self) -> Connected {
        Connected::new().negotiated_h2()
    }
}

impl Read for Negotiated {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl Write for Negotiated {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[tokio::test]
async fn low_stream_limit_opens_more_connections() {
    for (allowed, connections) in [(Some(1), 100), (Some(2), 50), (Some(50), 2), (Some(1000), 2), (None, 2)] {
        let server = Server::allowing(allowed).await;
        let pool = server.pool(Pings::default());
        let watches = join_all((0..100).map(|_| server.watch(&pool)));
        let watches = timeout(10 * SECOND, watches).await.unwrap_or_else(|_| panic!("{allowed:?}: some never start"));
        assert_eq!(server.used(), connections, "{allowed:?}");
        drop(watches);
    }
}

#[tokio::test]
async fn connection_without_ping_responses_is_closed() {
    let server = Server::allowing(None).await;
    let pings = Pings { interval: SECOND / 5, timeout: SECOND };
    let pool = server.pool(pings);
    let mut watches = join_all((0..3).map(|_| server.watch(&pool))).await;
    let quiet = timeout(3 * SECOND, watches[0].frame()).await;
    assert!(quiet.is_err(), "a server that answers pings may be silent");
    server.freeze();
    let began = Instant::now();
    for watch in &mut watches {
        let end = timeout(10 * SECOND, watch.frame()).await;
        end.expect("it is closed").unwrap().unwrap_err();
    }
    assert!(began.elapsed() > pings.timeout / 2);
    server.watch(&pool).await;
    assert_eq!(server.used(), 2);
}
