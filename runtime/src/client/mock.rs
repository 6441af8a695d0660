//! An API server that answers from a script and remembers what it was asked.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex},
};

use http::{Request, Response};
use kube::client::Body;
use serde_json::{Value, json};

mod complete;

use super::Client;

pub(crate) struct Mock {
    client: Client,
    sent: Arc<Mutex<Vec<Sent>>>,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// Method, path and query.
    pub(crate) line: String,
    pub(crate) accept: String,
    pub(crate) content_type: String,
    pub(crate) body: Value,
}

/// An answer.
pub(crate) struct Reply {
    code: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
    is_lost: bool,
    /// Whether objects get what an API server always sends.
    is_completed: bool,
}

impl Reply {
    /// A document. What says no kind becomes what the request was for, as far as it is like it.
    pub(crate) fn json(code: u16, body: Value) -> Self {
        Self {
            is_completed: true,
            ..Self::text(code, &body.to_string())
        }
    }

    /// A document, and nothing more.
    pub(crate) fn exactly(code: u16, body: &Value) -> Self {
        Self::text(code, &body.to_string())
    }

    pub(crate) fn text(code: u16, body: &str) -> Self {
        Self {
            code,
            headers: Vec::new(),
            body: body.to_owned(),
            is_lost: false,
            is_completed: false,
        }
    }

    /// No answer: the connection breaks after the request has arrived.
    pub(crate) fn lost() -> Self {
        Self {
            is_lost: true,
            ..Self::text(200, "")
        }
    }

    /// A Status about an object of the name.
    pub(crate) fn status(code: u16, reason: &str, name: &str) -> Self {
        let details = json!({ "name": name });
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": reason, "details": details,
        });
        Self::json(code, status)
    }

    /// A Status that says that all is done.
    pub(crate) fn success() -> Self {
        let status = json!({ "kind": "Status", "apiVersion": "v1", "status": "Success" });
        Self::exactly(200, &status)
    }

    /// Objects, one a line, as a watch sends them. Those that say no kind become of the kind that is watched.
    pub(crate) fn lines(events: impl IntoIterator<Item = Value>) -> Self {
        let lines: String = events
            .into_iter()
            .map(|event| format!("{event}\n"))
            .collect();
        Self {
            is_completed: true,
            ..Self::text(200, &lines)
        }
    }

    fn complete(&mut self, request: &Sent) {
        if self.is_completed && self.code < 300 {
            self.body = complete::body(&self.body, request);
        }
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn into_response(self) -> io::Result<Response<Body>> {
        if self.is_lost {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        let mut response = Response::builder().status(self.code);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        Ok(response.body(Body::from(self.body.into_bytes())).unwrap())
    }
}

impl Mock {
    /// A server that gives these answers; to more requests than that it answers 418, which nobody sends again.
    pub(crate) fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies = Arc::new(Mutex::new(VecDeque::from_iter(replies)));
        let sent = Arc::new(Mutex::new(Vec::new()));
        let log = sent.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let (log, replies) = (log.clone(), replies.clone());
            async move {
                let request = Sent::read(request).await;
                let reply = replies.lock().unwrap().pop_front();
                let mut reply =
                    reply.unwrap_or_else(|| Reply::text(418, "the script is at its end"));
                reply.complete(&request);
                log.lock().unwrap().push(request);
                reply.into_response()
            }
        });
        let client = Client::from(kube::Client::new(service, "default"));
        Self { client, sent }
    }

    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// What arrived so far.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    /// Method, path and query of what arrived so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.sent().into_iter().map(|sent| sent.line).collect()
    }
}

impl Sent {
    async fn read(request: Request<Body>) -> Self {
        let (head, body) = request.into_parts();
        let header = |name: http::HeaderName| {
            let value = head.headers.get(name);
            value.map_or("", |value| value.to_str().unwrap()).to_owned()
        };
        let body = body.collect_bytes().await.unwrap();
        Self {
            line: format!("{} {}", head.method, head.uri),
            accept: header(http::header::ACCEPT),
            content_type: header(http::header::CONTENT_TYPE),
            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
        }
    }
}
