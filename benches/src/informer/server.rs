//! A server in a separate process with prepared JSON, which is faster than its clients.

mod storage;

use std::{
    io::{self, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;
use crdkit_benches::http::{Chunks, Connection, Request};

use self::storage::Storage;
use crate::objects::Shape;

/// A command for the watch.
enum Command {
    /// Sends changed objects, one after each pause.
    Modify { count: usize, pause: Duration },
    /// Ends the watch with `Expired`.
    Expire,
}

struct Server {
    storage: Mutex<Storage>,
    /// Whether streaming lists are served.
    streams: AtomicBool,
    /// The last watch that began.
    watch: Mutex<Option<Sender<Command>>>,
    watched: Condvar,
}

/// Serves until the process is ended. The first line on its output is its port.
pub(crate) fn serve(shape: Shape, objects: usize) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let server = Arc::new(Server {
        storage: Mutex::new(Storage::new(shape, objects)),
        streams: AtomicBool::new(true),
        watch: Mutex::default(),
        watched: Condvar::new(),
    });
    println!("{}", listener.local_addr()?.port());
    for stream in listener.incoming() {
        let (server, stream) = (server.clone(), stream?);
        // A client may close its connection during a response.
        thread::spawn(move || server.serve(stream));
    }
    Ok(())
}

impl Server {
    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        let mut connection = Connection::new(stream)?;
        while let Some(request) = connection.request()? {
            match request.path() {
                "/control/reset" => self.reset(&request, &mut connection)?,
                "/control/newest" => connection.answer(200, self.storage().newest().to_string().as_bytes())?,
                "/control/modify" => self.modify(&request, &mut connection)?,
                "/control/expire" => self.expire(&request, &mut connection)?,
                _ if request.flag("watch") => self.watch(&request, &mut connection)?,
                _ => self.list(&request, &mut connection)?,
            }
        }
        Ok(())
    }

    /// Commands are for the next watch.
    fn reset(&self, request: &Request, connection: &mut Connection) -> io::Result<()> {
        self.streams.store(request.flag("streams"), Ordering::Relaxed);
        *lock(&self.watch) = None;
        connection.answer(200, b"")
    }

    fn modify(&self, request: &Request, connection: &mut Connection) -> io::Result<()> {
        let count = request.number("count").unwrap_or_default();
        let pause = Duration::from_micros(request.number("pause_us").unwrap_or_default() as u64);
        connection.answer(200, b"")?;
        self.command(Command::Modify { count, pause });
        Ok(())
    }

    /// Changes some objects without events, then expires the watch.
    fn expire(&self, request: &Request, connection: &mut Connection) -> io::Result<()> {
        let changed = request.number("changed").unwrap_or_default();
        let newest = {
            let mut storage = self.storage();
            for _ in 0..changed {
                storage.modify();
            }
            storage.advance_version()
        };
        connection.answer(200, newest.to_string().as_bytes())?;
        self.command(Command::Expire);
        Ok(())
    }

    /// Sends a command to the watch; waits for a watch if there is none.
    fn command(&self, command: Command) {
        let watch = lock(&self.watch);
        let watch = self.watched.wait_while(watch, |watch| watch.is_none()).unwrap_or_else(PoisonError::into_inner);
        if let Some(watch) = &*watch {
            // If the watch has ended, its client reports the failure.
            let _ = watch.send(command);
        }
    }

    fn list(&self, request: &Request, connection: &mut Connection) -> io::Result<()> {
        let storage = self.storage();
        let from = request.number("continue").unwrap_or(0).min(storage.len());
        let limit = request.number("limit").filter(|limit| *limit > 0);
        let to = limit.map_or(storage.len(), |limit| storage.len().min(from + limit));
        let (head, tail) = storage.list_ends(to);
        let commas = (to - from).saturating_sub(1);
        let out = connection.begin(head.len() + (to - from) * storage.object_size() + commas + tail.len())?;
        out.write_all(head.as_bytes())?;
        for number in from..to {
            if number > from {
                out.write_all(b",")?;
            }
            out.write_all(storage.object(number))?;
        }
        out.write_all(tail.as_bytes())?;
        out.flush()
    }

    fn watch(&self, request: &Request, connection: &mut Connection) -> io::Result<()> {
        let listing = request.flag("sendInitialEvents");
        if listing && !self.streams.load(Ordering::Relaxed) {
            return connection.answer(422, storage::NO_STREAMS.as_bytes());
        }
        let commands = self.attach();
        let mut chunks = connection.begin_chunks()?;
        if listing {
            self.send_initial_events(&mut chunks)?;
        }
        chunks.flush()?;
        for command in commands {
            match command {
                Command::Modify { count, pause } => self.send_changes(count, pause, &mut chunks)?,
                Command::Expire => {
                    *lock(&self.watch) = None;
                    chunks.write(&[storage::EXPIRED.as_bytes()])?;
                    break;
                }
            }
        }
        chunks.end()
    }

    fn attach(&self) -> Receiver<Command> {
        let (sender, receiver) = mpsc::channel();
        *lock(&self.watch) = Some(sender);
        self.watched.notify_all();
        receiver
    }

    fn send_initial_events(&self, chunks: &mut Chunks<'_>) -> io::Result<()> {
        let storage = self.storage();
        for number in 0..storage.len() {
            chunks.write(&[b"{\"type\":\"ADDED\",\"object\":", storage.object(number), b"}\n"])?;
        }
        let end = storage.initial_events_end();
        chunks.write(&[end.as_bytes()])
    }

    fn send_changes(&self, count: usize, pause: Duration, chunks: &mut Chunks<'_>) -> io::Result<()> {
        let mut due = Instant::now();
        for _ in 0..count {
            {
                let mut storage = self.storage();
                let object = storage.modify();
                chunks.write(&[b"{\"type\":\"MODIFIED\",\"object\":", object, b"}\n"])?;
            }
            if !pause.is_zero() {
                chunks.flush()?;
                due += pause;
                thread::sleep(due.saturating_duration_since(Instant::now()));
            }
        }
        chunks.flush()
    }

    fn storage(&self) -> MutexGuard<'_, Storage> {
        lock(&self.storage)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
