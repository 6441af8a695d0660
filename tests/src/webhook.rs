use std::{io, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};

use crate::tls::{self, Certificate, Identity};

/// The response of a webhook, which is sent after a delay.
#[derive(Clone, Debug)]
pub struct WebhookAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: String,
    /// The delay of the response.
    pub delay: Duration,
}

impl From<Value> for WebhookAnswer {
    fn from(body: Value) -> Self {
        Self { status: 200, body: body.to_string(), delay: Duration::ZERO }
    }
}

/// A webhook at `127.0.0.1`, over TLS.
pub struct Webhook {
    port: u16,
    task: JoinHandle<()>,
}

impl Webhook {
    /// Starts a webhook with a function from paths and documents to responses.
    ///
    /// # Panics
    ///
    /// If there is no free port.
    pub async fn start(answer: impl Fn(&str, Value) -> WebhookAnswer + Send + Sync + 'static) -> Self {
        Self::start_as(Certificate::First, answer).await
    }

    /// As [`Self::start`], with another certificate.
    ///
    /// # Panics
    ///
    /// If there is no free port.
    pub async fn start_as(
        certificate: Certificate,
        answer: impl Fn(&str, Value) -> WebhookAnswer + Send + Sync + 'static,
    ) -> Self {
        let identity = Arc::new(Identity::default());
        identity.present(certificate);
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("there is a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let answer: Arc<Answer> = Arc::new(answer);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, identity) = (answer.clone(), identity.clone());
                tokio::spawn(async move {
                    let Ok(stream) = identity.accept(stream).await else { return };
                    // The client reports failures.
                    let _ = serve(stream, &*answer).await;
                });
            }
        });
        Self { port, task }
    }

    /// The port of the webhook.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("https://127.0.0.1:{}{path}", self.port)
    }

    /// The authority of the certificate, in PEM.
    pub fn authority() -> &'static [u8] {
        tls::AUTHORITY
    }
}

impl Drop for Webhook {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type Answer = dyn Fn(&str, Value) -> WebhookAnswer + Send + Sync;

/// Serves one request, and closes the connection.
async fn serve(mut stream: tls::Tls, answer: &Answer) -> io::Result<()> {
    let mut read = Vec::new();
    let (head, start) = loop {
        if let Some(end) = read.windows(4).position(|it| it == b"\r\n\r\n") {
            break (String::from_utf8_lossy(&read[..end]).into_owned(), end + 4);
        }
        if stream.read_buf(&mut read).await? == 0 {
            return Ok(());
        }
    };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    while read.len() < start + length.unwrap_or_default() {
        if stream.read_buf(&mut read).await? == 0 {
            return Ok(());
        }
    }
    let target = head.split_whitespace().nth(1).unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default();
    let document = serde_json::from_slice(&read[start..]).unwrap_or_default();
    let WebhookAnswer { status, body, delay } = answer(path, document);
    tokio::time::sleep(delay).await;
    let head = format!(
        "HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}
