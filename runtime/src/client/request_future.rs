use std::{future::Future, pin::Pin};

use super::error::Error;

/// A future that sends a request when it is awaited.
///
/// This is a named type instead of an `async fn`, so that the compiler reports a missing capability of a scope or a
/// kind only once, and so that the future is always `Send`.
pub type RequestFuture<'a, T, E = Error> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;
