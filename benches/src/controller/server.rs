//! A server in a process of its own. It has virtual machines as text that was made beforehand, lists and watches them, and
//! passes all other requests on to an API server in the same process.

mod log;
mod selector;
mod texts;

pub(crate) use texts::CHANGED;

use std::{
    io::{self, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;
use crdkit_api_server::ApiServer;
use crdkit_benches::{
    http::{Chunks, Connection, Request, SentBytes},
    objects::VirtualMachine,
};

use self::{
    log::{Change, Log},
    selector::Selector,
    texts::Texts,
};

const COLLECTION: &str = "/apis/vm.test/v1/virtualmachines";

/// Between bookmarks.
const BOOKMARKS: Duration = Duration::from_secs(30);

struct Server {
    texts: Texts,
    log: Log,
    /// Everything but the answers to control requests.
    sent: SentBytes,
    other: SocketAddr,
}

/// Serves until the process is ended. The first line on its output is its port.
pub(crate) fn serve(objects: usize) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let other = runtime.block_on(ApiServer::new().with::<VirtualMachine>().serve(([127, 0, 0, 1], 0)))?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let server = Arc::new(Server {
        texts: Texts::new(objects),
        log: Log::new(objects),
        sent: SentBytes::default(),
        other: other.address(),
    });
    println!("{}", listener.local_addr()?.port());
    for stream in listener.incoming() {
        let (server, stream) = (server.clone(), stream?);
        // A client that goes away in the middle of an answer is nothing to speak of.
        thread::spawn(move || server.serve(stream));
    }
    Ok(())
}

impl Server {
    fn serve(self: &Arc<Self>, stream: TcpStream) -> io::Result<()> {
        let mut connection = Connection::counting(stream, self.sent.clone())?;
        while let Some(request) = connection.request()? {
            match request.path() {
                "/control/sent" => connection.answer(200, self.sent.count().to_string().as_bytes())?,
                "/control/share" => {
                    let bounds = (request.number("shard"), request.number("of"));
                    let share = bounds.0.zip(bounds.1).map_or(0, |(shard, of)| self.share(shard, of));
                    connection.answer(200, share.to_string().as_bytes())?;
                }
                "/control/change" => self.change(&request, &mut connection)?,
                COLLECTION if request.flag("watch") => self.watch(&request, &mut connection)?,
                COLLECTION => self.list(&request, &mut connection)?,
                _ => return connection.pass_on(&request, self.other),
            }
        }
        Ok(())
    }

    /// The number of objects in a shard.
    fn share(&self, shard: usize, of: usize) -> usize {
        let selector = Selector::of_shard(shard, of);
        (0..self.texts.len()).filter(|number| selector.selects(self.texts.hash(*number))).count()
    }

    /// Changes objects at a rate, or all at once.
    fn change(self: &Arc<Self>, request: &Request, connection: &mut Connection) -> io::Result<()> {
        let count = request.number("count").unwrap_or_default();
        match request.number("rate").unwrap_or_default() {
            0 => self.log.change(count),
            rate => {
                let server = self.clone();
                thread::spawn(move || server.change_at_rate(count, rate));
            }
        }
        connection.answer(200, b"")
    }

    /// The changes do not wait for those who watch them.
    fn change_at_rate(&self, count: usize, rate: usize) {
        let started = Instant::now();
        for number in 0..count {
            let due = started + Duration::from_secs_f64(number as f64 / rate as f64);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            self.log.change(1);
        }
    }

    fn list(&self, request: &Request, connection: &mut Connection) -> io::Result<()> {
        let selector = Selector::of(request);
        let from = request.number("continue").unwrap_or_default();
        let limit = request.number("limit").filter(|limit| *limit > 0).unwrap_or(usize::MAX);
        let mut selected = (from..self.texts.len()).filter(|number| selector.selects(self.texts.hash(*number)));
        let page: Vec<usize> = selected.by_ref().take(limit).collect();
        let next = selected.next();
        let (newest, states) = self.log.states(&page);
        let (head, tail) = texts::list_ends(newest, next, &selector);
        let length = head.len() + page.len() * self.texts.object_size() + page.len().saturating_sub(1) + tail.len();
        let out = connection.begin(length)?;
        out.write_all(head.as_bytes())?;
        let mut text = Vec::new();
        for (at, change) in states.iter().enumerate() {
            if at > 0 {
                out.write_all(b",")?;
            }
            out.write_all(self.texts.object(change, &mut text))?;
        }
        out.write_all(tail.as_bytes())?;
        out.flush()
    }

    fn watch(&self, request: &Request, connection: &mut Connection) -> io::Result<()> {
        let selector = Selector::of(request);
        let mut chunks = connection.begin_chunks()?;
        let mut text = Vec::new();
        let mut position = if request.flag("sendInitialEvents") {
            self.send_all(&selector, &mut chunks)?
        } else {
            Log::position_after(request.number("resourceVersion").unwrap_or_default() as u64)
        };
        loop {
            chunks.flush()?;
            let changes = self.log.changes_after(position, BOOKMARKS);
            position += changes.len();
            if changes.is_empty() {
                chunks.write(&[texts::bookmark(Log::version_at(position), false).as_bytes()])?;
            }
            for change in changes.iter().filter(|change| selector.selects(self.texts.hash(change.number))) {
                self.send("MODIFIED", change, &mut text, &mut chunks)?;
            }
        }
    }

    /// Sends all objects and the bookmark behind them. Returns the position in the log.
    fn send_all(&self, selector: &Selector, chunks: &mut Chunks<'_>) -> io::Result<usize> {
        let all = 0..self.texts.len();
        let selected: Vec<usize> = all.filter(|number| selector.selects(self.texts.hash(*number))).collect();
        let (newest, states) = self.log.states(&selected);
        let mut text = Vec::new();
        for change in &states {
            self.send("ADDED", change, &mut text, chunks)?;
        }
        chunks.write(&[texts::bookmark(newest, true).as_bytes()])?;
        Ok(Log::position_after(newest))
    }

    fn send(&self, event: &str, change: &Change, text: &mut Vec<u8>, chunks: &mut Chunks<'_>) -> io::Result<()> {
        let object = self.texts.object(change, text);
        chunks.write(&[b"{\"type\":\"", event.as_bytes(), b"\",\"object\":", object, b"}\n"])
    }
}
