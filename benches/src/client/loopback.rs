//! The server behind a connection.

use std::{convert::Infallible, net, sync::Arc, thread};

use anyhow::Result;
use http::Request;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::server::Server;

/// Serves on a separate thread until the process ends, and returns the configuration of clients.
pub(crate) fn serve(server: Arc<Server>) -> Result<kube::Config> {
    let listener = net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    thread::spawn(move || runtime.block_on(accept(listener, server)));
    Ok(kube::Config::new(format!("http://{address}").parse()?))
}

async fn accept(listener: net::TcpListener, server: Arc<Server>) -> Result<()> {
    let listener = TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let server = server.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let response = server.respond(request.method(), request.uri());
            async { Ok::<_, Infallible>(response) }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}
