use super::{
    ApiServer, Ask, Object,
    journal::Exchange,
    lines,
    list::Page,
    refusal::Refusal,
    request::Request,
    watch::{Start, Watch, event},
    wrong,
};
use crate::faults::{Broken, Fault, Kind, Random, Stream, Wire, WrongBody};

const JSON: &str = "application/json";

/// The head of an answer that is no refusal.
fn head(media_type: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nTransfer-Encoding: chunked\r\n\r\n").into_bytes()
}

/// An answer on its way.
pub(crate) struct Answering<'a, S> {
    pub(crate) wire: &'a mut Wire<S>,
    /// Lines of a watch that were sent.
    pub(crate) lines: usize,
    /// Those of them that are no bookmarks.
    events: usize,
    /// Lines that are sent together with others.
    pending: Vec<u8>,
    server: &'a ApiServer,
    exchange: usize,
}

impl ApiServer {
    /// Answers requests until the connection ends.
    pub(crate) async fn answer_all<S: Stream>(&self, stream: S) {
        let mut wire = Wire::new(stream, self.faults.clone());
        while let Ok(head) = wire.head().await {
            if self.answer(&head, &mut wire).await.is_err() {
                return;
            }
        }
    }

    async fn answer<S: Stream>(&self, head: &str, wire: &mut Wire<S>) -> Result<(), Broken> {
        let request = match Request::parse(head) {
            Ok(request) => request,
            Err(error) => {
                let refusal = Refusal::bad_request(format!("{error:#}"));
                return wire.send(&refusal.answer()).await;
            }
        };
        let place = request.namespace.clone().unwrap_or_default();
        let start = self.start(&request);
        wire.begin(self.faults.plan(&place, request.verb()));
        let mut answering = Answering {
            exchange: self.journal.begin(place, ask(&request, &start)),
            server: self,
            wire,
            lines: 0,
            events: 0,
            pending: Vec::new(),
        };
        let may_be_empty = self.may_be_empty_at(&request, &start);
        answering.note(|exchange| exchange.may_be_empty = may_be_empty);
        let result = answering.run(&request, start).await;
        let struck = answering.wire.struck();
        answering.note(|exchange| {
            exchange.struck = struck;
            exchange.complete = result.is_ok();
        });
        result
    }
}

impl ApiServer {
    /// Whether there may have been no object for a request at the version after which its watch begins.
    fn may_be_empty_at(&self, request: &Request, start: &Result<Start, Refusal>) -> bool {
        let after = start.as_ref().ok().and_then(|start| start.after);
        let sees = |object: &Object| request.sees(object);
        match after {
            Some(after) => self.storage.may_have_been_empty(after, sees),
            None => !self.storage.newest().1.values().any(|object| sees(object)),
        }
    }
}

fn ask(request: &Request, start: &Result<Start, Refusal>) -> Ask {
    match (request.verb(), start) {
        ("continue", _) => Ask::Page,
        ("list", _) => Ask::List,
        ("check", _) => Ask::Check,
        (_, Ok(Start { after: Some(after), .. })) => Ask::Watch { after: *after },
        _ => Ask::Stream,
    }
}

