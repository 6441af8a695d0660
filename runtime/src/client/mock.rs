//! An API server that answers from a script and remembers what it was asked.

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
pub(crate) mod wrong;

use super::{Client, body::ResponseBody};

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
    /// Whether objects get what an API server always sends.
    is_completed: bool,
    fault: Option<Fault>,
}

/// What goes wrong with an answer.
#[derive(Clone, Copy)]
enum Fault {
    /// The connection breaks after the request has arrived.
    Lost,
    /// The answer does not begin.
    Silent,
    /// The body does not go on.
    Stalled,
    /// The answer begins later.
    Slow(Duration),
    /// The body goes on and on with a piece of this size after each pause.
    Endless(usize, Duration),
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
            is_completed: false,
            fault: None,
        }
    }

    /// No answer: the connection breaks after the request has arrived.
    pub(crate) fn lost() -> Self {
        Self::text(200, "").with(Fault::Lost)
    }

    /// No answer, for ever.
    pub(crate) fn silent() -> Self {
        Self::text(200, "").with(Fault::Silent)
    }

    /// The answer begins after a time.
    pub(crate) fn slow(self, pause: Duration) -> Self {
        self.with(Fault::Slow(pause))
    }

    /// The body stands still where it would end.
    pub(crate) fn stalled(self) -> Self {
        self.with(Fault::Stalled)
    }

    /// After the body come more and more pieces, one after each pause.
    pub(crate) fn endless(self, size: usize, pause: Duration) -> Self {
        self.with(Fault::Endless(size, pause))
    }

    fn with(self, fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..self
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
        Ok(response
            .body(StreamBody::new(frames).boxed_unsync())
            .unwrap())
    }
}

/// Pieces of a size without an end, one after each pause.
pub(crate) fn pieces(size: usize, pause: Duration) -> impl Stream<Item = Bytes> + Send {
    stream::unfold((), move |()| async move {
        tokio::time::sleep(pause).await;
        Some((Bytes::from(vec![b'x'; size]), ()))
    })
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
                reply.into_response().await
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
