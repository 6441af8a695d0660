//! A server whose every response contains a secret.

use http::Uri;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::{ENCODED, SECRET};

/// Serves connections over TCP as long as the runtime lives.
pub(crate) async fn serve() -> Uri {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream));
        }
    });
    format!("http://{address}").parse().unwrap()
}

/// The first byte of TLS.
const HANDSHAKE: u8 = 0x16;

async fn answer(mut stream: TcpStream) {
    let mut request = Vec::new();
    while request.first() != Some(&HANDSHAKE) && !request.windows(4).any(|end| end == b"\r\n\r\n") {
        if !matches!(stream.read_buf(&mut request).await, Ok(1..)) {
            return;
        }
    }
    let request = String::from_utf8_lossy(&request);
    let (code, body) = body(request.lines().next().unwrap_or_default());
    let answer = format!(
        "HTTP/1.1 {code} Status\r\ncontent-type: application/json\r\nset-cookie: {SECRET}\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.write_all(answer.as_bytes()).await;
}

/// What is answered to a request, by its namespace.
fn body(request: &str) -> (u16, String) {
    let is_watch = request.contains("watch=true");
    let is_at = |namespace: &str| request.contains(&format!("/namespaces/{namespace}/"));
    if is_at("unauthorized") {
        return refusal(401, "Unauthorized", &format!("the token Bearer {SECRET}1 is expired"));
    }
    if is_at("invalid") {
        let message = format!("data.key: Invalid value: \"{SECRET}\": must not be {SECRET}");
        return refusal(422, "Invalid", &message);
    }
    if is_at("proxy") {
        return (502, format!("<html>Authorization: Bearer {SECRET}</html>"));
    }
    if is_at("broken") {
        let line = format!(r#"{{"type":"ADDED","object":{{"data":"{SECRET}"#);
        return (200, line + "\n");
    }
    if is_at("odd") {
        let odd = json!({ "type": "ADDED", "object": secret(["odd", "web"], 7, json!(SECRET)) });
        return (200, format!("{odd}\n{}", end_of_list()));
    }
    if is_watch { (200, changes()) } else { (200, secret(["prod", "web"], 7, json!({ "key": [SECRET] })).to_string()) }
}

fn refusal(code: u16, reason: &str, message: &str) -> (u16, String) {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message,
    });
    (code, status.to_string())
}

fn secret([namespace, name]: [&str; 2], version: u32, data: Value) -> Value {
    let metadata = json!({ "name": name, "namespace": namespace, "uid": name, "resourceVersion": version.to_string() });
    json!({ "kind": "Secret", "apiVersion": "v1", "metadata": metadata, "data": data })
}

fn end_of_list() -> String {
    let annotations = json!({ "k8s.io/initial-events-end": "true" });
    let metadata = json!({ "resourceVersion": "8", "annotations": annotations });
    let object = json!({ "kind": "Secret", "apiVersion": "v1", "metadata": metadata });
    json!({ "type": "BOOKMARK", "object": object }).to_string() + "\n"
}

/// A list of one object, and a change of it.
fn changes() -> String {
    let object = |version| secret(["prod", "web"], version, json!({ "key": ENCODED }));
    let added = json!({ "type": "ADDED", "object": object(7) });
    let modified = json!({ "type": "MODIFIED", "object": object(9) });
    format!("{added}\n{}{modified}\n", end_of_list())
}
