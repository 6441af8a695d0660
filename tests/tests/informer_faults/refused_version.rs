//! A server that sends a resourceVersion and later rejects it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use crdkit::{
    Client,
    informer::{Informers, Timeouts},
    kube,
};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream},
    time::sleep,
};
use tower::{BoxError, service_fn};

use crate::widget::Widget;

const API_VERSION: &str = "faults.example.com/v1";

/// Without objects, there is no other sign that the watch does not continue.
fn list() -> Value {
    json!({
        "apiVersion": API_VERSION, "kind": "WidgetList", "metadata": { "resourceVersion": "5" },
        "items": [],
    })
}

fn bookmark_with_invalid_version() -> Value {
    let metadata = json!({ "resourceVersion": "odd" });
    let object = json!({ "apiVersion": API_VERSION, "kind": "Widget", "metadata": metadata });
    json!({ "type": "BOOKMARK", "object": object })
}

fn invalid() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Status", "status": "Failure", "code": 400,
        "reason": "BadRequest", "message": "invalid resource version",
    })
}

/// Responds to one request, and counts lists of all objects.
async fn serve(mut stream: DuplexStream, lists: Arc<AtomicUsize>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    let has = |parameter: &str| head.contains(parameter);
    let (status, body, duration) = match () {
        () if !has("watch=true") => {
            lists.fetch_add(usize::from(has("limit=500")), Ordering::Relaxed);
            ("200 OK", list(), 0)
        }
        () if has("sendInitialEvents") || has("resourceVersion=odd") => ("400 Bad Request", invalid(), 0),
        () => {
            let (_, rest) = head.split_once("timeoutSeconds=").unwrap();
            let seconds = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap();
            ("200 OK", bookmark_with_invalid_version(), seconds.parse().unwrap())
        }
    };
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n");
    // The client may have closed the connection.
    let _ = stream.write_all(format!("{head}{body}\n").as_bytes()).await;
    sleep(Duration::from_secs(duration)).await;
}

fn client(lists: &Arc<AtomicUsize>) -> Client {
    let lists = lists.clone();
    let send = service_fn(move |request| {
        let lists = lists.clone();
        async move {
            let (ours, theirs) = tokio::io::duplex(16 * 1024);
            tokio::spawn(serve(theirs, lists));
            let (mut sender, connection) = http1::handshake(TokioIo::new(ours)).await?;
            tokio::spawn(connection);
            Ok::<_, BoxError>(sender.send_request(request).await?)
        }
    });
    kube::Client::new(send, "default").into()
}

#[tokio::test(start_paused = true)]
async fn a_rejected_resource_version_leads_to_a_list() {
    let lists = Arc::new(AtomicUsize::new(0));
    // Watches end before the idle timeout.
    let timeouts = Timeouts::default().watch(Duration::from_secs(60));
    let informers = Informers::new(client(&lists));
    let informer = informers.of::<Widget>().timeouts(timeouts).start();
    informer.synced().await.unwrap();
    assert_eq!(lists.load(Ordering::Relaxed), 1);
    sleep(Duration::from_secs(300)).await;
    assert!(lists.load(Ordering::Relaxed) > 1);
}