impl<S: Stream> Answering<'_, S> {
    pub(crate) fn note(&self, what: impl FnOnce(&mut Exchange)) {
        self.server.journal.note(self.exchange, what);
    }

    /// Sends a line, whatever is wrong with it, by itself or with those that come with it.
    pub(crate) async fn line(&mut self, line: &[u8]) -> Result<(), Broken> {
        self.lines += 1;
        // Nobody believes what comes behind a line that is wrong.
        let believed = self.wire.struck().is_none();
        self.events += usize::from(believed && !line.starts_with(br#"{"type":"BOOKMARK""#));
        self.pending.extend_from_slice(line);
        match self.wire.plan().together {
            true => Ok(()),
            false => self.flush().await,
        }
    }

    /// Sends the lines that wait for others.
    pub(crate) async fn flush(&mut self) -> Result<(), Broken> {
        let pending = std::mem::take(&mut self.pending);
        self.wire.chunks(&pending).await?;
        self.note(|exchange| (exchange.lines, exchange.events) = (self.lines, self.events));
        Ok(())
    }

    async fn run(&mut self, request: &Request, start: Result<Start, Refusal>) -> Result<(), Broken> {
        if let Fault::Refuse { code } = self.wire.plan().fault {
            self.wire.strike(Kind::Status(code));
            return self.refuse(&Refusal::of(code)).await;
        }
        if !self.server.is_authenticated(request.token.as_deref()) {
            return self.refuse(&Refusal::of(401)).await;
        }
        if self.server.is_forbidden(request.namespace.as_deref()) {
            return self.refuse(&Refusal::of(403)).await;
        }
        if let Fault::WrongBody { body } = self.wire.plan().fault
            && self.wire.rages()
        {
            return self.answer_wrong(request, body).await;
        }
        match (request.verb(), start) {
            ("watch", Ok(start)) => self.watch(request, start).await,
            ("watch", Err(refusal)) => self.refuse(&refusal).await,
            _ => self.list(request).await,
        }
    }

    async fn refuse(&mut self, refusal: &Refusal) -> Result<(), Broken> {
        self.note(|exchange| exchange.status = refusal.code);
        self.wire.send(&refusal.answer()).await
    }

    async fn expire(&mut self) -> Result<(), Broken> {
        self.note(|exchange| exchange.expired = true);
        self.refuse(&Refusal::of(410)).await
    }

    async fn list(&mut self, request: &Request) -> Result<(), Broken> {
        let page = match Page::read(&self.server.storage, request, self.server.settings.page) {
            Ok(page) => page,
            Err(refusal) if refusal.code == 410 => return self.expire().await,
            Err(refusal) => return self.refuse(&refusal).await,
        };
        self.note(|exchange| (exchange.status, exchange.version) = (200, Some(page.version)));
        let mut body = page.json().into_bytes();
        let fault = self.wire.plan().fault.clone();
        if matches!(fault, Fault::BadJson { .. } | Fault::BadUtf8 { .. }) && self.wire.rages() {
            let mut random = Random::new(self.wire.plan().dice);
            let kind;
            (kind, body) = lines::alter(&fault, &page.json(), &mut random);
            self.wire.strike(kind);
        }
        self.body(JSON, &body).await
    }

    /// Answers with something else than what was requested.
    async fn answer_wrong(&mut self, request: &Request, wrong: WrongBody) -> Result<(), Broken> {
        let page = Page::read(&self.server.storage, request, self.server.settings.page);
        let list = page.map_or_else(|_| Page::default().json(), |page| page.json());
        self.note(|exchange| exchange.status = 200);
        self.wire.strike(Kind::WrongBody(wrong));
        let (media_type, body) = wrong::body(wrong, &list);
        self.body(media_type, body.as_bytes()).await
    }

    async fn body(&mut self, media_type: &str, body: &[u8]) -> Result<(), Broken> {
        self.wire.send(&head(media_type)).await?;
        self.wire.chunks(body).await?;
        self.wire.end_chunks().await
    }

    async fn watch(&mut self, request: &Request, start: Start) -> Result<(), Broken> {
        let expired = start.after.is_some_and(|after| !self.server.storage.remembers(after));
        if expired && !self.server.settings.expires_in_watch {
            return self.expire().await;
        }
        self.note(|exchange| exchange.status = 200);
        self.wire.send(&head(JSON)).await?;
        if expired {
            self.note(|exchange| exchange.expired = true);
            let status = Refusal::of(410).status().to_string();
            self.line(event("ERROR", &status).as_bytes()).await?;
        } else {
            let watch = Watch { server: self.server, request, position: 0 };
            watch.run(start, self).await?;
        }
        self.flush().await?;
        self.wire.end_chunks().await
    }
}
