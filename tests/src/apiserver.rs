//! A small API server of one kind in memory. Tests write to its storage and break its connections.
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

mod journal;
mod lines;
mod link;
mod list;
mod object;
mod request;
mod response;
mod selector;
mod status_error;
mod storage;
mod watch;
mod wrong_responses;

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::net::TcpListener;

pub use journal::{Exchange, Journal, RequestKind};
use link::Link;
pub use object::{Content, Object, kind};
pub use selector::Selector;
pub use status_error::RETRY_AFTER;
pub use storage::{Change, EventType, Expired, Key, Objects, Snapshot, Storage, WatchEvent};

use crate::{
    faults::{Faults, Stream},
    tls::Identity,
};

/// What differs between API servers.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The response to a watch with `sendInitialEvents`.
    pub streaming: Streaming,
    /// The interval between bookmarks of a watch.
    pub bookmarks: Duration,
    /// The maximum number of objects in a page, whatever limit the client requests.
    pub page: usize,
    /// Whether a watch after a compacted version gets an `ERROR` event with the code 410, and not a response with that
    /// status.
    pub expires_in_watch: bool,
}

/// How the server treats `sendInitialEvents`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streaming {
    /// It is supported.
    Served,
    /// It gets the status 422, as with the feature gate off.
    Refused,
    /// It is ignored, as by servers that are older than the parameter.
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

/// An API server of one [kind] in all namespaces.
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

    /// The objects.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// The requests so far.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The faults that are injected.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Sets whether new requests for a namespace are forbidden. Requests for all namespaces are not.
    pub fn forbid(&self, namespace: &str, forbidden: bool) {
        let mut all = self.forbidden.lock().expect("nothing panics here");
        if forbidden {
            all.insert(namespace.to_owned());
        } else {
            all.remove(namespace);
        }
    }

    /// Ends all connections, and new ones as soon as they are made, until [`Self::resume_serving`].
    pub fn stop_serving(&self) {
        self.link.stop_serving();
    }

    /// Serves new connections.
    pub fn resume_serving(&self) {
        self.link.resume_serving();
    }

    /// Ends all connections.
    pub fn disconnect(&self) {
        self.stop_serving();
        self.resume_serving();
    }

    /// Keeps all current connections open without sending anything on them. New connections are served.
    pub fn stall_connections(&self) {
        self.link.stall_connections();
    }

    /// Serves a connection, over TCP or in memory, in the background.
    pub fn serve(self: &Arc<Self>, stream: impl Stream) {
        let server = self.clone();
        let end = self.link.connection_end();
        tokio::spawn(async move { end.run_until_cut(server.serve_requests(stream)).await });
    }

    /// Serves connections over TCP as long as the runtime lives. Returns the URI.
    pub async fn listen(self: &Arc<Self>) -> http::Uri {
        let (listener, address) = bind().await;
        let server = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A failure only affects latency.
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
                // A failure only affects latency.
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

    /// Serves only requests with this bearer token from now on. Watches that are open continue.
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
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let address = listener.local_addr().expect("the listener is bound");
    (listener, address)
}

fn uri(scheme: &str, address: SocketAddr) -> http::Uri {
    let uri = format!("{scheme}://{address}");
    uri.parse().expect("an address makes a URI")
}

#[cfg(test)]
mod tests;
