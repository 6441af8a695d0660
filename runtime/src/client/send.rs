//! Sends requests until there is an answer or no sense in going on.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode, header::RETRY_AFTER};
use http_body_util::BodyExt;
use kube::client::Body;
use kube_core::{Resource, Status};

use super::{
    endpoint::Endpoint,
    error::{Error, Refusal},
    expected::Types,
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
    retries: u32,
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
        loop {
            let sent = self.prepare(request)?;
            match self.try_fetch(request, sent).await {
                Ok(answer) => return Ok(answer),
                Err(error) => self.wait_after(error, request, before).await?,
            }
        }
    }

    /// Sends a request and waits for the answer to begin.
    pub(crate) async fn open(&self, request: &Request<'_>) -> Result<Body, Error> {
        let mut before = Before::default();
        loop {
            let sent = self.prepare(request)?;
            match self.try_open(request, sent).await {
                Ok(response) => return Ok(response.into_body()),
                Err(error) => self.wait_after(error, request, &mut before).await?,
            }
        }
    }

    /// Waits before the request is sent again; gives the error back if it should not be.
    async fn wait_after(
        &self,
        error: Error,
        request: &Request<'_>,
        before: &mut Before,
    ) -> Result<(), Error> {
        let left = before.retries < self.client.options.max_retries;
        match retry::delay(&error, request.repeatable, before.retries).filter(|_| left) {
            Some(delay) => tokio::time::sleep(delay).await,
            None => return Err(error),
        }
        before.retries += 1;
        before.maybe_served |= !retry::was_not_served(&error);
        Ok(())
    }

    async fn try_fetch(
        &self,
        request: &Request<'_>,
        sent: http::Request<Body>,
    ) -> Result<Answer, Error> {
        let response = self.try_open(request, sent).await?;
        let code = response.status();
        let body = collect(response.into_body()).await;
        let body = body.map_err(|source| self.broken(request, source))?;
        Ok(Answer { code, body })
    }

    async fn try_open(
        &self,
        request: &Request<'_>,
        sent: http::Request<Body>,
    ) -> Result<Response<Body>, Error> {
        let response = self.client.connection.send(sent).await;
        let response = response.map_err(|source| self.broken(request, source))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (head, body) = response.into_parts();
        let body = collect(body).await;
        let body = body.map_err(|source| self.broken(request, source))?;
        Err(self.refused(request, head.status, &head.headers, &body))
    }

    fn broken(&self, request: &Request<'_>, source: kube::Error) -> Error {
        Error::Transport {
            target: Box::new(self.target(request)),
            source: source.into(),
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
        }
        .into_error()
    }
}

async fn collect(body: Body) -> Result<Bytes, kube::Error> {
    Ok(body.collect().await?.to_bytes())
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
    use serde_json::json;

    use super::*;

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
