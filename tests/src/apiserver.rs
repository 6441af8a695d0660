//! An API server of one kind, small but honest, whose storage the test writes and whose connections it can break.
//!
//! ```
//! # tokio_test(async {
//! use crdkit_tests::{apiserver::{ApiServer, Content, Settings}, faults::Faults};
//!
//! let server = ApiServer::new(Settings::default(), Faults::none());
//! server.storage().create("prod", "web", Content::default());
//! let uri = server.listen().await;
//! # drop(uri) });
//! # fn tokio_test(test: impl Future<Output = ()>) {
//! #     tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
//! # }
//! ```

mod answer;
mod journal;
mod lines;
mod link;
mod list;
mod object;
mod refusal;
mod request;
mod selector;
mod storage;
mod watch;
mod wrong;

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::net::TcpListener;

pub use journal::{Ask, Exchange, Journal};
use link::Link;
pub use object::{Content, Object, kind};
pub use refusal::RETRY_AFTER;
pub use selector::Selector;
pub use storage::{Change, Expired, Key, Objects, Snapshot, Storage, Told, What};

use crate::{
    faults::{Faults, Stream},
    tls::Identity,
};

/// What differs between API servers.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What becomes of a watch that is to tell all objects first.
    pub streaming: Streaming,
    /// How often a watch says up to which version it has come.
    pub bookmarks: Duration,
    /// How many objects a page has at most, whatever the client asks for.
    pub page: usize,
    /// Whether a watch after a version that is compacted away begins, and ends with an event that says so.
    pub expires_in_watch: bool,
}

/// What becomes of `sendInitialEvents`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streaming {
    /// It is done.
    Served,
    /// 422, as where it is switched off.
    Refused,
    /// Nothing, as in servers that are older than the parameter.
    Ignored,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            streaming: Streaming::Served,
            bookmarks: Duration::from_secs(60),
            page: usize::MAX,
            expires_in_watch: true,
        }
    }
}

/// An API server of one [kind] in any namespaces.
pub struct ApiServer {
    settings: Settings,
    storage: Storage,
    journal: Journal,
    faults: Arc<Faults>,
    forbidden: Mutex<BTreeSet<String>>,
    token: Mutex<Option<String>>,
    link: Link,
}

impl ApiServer {
    /// A server without objects.
    pub fn new(settings: Settings, faults: Faults) -> Arc<Self> {
        Arc::new(Self {
            settings,
            storage: Storage::default(),
            journal: Journal::default(),
            faults: Arc::new(faults),
            forbidden: Mutex::default(),
            token: Mutex::default(),
            link: Link::default(),
        })
    }

    /// The objects, to be read and written.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// What clients asked.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// What goes wrong.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Whether new requests for a namespace are refused. That for all namespaces is not.
    pub fn forbid(&self, namespace: &str, forbidden: bool) {
        let mut all = self.forbidden.lock().expect("nothing panics here");
        if forbidden {
            all.insert(namespace.to_owned());
        } else {
            all.remove(namespace);
        }
    }

    /// Ends all connections, and new ones as soon as they are made, until [`Self::come_up`].
    pub fn go_down(&self) {
        self.link.go_down();
    }

    /// Serves new connections.
    pub fn come_up(&self) {
        self.link.come_up();
    }

    /// Ends all connections.
    pub fn disconnect(&self) {
        self.go_down();
        self.come_up();
    }

    /// Sends nothing any more on the connections that there are, and keeps them open. New ones are served.
    pub fn fall_silent(&self) {
        self.link.fall_silent();
    }

    /// Serves a connection in the background, which may be one in memory.
    pub fn serve(self: &Arc<Self>, stream: impl Stream) {
        let server = self.clone();
        let end = self.link.end_of_connection();
        tokio::spawn(async move { end.unless(server.answer_all(stream)).await });
    }

    /// Serves connections over TCP as long as the runtime lives. Returns the URI.
    pub async fn listen(self: &Arc<Self>) -> http::Uri {
        let (listener, address) = bind().await;
        let server = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A failure costs speed alone.
                let _ = stream.set_nodelay(true);
                server.serve(stream);
            }
        });
        uri("http", address)
    }

    /// As [`Self::listen`], over TLS.
    pub async fn listen_over_tls(self: &Arc<Self>) -> (http::Uri, Arc<Identity>) {
        let (listener, address) = bind().await;
        let (server, identity) = (self.clone(), Arc::<Identity>::default());
        let presented = identity.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A failure costs speed alone.
                let _ = stream.set_nodelay(true);
                let (server, identity) = (server.clone(), presented.clone());
                tokio::spawn(async move {
                    if let Ok(stream) = identity.accept(stream).await {
                        server.serve(stream);
                    }
                });
            }
        });
        (uri("https", address), identity)
    }

    /// From now on only requests with this bearer token are served. Watches that have begun go on.
    pub fn require_token(&self, token: &str) {
        *self.token.lock().expect("nothing panics here") = Some(token.to_owned());
    }

    fn is_authenticated(&self, token: Option<&str>) -> bool {
        let required = self.token.lock().expect("nothing panics here");
        required.as_deref().is_none_or(|required| token == Some(required))
    }

    fn is_forbidden(&self, namespace: Option<&str>) -> bool {
        let all = self.forbidden.lock().expect("nothing panics here");
        namespace.is_some_and(|namespace| all.contains(namespace))
    }
}

async fn bind() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("there is a free port");
    let address = listener.local_addr().expect("the listener is bound");
    (listener, address)
}

fn uri(scheme: &str, address: SocketAddr) -> http::Uri {
    let uri = format!("{scheme}://{address}");
    uri.parse().expect("an address makes a URI")
}

#[cfg(test)]
mod tests;
