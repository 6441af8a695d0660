//! A client whose requests go through a function of the test.

use std::future::Future;

use crdkit::Client;
use http::{Request, Response};
use kube::client::Body;
use tower::{BoxError, service_fn};

/// Sends what `client` sends by `send`, which may wait, look at it, and lose the answer.
pub(crate) fn client_through<A>(send: impl Fn(Request<Body>) -> A + Send + 'static) -> Client
where
    A: Future<Output = Result<Response<Body>, BoxError>> + Send + 'static,
{
    Client::from(kube::Client::new(service_fn(send), "default"))
}
