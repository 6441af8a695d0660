//! Watches over WebSocket, which some clients ask for first, such as Java's fabric8.
//!
//! The API server ignores the request of an upgrade for anything but watches. An upgrade needs a connection, so that it is in the
//! service of a port. Without the feature `websocket`, and in the process, there is a short error, after which clients ask again
//! without an upgrade.

use http::{Method, header, request::Parts};

use super::{failure::Failure, request::Query};

#[cfg(feature = "websocket")]
mod connection;
#[cfg(not(feature = "websocket"))]
mod disabled;
#[cfg(feature = "websocket")]
mod handshake;

#[cfg(feature = "websocket")]
pub(super) use connection::{switch, take_upgrade};
#[cfg(not(feature = "websocket"))]
pub(super) use disabled::{switch, take_upgrade};

/// Returns whether a request asks for a watch over WebSocket.
pub(super) fn is_watch(head: &Parts) -> bool {
    let has = |name, value: &str| {
        let mut texts = head.headers.get_all(name).iter().filter_map(|text| text.to_str().ok());
        texts.any(|text| text.to_ascii_lowercase().contains(value))
    };
    head.method == Method::GET
        && has(header::UPGRADE, "websocket")
        && has(header::CONNECTION, "upgrade")
        && Query::parse(head.uri.query()).flag("watch")
}

/// The failure of a watch over WebSocket that is not served.
pub(super) fn unavailable() -> Failure {
    // fabric8 falls back to HTTP with this code, but not with 400 or 501.
    Failure::unavailable("watches over WebSocket need a port of the server and its feature `websocket`")
}

#[cfg(test)]
mod tests {
    use http::{Request, Response};
    use http_body_util::{BodyExt as _, Full};
    use serde_json::Value;
    use tower::ServiceExt as _;

    use crate::{ApiServer, response::encode::ResponseBody};

    const WATCH: &str = "/api/v1/namespaces/default/services?watch=true";

    async fn ask(server: &ApiServer, path: &str) -> Response<ResponseBody> {
        let request = Request::get(path).header("Upgrade", "websocket").header("Connection", "keep-alive, Upgrade");
        server.service().oneshot(request.body(Full::<bytes::Bytes>::default()).unwrap()).await.unwrap()
    }

    #[tokio::test]
    async fn clients_fall_back_where_there_is_no_connection() {
        let server = ApiServer::new();
        let refused = ask(&server, WATCH).await;
        assert_eq!(refused.status(), 503);
        let status: Value = serde_json::from_slice(&refused.into_body().collect().await.unwrap().to_bytes()).unwrap();
        assert_eq!(status["reason"], "ServiceUnavailable");
        // Nothing else looks at the header.
        assert_eq!(ask(&server, "/api/v1/namespaces/default/services").await.status(), 200);
    }
}
