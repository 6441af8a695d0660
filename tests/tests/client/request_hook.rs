//! A client that sends its requests through a function of the test.

use std::future::Future;

use crdkit::Client;
use http::{Request, Response};
use kube::client::Body;
use tower::{BoxError, service_fn};

/// Returns a client that sends with `send`, which may wait, inspect the request, and drop the response.
pub(crate) fn client_with_hook<A>(send: impl Fn(Request<Body>) -> A + Send + 'static) -> Client
where
    A: Future<Output = Result<Response<Body>, BoxError>> + Send + 'static,
{
    Client::from(kube::Client::new(service_fn(send), "default"))
}
