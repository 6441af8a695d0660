//! Tests with real connections.

use std::{
    collections::HashSet,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Config;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use crate::client::{Client, ConnectError, Error};

const FOUND: &str = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web"}}"#;

/// A truncated response.
const BEGUN: &str = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{";

/// A server that sends a number of responses per connection. Afterwards it reads requests without responding, or sends
/// a fixed response to all of them.
struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<usize>>>,
    accepting: JoinHandle<()>,
}

impl Server {
    async fn answering(times: &'static [usize]) -> Self {
        Self::answering_then(times, "").await
    }

    async fn answering_then(times: &'static [usize], then: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        let accepting = tokio::spawn(async move {
            for (connection, times) in times.iter().enumerate() {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, connection, (*times, then), log.clone()));
            }
        });
        Self { address, seen, accepting }
    }

    fn config(&self) -> Config {
        let mut config = Config::new(format!("http://{}", self.address).parse().unwrap());
        config.default_namespace = "prod".into();
        config
    }

    /// Returns the connection number of each request.
    fn seen(&self) -> Vec<usize> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn serve(mut stream: TcpStream, connection: usize, (times, then): (usize, &str), seen: Arc<Mutex<Vec<usize>>>) {
    let mut request = [0; 4096];
    let mut answered = 0;
    while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
        seen.lock().unwrap().push(connection);
        if answered < times {
            answered += 1;
            let length = FOUND.len();
            let response = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{FOUND}");
            stream.write_all(response.as_bytes()).await.unwrap();
        } else {
            stream.write_all(then.as_bytes()).await.unwrap();
        }
    }
}

async fn get(client: &Client) -> Result<ConfigMap, Error> {
    let configs = client.resources::<ConfigMap>().default_namespace();
    configs.get("web").await
}

#[tokio::test]
async fn dead_connection_is_replaced() {
    let server = Server::answering(&[1, 9]).await;
    let client = Client::try_from(server.config()).unwrap();
    get(&client).await.unwrap();
    let start = Instant::now();
    let impatient = client.timeout(Duration::from_secs(1));
    get(&impatient).await.unwrap();
    assert!(start.elapsed() >= Duration::from_millis(500));
    get(&client).await.unwrap();
    assert_eq!(server.seen(), [0, 0, 1, 1]);
}

#[tokio::test]
async fn all_dead_connections_of_a_pool_are_replaced_together() {
    let server = Server::answering(&[1, 1, 1, 9]).await;
    let client = Client::try_from(server.config()).unwrap();
    let (a, b, c) = tokio::join!(get(&client), get(&client), get(&client));
    for found in [a, b, c] {
        found.unwrap();
    }
    let used: HashSet<_> = server.seen().into_iter().collect();
    assert_eq!(used.len(), 3);
    get(&client.timeout(Duration::from_secs(1))).await.unwrap();
    assert_eq!(server.seen().last(), Some(&3));
}

#[tokio::test]
async fn all_connections_are_replaced_after_a_stalled_response() {
    let server = Server::answering_then(&[1, 1, 9], BEGUN).await;
    let client = Client::try_from(server.config()).unwrap();
    let (a, b) = tokio::join!(get(&client), get(&client));
    a.unwrap();
    b.unwrap();
    let client = client.stall_timeout(Duration::from_millis(200));
    get(&client).await.unwrap();
    let seen = server.seen();
    assert_eq!((seen.len(), seen.last()), (4, Some(&2)), "{seen:?}");
}

#[tokio::test]
async fn write_without_response_is_not_repeated_and_the_next_one_is_sent() {
    let server = Server::answering(&[1, 9]).await;
    let client = Client::try_from(server.config()).unwrap();
    get(&client).await.unwrap();
    let impatient = client.timeout(Duration::from_millis(300));
    let configs = impatient.resources::<ConfigMap>().default_namespace();
    let web: ConfigMap = serde_json::from_str(FOUND).unwrap();
    let error = configs.replace(&web).await.unwrap_err();
    assert!(error.is_outcome_unknown(), "{error}");
    configs.replace(&web).await.unwrap();
    assert_eq!(server.seen(), [0, 0, 1]);
}

#[tokio::test]
async fn kube_client_shares_the_connections() {
    let server = Server::answering(&[9]).await;
    let client = Client::try_from(server.config()).unwrap();
    get(&client).await.unwrap();
    let configs = kube::Api::<ConfigMap>::default_namespaced(client.kube().clone());
    configs.get("web").await.unwrap();
    assert_eq!(server.seen(), [0, 0]);
}

#[tokio::test]
async fn unsent_request_was_not_made() {
    let server = Server::answering(&[]).await;
    let config = server.config();
    drop(server);
    tokio::task::yield_now().await;
    let client = Client::try_from(config).unwrap().max_retries(0);
    let configs = client.resources::<ConfigMap>().default_namespace();
    let web: ConfigMap = serde_json::from_str(FOUND).unwrap();
    let error = configs.create(&web).await.unwrap_err();
    assert!(matches!(error, Error::Transport { .. }), "{error}");
    assert!(!error.is_outcome_unknown(), "{error}");
}

#[test]
fn client_outside_a_runtime_is_an_error() {
    let config = Config::new("http://127.0.0.1:1".parse().unwrap());
    let error = Client::try_from(config).unwrap_err();
    assert!(matches!(error, ConnectError::NoRuntime), "{error}");
}

