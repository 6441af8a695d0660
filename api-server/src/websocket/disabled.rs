//! No watches over WebSocket.

use http::{Request, Response};
use tokio::sync::watch;

/// Returns a request as it is.
pub(crate) fn take_upgrade<B>(request: Request<B>) -> (Request<B>, ()) {
    (request, ())
}

/// Returns a response as it is.
pub(crate) fn switch<B>((): (), response: Response<B>, _: watch::Receiver<bool>) -> Response<B> {
    response
}
