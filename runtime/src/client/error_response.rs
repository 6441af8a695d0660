//! Decodes error responses.

use std::time::Duration;

use http::{
    HeaderMap, Response, StatusCode,
    header::{DATE, RETRY_AFTER},
};
use k8s_openapi::jiff::{Timestamp, fmt::rfc2822};
use kube_core::Status;

use super::{
    body::{ResponseBody, collect_prefix},
    call::Attempts,
    error::{ClientOperation, Error, StatusError},
    limits::QuoteLimit,
    options::Options,
    response_kind::Types,
};
use crate::json::outside_strings::outside_strings;

/// Reads an error response. If the body exceeds the limit, only its start is read, which is enough for the reason and
/// the retry decision.
pub(crate) async fn read_error_response(
    operation: ClientOperation,
    response: Response<ResponseBody>,
    options: &Options,
    call: &Attempts,
) -> Error {
    let (head, body) = response.into_parts();
    let limit = options.limits.error_bytes();
    let body = collect_prefix(body, limit, options.stall_timeout);
    match call.within(body).await {
        Ok(Ok(body)) => {
            let status = with_code(head.status, status(head.status, &body));
            status_error(operation, &head.headers, status, options.limits.quote_limit())
        }
        Ok(Err(interrupted)) => interrupted.into_error(operation, options),
        Err(_) => call.exceeded(operation),
    }
}

/// The body's Status is used only if its code equals that of the response, as in responses of the API server.
fn with_code(code: StatusCode, status: Status) -> Status {
    if status.code == code.as_u16() { status } else { Status { code: code.as_u16(), reason: String::new(), ..status } }
}

/// Decodes an error event of a watch, which may be truncated.
pub(crate) fn from_event(operation: ClientOperation, body: &[u8], quote_limit: QuoteLimit) -> Error {
    let status = status(StatusCode::INTERNAL_SERVER_ERROR, body);
    status_error(operation, &HeaderMap::new(), status, quote_limit)
}

fn status_error(operation: ClientOperation, headers: &HeaderMap, status: Status, quote_limit: QuoteLimit) -> Error {
    StatusError { retry_after: retry_after(headers, &status), operation, status, quote_limit, needed: &[] }.into_error()
}

/// Returns the Status of the API server. A proxy may have sent something else, which is converted to a Status.
fn status(code: StatusCode, body: &[u8]) -> Status {
    let text = String::from_utf8_lossy(body);
    let mut status = read(&text).or_else(|| read(&close_truncated(&text)?)).unwrap_or_else(|| {
        let text = match text.trim() {
            "" => code.canonical_reason().unwrap_or("no reason given"),
            text => text,
        };
        // A Status without a `status` field is treated as plain text.
        Status { status: None, ..Status::failure(text, "") }
    });
    if status.code == 0 {
        status.code = code.as_u16();
    }
    status
}

fn read(text: &str) -> Option<Status> {
    let types = Types::read(text).ok()?;
    if types.kind() != Some("Status") {
        return None;
    }
    let status: Status = serde_json::from_str(text).ok()?;
    (!status.reason.is_empty() || status.code != 0).then_some(status)
}

/// Closes a truncated JSON document after its last complete member or item.
fn close_truncated(json: &str) -> Option<String> {
    let end = Outline::of(json).last_comma?;
    let complete = &json[..end];
    let open = Outline::of(complete).open;
    Some(complete.chars().chain(open.into_iter().rev()).collect())
}

/// The open brackets at the end of a JSON document.
#[derive(Default)]
struct Outline {
    /// The closing characters that are missing, the last one first.
    open: Vec<char>,
    last_comma: Option<usize>,
}

impl Outline {
    fn of(json: &str) -> Self {
        let mut outline = Self::default();
        for (at, byte) in outside_strings(json) {
            match byte {
                b'{' => outline.open.push('}'),
                b'[' => outline.open.push(']'),
                b'}' | b']' => drop(outline.open.pop()),
                b',' => outline.last_comma = Some(at),
                _ => {}
            }
        }
        outline
    }
}

fn retry_after(headers: &HeaderMap, status: &Status) -> Option<Duration> {
    let details = status.details.as_ref();
    let detail = details.map(|details| u64::from(details.retry_after_seconds));
    let seconds = seconds(headers).or_else(|| detail.filter(|seconds| *seconds > 0));
    seconds.map(Duration::from_secs)
}

