//! The server as a service of HTTP requests.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http::Response;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Body;
use tower::BoxError;

use super::{
    failure::Failure,
    negotiation::Accepted,
    request::{MAX_BODY, Request},
    response::encode::{ResponseBody, encode},
    stages,
    state::{SharedState, State},
    user::User,
    websocket,
};

/// An [`ApiServer`](super::ApiServer) as a service of HTTP requests, for clients of other crates. Clones are the same server.
#[derive(Clone)]
pub struct ApiServerService {
    pub(super) state: SharedState,
    /// The user of requests that impersonate no other one.
    pub(super) user: Arc<User>,
}

impl<B> tower::Service<http::Request<B>> for ApiServerService
where
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;
    type Response = Response<ResponseBody>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let body = match Limited::new(body, MAX_BODY).collect().await {
                Ok(body) => body.to_bytes(),
                Err(error) if error.is::<LengthLimitError>() => {
                    return Ok(encode(Err(Failure::body_too_large(MAX_BODY)), Accepted::default(), &[]));
                }
                Err(error) => return Err(error),
            };
            if websocket::is_watch(&head) {
                return Ok(encode(Err(websocket::unavailable()), Accepted::default(), &[]));
            }
            let request = Request { method: head.method, uri: head.uri, headers: head.headers, body };
            stages::exchange(&service.state, &service.user, request).await
        })
    }
}

impl ApiServerService {
    /// Reads or changes the state.
    pub(super) fn state<T>(&self, action: impl FnOnce(&mut State) -> T) -> T {
        self.state.with(action)
    }
}
