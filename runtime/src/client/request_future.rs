use std::{future::Future, pin::Pin};

use super::error::Error;

/// A request that is made when this is awaited.
///
/// It is a type of its own, and not hidden behind `async fn`, so that the compiler says once what a place or a kind
/// lacks, and knows everywhere that it can be sent to another thread.
pub type RequestFuture<'a, T, E = Error> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;
