use std::{
    future::pending,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use kube::Config;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    time::sleep,
};

/// A TCP proxy that can cut connections, discard what is sent, and become very slow.
pub struct Forwarder {
    port: u16,
    state: Arc<watch::Sender<State>>,
    made: Arc<AtomicUsize>,
    open: Arc<AtomicUsize>,
}

#[derive(Clone, Copy)]
struct State {
    mode: Mode,
    /// How often all connections were cut.
    cuts: usize,
    /// How often all connections became half-open.
    deaths: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Open,
    Closed,
    Swallows,
    Trickles,
}

/// The interval between bytes of a slow connection.
const BYTE: Duration = Duration::from_secs(1);

impl Forwarder {
    /// Forwards connections to the server of a configuration while the runtime lives.
    pub async fn to(config: &Config) -> Self {
        let port = config.cluster_url.port_u16().expect("servers have a port");
        let server = SocketAddr::from(([127, 0, 0, 1], port));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let address = listener.local_addr().expect("the listener is bound");
        let forwarder = Self {
            port: address.port(),
            state: Arc::new(watch::Sender::new(State { mode: Mode::Open, cuts: 0, deaths: 0 })),
            made: Arc::default(),
            open: Arc::default(),
        };
        let state = forwarder.state.clone();
        let (made, open) = (forwarder.made.clone(), forwarder.open.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                made.fetch_add(1, Ordering::SeqCst);
                let (state, open) = (state.subscribe(), open.clone());
                tokio::spawn(async move {
                    open.fetch_add(1, Ordering::SeqCst);
                    forward(client, server, state).await;
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        forwarder
    }

    /// Returns the configuration for a client whose connections go through the proxy.
    pub fn config(&self, mut config: Config) -> Config {
        let url = config.cluster_url.to_string();
        let port = config.cluster_url.port_u16().expect("servers have a port").to_string();
        let url = url.replace(&port, &self.port.to_string());
        config.cluster_url = url.parse().expect("a port is all that changes");
        config
    }

    /// Cuts all connections, and closes new ones at once.
    pub fn close(&self) {
        self.state.send_modify(|state| {
            state.mode = Mode::Closed;
            state.cuts += 1;
        });
    }

    /// Cuts all connections, but accepts new ones.
    pub fn cut(&self) {
        self.close();
        self.open();
    }

    /// Keeps current and new connections open, and discards what is sent on them. They stay half-open even after
    /// [`Self::open`], as after a firewall has dropped their state.
    pub fn swallow(&self) {
        self.state.send_modify(|state| {
            state.mode = Mode::Swallows;
            state.deaths += 1;
        });
    }

    /// Forwards one byte a second from the server.
    pub fn trickle(&self) {
        self.state.send_modify(|state| state.mode = Mode::Trickles);
    }

    /// Accepts new connections, and forwards everything.
    pub fn open(&self) {
        self.state.send_modify(|state| state.mode = Mode::Open);
    }

    /// How many connections have been made.
    pub fn connections(&self) -> usize {
        self.made.load(Ordering::SeqCst)
    }

    /// How many of them are open.
    pub fn open_connections(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

async fn forward(client: TcpStream, server: SocketAddr, mut state: watch::Receiver<State>) {
    let first = *state.borrow_and_update();
    let of_carry = state.clone();
    let carry = async {
        match first.mode {
            Mode::Closed => {}
            Mode::Swallows => swallow(&client).await,
            Mode::Open | Mode::Trickles => {
                if let Ok(server) = TcpStream::connect(server).await {
                    carry(client, server, of_carry, first.deaths).await;
                }
            }
        }
    };
    tokio::select! {
        () = carry => {}
        _ = state.wait_for(|now| now.cuts != first.cuts) => {}
    }
}

/// Keeps the connection open without reading, so that the client gets no error.
async fn swallow(_client: &TcpStream) {
    pending::<()>().await;
}

async fn carry(mut client: TcpStream, mut server: TcpStream, mut state: watch::Receiver<State>, deaths: usize) {
    // A failure only affects latency.
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let slow = state.clone();
    let is_dead = state.wait_for(|now| now.deaths != deaths);
    {
        let (from_client, to_client) = client.split();
        let (from_server, to_server) = server.split();
        tokio::select! {
            () = pump(from_client, to_server, || false) => return,
            () = pump(from_server, to_client, || slow.borrow().mode == Mode::Trickles) => return,
            _ = is_dead => {}
        }
    }
    swallow(&client).await;
}

/// Forwards bytes until one side ends.
async fn pump(mut from: impl AsyncReadExt + Unpin, mut to: impl AsyncWriteExt + Unpin, is_slow: impl Fn() -> bool) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        let mut rest = &buffer[..length];
        while !rest.is_empty() {
            let slow = is_slow();
            let count = if slow { 1 } else { rest.len() };
            if to.write_all(&rest[..count]).await.is_err() {
                return;
            }
            rest = &rest[count..];
            if slow {
                sleep(BYTE).await;
            }
        }
    }
}
