//! Sends requests with retries.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Response, StatusCode};
use kube::client::Body;

use super::{
    body::{BodyError, Interrupted, ResponseBody, collect},
    call::Attempts,
    connection::SendError,
    endpoint::RequestTarget,
    error::{ClientOperation, Error, TimeoutPhase},
    error_response::read_error_response,
    limits::{Limit, QuoteLimit},
    options::Options,
    request::Request,
    retry,
};

/// A complete response.
pub(crate) struct CompleteResponse {
    pub(crate) code: StatusCode,
    pub(crate) body: Bytes,
}

/// What happened to a request before its last attempt.
#[derive(Default)]
pub(crate) struct RetryState {
    /// Whether the server may have processed it.
    pub(crate) maybe_processed: bool,
}

impl RequestTarget {
    /// Sends a request and reads the whole response.
    pub(crate) fn fetch<'a>(&'a self, request: &'a Request<'_>) -> BoxFuture<'a, Result<CompleteResponse, Error>> {
        // A future is compiled where it is polled: boxed, this crate compiles it, and not each function of a kind again.
        Box::pin(async { self.send(&mut RetryState::default(), request).await })
    }

    /// Like [`fetch`](Self::fetch), and records what happened in earlier attempts.
    pub(crate) fn fetch_after<'a>(
        &'a self,
        retry_state: &'a mut RetryState,
        request: &'a Request<'_>,
    ) -> BoxFuture<'a, Result<CompleteResponse, Error>> {
        Box::pin(self.send(retry_state, request))
    }

    async fn send(&self, retry_state: &mut RetryState, request: &Request<'_>) -> Result<CompleteResponse, Error> {
        let mut call = self.call(request);
        loop {
            let sent = self.prepare(request)?;
            self.check_write(request)?;
            let generation = self.client.connection.generation();
            match self.while_allowed(request, self.try_fetch(request, sent, &call)).await {
                Ok(response) => {
                    self.observe_write(request, &response.body);
                    return Ok(response);
                }
                Err(error) => {
                    self.replace_if_stalled(generation, &error);
                    let maybe_processed = !retry::was_not_processed(&error);
                    call.wait_after(error).await?;
                    retry_state.maybe_processed |= maybe_processed;
                }
            }
        }
    }

    /// Sends a request and waits for the response to start.
    pub(crate) fn open<'a>(&'a self, request: &'a Request<'_>) -> BoxFuture<'a, Result<ResponseBody, Error>> {
        Box::pin(self.open_response(request))
    }

    async fn open_response(&self, request: &Request<'_>) -> Result<ResponseBody, Error> {
        let mut call = self.call(request);
        loop {
            let sent = self.prepare(request)?;
            let generation = self.client.connection.generation();
            match self.try_open(request, sent, &call).await {
                Ok(response) => return Ok(response.into_body()),
                Err(error) => {
                    self.replace_if_stalled(generation, &error);
                    call.wait_after(error).await?;
                }
            }
        }
    }

    /// Replaces the connections after a stalled response, because others of them may be dead too.
    fn replace_if_stalled(&self, generation: u64, error: &Error) {
        if let Error::DeadlineExceeded { .. } = error {
            self.client.connection.replace(generation);
        }
    }

    fn call(&self, request: &Request<'_>) -> Attempts {
        Attempts::begin(&self.client.options, request.repeatable)
    }

    async fn try_fetch(
        &self,
        request: &Request<'_>,
        sent: http::Request<Body>,
        call: &Attempts,
    ) -> Result<CompleteResponse, Error> {
        let response = self.try_open(request, sent, call).await?;
        let code = response.status();
        let limit = request.verb.response_limit();
        let options = &self.client.options;
        let body = collect(response.into_body(), self.limit(limit), options.stall_timeout)
            .await
            .map_err(|error| error.into_error(self.operation(request), limit, options))?;
        Ok(CompleteResponse { code, body })
    }

    async fn try_open(
        &self,
        request: &Request<'_>,
        sent: http::Request<Body>,
        call: &Attempts,
    ) -> Result<Response<ResponseBody>, Error> {
        let response = self
            .client
            .connection
            .send(sent, call.attempt())
            .await
            .map_err(|error| error.into_error(self.operation(request), call))?;
        let handler = self.client.options.warning_handler.as_ref();
        self.client.connection.warnings.report(response.headers(), handler, || self.operation(request));
        if response.status().is_success() {
            return Ok(response);
        }
        Err(read_error_response(self.operation(request), response, &self.client.options, call).await)
    }

    pub(crate) fn exceeded(&self, request: &Request<'_>, phase: TimeoutPhase, limit: Duration) -> Error {
        Error::DeadlineExceeded { operation: Box::new(self.operation(request)), phase, limit }
    }

    /// Returns the client's limit.
    pub(crate) fn limit(&self, limit: Limit) -> usize {
        self.client.options.limits.of(limit)
    }

    pub(crate) fn quote_limit(&self) -> QuoteLimit {
        self.client.options.limits.quote_limit()
    }

    /// Returns the error for a response that exceeds the limit.
    pub(crate) fn too_large(&self, request: &Request<'_>, limit: Limit) -> Error {
        Error::TooLarge { operation: Box::new(self.operation(request)), limit, allowed: self.limit(limit) }
    }
}

impl SendError {
    pub(super) fn into_error(self, operation: ClientOperation, call: &Attempts) -> Error {
        match self {
            Self::Elapsed => call.exceeded(operation),
            Self::Broken(source) => transport_error(operation, source),
        }
    }
}

impl BodyError {
    pub(super) fn into_error(self, operation: ClientOperation, limit: Limit, options: &Options) -> Error {
        match self {
            Self::Broken(source) => Interrupted::Broken(source).into_error(operation, options),
            Self::Stalled => Interrupted::Stalled.into_error(operation, options),
            Self::TooLarge => {
                Error::TooLarge { operation: Box::new(operation), limit, allowed: options.limits.of(limit) }
            }
        }
    }
}

impl Interrupted {
    pub(super) fn into_error(self, operation: ClientOperation, options: &Options) -> Error {
        match self {
            Self::Broken(source) => transport_error(operation, source),
            Self::Stalled => Error::DeadlineExceeded {
                operation: Box::new(operation),
                phase: TimeoutPhase::Body,
                limit: options.stall_timeout,
            },
        }
    }
}

fn transport_error(operation: ClientOperation, source: kube::Error) -> Error {
    Error::Transport { operation: Box::new(operation), source: source.into() }
}
