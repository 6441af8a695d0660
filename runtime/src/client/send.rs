//! Sends requests until there is an answer or no sense in going on.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode, header::RETRY_AFTER};
use kube::client::Body;
use kube_core::{Resource, Status};

use super::{
    body::{BodyError, ResponseBody, collect},
    call::Call,
    connection::SendError,
    endpoint::Endpoint,
    error::{Error, Phase, Refusal},
    expected::Types,
    limits::{Limit, Quotes},
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
            match self.try_fetch(request, sent, &call).await {
                Ok(answer) => return Ok(answer),
                Err(error) => {
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
            match self.try_open(request, sent, &call).await {
                Ok(response) => return Ok(response.into_body()),
                Err(error) => call.wait_after(error).await?,
            }
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
        let stall = self.client.options.stall_timeout;
        let body = collect(response.into_body(), self.limit(limit), stall).await;
        let body = body.map_err(|error| self.unread(request, limit, error))?;
        Ok(Answer { code, body })
    }

    async fn try_open(
        &self,
        request: &Request<'_>,
        sent: http::Request<Body>,
        call: &Call,
    ) -> Result<Response<ResponseBody>, Error> {
        let response = self.client.connection.send(sent, call.attempt()).await;
        let response = response.map_err(|error| match error {
            SendError::Elapsed => self.exceeded(request, Phase::Answer, call.limit()),
            SendError::Broken(source) => self.broken(request, source),
        })?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (head, body) = response.into_parts();
        let stall = self.client.options.stall_timeout;
        let body = collect(body, self.limit(Limit::Error), stall);
        let body = call.within(body).await;
        let body = body.map_err(|_| self.exceeded(request, Phase::Answer, call.limit()))?;
        let body = body.map_err(|error| self.unread(request, Limit::Error, error))?;
        Err(self.refused(request, head.status, &head.headers, &body))
    }

    fn broken(&self, request: &Request<'_>, source: kube::Error) -> Error {
        Error::Transport {
            target: Box::new(self.target(request)),
            source: source.into(),
        }
    }

    pub(crate) fn exceeded(&self, request: &Request<'_>, phase: Phase, limit: Duration) -> Error {
        Error::DeadlineExceeded {
            target: Box::new(self.target(request)),
            phase,
            limit,
        }
    }

    /// How much the client reads at most.
    pub(crate) fn limit(&self, limit: Limit) -> usize {
        self.client.options.limits.of(limit)
    }

    /// How much of what the API server says messages quote.
    pub(crate) fn quotes(&self) -> Quotes {
        self.client.options.limits.quotes()
    }

    /// What came is more than the limit of the client for it.
    pub(crate) fn too_large(&self, request: &Request<'_>, limit: Limit) -> Error {
        Error::TooLarge {
            target: Box::new(self.target(request)),
            limit,
            allowed: self.limit(limit),
        }
    }

    fn unread(&self, request: &Request<'_>, limit: Limit, error: BodyError) -> Error {
        match error {
            BodyError::Broken(source) => self.broken(request, source),
            BodyError::TooLarge => self.too_large(request, limit),
            BodyError::Stalled => {
                self.exceeded(request, Phase::Body, self.client.options.stall_timeout)
            }
        }
    }

    fn refused(
        &self,
        request: &Request<'_>,
        code: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Error {
        let status = read_status(code, body);
        Refusal {
            retry_after: retry_after(headers, &status),
            target: self.target(request),
            status,
            quotes: self.quotes(),
        }
        .into_error()
    }
}

/// What the API server said; what stands between it and us may say something else than a Status.
pub(crate) fn read_status(code: StatusCode, body: &[u8]) -> Status {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let is_status = Types::read(text).is_ok_and(|types| types.kind() == Some("Status"));
    let status = is_status.then(|| serde_json::from_str(text).ok()).flatten();
    let status = status.filter(|status: &Status| !status.reason.is_empty() || status.code != 0);
    let mut status = status.unwrap_or_else(|| {
        let text = String::from_utf8_lossy(body);
        let text = match text.trim() {
            "" => code.canonical_reason().unwrap_or("no reason given"),
            text => text,
        };
        // What says nothing of how it went is none.
        Status {
            status: None,
            ..Status::failure(text, "")
        }
    });
    if status.code == 0 {
        status.code = code.as_u16();
    }
    status
}

pub(crate) fn retry_after(headers: &HeaderMap, status: &Status) -> Option<Duration> {
    let header = headers
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok());
    let header = header.and_then(|seconds| seconds.trim().parse().ok());
    let details = status.details.as_ref();
    let detail = details.map(|details| u64::from(details.retry_after_seconds));
    let seconds = header.or_else(|| detail.filter(|seconds| *seconds > 0));
    seconds.map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;
    use crate::client::{
        Limits,
        mock::{Mock, Reply},
    };

    #[test]
    fn a_status_is_read() {
        let body = json!({ "kind": "Status", "reason": "Conflict", "message": "no", "code": 409 });
        let status = read_status(StatusCode::CONFLICT, body.to_string().as_bytes());
        assert_eq!((status.reason.as_str(), status.code), ("Conflict", 409));
    }

    #[test]
    fn what_is_no_status_becomes_one() {
        for (body, message) in [
            ("404 page not found\n", "404 page not found"),
            ("", "Not Found"),
            ("{}", "{}"),
        ] {
            let status = read_status(StatusCode::NOT_FOUND, body.as_bytes());
            assert_eq!((status.message.as_str(), status.code), (message, 404));
        }
    }

    #[tokio::test]
    async fn messages_quote_as_much_as_the_client_allows() {
        let long = "no ".repeat(2000);
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 400, "message": long,
        });
        for (limits, quoted) in [
            (Limits::default(), 4 << 10),
            (Limits::default().quote(20), 20),
            (Limits::default().quote(5 << 10), 5 << 10),
        ] {
            let mock = Mock::new([Reply::json(400, status.clone()), Reply::text(400, &long)]);
            let client = mock.client().limits(limits);
            let configs = client.resources::<ConfigMap>().namespace("prod");
            let message = configs.get("web").await.unwrap_err().to_string();
            let cut = format!("{} ... (6000 bytes in all)", &long[..quoted]);
            assert!(message.contains(&cut), "{message}");
            let error = configs.get("web").await.unwrap_err();
            assert_eq!(error.status().unwrap().message, long.trim());
            assert!(error.to_string().contains("text of 5999 bytes"), "{error}");
        }
    }

    #[test]
    fn the_header_says_when_to_come_again_or_else_the_details() {
        let mut headers = HeaderMap::new();
        let status = json!({ "reason": "ServerTimeout", "details": { "retryAfterSeconds": 3 } });
        let status: Status = serde_json::from_value(status).unwrap();
        assert_eq!(retry_after(&headers, &status), Some(Duration::from_secs(3)));
        headers.insert(RETRY_AFTER, "7".parse().unwrap());
        assert_eq!(retry_after(&headers, &status), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(&HeaderMap::new(), &Status::default()), None);
    }
}
