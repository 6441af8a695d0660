//! Sends requests until there is an answer or no sense in going on.

use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};
use kube::client::Body;
use kube_core::Resource;

use super::{
    body::{BodyError, Interrupted, ResponseBody, collect},
    call::Call,
    connection::SendError,
    endpoint::Endpoint,
    error::{Error, Operation, Phase},
    limits::{Limit, Quotes},
    options::Options,
    refused::refused,
    request::Request,
    retry,
};

/// An answer that is complete.
pub(crate) struct Answer {
    pub(crate) code: StatusCode,
    pub(crate) body: Bytes,
}

/// How a request fared before it was sent the last time.
#[derive(Default)]
pub(crate) struct Before {
    /// Whether it may have been served.
    pub(crate) maybe_served: bool,
}

impl<K: Resource> Endpoint<K> {
    /// Sends a request and waits for the whole answer.
    pub(crate) async fn fetch(&self, request: &Request<'_>) -> Result<Answer, Error> {
        self.fetch_after(&mut Before::default(), request).await
    }

    /// As [`fetch`](Self::fetch), and keeps account of what came before the answer.
    pub(crate) async fn fetch_after(
        &self,
        before: &mut Before,
        request: &Request<'_>,
    ) -> Result<Answer, Error> {
        let mut call = self.call(request);
        loop {
            let sent = self.prepare(request)?;
            let generation = self.client.connection.generation();
            match self.try_fetch(request, sent, &call).await {
                Ok(answer) => return Ok(answer),
                Err(error) => {
                    self.leave_stalled(generation, &error);
                    let maybe_served = !retry::was_not_served(&error);
                    call.wait_after(error).await?;
                    before.maybe_served |= maybe_served;
                }
            }
        }
    }

    /// Sends a request and waits for the answer to begin.
    pub(crate) async fn open(&self, request: &Request<'_>) -> Result<ResponseBody, Error> {
        self.open_in(self.call(request), request).await
    }

    /// As [`open`](Self::open), for a limited time, if the client has not less.
    #[cfg(feature = "informer")]
    pub(crate) async fn open_within(
        &self,
        limit: Duration,
        request: &Request<'_>,
    ) -> Result<ResponseBody, Error> {
        let mut options = self.client.options.clone();
        options.timeout = options.timeout.min(limit);
        let call = Call::begin(&options, request.repeatable);
        self.open_in(call, request).await
    }

    async fn open_in(&self, mut call: Call, request: &Request<'_>) -> Result<ResponseBody, Error> {
        loop {
            let sent = self.prepare(request)?;
            let generation = self.client.connection.generation();
            match self.try_open(request, sent, &call).await {
                Ok(response) => return Ok(response.into_body()),
                Err(error) => {
                    self.leave_stalled(generation, &error);
                    call.wait_after(error).await?;
                }
            }
        }
    }

    /// Others of the connections on which an answer stood still may be dead, too.
    fn leave_stalled(&self, generation: u64, error: &Error) {
        if let Error::DeadlineExceeded { .. } = error {
            self.client.connection.replace(generation);
        }
    }

    fn call(&self, request: &Request<'_>) -> Call {
        Call::begin(&self.client.options, request.repeatable)
    }

    async fn try_fetch(
        &self,
        request: &Request<'_>,
        sent: http::Request<Body>,
        call: &Call,
    ) -> Result<Answer, Error> {
        let response = self.try_open(request, sent, call).await?;
        let code = response.status();
        let limit = request.verb.answered_by();
        let options = &self.client.options;
        let body = collect(
            response.into_body(),
            self.limit(limit),
            options.stall_timeout,
        )
        .await;
        let body =
            body.map_err(|error| error.into_error(self.operation(request), limit, options))?;
        Ok(Answer { code, body })
    }

    async fn try_open(
        &self,
        request: &Request<'_>,
        sent: http::Request<Body>,
        call: &Call,
    ) -> Result<Response<ResponseBody>, Error> {
        let response = self.client.connection.send(sent, call.attempt()).await;
        let response = response.map_err(|error| error.into_error(self.operation(request), call))?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(refused(
            self.operation(request),
            response,
            &self.client.options,
            call,
        )
        .await)
    }

    pub(crate) fn exceeded(&self, request: &Request<'_>, phase: Phase, limit: Duration) -> Error {
        Error::DeadlineExceeded {
            operation: Box::new(self.operation(request)),
            phase,
            limit,
        }
    }

    /// How many bytes the client reads at most.
    pub(crate) fn limit(&self, limit: Limit) -> usize {
        self.client.options.limits.of(limit)
    }

    pub(crate) fn quotes(&self) -> Quotes {
        self.client.options.limits.quotes()
    }

    /// What came is more than the limit of the client for it.
    pub(crate) fn too_large(&self, request: &Request<'_>, limit: Limit) -> Error {
        Error::TooLarge {
            operation: Box::new(self.operation(request)),
            limit,
            allowed: self.limit(limit),
        }
    }
}

impl SendError {
    pub(super) fn into_error(self, operation: Operation, call: &Call) -> Error {
        match self {
            Self::Elapsed => call.exceeded(operation),
            Self::Broken(source) => broken(operation, source),
        }
    }
}

impl BodyError {
    pub(super) fn into_error(self, operation: Operation, limit: Limit, options: &Options) -> Error {
        match self {
            Self::Broken(source) => Interrupted::Broken(source).into_error(operation, options),
            Self::Stalled => Interrupted::Stalled.into_error(operation, options),
            Self::TooLarge => Error::TooLarge {
                operation: Box::new(operation),
                limit,
                allowed: options.limits.of(limit),
            },
        }
    }
}

impl Interrupted {
    pub(super) fn into_error(self, operation: Operation, options: &Options) -> Error {
        match self {
            Self::Broken(source) => broken(operation, source),
            Self::Stalled => Error::DeadlineExceeded {
                operation: Box::new(operation),
                phase: Phase::Body,
                limit: options.stall_timeout,
            },
        }
    }
}

fn broken(operation: Operation, source: kube::Error) -> Error {
    Error::Transport {
        operation: Box::new(operation),
        source: source.into(),
    }
}
