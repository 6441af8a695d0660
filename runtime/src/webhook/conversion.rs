//! Conversion reviews of all kinds.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value;
use tokio::task::spawn_blocking;

use super::handler::{Handler, HandlerError};
use crate::convert::{Converter, TextReview};

/// Reviews from this size on are processed by a thread for blocking work, because they take milliseconds.
const BLOCKING_BYTES: usize = 256 << 10;

/// Answers conversion reviews.
pub(super) struct ConversionHandler {
    converters: Arc<[Converter]>,
}

impl ConversionHandler {
    pub(super) fn new(converters: Vec<Converter>) -> Self {
        Self { converters: converters.into() }
    }
}

impl Handler for ConversionHandler {
    fn review(&self, body: &Bytes) -> BoxFuture<'static, Result<Vec<u8>, HandlerError>> {
        if body.len() < BLOCKING_BYTES {
            return std::future::ready(review(&self.converters, body)).boxed();
        }
        let (converters, body) = (self.converters.clone(), body.clone());
        async move {
            match spawn_blocking(move || review(&converters, &body)).await {
                Ok(reviewed) => reviewed,
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => Err(HandlerError::Failed("shutting down".to_owned())),
            }
        }
        .boxed()
    }
}

fn review(converters: &[Converter], body: &[u8]) -> Result<Vec<u8>, HandlerError> {
    let response = TextReview::decode(body).and_then(|review| {
        let (group, kind) = review.kind()?;
        review.response(converters.iter().find(|it| it.is_for(&group, &kind))?)
    });
    match response {
        Some(response) => Ok(response),
        None => decoded_review(converters, body),
    }
}

/// Answers any review, and states what is wrong with it or with an object.
fn decoded_review(converters: &[Converter], body: &[u8]) -> Result<Vec<u8>, HandlerError> {
    let bad_request = |error: &dyn std::fmt::Display| HandlerError::BadRequest(error.to_string());
    let review: Value = serde_json::from_slice(body).map_err(|error| bad_request(&error))?;
    let first = &review["request"]["objects"][0];
    let member = |name| first.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (member("apiVersion"), member("kind"));
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    // That of another kind answers with a failure that names both kinds.
    let converter = converters.iter().find(|it| it.is_for(group, kind)).or(converters.first());
    let converter = converter.ok_or_else(|| HandlerError::BadRequest("no kind is converted".to_owned()))?;
    let response = converter.review(review).map_err(|error| bad_request(&error))?;
    serde_json::to_vec(&response).map_err(|error| HandlerError::Failed(error.to_string()))
}

#[cfg(all(test, feature = "testing"))]
mod tests;