/// Returns the seconds of `Retry-After`, which may be a number or a date ([RFC
/// 9110](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)).
fn seconds(headers: &HeaderMap) -> Option<u64> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let after = text(RETRY_AFTER)?;
    if !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(after.parse().unwrap_or(u64::MAX));
    }
    let date = |text| rfc2822::parse(text).map(|time| time.timestamp()).ok();
    // Relative to the server's clock, which may differ from ours.
    let now = text(DATE).and_then(date).unwrap_or_else(Timestamp::now);
    let seconds = date(after)?.duration_since(now).as_secs();
    Some(u64::try_from(seconds).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;
    use crate::client::{
        Limits, Resources,
        mock::{Mock, Reply},
        scope::InNamespace,
    };

    const LIMIT: usize = 1 << 16;

    fn configs(replies: impl IntoIterator<Item = Reply>) -> (Mock, Resources<ConfigMap, InNamespace>) {
        let mock = Mock::new(replies);
        let client = mock.client().max_retries(1).limits(Limits::default().error(LIMIT));
        (mock, client.resources().namespace("prod"))
    }

    /// A response that is larger than the limit and starts with `text`.
    fn endless(code: u16, text: &str) -> Reply {
        Reply::text(code, text).endless(LIMIT / 4, Duration::ZERO)
    }

    #[test]
    fn status_is_decoded() {
        let body = json!({ "kind": "Status", "reason": "Conflict", "message": "no", "code": 409 });
        let status = status(StatusCode::CONFLICT, body.to_string().as_bytes());
        assert_eq!((status.reason.as_str(), status.code), ("Conflict", 409));
    }

    #[test]
    fn other_text_is_converted_to_a_status() {
        for (body, message) in [("404 page not found\n", "404 page not found"), ("", "Not Found"), ("{}", "{}")] {
            let status = status(StatusCode::NOT_FOUND, body.as_bytes());
            assert_eq!((status.message.as_str(), status.code), (message, 404));
        }
    }

    #[test]
    fn retry_after_is_in_the_header_or_the_details() {
        let mut headers = HeaderMap::new();
        let status = json!({ "reason": "ServerTimeout", "details": { "retryAfterSeconds": 3 } });
        let status: Status = serde_json::from_value(status).unwrap();
        assert_eq!(retry_after(&headers, &status), Some(Duration::from_secs(3)));
        headers.insert(RETRY_AFTER, "7".parse().unwrap());
        assert_eq!(retry_after(&headers, &status), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(&HeaderMap::new(), &Status::default()), None);
    }

    #[test]
    fn retry_after_may_be_a_date_or_any_number() {
        let date = "Wed, 21 Oct 2015 07:28:00 GMT";
        for (text, expected) in [
            ("Wed, 21 Oct 2015 07:28:40 GMT", Some(40)),
            ("Wed, 21 Oct 2015 07:27:00 GMT", Some(0)),
            ("99999999999999999999", Some(u64::MAX)),
            ("-1", None),
            ("soon", None),
        ] {
            let headers = [(RETRY_AFTER, text), (DATE, date)].map(|(name, text)| (name, text.parse().unwrap()));
            let expected = expected.map(Duration::from_secs);
            assert_eq!(retry_after(&headers.into_iter().collect(), &Status::default()), expected, "{text}");
        }
    }

    #[tokio::test]
    async fn status_code_of_the_response_takes_precedence() {
        let gone = json!({
            "kind": "Status", "code": 404, "reason": "NotFound", "details": { "name": "web" },
        });
        let (_, configs) = configs([Reply::json(502, gone)]);
        let error = configs.get_opt("web").await.unwrap_err();
        assert!(matches!(error, Error::Api(_)), "{error:?}");
    }

    #[test]
    fn truncated_documents_are_closed_after_the_last_complete_part() {
        for (truncated, expected) in [
            (r#"{"a":1,"b":"x"#, Some(r#"{"a":1}"#)),
            (r#"{"a":[{"b":"},]\","},{"c":"#, Some(r#"{"a":[{"b":"},]\","}]}"#)),
            (r#"{"a":[1,[2,3"#, Some(r#"{"a":[1,[2]]}"#)),
            (r#"{"a":"b,c"#, None),
            ("", None),
        ] {
            assert_eq!(close_truncated(truncated).as_deref(), expected, "{truncated}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn errors_of_any_size_are_decoded() {
        let reads = [(403, "Forbidden"), (409, "Conflict"), (422, "Invalid"), (500, "Api")];
        for (code, expected) in reads {
            let (mock, configs) = configs([endless(code, "<html>")]);
            let error = configs.get("web").await.unwrap_err();
            assert!(format!("{error:?}").starts_with(expected), "{error:?}");
            assert_eq!(error.status().unwrap().code, code);
            assert!(error.to_string().len() < 5000);
            assert_eq!(mock.sent().len(), 1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn errors_of_any_size_are_retried_after_the_requested_delay() {
        for code in [429, 503] {
            let start = tokio::time::Instant::now();
            let busy = endless(code, "busy").header("retry-after", "7");
            let found = Reply::json(200, json!({ "metadata": { "name": "web" } }));
            let (mock, configs) = configs([busy, found]);
            configs.get("web").await.unwrap();
            assert!(start.elapsed() >= Duration::from_secs(7));
            assert_eq!(mock.sent().len(), 2);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn truncated_status_retains_its_start() {
        let missing = r#"{"kind":"Status","reason":"NotFound","details":{"name":"web","causes":[{"message":"a"},"#;
        let (_, configs) = configs([endless(404, &format!("{missing}\"é"))]);
        let error = configs.get("web").await.unwrap_err();
        assert!(error.is_not_found(), "{error:?}");
        assert_eq!(error.status_error().unwrap().causes().count(), 1);
        let (_, configs) = self::configs([endless(404, &format!("{missing}\"é"))]);
        assert!(configs.get_opt("web").await.unwrap().is_none());
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
            let truncated = format!("{} ... (6000 bytes in total)", &long[..quoted]);
            assert!(message.contains(&truncated), "{message}");
            let error = configs.get("web").await.unwrap_err();
            assert_eq!(error.status().unwrap().message, long.trim());
            assert!(error.to_string().contains("text of 5999 bytes"), "{error}");
        }
    }
}
