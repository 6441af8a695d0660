//! The server of webhooks: protocols, shutdown, and with controllers.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use bytes::Bytes;
use crdkit::{
    controller::{Manager, ServeOptions},
    webhook::{AdmissionContext, Error, Webhook, WebhookServer, Webhooks},
};
use crdkit_api_server::ApiServer;
use crdkit_tests::tls::{Certificate, authority, resolver};
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    runtime::Builder,
    sync::{Notify, oneshot},
    time::sleep,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName},
    },
};

const PATH: &str = "/validate--v1-configmap";

fn webhooks(release: &Arc<Notify>) -> Webhooks {
    let validate = |map: Arc<ConfigMap>, cx: AdmissionContext<ConfigMap, Arc<Notify>>| async move {
        if map.metadata.name.as_deref() == Some("slow") {
            cx.state().notified().await;
        }
        Ok::<_, Error>(())
    };
    Webhooks::new("maps").add(Webhook::of::<ConfigMap>().state(release.clone()).validate(validate))
}

fn server(release: &Arc<Notify>) -> WebhookServer {
    WebhookServer::new(&webhooks(release), resolver(Certificate::First)).address("127.0.0.1:0")
}

async fn connect(address: SocketAddr, protocol: &str) -> TokioIo<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(authority())).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let stream = TcpStream::connect(address).await.unwrap();
    let name = ServerName::from(address.ip());
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(protocol.as_bytes()));
    TokioIo::new(stream)
}

fn review(name: &str) -> Request<Full<Bytes>> {
    let review = json!({
        "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": "u", "operation": "CREATE", "kind": { "group": "", "version": "v1", "kind": "ConfigMap" },
            "object": { "metadata": { "name": name } },
        },
    });
    let request =
        Request::post(PATH).header(header::CONTENT_TYPE, "application/json").header(header::HOST, "localhost");
    request.body(Full::from(review.to_string())).unwrap()
}

async fn is_allowed(response: http::Response<hyper::body::Incoming>) -> bool {
    let body = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice::<Value>(&body).unwrap()["response"]["allowed"] == true
}

/// Sends a review on a connection of its own.
async fn send(address: SocketAddr, name: &str) -> bool {
    let (mut sender, connection) = http1::handshake(connect(address, "http/1.1").await).await.unwrap();
    tokio::spawn(connection);
    is_allowed(sender.send_request(review(name)).await.unwrap()).await
}

#[tokio::test]
async fn both_protocols_are_served() {
    let server = server(&Arc::default()).start().unwrap();
    assert!(send(server.address(), "web").await);
    let stream = connect(server.address(), "h2").await;
    let (mut sender, connection) = http2::handshake(TokioExecutor::new(), stream).await.unwrap();
    tokio::spawn(connection);
    let mut request = review("web");
    *request.uri_mut() = format!("https://localhost{PATH}").parse().unwrap();
    request.headers_mut().remove(header::HOST);
    assert!(is_allowed(sender.send_request(request).await.unwrap()).await);
}

#[tokio::test]
async fn running_reviews_are_answered_after_the_shutdown_began() {
    let release = Arc::<Notify>::default();
    let server = server(&release).start().unwrap();
    let (address, service) = (server.address(), server.service().clone());
    let slow = tokio::spawn(send(address, "slow"));
    while !service.openmetrics().contains("in_flight{webhook=\"/validate--v1-configmap\"} 1.0") {
        tokio::task::yield_now().await;
    }
    assert!(service.is_serving());
    let stopped = tokio::spawn(server.stop());
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(!stopped.is_finished() && !service.is_serving());
    release.notify_one();
    assert!(slow.await.unwrap());
    stopped.await.unwrap();
}

/// Sends a request on a connection of its own, and returns the status and the body.
async fn respond(address: SocketAddr, request: Request<Full<Bytes>>) -> (u16, String) {
    let (mut sender, connection) = http1::handshake(connect(address, "http/1.1").await).await.unwrap();
    tokio::spawn(connection);
    let response = sender.send_request(request).await.unwrap();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

/// The only thread of the functions is blocked, and those of the connections are not.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_function_that_blocks_delays_no_connection() {
    let functions = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (release, released) = mpsc::channel::<()>();
    let released = Arc::new(Mutex::new(released));
    let validate = move |_, _: AdmissionContext<ConfigMap>| {
        let released = released.clone();
        async move {
            let _ = released.lock().unwrap().recv();
            Ok::<_, Error>(())
        }
    };
    let webhooks = Webhooks::new("maps").add(Webhook::of::<ConfigMap>().validate(validate));
    let server = {
        let _entered = functions.enter();
        WebhookServer::new(&webhooks, resolver(Certificate::First)).address("127.0.0.1:0").start().unwrap()
    };
    let address = server.address();
    let ready = || Request::get("/readyz").header(header::HOST, "localhost").body(Full::default()).unwrap();
    assert_eq!(respond(address, ready()).await, (200, "ok".to_owned()));

    let mut blocked = review("web");
    *blocked.uri_mut() = format!("{PATH}?timeout=1s").parse().unwrap();
    assert_eq!(respond(address, blocked).await, (504, "no result within 1s".to_owned()));
    assert_eq!(respond(address, ready()).await.0, 503);
    // The server sends requests to itself now and then.
    while server.service().is_serving() {
        sleep(Duration::from_millis(50)).await;
    }
    release.send(()).unwrap();
    while !server.service().is_serving() {
        sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(respond(address, ready()).await.0, 200);
    server.stop().await;
    functions.shutdown_background();
}

#[tokio::test]
async fn what_is_no_request_disturbs_no_others() {
    let server = server(&Arc::default()).start().unwrap();
    let mut garbage = TcpStream::connect(server.address()).await.unwrap();
    garbage.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    // The alert of TLS, and then the end.
    garbage.read_to_end(&mut Vec::new()).await.unwrap();
    let mut encrypted = connect(server.address(), "http/1.1").await.into_inner();
    encrypted.write_all(b"\0\0\0\r\n\r\n").await.unwrap();
    let mut response = Vec::new();
    let _ = encrypted.read_to_end(&mut response).await;
    assert!(response.starts_with(b"HTTP/1.1 400 "), "{}", String::from_utf8_lossy(&response));
    assert!(send(server.address(), "web").await);
}

#[tokio::test]
async fn a_manager_serves_webhooks() {
    let (stop, stopped) = oneshot::channel::<()>();
    let options = ServeOptions::new().health_address("127.0.0.1:0").metrics_address("0");
    let manager = Manager::new(ApiServer::new().client())
        .webhooks(server(&Arc::default()))
        .serve(options)
        .leader_election("never")
        .until(stopped);
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    let address = handle.addresses().await.webhooks.unwrap();
    assert!(send(address, "web").await);
    assert_eq!(handle.readyz().check("webhooks").unwrap().failure, None);
    let total = "controller_runtime_webhook_requests_total{webhook=\"/validate--v1-configmap\",code=\"200\"} 1";
    assert!(handle.openmetrics().contains(total), "{}", handle.openmetrics());
    drop(stop);
    running.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
    assert!(!handle.readyz().is_healthy());
}
