//! A connection of an API server.

use std::{net::Ipv4Addr, sync::Arc};

use anyhow::{Result, ensure};
use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, pki_types::ServerName},
};

use crate::reviews::Review;

pub(crate) struct Client(SendRequest<Full<Bytes>>);

impl Client {
    pub(crate) async fn connect(port: u16, config: Arc<ClientConfig>) -> Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
        stream.set_nodelay(true)?;
        let name = ServerName::try_from("127.0.0.1")?;
        let stream = TlsConnector::from(config).connect(name, stream).await?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self(sender))
    }

    /// Sends a review, and returns the response.
    pub(crate) async fn send(&mut self, review: &Review) -> Result<Bytes> {
        let request = Request::post(format!("{}?timeout=10s", review.path))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::HOST, "127.0.0.1");
        self.0.ready().await?;
        let response = self.0.send_request(request.body(Full::new(review.body.clone()))?).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        ensure!(status.is_success(), "{status}: {}", String::from_utf8_lossy(&body));
        Ok(body)
    }
}
