//! Honest clients, with a new connection for each request.

use std::{
    fmt, io,
    net::SocketAddr,
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpStream,
    time::{sleep, timeout},
};

use super::{
    clients::{Attack, encrypt},
    process::Addresses,
};

const LIMIT: Duration = Duration::from_secs(30);

/// How long requests took; `None` for those without an answer.
#[derive(Debug, Default)]
pub(crate) struct Answers(Vec<Option<Duration>>);

impl Answers {
    fn add(&mut self, answer: Option<Duration>) {
        self.0.push(answer);
    }

    fn sorted(&self) -> Vec<Duration> {
        let mut answered: Vec<_> = self.0.iter().flatten().copied().collect();
        answered.sort_unstable();
        answered
    }

    /// All are answered, and in time.
    pub(crate) fn check(&self, attack: Attack, slowest: Duration) {
        let answered = self.sorted();
        assert!(!answered.is_empty() && answered.len() == self.0.len(), "{attack:?}: {self}");
        assert!(answered.last().is_some_and(|last| *last < slowest), "{attack:?}: {self}");
    }
}

impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answered = self.sorted();
        let at = |at: usize| answered.get(at).map_or(f64::NAN, |it| it.as_secs_f64() * 1000.0);
        let (median, most) = (at(answered.len() / 2), at(answered.len().saturating_sub(1)));
        write!(f, "{} of {}, {median:.0} ms, at most {most:.0} ms", answered.len(), self.0.len())
    }
}

/// Sends reviews and health checks for a time.
pub(crate) async fn measure(addresses: Addresses, time: Duration) -> (Answers, Answers) {
    let start = Instant::now();
    let [mut webhooks, mut health] = [Answers::default(), Answers::default()];
    while start.elapsed() < time {
        let (webhook, healthy) = tokio::join!(review(addresses.webhooks), get(addresses.health, "/healthz"));
        webhooks.add(webhook);
        health.add(healthy);
        sleep(Duration::from_millis(100)).await;
    }
    (webhooks, health)
}

/// Sends a review, and returns how long it took until it was allowed.
async fn review(address: SocketAddr) -> Option<Duration> {
    let body = json!({
        "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": "u", "operation": "CREATE", "kind": { "group": "", "version": "v1", "kind": "ConfigMap" },
            "object": { "metadata": { "name": "web" } },
        },
    });
    let request = post("/validate--v1-configmap?timeout=10s", &body.to_string());
    let exchange = async {
        let stream = encrypt(TcpStream::connect(address).await?).await?;
        exchange(stream, &request).await
    };
    timed(exchange, "\"allowed\":true").await
}

/// Sends a request to a server without TLS.
async fn get(address: SocketAddr, path: &str) -> Option<Duration> {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let exchange = async { exchange(TcpStream::connect(address).await?, &request).await };
    timed(exchange, "HTTP/1.1 200 OK").await
}

pub(crate) fn post(path: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
}

async fn timed(exchange: impl Future<Output = io::Result<String>>, expected: &str) -> Option<Duration> {
    let start = Instant::now();
    match timeout(LIMIT, exchange).await {
        Ok(Ok(response)) if response.contains(expected) => Some(start.elapsed()),
        other => {
            println!("no answer after {:?}: {other:?}", start.elapsed());
            None
        }
    }
}

async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin, request: &str) -> io::Result<String> {
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    // A server of TLS may end without its alert.
    if let Err(error) = stream.read_to_end(&mut response).await
        && response.is_empty()
    {
        return Err(error);
    }
    Ok(String::from_utf8_lossy(&response).into_owned())
}