#[tokio::test]
async fn watches_use_separate_connections() {
    let server = Server::answering(&[9, 9]).await;
    let client = Client::try_from(server.config()).unwrap();
    get(&client).await.unwrap();
    let connection = Arc::new(client.connection.for_watches().unwrap().unwrap());
    get(&Client { connection, options: client.options.clone() }).await.unwrap();
    get(&client).await.unwrap();
    assert_eq!(server.seen(), [0, 1, 0]);
    assert!(Client::from(client.kube().clone()).connection.for_watches().is_none());
}

#[cfg(any(feature = "rustls-tls", feature = "openssl-tls"))]
#[tokio::test]
async fn client_over_tls_can_be_created() {
    let mut config = Config::new("https://127.0.0.1:1".parse().unwrap());
    config.accept_invalid_certs = true;
    config.tls_server_name = Some("example.com".into());
    let client = Client::try_from(config.clone()).unwrap().max_retries(0);
    let error = get(&client).await.unwrap_err();
    assert!(matches!(error, Error::Transport { .. }), "{error}");
    #[cfg(feature = "rustls-tls")]
    {
        config.tls_server_name = Some("no name".into());
        Client::try_from(config).unwrap_err();
    }
}

/// A proxy that accepts one connection, and the bytes that it received.
#[cfg(any(feature = "http-proxy", feature = "socks5"))]
async fn proxy(server: SocketAddr, dialogue: &'static [(usize, &'static [u8])]) -> (SocketAddr, JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let received = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut received = Vec::new();
        for (least, response) in dialogue {
            let before = received.len();
            while received.len() - before < *least {
                assert!(stream.read_buf(&mut received).await.unwrap() > 0);
            }
            stream.write_all(response).await.unwrap();
        }
        tokio::spawn(async move {
            let mut server = TcpStream::connect(server).await.unwrap();
            tokio::io::copy_bidirectional(&mut stream, &mut server).await
        });
        received
    });
    (address, received)
}

#[cfg(feature = "http-proxy")]
#[tokio::test]
async fn http_proxy_receives_credentials() {
    let server = Server::answering(&[9]).await;
    const DIALOGUE: &[(usize, &[u8])] = &[(98, b"HTTP/1.1 200 OK\r\n\r\n")];
    let (proxy, received) = proxy(server.address, DIALOGUE).await;
    let mut config = server.config();
    config.proxy_url = Some(format!("http://me:p%40ss@{proxy}").parse().unwrap());
    let client = Client::try_from(config).unwrap();
    get(&client).await.unwrap();
    get(&client).await.unwrap();
    let received = String::from_utf8(received.await.unwrap()).unwrap();
    let connect = format!("CONNECT {} HTTP/1.1", server.address);
    assert!(received.starts_with(&connect), "{received}");
    assert!(received.contains("Basic bWU6cEBzcw=="), "{received}");
}

#[cfg(feature = "socks5")]
#[tokio::test]
async fn socks_proxy_connects_to_the_server() {
    let server = Server::answering(&[9]).await;
    const DIALOGUE: &[(usize, &[u8])] = &[(3, &[5, 0]), (10, &[5, 0, 0, 1, 127, 0, 0, 1, 0, 1])];
    let (proxy, received) = proxy(server.address, DIALOGUE).await;
    let mut config = server.config();
    config.proxy_url = Some(format!("socks5://{proxy}").parse().unwrap());
    get(&Client::try_from(config).unwrap()).await.unwrap();
    assert_eq!(received.await.unwrap()[0], 5);
}

#[tokio::test]
async fn unknown_proxies_are_rejected() {
    let mut config = Config::new("http://127.0.0.1:1".parse().unwrap());
    config.proxy_url = Some("gopher://127.0.0.1:1".parse().unwrap());
    let error = Client::try_from(config).unwrap_err();
    assert!(matches!(error, ConnectError::InvalidConfig(_)), "{error}");
}

/// A ConfigMap with 100,000 times `x`.
#[cfg(feature = "gzip")]
const COMPRESSED: &str = "\
     1f8b0800000000000203edc9310ac2401404d0bbfc3a8d6d5a6b5bfb95acb2483641830a61efee36dec1e2bd621866f6486b\
     39e7c7b32c35c6781d62887ba953efc7a55ecbed94d63ecd794b53da528c7bd434e77ebff325da10bfb5477c000000000000\
     0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
     0000000000000000000000000000000000000000000000000000000000000000000000000000000080bf15ad7d01fe935bf0\
     f0860100";

#[cfg(feature = "gzip")]
#[tokio::test]
async fn limits_apply_after_decompression() {
    use crate::client::{Limit, Limits};

    let body: Vec<u8> = COMPRESSED
        .as_bytes()
        .chunks(2)
        .map(|hex| u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16))
        .map(Result::unwrap)
        .collect();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = Config::new(format!("http://{}", listener.local_addr().unwrap()).parse().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
            let length = body.len();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {length}\r\n\r\n");
            stream.write_all(&[head.as_bytes(), &body].concat()).await.unwrap();
        }
    });
    let client = Client::try_from(config).unwrap();
    assert_eq!(get(&client).await.unwrap().data.unwrap()["a"].len(), 100_000);
    let error = get(&client.limits(Limits::default().object(50_000))).await.unwrap_err();
    let Error::TooLarge { limit, allowed, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((limit, allowed), (Limit::Object, 50_000));
}
