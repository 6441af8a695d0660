//! Conversion reviews of all kinds.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value;

use super::{
    handler::{Handler, HandlerError},
    review_limits::MAX_CONVERTED,
    running::run_blocking,
};
use crate::{
    convert::{Converter, TextReview},
    json::decoded_size::decoded_size,
};

/// Answers conversion reviews, on threads for blocking work: large ones take milliseconds, and functions of the program may block.
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
        let (converters, body) = (self.converters.clone(), body.clone());
        run_blocking(move || review(&converters, &body)).boxed()
    }
}

fn review(converters: &[Converter], body: &[u8]) -> Result<Vec<u8>, HandlerError> {
    let Some(review) = TextReview::decode(body) else {
        return decoded_review(converters, body);
    };
    let converter = review.kind().and_then(|(group, kind)| converters.iter().find(|it| it.is_for(&group, &kind)));
    let Some(converter) = converter else {
        return decoded_review(converters, body);
    };
    review.objects().try_for_each(check_values)?;
    match review.response(converter) {
        Ok(response) => Ok(response),
        Err(unconverted) => match review.only(unconverted) {
            Some(only) => respond(converter, only),
            None => Err(HandlerError::BadRequest("an object cannot be decoded".to_owned())),
        },
    }
}

/// Answers any review, and states what is wrong with it or with an object.
fn decoded_review(converters: &[Converter], body: &[u8]) -> Result<Vec<u8>, HandlerError> {
    let text = str::from_utf8(body).map_err(bad_request)?;
    check_values(text)?;
    let review: Value = serde_json::from_str(text).map_err(bad_request)?;
    let first = &review["request"]["objects"][0];
    let member = |name| first.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (member("apiVersion"), member("kind"));
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    // That of another kind answers with a failure that names both kinds.
    let converter = converters
        .iter()
        .find(|it| it.is_for(group, kind))
        .or(converters.first())
        .ok_or_else(|| HandlerError::BadRequest("no kind is converted".to_owned()))?;
    respond(converter, review)
}

fn respond(converter: &Converter, review: Value) -> Result<Vec<u8>, HandlerError> {
    let response = converter.review(review).map_err(bad_request)?;
    serde_json::to_vec(&response).map_err(|error| HandlerError::Failed(error.to_string()))
}

/// Objects are decoded one after the other, and each fits into memory.
fn check_values(text: &str) -> Result<(), HandlerError> {
    let size = decoded_size(text.as_bytes());
    if size <= MAX_CONVERTED {
        return Ok(());
    }
    Err(HandlerError::BadRequest(format!("an object has too many values: they take about {size} bytes of memory")))
}

fn bad_request(error: impl fmt::Display) -> HandlerError {
    HandlerError::BadRequest(error.to_string())
}

#[cfg(all(test, feature = "testing"))]
mod tests;
