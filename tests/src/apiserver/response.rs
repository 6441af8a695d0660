use super::{
    ApiServer, Object, RequestKind,
    journal::Exchange,
    lines,
    list::Page,
    request::Request,
    status_error::StatusError,
    watch::{Start, Watch, event},
    wrong_responses,
};
use crate::faults::{Broken, Fault, FaultKind, Random, Stream, Wire, WrongBody};

const JSON: &str = "application/json";

/// The head of a response with the status 200.
fn head(media_type: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nTransfer-Encoding: chunked\r\n\r\n").into_bytes()
}

/// A response that is being sent.
pub(crate) struct ResponseWriter<'a, S> {
    pub(crate) wire: &'a mut Wire<S>,
    /// The number of lines of a watch that were sent.
    pub(crate) lines: usize,
    /// The number of those lines that are not bookmarks.
    events: usize,
    /// Lines that will be sent together.
    pending: Vec<u8>,
    server: &'a ApiServer,
    exchange: usize,
}

impl ApiServer {
    /// Responds to requests until the connection ends.
    pub(crate) async fn serve_requests<S: Stream>(&self, stream: S) {
        let mut wire = Wire::new(stream, self.faults.clone());
        while let Ok(head) = wire.head().await {
            if self.serve_request(&head, &mut wire).await.is_err() {
                return;
            }
        }
    }

    async fn serve_request<S: Stream>(&self, head: &str, wire: &mut Wire<S>) -> Result<(), Broken> {
        let request = match Request::parse(head) {
            Ok(request) => request,
            Err(error) => {
                let status_error = StatusError::bad_request(format!("{error:#}"));
                return wire.send(&status_error.response()).await;
            }
        };
        let namespace = request.namespace.clone().unwrap_or_default();
        let start = self.start(&request);
        wire.begin(self.faults.plan(&namespace, request.verb()));
        let mut writer = ResponseWriter {
            exchange: self.journal.begin(namespace, request_kind(&request, &start)),
            server: self,
            wire,
            lines: 0,
            events: 0,
            pending: Vec::new(),
        };
        let may_be_empty = self.may_be_empty_at(&request, &start);
        writer.update(|exchange| exchange.may_be_empty = may_be_empty);
        let result = writer.run(&request, start).await;
        let injected_fault = writer.wire.injected_fault();
        writer.update(|exchange| {
            exchange.injected_fault = injected_fault;
            exchange.complete = result.is_ok();
        });
        result
    }
}

impl ApiServer {
    /// Returns whether there may have been no object that a request selects at the version at which its watch starts.
    fn may_be_empty_at(&self, request: &Request, start: &Result<Start, StatusError>) -> bool {
        let after = start.as_ref().ok().and_then(|start| start.after);
        let selects = |object: &Object| request.selects(object);
        match after {
            Some(after) => self.storage.may_have_been_empty(after, selects),
            None => !self.storage.newest().1.values().any(|object| selects(object)),
        }
    }
}

fn request_kind(request: &Request, start: &Result<Start, StatusError>) -> RequestKind {
    match (request.verb(), start) {
        ("continue", _) => RequestKind::Page,
        ("list", _) => RequestKind::List,
        ("check", _) => RequestKind::Check,
        (_, Ok(Start { after: Some(after), .. })) => RequestKind::Watch { after: *after },
        _ => RequestKind::Stream,
    }
}

