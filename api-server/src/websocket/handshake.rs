//! The handshake of RFC 6455, with the checks of the server's library (`golang.org/x/net/websocket`).

use http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::response::encode::ResponseBody;

const VERSION: &str = "13";
/// A sub-protocol of browsers, which cannot set the header with the token. The server does not repeat it.
const TOKEN: &str = "base64url.bearer.authorization.k8s.io.";

/// The answer to a handshake.
pub(super) struct Accepted {
    key: String,
    protocol: Option<String>,
}

/// Why a handshake fails: the code, and the text in the body.
pub(super) type Refused = (StatusCode, &'static str);

impl Accepted {
    /// Checks the headers of a request.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, Refused> {
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).unwrap_or_default();
        let key = text(header::SEC_WEBSOCKET_KEY);
        if key.is_empty() {
            return Err((StatusCode::BAD_REQUEST, "mismatch challenge/response"));
        }
        if text(header::SEC_WEBSOCKET_VERSION) != VERSION {
            return Err((StatusCode::BAD_REQUEST, "missing or bad WebSocket Version"));
        }
        if text(header::ORIGIN).parse::<Uri>().is_err() {
            return Err((StatusCode::FORBIDDEN, ""));
        }
        let offered = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
        let mut protocols = offered.flat_map(|it| it.split(',')).map(str::trim).filter(|it| !it.starts_with(TOKEN));
        let protocol = protocols.next().filter(|protocol| !protocol.is_empty()).map(str::to_owned);
        // The server does not choose between several.
        if protocols.next().is_some() {
            return Err((StatusCode::BAD_REQUEST, ""));
        }
        Ok(Self { key: derive_accept_key(key.as_bytes()), protocol })
    }

    /// Returns the response that switches the protocol.
    pub(super) fn response(&self) -> Response<ResponseBody> {
        let mut response = Response::new(body(""));
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
        let texts =
            [(header::SEC_WEBSOCKET_ACCEPT, Some(&self.key)), (header::SEC_WEBSOCKET_PROTOCOL, self.protocol.as_ref())];
        for (name, text) in texts {
            if let Some(value) = text.and_then(|text| HeaderValue::from_str(text).ok()) {
                headers.insert(name, value);
            }
        }
        response
    }
}

/// Returns the response to a handshake that fails.
pub(super) fn refuse((code, text): Refused) -> Response<ResponseBody> {
    let mut response = Response::new(body(text));
    *response.status_mut() = code;
    if text.contains("Version") {
        response.headers_mut().insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static(VERSION));
    }
    response
}

fn body(text: &'static str) -> ResponseBody {
    Full::new(text.into()).map_err(|never| match never {}).boxed_unsync()
}
