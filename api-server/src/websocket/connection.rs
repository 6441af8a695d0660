//! A connection that has become a WebSocket.

use futures_util::{
    SinkExt as _, StreamExt as _,
    future::{Either, select},
};
use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body_util::BodyStream;
use hyper::{
    body::Body as _,
    upgrade::{OnUpgrade, Upgraded},
};
use hyper_util::rt::TokioIo;
use tokio::sync::watch;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message, Utf8Bytes,
        protocol::{CloseFrame, Role, frame::coding::CloseCode},
    },
};

use super::{
    handshake::{Accepted, refuse},
    is_watch,
};
use crate::response::encode::ResponseBody;

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// A connection that can become a WebSocket, and the headers of its request.
pub(crate) struct Upgrade {
    connection: OnUpgrade,
    headers: HeaderMap,
}

/// Takes the upgrade from a request of a watch over WebSocket, which then is one without.
pub(crate) fn take_upgrade<B>(request: Request<B>) -> (Request<B>, Option<Upgrade>) {
    let (mut head, body) = request.into_parts();
    let connection = if is_watch(&head) { head.extensions.remove::<OnUpgrade>() } else { None };
    let upgrade = connection.map(|connection| {
        let upgrade = Upgrade { connection, headers: head.headers.clone() };
        head.headers.remove(header::UPGRADE);
        upgrade
    });
    (Request::from_parts(head, body), upgrade)
}

/// Returns the response that switches to a WebSocket with the events of a watch; failures are responses as without an upgrade.
pub(crate) fn switch(
    upgrade: Option<Upgrade>,
    response: Response<ResponseBody>,
    stopped: watch::Receiver<bool>,
) -> Response<ResponseBody> {
    let Some(Upgrade { connection, headers }) = upgrade else { return response };
    let is_stream = response.status() == StatusCode::OK && response.body().size_hint().exact().is_none();
    if !is_stream {
        return response;
    }
    let accepted = match Accepted::of(&headers) {
        Ok(accepted) => accepted,
        Err(refused) => return refuse(refused),
    };
    tokio::spawn(async move {
        let Ok(upgraded) = connection.await else { return };
        let socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await;
        let stop = std::pin::pin!(crdkit::__internal::serve::stopping(stopped));
        // A client that does not read must not delay the stop.
        select(stop, std::pin::pin!(send_events(socket, response.into_body()))).await;
    });
    accepted.response()
}

