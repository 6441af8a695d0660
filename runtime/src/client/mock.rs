//! A mock API server that sends scripted responses and records the requests.

use std::{
    collections::VecDeque,
    future::pending,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use http::{Request, Response};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use kube::client::Body;
use serde_json::{Value, json};

mod complete;
pub(crate) mod unexpected;

use super::{Client, body::ResponseBody};

pub(crate) struct Mock {
    client: Client,
    sent: Arc<Mutex<Vec<Sent>>>,
}

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// Method, path and query.
    pub(crate) line: String,
    pub(crate) accept: String,
    pub(crate) content_type: String,
    pub(crate) body: Value,
}

/// A scripted response.
pub(crate) struct Reply {
    code: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
    /// Whether missing type and identity fields are filled in from the request.
    is_completed: bool,
    fault: Option<Fault>,
}

/// A fault of a response.
#[derive(Clone, Copy)]
enum Fault {
    /// The connection breaks after the request has arrived.
    Lost,
    /// The response does not start.
    Silent,
    /// The body does not continue.
    Stalled,
    /// The response starts later.
    Slow(Duration),
    /// The body never ends: a chunk of this size follows after each pause.
    Endless(usize, Duration),
}

impl Reply {
    /// A document. If it has no kind, it gets the type and identity of the request's target, as far as it lacks them.
    pub(crate) fn json(code: u16, body: Value) -> Self {
        Self { is_completed: true, ..Self::text(code, &body.to_string()) }
    }

    /// A document, unchanged.
    pub(crate) fn exactly(code: u16, body: &Value) -> Self {
        Self::text(code, &body.to_string())
    }

    pub(crate) fn text(code: u16, body: &str) -> Self {
        Self { code, headers: Vec::new(), body: body.to_owned(), is_completed: false, fault: None }
    }

    /// No response: the connection breaks after the request has arrived.
    pub(crate) fn lost() -> Self {
        Self::text(200, "").with(Fault::Lost)
    }

    /// No response, ever.
    pub(crate) fn silent() -> Self {
        Self::text(200, "").with(Fault::Silent)
    }

    /// Delays the start of the response.
    pub(crate) fn slow(self, pause: Duration) -> Self {
        self.with(Fault::Slow(pause))
    }

    /// The body stalls before its end.
    pub(crate) fn stalled(self) -> Self {
        self.with(Fault::Stalled)
    }

    /// The body never ends: chunks follow, one after each pause.
    pub(crate) fn endless(self, size: usize, pause: Duration) -> Self {
        self.with(Fault::Endless(size, pause))
    }

    fn with(self, fault: Fault) -> Self {
        Self { fault: Some(fault), ..self }
    }

    /// A Status about the object with this name.
    pub(crate) fn status(code: u16, reason: &str, name: &str) -> Self {
        let details = json!({ "name": name });
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": reason, "details": details,
        });
        Self::json(code, status)
    }

    /// A Status of success.
    pub(crate) fn success() -> Self {
        let status = json!({ "kind": "Status", "apiVersion": "v1", "status": "Success" });
        Self::exactly(200, &status)
    }

    /// Objects, one per line, as in a watch. Those without a kind get the watched kind.
    pub(crate) fn lines(events: impl IntoIterator<Item = Value>) -> Self {
        let lines: String = events.into_iter().map(|event| format!("{event}\n")).collect();
        Self { is_completed: true, ..Self::text(200, &lines) }
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

    async fn into_response(self) -> io::Result<Response<ResponseBody>> {
        match self.fault {
            Some(Fault::Lost) => return Err(io::ErrorKind::ConnectionReset.into()),
            Some(Fault::Silent) => return pending().await,
            Some(Fault::Slow(pause)) => tokio::time::sleep(pause).await,
            _ => {}
        }
        let mut response = Response::builder().status(self.code);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        let first = stream::iter([Bytes::from(self.body.into_bytes())]);
        let more = match self.fault {
            Some(Fault::Stalled) => stream::pending().boxed(),
            Some(Fault::Endless(size, pause)) => pieces(size, pause).boxed(),
            _ => stream::empty().boxed(),
        };
        let frames = first.chain(more).map(|piece| Ok(Frame::data(piece)));
        Ok(response.body(StreamBody::new(frames).boxed_unsync()).unwrap())
    }
}

/// Returns an endless stream of chunks of a size, one after each pause.
pub(crate) fn pieces(size: usize, pause: Duration) -> impl Stream<Item = Bytes> + Send {
    stream::unfold((), move |()| async move {
        tokio::time::sleep(pause).await;
        Some((Bytes::from(vec![b'x'; size]), ()))
    })
}

impl Mock {
    /// Creates a server that sends these responses. Further requests get the code 418, which is never retried.
    pub(crate) fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies = Arc::new(Mutex::new(VecDeque::from_iter(replies)));
        let sent = Arc::new(Mutex::new(Vec::new()));
        let log = sent.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let (log, replies) = (log.clone(), replies.clone());
            async move {
                let request = Sent::read(request).await;
                let mut reply = replies
                    .lock()
                    .unwrap()
                    .pop_front()
                    .unwrap_or_else(|| Reply::text(418, "no more scripted responses"));
                reply.complete(&request);
                log.lock().unwrap().push(request);
                reply.into_response().await
            }
        });
        let client = Client::from(kube::Client::new(service, "default"));
        Self { client, sent }
    }

    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns the requests so far.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    /// Returns method, path and query of the requests so far.
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
