use serde_json::{Value, json};

/// An error response of the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StatusError {
    pub(crate) code: u16,
    reason: &'static str,
    message: String,
}

/// The seconds that a client must wait after a 429.
pub const RETRY_AFTER: u64 = 1;

impl StatusError {
    pub(crate) fn of(code: u16) -> Self {
        let (reason, message) = match code {
            401 => ("Unauthorized", "Unauthorized"),
            403 => ("Forbidden", "widgets.faults.example.com is forbidden: User \"test\" cannot watch it"),
            404 => ("NotFound", "the server could not find the requested resource"),
            410 => ("Expired", "too old resource version"),
            429 => ("TooManyRequests", "too many requests, please try again"),
            502 => ("BadGateway", "the upstream server cannot be reached"),
            504 => ("Timeout", "Timeout: Too large resource version"),
            _ => ("InternalError", "etcdserver: leader changed"),
        };
        Self { code, reason, message: message.to_owned() }
    }

    /// The response to an invalid parameter.
    pub(crate) fn bad_request(message: String) -> Self {
        Self { code: 400, reason: "BadRequest", message }
    }

    /// The response to `sendInitialEvents` if streaming lists are disabled.
    pub(crate) fn streaming_disabled() -> Self {
        let message = "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is \
                       forbidden for watch run_until_cut the WatchList feature gate is enabled";
        Self { code: 422, reason: "Invalid", message: message.to_owned() }
    }

    pub(crate) fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "code": self.code,
        });
        if self.code == 429 {
            status["details"] = json!({ "retryAfterSeconds": RETRY_AFTER });
        }
        status
    }

    /// Returns the complete response.
    pub(crate) fn response(&self) -> Vec<u8> {
        let body = self.status().to_string();
        let retry = match self.code {
            429 => format!("Retry-After: {RETRY_AFTER}\r\n"),
            _ => String::new(),
        };
        format!(
            "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\n{retry}Content-Length: {}\r\n\r\n{body}",
            self.code,
            self.reason,
            body.len()
        )
        .into_bytes()
    }
}