impl<S: Stream> ResponseWriter<'_, S> {
    pub(crate) fn update(&self, change: impl FnOnce(&mut Exchange)) {
        self.server.journal.update(self.exchange, change);
    }

    /// Sends a line, valid or not, alone or together with the pending lines.
    pub(crate) async fn line(&mut self, line: &[u8]) -> Result<(), Broken> {
        self.lines += 1;
        // Clients ignore all lines after an invalid one.
        let is_valid = self.wire.injected_fault().is_none();
        self.events += usize::from(is_valid && !line.starts_with(br#"{"type":"BOOKMARK""#));
        self.pending.extend_from_slice(line);
        if self.wire.plan().together { Ok(()) } else { self.flush().await }
    }

    /// Sends the pending lines.
    pub(crate) async fn flush(&mut self) -> Result<(), Broken> {
        let pending = std::mem::take(&mut self.pending);
        self.wire.chunks(&pending).await?;
        self.update(|exchange| (exchange.lines, exchange.events) = (self.lines, self.events));
        Ok(())
    }

    async fn run(&mut self, request: &Request, start: Result<Start, StatusError>) -> Result<(), Broken> {
        if let Fault::ErrorStatus { code } = self.wire.plan().fault {
            self.wire.record_fault(FaultKind::Status(code));
            return self.send_error(&StatusError::of(code)).await;
        }
        if !self.server.is_authenticated(request.token.as_deref()) {
            return self.send_error(&StatusError::of(401)).await;
        }
        if self.server.is_forbidden(request.namespace.as_deref()) {
            return self.send_error(&StatusError::of(403)).await;
        }
        if let Fault::WrongBody { body } = self.wire.plan().fault
            && self.wire.faults_are_active()
        {
            return self.send_wrong_body(request, body).await;
        }
        match (request.verb(), start) {
            ("watch", Ok(start)) => self.watch(request, start).await,
            ("watch", Err(status_error)) => self.send_error(&status_error).await,
            _ => self.list(request).await,
        }
    }

    async fn send_error(&mut self, status_error: &StatusError) -> Result<(), Broken> {
        self.update(|exchange| exchange.status = status_error.code);
        self.wire.send(&status_error.response()).await
    }

    async fn send_expired(&mut self) -> Result<(), Broken> {
        self.update(|exchange| exchange.expired = true);
        self.send_error(&StatusError::of(410)).await
    }

    async fn list(&mut self, request: &Request) -> Result<(), Broken> {
        let page = match Page::read(&self.server.storage, request, self.server.settings.page) {
            Ok(page) => page,
            Err(status_error) if status_error.code == 410 => return self.send_expired().await,
            Err(status_error) => return self.send_error(&status_error).await,
        };
        self.update(|exchange| (exchange.status, exchange.version) = (200, Some(page.version)));
        let mut body = page.json().into_bytes();
        let fault = self.wire.plan().fault.clone();
        if matches!(fault, Fault::BadJson { .. } | Fault::BadUtf8 { .. }) && self.wire.faults_are_active() {
            let mut random = Random::new(self.wire.plan().seed);
            let kind;
            (kind, body) = lines::alter(&fault, &page.json(), &mut random);
            self.wire.record_fault(kind);
        }
        self.body(JSON, &body).await
    }

    /// Sends a response with another body than the requested one.
    async fn send_wrong_body(&mut self, request: &Request, wrong: WrongBody) -> Result<(), Broken> {
        let page = Page::read(&self.server.storage, request, self.server.settings.page);
        let list = page.map_or_else(|_| Page::default().json(), |page| page.json());
        self.update(|exchange| exchange.status = 200);
        self.wire.record_fault(FaultKind::WrongBody(wrong));
        let (media_type, body) = wrong_responses::body(wrong, &list);
        self.body(media_type, body.as_bytes()).await
    }

    async fn body(&mut self, media_type: &str, body: &[u8]) -> Result<(), Broken> {
        self.wire.send(&head(media_type)).await?;
        self.wire.chunks(body).await?;
        self.wire.end_chunks().await
    }

    async fn watch(&mut self, request: &Request, start: Start) -> Result<(), Broken> {
        let expired = start.after.is_some_and(|after| !self.server.storage.has_history_since(after));
        if expired && !self.server.settings.expires_in_watch {
            return self.send_expired().await;
        }
        self.update(|exchange| exchange.status = 200);
        self.wire.send(&head(JSON)).await?;
        if expired {
            self.update(|exchange| exchange.expired = true);
            let status = StatusError::of(410).status().to_string();
            self.line(event("ERROR", &status).as_bytes()).await?;
        } else {
            let watch = Watch { server: self.server, request, position: 0 };
            watch.run(start, self).await?;
        }
        self.flush().await?;
        self.wire.end_chunks().await
    }
}