/// Sends each event in a text frame, until the watch ends or the client closes the WebSocket.
async fn send_events(mut socket: Socket, events: ResponseBody) {
    let mut events = BodyStream::new(events);
    loop {
        let text = match select(events.next(), socket.next()).await {
            Either::Left((Some(Ok(frame)), _)) => frame.into_data().unwrap_or_default(),
            // The end of a watch closes the WebSocket.
            Either::Left((None, _)) => break,
            // A cut watch ends the connection.
            Either::Left((Some(Err(_)), _)) => return,
            // What clients send has no meaning. The library answers pings and the close frame with the next read.
            Either::Right((Some(Ok(_)), _)) => continue,
            Either::Right((Some(Err(_)) | None, _)) => return,
        };
        let Ok(text) = String::from_utf8(text.into()) else { return };
        if socket.send(Message::text(text)).await.is_err() {
            return;
        }
    }
    let frame = CloseFrame { code: CloseCode::Normal, reason: Utf8Bytes::default() };
    // The client may be gone.
    let _ = socket.close(Some(frame)).await;
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::HeaderValue;
    use serde_json::{Value, json};
    use tokio::{net::TcpStream, time::timeout};
    use tokio_tungstenite::{
        client_async,
        tungstenite::{Error, client::IntoClientRequest},
    };

    use super::*;
    use crate::{ApiServer, Requests, ServerHandle};

    const SERVICES: &str = "/api/v1/namespaces/default/services";
    /// The time in which the other side notices an end.
    const LIMIT: Duration = Duration::from_secs(10);

    type Client = WebSocketStream<TcpStream>;

    async fn serve() -> (ApiServer, ServerHandle) {
        let server = ApiServer::new();
        let handle = server.serve(([127, 0, 0, 1], 0)).await.unwrap();
        (server, handle)
    }

    /// Opens a WebSocket with further headers, of which an empty one is left out.
    async fn connect(
        handle: &ServerHandle,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<(Client, HeaderMap), Error> {
        let mut request = format!("ws://{}{path}", handle.address()).into_client_request().unwrap();
        request.headers_mut().insert("origin", HeaderValue::from_static("http://localhost"));
        for (name, value) in headers {
            match *value {
                "" => drop(request.headers_mut().remove(*name)),
                value => drop(request.headers_mut().insert(*name, value.parse().unwrap())),
            }
        }
        let stream = TcpStream::connect(handle.address()).await.unwrap();
        let (client, response) = client_async(request, stream).await?;
        Ok((client, response.headers().clone()))
    }

    async fn watch(handle: &ServerHandle) -> Client {
        let (mut client, _) = connect(handle, &format!("{SERVICES}?watch=true"), &[]).await.unwrap();
        let first = event(&mut client).await;
        assert_eq!((&first["type"], &first["object"]["metadata"]["name"]), (&json!("ADDED"), &json!("kubernetes")));
        client
    }

    async fn next(client: &mut Client) -> Option<Result<Message, Error>> {
        timeout(LIMIT, client.next()).await.expect("the server sends something")
    }

    async fn event(client: &mut Client) -> Value {
        let message = next(client).await.unwrap().unwrap();
        let text = message.to_text().unwrap();
        assert!(message.is_text() && text.ends_with('\n'), "{message:?}");
        serde_json::from_str(text).unwrap()
    }

    #[tokio::test]
    async fn events_are_text_frames() {
        let (server, handle) = serve().await;
        let mut client = watch(&handle).await;
        let service = json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "web" } });
        let _ = server.with_objects(&service.to_string());
        assert_eq!(event(&mut client).await["object"]["metadata"]["name"], "web");
        client.send(Message::Ping(vec![1].into())).await.unwrap();
        while next(&mut client).await.unwrap().unwrap() != Message::Pong(vec![1].into()) {}
    }

    #[tokio::test]
    async fn a_watch_ends_with_its_time_with_faults_and_with_the_server() {
        let (server, handle) = serve().await;
        let (mut client, _) = connect(&handle, &format!("{SERVICES}?watch=true&timeoutSeconds=1"), &[]).await.unwrap();
        event(&mut client).await;
        let is_normal = |message: &Option<Result<Message, Error>>| matches!(message, Some(Ok(Message::Close(Some(frame)))) if frame.code == CloseCode::Normal);
        assert!(is_normal(&next(&mut client).await));

        let mut client = watch(&handle).await;
        server.watches(Requests::watch()).end();
        assert!(is_normal(&next(&mut client).await));

        let mut client = watch(&handle).await;
        server.watches(Requests::watch()).cut();
        while let Some(Ok(message)) = next(&mut client).await {
            assert!(!message.is_close(), "{message:?}");
        }

        let mut client = watch(&handle).await;
        timeout(LIMIT, handle.stop()).await.unwrap();
        while let Some(Ok(_)) = next(&mut client).await {}
    }

    #[tokio::test]
    async fn a_watch_ends_when_the_client_closes() {
        let (server, handle) = serve().await;
        for is_polite in [true, false] {
            let mut client = watch(&handle).await;
            let watches = server.watches(Requests::watch());
            assert_eq!(watches.len(), 1);
            if is_polite {
                client.close(None).await.unwrap();
                assert!(next(&mut client).await.unwrap().unwrap().is_close());
            }
            drop(client);
            let ended = async {
                while !watches.is_empty() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            timeout(LIMIT, ended).await.unwrap();
        }
    }

    /// As the real server answers.
    #[tokio::test]
    async fn handshakes() {
        let (_server, handle) = serve().await;
        const PROTOCOL: &str = "sec-websocket-protocol";
        let token = "base64url.bearer.authorization.k8s.io.YQ, x";
        for (headers, expected) in [
            (&[(PROTOCOL, "base64.binary.k8s.io")][..], Ok(Some("base64.binary.k8s.io"))),
            (&[(PROTOCOL, token)], Ok(Some("x"))),
            (&[], Ok(None)),
            (&[(PROTOCOL, "a, b")], Err(400)),
            (&[("origin", "")], Err(403)),
            (&[("origin", "not a uri")], Err(403)),
            (&[("sec-websocket-version", "12")], Err(400)),
        ] {
            let outcome = match connect(&handle, &format!("{SERVICES}?watch=true"), headers).await {
                Ok((_, headers)) => Ok(headers.get(PROTOCOL).map(|it| it.to_str().unwrap().to_owned())),
                Err(Error::Http(response)) => Err(response.status().as_u16()),
                Err(error) => panic!("{error}"),
            };
            assert_eq!(outcome, expected.map(|protocol| protocol.map(str::to_owned)), "{headers:?}");
        }
        // Failures and other requests are answered as without an upgrade.
        for (path, code) in [("?watch=true&resourceVersion=x", 500), ("", 200)] {
            let outcome = connect(&handle, &format!("{SERVICES}{path}"), &[]).await;
            let Err(Error::Http(response)) = outcome else { panic!("{path}") };
            assert_eq!(response.status(), code);
        }
    }
}
